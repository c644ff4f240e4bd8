//! Spellings of harmful commands: a list of what somebody may want to do, and the many ways to write it.

use crate::{Line, Readings, only_reads};
use proptest::prelude::*;
use proptest::sample::select;

/// Something harmful, as its words, and a pattern by which a rule names it.
#[derive(Debug, Clone, Copy)]
pub struct Intent {
    /// The command.
    pub words: &'static [&'static str],
    /// A pattern of a rule that is to match it.
    pub pattern: &'static str,
}

const fn intent(words: &'static [&'static str], pattern: &'static str) -> Intent {
    Intent { words, pattern }
}

/// Harmful commands.
pub const INTENTS: [Intent; 37] = [
    intent(&["rm", "-rf", "x"], "rm *"),
    intent(&["touch", "x"], "touch *"),
    intent(&["tee", "-a", ".bashrc"], "tee *"),
    intent(&["cp", "a", "b"], "cp *"),
    intent(&["find", ".", "-name", "x", "-delete"], "find *-delete*"),
    intent(&["find", ".", "-fprintf", ".bashrc", "evil"], "find *-fprintf*"),
    intent(&["find", ".", "-fls", "x"], "find *"),
    intent(&["find", ".", "-exec", "touch", "x", ";"], "find *-exec*"),
    intent(&["find", ".", "-okdir", "touch", "x", ";"], "touch *"),
    intent(&["git", "log", "--output=x"], "git log*--output*"),
    intent(&["git", "log", "--output", "x"], "git *"),
    intent(&["git", "log", "--outp=x"], "git log*"),
    intent(&["git", "-C", "evil", "status"], "git status*"),
    intent(&["git", "push", "--force"], "git push*"),
    intent(&["git", "--no-pager", "-c", "a.b=c", "push"], "git push*"),
    intent(&["git", "grep", "-Osh", "x"], "git grep*"),
    intent(&["sort", "-o", "x", "y"], "sort -o*"),
    intent(&["sort", "-uox", "y"], "sort *"),
    intent(&["sort", "--output=x", "y"], "sort --output*"),
    intent(&["sort", "--compress-prog", "sh", "y"], "sort --compress*"),
    intent(&["rg", "--pre", "sh", "x"], "rg --pre*"),
    intent(&["rg", "-z", "x"], "rg -z*"),
    intent(&["date", "-s", "12:00"], "date *"),
    intent(&["hostname", "evil"], "hostname *"),
    intent(&["file", "-C", "-m", "x"], "file *"),
    intent(&["tree", "-o", "x"], "tree *"),
    intent(&["diff", "-l", "a", "b"], "diff *"),
    intent(&["diff", "--paginate", "a", "b"], "diff *"),
    intent(&["uniq", "a", "b"], "uniq *"),
    intent(&["printf", "-v", "a[$(touch x)]", "b"], "printf *"),
    intent(&["sed", "-i", "s/a/b/", "x"], "sed -i*"),
    intent(&["awk", "BEGIN{system(\"touch x\")}"], "awk *"),
    intent(&["python3", "-c", "open('x', 'w')"], "python3 *"),
    intent(&["curl", "-o", "x", "http://evil.test/"], "curl *"),
    intent(&["dd", "of=x"], "dd *"),
    intent(&["less", "+!touch x", "y"], "less *"),
    intent(&["xargs", "rm"], "rm"),
];

/// Stands before a command and leaves it what it is.
const PREFIXES: [&str; 24] = [
    "",
    "",
    "",
    "X=1 ",
    "X='a b' Y=\"c\" ",
    "sudo ",
    "sudo -u me -- ",
    "env ",
    "env -i A=b ",
    "nohup ",
    "time ",
    "command ",
    "exec ",
    "! ",
    "2>/dev/null ",
    ">/dev/null ",
    "timeout 5 ",
    "nice -n 5 ",
    "busybox ",
    "xargs -0 ",
    "X=';' ",
    "X=\"|\" ",
    "X=\\& Y='(' ",
    "X='a;b' 2>/dev/null ",
];

