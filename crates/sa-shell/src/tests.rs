//! No way to write a harmful command makes it one that only reads, and words are cut as a shell cuts them.
#![allow(clippy::unwrap_used)]

mod effects;

use crate::readings::may_run;
use crate::testing::{INTENTS, spelled, spellings};
use crate::{Line, only_reads};
use proptest::prelude::*;
use std::process::Command;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_spelling_of_a_harmful_command_only_reads((intent, command) in spellings()) {
        prop_assert!(!only_reads(&command), "{:?}: {command}", intent.words);
    }

    #[test]
    fn no_spelling_hides_a_harmful_command((intent, command) in spellings()) {
        prop_assert!(may_run(intent.pattern, &command), "{}: {command}", intent.pattern);
    }

    #[test]
    fn whatever_stands_behind_a_reader_with_a_harmful_word_is_not_certain_to_read(
        (intent, command) in spellings(),
        reader in prop::sample::select(vec!["ls", "cat a", "grep x y", "find . -name z", "echo", "rg a", "sort b"]),
        between in prop::sample::select(vec![";", "&&", "||", "|", "&", "\n", "\r", "\u{2028}", "|&", ";;"]),
    ) {
        let line = format!("{reader}{between}{command}");
        prop_assert!(!only_reads(&line), "{:?}: {line}", intent.words);
    }
}

/// Words as `shell` reads them, one list for each line.
fn as_read(shell: &str, lines: &[String]) -> Vec<Vec<String>> {
    // A line may send its own output elsewhere.
    let say = "exec 3>&1\nsay() { printf '%s\\0' \"$@\" >&3; }\n";
    let lines: String = lines.iter().map(|line| format!("say {line}\nprintf '\\n\\0'\n")).collect();
    let script = format!("{say}{lines}");
    let here = std::env::temp_dir();
    let output = Command::new(shell).arg("-c").arg(script).current_dir(here).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lists = vec![Vec::new()];
    for word in text.split_terminator('\0') {
        match word {
            "\n" => lists.push(Vec::new()),
            word => lists.last_mut().unwrap().push(word.to_owned()),
        }
    }
    lists.pop();
    lists
}

fn cut(line: &str) -> Option<Vec<String>> {
    let read = Line::read(line);
    let [words] = read.commands() else { return None };
    if !read.is_certain() {
        return None;
    }
    words.iter().map(|word| word.text().map(str::to_owned)).collect()
}

/// Text in which quotes, escapes and letters that mean something to shells are frequent.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "b",
        "-x",
        " ",
        "  ",
        "'",
        "\"",
        "\\",
        "''",
        "\"\"",
        "'a b'",
        "\"a b\"",
        "\\ ",
        "\\'",
        "\\\"",
        "=",
        "x=y",
        "~",
        ":~",
        "!",
        "#",
        "^",
        "%",
        "@",
        "+",
        ",",
        ".",
        "/",
        "$",
        "`",
        "(",
        ")",
        "{",
        "}",
        "{a,b}",
        "[",
        "]",
        "*",
        "?",
        "<",
        ">",
        "&",
        "|",
        ";",
        "2>/dev/null",
        "\t",
        "\n",
        "\\\n",
        "é",
        "\u{a0}",
        "$x",
        "$'a'",
        "\"\\$x\"",
        "\"\\a\"",
        "'\\'",
    ]);
    prop::collection::vec(piece, 1..9).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn certain_words_are_the_words_of_a_shell(texts in prop::collection::vec(texts(), 200)) {
        let lines: Vec<String> = texts.into_iter().filter(|text| cut(text).is_some()).collect();
        for shell in ["sh", "bash"] {
            let read = as_read(shell, &lines);
            prop_assert_eq!(read.len(), lines.len());
            for (line, words) in lines.iter().zip(read) {
                prop_assert_eq!(cut(line).unwrap_or_default(), words, "{} {:?}", shell, line);
            }
        }
    }

    #[test]
    fn spelled_words_are_the_intended_ones(spellings in prop::collection::vec(
        prop::sample::select(INTENTS.to_vec()).prop_flat_map(|intent| {
            let words: Vec<_> = intent.words.iter().map(|word| spelled(word)).collect();
            (Just(intent), words)
        }), 50)
    ) {
        let lines: Vec<String> = spellings.iter().map(|(_, words)| words.join(" ")).collect();
        let read = as_read("sh", &lines);
        for ((intent, _), (line, words)) in spellings.iter().zip(lines.iter().zip(read)) {
            prop_assert_eq!(&words, intent.words, "{}", line);
            if let Some(cut) = cut(line) {
                prop_assert_eq!(cut, words, "{}", line);
            }
        }
    }
}

#[test]
fn commands_that_only_read_are_told_from_others() {
    for harmless in [
        "ls -la",
        "ls -l src/*.rs 2>/dev/null",
        "cat a.txt | grep -n x | head -3",
        "cd src && ls; pwd",
        "find . -name '*.rs' -not -path './target/*' -mtime -7",
        "find . \\( -name a -o -name b \\) -print",
        "grep -rn \"fn main\" --include='*.rs' . 2>&1 | sort -u | uniq -c",
        "rg -n --glob '!x' 'a|b;c' src",
        "echo '$HOME; rm x' \\; -delete",
        "tail -n 20 log.txt > /dev/null;",
        "wc -l a b || true",
    ] {
        assert!(only_reads(harmless), "{harmless}");
    }
    for harmful in [
        "",
        " ",
        ";",
        "touch a",
        "ls > a",
        "ls >> a",
        "ls >a/dev/null",
        "ls '>' a > b",
        "ls; rm a",
        "ls & rm a",
        "ls &",
        "echo $(rm a)",
        "echo `rm a`",
        "echo \"$(rm a)\"",
        "echo $HOME",
        "find . -delete",
        "find . '-delete'",
        "find . \"-del\"\"ete\"",
        "find . -d\\elete",
        "find . -exec rm {} +",
        "find /etc/hostname \"-fprintf\" x 'y'",
        "find *",
        "git push",
        "git status",
        "cd repo && git log -1 --format=%s \"--outpu\"t=x",
        "git -C x commit",
        "ls\nrm a",
        "env rm a",
        "A=1 rm a",
        "A=1 ls",
        "./ls",
        "/tmp/ls",
        "ls {a,b}",
        "ls ~",
        "cat < a",
        "cat <<E",
        "cat <(rm a)",
        "ls # x",
        "ls\u{a0}a",
        "ls\tx",
        "lé",
        "$x",
        "l?",
        "date -s 1",
        "hostname x",
        "file -C",
        "printf -v 'a[$(rm x)]' y",
        "uniq a b",
        "sort -o a b",
        "ls 'a",
        "echo '\\' ; ls '; rm x #'",
        "tail -f x",
        "rg --pre=sh x",
        "tree -o x",
        "sort *",
        "ls |",
        "ls &&",
        "| ls",
        "ls ;; ls",
    ] {
        assert!(!only_reads(harmful), "{harmful}");
    }
}
