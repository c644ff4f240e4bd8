//! Programs are found in whatever a shell takes for a command.

mod spellings;
mod work;

use super::may_run as may;
use super::*;

#[test]
fn a_pattern_meets_a_phrase_with_gaps_if_some_text_fits_both() {
    let gaps = |phrase: &str| -> Vec<Piece> {
        phrase.chars().map(|c| if c == '*' { Piece::Any } else { Piece::Text(c.into()) }).collect()
    };
    for (pattern, phrase) in
        [("rm *", "*"), ("rm *", "r* x"), ("a*c", "ab*"), ("", "*"), ("*", ""), ("a*b*c", "*x*")]
    {
        assert!(meets(pattern, &gaps(phrase)), "{pattern} {phrase}");
    }
    for (pattern, phrase) in [("rm *", "ls *"), ("a", ""), ("a*c", "*b"), ("rm", "*x")] {
        assert!(!meets(pattern, &gaps(phrase)), "{pattern} {phrase}");
    }
}

#[test]
fn programs_are_found_behind_whatever_stands_before_them() {
    for line in [
        "rm -rf x",
        "rm\t-rf x",
        "X=1 rm x",
        "/bin/rm x",
        "if true; then rm x; fi",
        "{ rm x; }",
        "sudo rm x",
        r"r\m x",
        "'rm' x",
        "r''m x",
        "ls | xargs rm -f",
        "find . -exec rm {} +",
        "sh -c 'rm x'",
        "eval \"rm x\"",
        "echo $(r\\m x)",
        "env -i A=b rm x",
        "sudo -u me -- rm x",
        "2>/dev/null rm x",
        ">f rm x",
        "$x y",
        "r{m,} x",
        "r? x",
        "$'\\x72m' x",
        "r\\\nm x",
        "# don't\nX=1 rm x",
        "bash -lc \"sh -c 'rm x'\"",
        "rm x'",
        "alias y=rm z",
        "case a in a) rm x;; esac",
        "timeout 5 rm x",
        "bash <<E\nX=1 rm x\nE",
        "cat <<-E\n\tit's\n\tE\nr\\m x",
        "a & rm x",
        "`rm x`",
        "trap 'rm x' EXIT",
        "function f { rm x; }; f",
        "noglob rm x",
        "\"$RM\" x",
    ] {
        assert!(may("rm *", line), "{line}");
    }
}

#[test]
fn programs_are_found_in_whatever_becomes_a_command_line() {
    for line in [
        "time -p rm x",
        "exec -a y rm x",
        "command -p rm x",
        "env -S'rm x'",
        "env --split-string='rm x'",
        "env -S 'rm\\_x'",
        "env /bin/sh -c 'r\\m x'",
        "script -qc'rm x' f",
        "eval 'r\\m' x",
        "y='; rm x'; eval \"echo $y\"",
        "echo rm x | sh",
        "echo rm x | bash -s y",
        "echo 'r\\m x' | sudo sh -e",
        "sh < f",
        "sh <<< 'r\\m x'",
        ". <(echo 'r\\m x')",
        "source /dev/stdin <<< 'r\\m x'",
        "ls | xargs rm",
        "echo rm | xargs -I{} env {} x",
        "echo rm | xargs -I % env % x",
        "echo rm x | xargs env",
        "X[0]=1 rm x",
        "{fd}>f rm x",
        "hash -p /bin/rm ls; ls x",
        "echo $(rm `echo -`f x)",
        "echo `rm $(echo -)f x`",
        "cat <(rm $(echo -)f x)",
        "cat <<E\n$(rm `echo -`f x)\nE",
        "y=$'$\\x28rm x)'; echo $((y))",
        "y=\"a[\\$(r\\\\m x)]\"; echo $((y))",
        "printf -v y '\\x24\\x28rm x)'; echo ${y@P}",
        "mapfile -C 'rm x #' -c 1 < f",
        "echo \"a $(echo \"b $(case x in\nx)r`echo m` x\nesac)\")\"",
        "echo $(ca\\\nse x in x) r`echo m` x;; esac)",
        "cat <(case x in x) r`echo m` x;; esac)",
    ] {
        assert!(may("rm *", line), "{line}");
    }
}

#[test]
fn options_before_a_subcommand_do_not_hide_it_and_text_is_no_command() {
    for line in
        ["git push", "git -C x push", "git --no-pager -c a=b push --force", "git $x", "/usr/bin/git 'push'"]
    {
        assert!(may("git push*", line), "{line}");
    }
    for line in [
        "ls -l",
        "cat rm x",
        "npm run build && npm test",
        "echo \"$HOME\" farm x",
        "git commit -m 'rm x'",
        "cat > f <<'E'\nit's (fine)\nE\nls",
        "command -v bash",
        "bash build.sh",
        "bash --version",
        ". ./env.sh",
        ". \"$HOME/.cargo/env\"",
        "env X=\"$Y\" npm test",
        "find . -name x -exec grep y {} +",
        "ls | xargs wc -l",
        "ls | xargs -I{} cp {} y",
        "echo \"$(printf ')')\" $(ls -l)",
        "echo $(ls -l) lowercase case-study x.case y",
    ] {
        assert!(!may("rm *", line), "{line}");
    }
}