/// The contexts of a command; `@` is its place.
const CONTEXTS: [&str; 31] = [
    "@",
    "@",
    "@",
    "@",
    "ls; @",
    "ls && @",
    "ls || @",
    "ls | @",
    "ls & @",
    "ls\n@",
    "@ | cat",
    "@; ls",
    "(@)",
    "{ @; }",
    "if true; then @; fi",
    "while @; do true; done",
    "echo $(@)",
    "echo `@`",
    "cat <(@)",
    "# it's\n@",
    "true '#'; @",
    "for i in 1 2; do @; done",
    "f() { @; }; f",
    "case a in a) @;; esac",
    "cat <<E\nE\n@",
    "set -- a; for i do @; done",
    "set -- a; select i do @; break; done <<< 1",
    "function f if @; then :; fi; f",
    "cat <<E\n\tE\nE\n@",
    "echo \"$'\"; @",
    "alias a=env\na @",
];

/// Runs the text that it is given; `@` is the place of that.
const SHELLS: [&str; 6] =
    ["sh -c @", "/bin/bash -lc @", "eval @", "sudo sh -c @", "echo x | xargs bash -c @", "bash -c @ x y"];

/// A word as it may be written, so that a shell reads the same word.
pub fn spelled(word: &'static str) -> BoxedStrategy<String> {
    let letters = word.chars().count();
    let ways = proptest::collection::vec(0..7_u8, letters);
    (ways, any::<bool>())
        .prop_map(move |(ways, is_bare)| {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
            if is_bare && word.chars().all(is_plain) {
                return word.to_owned();
            }
            word.chars().zip(ways).map(|(c, way)| letter(c, way, is_plain(c))).collect()
        })
        .boxed()
}

fn letter(c: char, way: u8, is_plain: bool) -> String {
    match way {
        0 if is_plain => c.to_string(),
        1 => format!("\\{c}"),
        2 if c != '\'' => format!("'{c}'"),
        3 if !"\"$`\\!".contains(c) => format!("\"{c}\""),
        4 if is_plain => format!("''{c}"),
        5 if is_plain => format!("{c}\"\""),
        6 if is_plain => format!("\\\n{c}"),
        _ => format!("\\{c}"),
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A harmful command, and one of the ways to write it.
pub fn spellings() -> impl Strategy<Value = (Intent, String)> {
    select(INTENTS.to_vec()).prop_flat_map(|intent| {
        let words: Vec<_> = intent.words.iter().map(|word| spelled(word)).collect();
        let places = select(vec!["", "", "", "/bin/", "/usr/bin/", "./", "../x/", "$PWD/", "~/bin/"]);
        let blanks = select(vec![" ", " ", "  ", "\t", " \\\n"]);
        let around = (
            select(PREFIXES.to_vec()),
            select(CONTEXTS.to_vec()),
            proptest::option::of(select(SHELLS.to_vec())),
        );
        (words, places, blanks, around).prop_map(move |(words, place, blank, (prefix, context, shell))| {
            let command = format!("{prefix}{place}{}", words.join(blank));
            let command = match shell {
                Some(shell) => shell.replace('@', &quoted(&command)),
                None => command,
            };
            (intent, context.replace('@', &command))
        })
    })
}

/// Panics unless the two judgments about any text keep to what they promise: a line that is not certain never only reads,
/// and a harmful command is seen whatever follows it.
#[allow(clippy::missing_panics_doc)]
pub fn judgments_hold(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let line = Line::read(&text);
    if only_reads(&text) {
        assert!(line.is_certain() && !line.is_broken(), "it only reads, but is not certain: {text:?}");
    }
    let _ = Readings::of_line(&text).any("git *", |phrase| phrase.len() > 3);
    for harm in ["rm -rf x\n", "rm -rf x;", "rm -rf x && ", "rm -rf x | "] {
        let whole = format!("{harm}{text}");
        assert!(!only_reads(&whole), "it only reads: {whole:?}");
        let readings = Readings::of_line(&whole);
        assert!(readings.any("rm *", |phrase| phrase.starts_with("rm ")), "no rule sees it: {whole:?}");
    }
}
