//! Lines that were once read differently from a shell. `X=';' rm x` hides from those who cut a line at its operators.

use super::may;

fn all_may_remove(lines: &[&str]) {
    let missed: Vec<_> = lines.iter().filter(|line| !may("rm *", line)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn loops_and_functions_without_braces_hide_no_program() {
    all_may_remove(&[
        "set -- a; for i do rm x; done",
        "f() { for i do rm x; done; }; f a",
        "bash -c 'for i do rm x; done' _ a",
        "function f if rm x; then :; fi; f",
        "function f while rm x; do break; done; f",
        "function f() for i do rm x; done; f a",
        "function f for i do rm x; done; f a",
        "set -- a; for i; { rm x; }",
        "set -- a; if for i do rm x; done; then :; fi",
        "set -- a; time for i do X=';' rm x; done",
        "set -- a; select i do rm x; break; done <<< 1",
    ]);
}

#[test]
fn backquotes_end_at_the_next_one_and_drop_escapes_of_quotes() {
    all_may_remove(&[
        "echo \"`r\\\"\\\"m x`\"",
        "echo \"`\\\"rm\\\" x`\"",
        "echo `: # '`; X=';' rm x #'`",
        "echo `echo '`; X=';' rm x #'`",
    ]);
}

#[test]
fn alternatives_with_quotes_hide_no_program() {
    all_may_remove(&[
        "{rm,-f,x,\\ y}",
        "{rm,-f,x,\"a b\"}",
        "{rm,-f,x,'\n'}",
        "echo {a,b};{rm,\";\",x}",
        "{x};{rm,-f,x,\"a b\"}",
        "{rm,-f,x,\u{a0}}",
        "{rm,-f,x,\u{2028}}",
    ]);
}

#[test]
fn brackets_and_indexes_hide_no_program() {
    all_may_remove(&[
        "X[\"0 \"]=1 rm x",
        "X[0\\ ]=1 rm x",
        "X[1 + 1]=2 rm x",
        "X[a[0]]=1 rm x",
        "{a[0]}>f rm x",
        "echo [';]';X=';' rm x\\'",
        "$[x[$({rm,\";\",y})]]",
    ]);
}

#[test]
fn here_documents_end_where_a_shell_ends_them() {
    all_may_remove(&[
        "cat <<E\n\tE\n'\nE\nX=';' rm x #'\n",
        "cat <<'F'\na\\\nF\ncat <<E\nfoo\\\nE\n'\nE\nX=';' rm x #'\nF\n",
        "cat <<'F'\na\\\nF\ncat <<a}\nfoo\\\na}\n'\na}\nX=';' rm x #'\nF\n",
        "cat <<'F'\na\\\nF\ncat <<E\nE\\\n\nX=';' rm x #'\nE\nF\n",
        "((x=1<<E))\nX=';' rm x\nE\n",
        "for ((i=1<<E;0;))\ndo :; done\nX=';' rm x\nE\n",
    ]);
}

#[test]
fn quotes_and_comments_stay_in_step_with_the_shell() {
    all_may_remove(&[
        "echo \"$'\"; X=';' rm x #'\"",
        "cat <<E\n$' $(X=';' rm x) '\nE\n",
        "echo $'\\'; X=';' rm x # '",
        "echo $(ls # )'\nX=';' rm x #'\n)",
        "echo a\r#;X=';' rm x",
        "echo $(echo \"$(echo \")\" \"'\")\"; X=';' rm x; echo \"'\") #\"",
        "echo \"${x:-'}\"; X=';' rm x #'}\"",
    ]);
}

#[test]
fn aliases_and_extended_patterns_may_run_anything() {
    all_may_remove(&[
        "alias a=env\na rm x",
        "alias a=\na rm x",
        "alias a='r\\m'\na x",
        "shopt -s expand_aliases\nBASH_ALIASES[a]='r\\m'\na x",
        "shopt -s expand_aliases\ndeclare BASH_ALIASES[a]='r\\m'\na x",
        "shopt -s extglob\n/bin/@(rm) x",
        "bash -O extglob -c '/bin/@(rm) x'",
    ]);
}

#[test]
fn ordinary_lines_are_still_told_from_others() {
    for line in [
        "for i in {1..10}; do echo $i; done",
        "for f in *.rs; do wc -l \"$f\"; done",
        "cp src/{a,b}.rs \"$dir\"",
        "echo 'a,b' {a,b}",
        "ls [a-z]*.rs",
        "[ -f x ] && cat x",
        "[[ -f x ]] && cat x",
        "echo $(ls # all\n)",
        "git commit -m \"$(cat <<'E'\nFix #12\n\nDon't stop.\nE\n)\"",
        "cd \"$(dirname \"$0\")\" && pwd",
        "cat <<-E\n\ta\n\tE\nls",
        "cat <<E\na\\\nb\nE\nls",
        "echo ${x:-'a'} \"${y:-b}\"",
        "echo $((1 + 2))",
        "function f { ls; }; f",
        "printf '%s\\n' a@b \\(c\\)",
        "alias",
        "alias -p",
    ] {
        assert!(!may("rm *", line), "{line}");
    }
}
