//! Judgments against real shells: no command that changes a file counts as one that only reads, and no rule against it is
//! evaded. The files are looked at, so the lists of commands are known to do what they are there for.

use crate::only_reads;
use crate::readings::may_run;
use proptest::prelude::*;
use proptest::sample::select;
use sa_testkit::Arena;
use sa_testkit::harm::{DEEDS, FOREIGN, FORMS, HARMLESS, Harm, cases, harms};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

const SHELLS: [&str; 2] = ["bash", "sh"];

fn has_effect(command: &str) -> bool {
    SHELLS.iter().any(|shell| Arena::shows_effect(shell, command).unwrap())
}

/// Programs that not every machine has.
const OPTIONAL: [&str; 27] = [
    "choom", "curl", "ed", "ex", "flock", "gdb", "git", "gzip", "ionice", "linux64", "make", "man", "node",
    "openssl", "perl", "prlimit", "python3", "rev", "script", "setarch", "setpriv", "ssh", "strace",
    "taskset", "tclsh", "vim", "xxd",
];

/// Returns whether a command needs a program that this machine lacks.
fn lacks_program(command: &str) -> bool {
    let is_there = |program: &str| {
        ["/usr/local/bin", "/usr/bin", "/bin"]
            .iter()
            .any(|place| std::path::Path::new(place).join(program).exists())
    };
    let words = || command.split(|c: char| !c.is_ascii_alphanumeric());
    OPTIONAL.iter().any(|program| words().any(|word| word == *program) && !is_there(program))
}

#[test]
fn every_deed_in_every_form_has_an_effect_and_is_seen() {
    for deed in DEEDS {
        let plain = Harm::plain(deed, "@cmd").command;
        assert!(lacks_program(&plain) || has_effect(&plain), "no effect: {plain}");
    }
    let (first, mut faults) = (DEEDS[6], Vec::new());
    for form in FORMS {
        let command = Harm::plain(first, form).command;
        if !lacks_program(&command) && !has_effect(&command) {
            faults.push(format!("no effect: {command}"));
        }
        for deed in DEEDS {
            let command = Harm::plain(deed, form).command;
            if only_reads(&command) {
                faults.push(format!("only reads: {command}"));
            }
            if !may_run(deed.pattern, &command) {
                faults.push(format!("not denied by {}: {command}", deed.pattern));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn what_other_programs_do_has_an_effect_and_is_seen() {
    let mut faults = Vec::new();
    for command in FOREIGN {
        if !lacks_program(command) && !has_effect(command) {
            faults.push(format!("no effect: {command}"));
        }
        if only_reads(command) {
            faults.push(format!("only reads: {command}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn commands_that_are_said_to_only_read_do_and_have_no_effect() {
    for command in HARMLESS {
        assert!(only_reads(command), "{command}");
        assert!(!has_effect(command), "{command}");
    }
}

#[test]
fn most_generated_commands_have_an_effect() {
    let (tried, confirmed) = (AtomicU32::new(0), AtomicU32::new(0));
    let config = ProptestConfig { cases: cases(150), failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(harm in harms())| {
        tried.fetch_add(1, Relaxed);
        if has_effect(&harm.command) {
            confirmed.fetch_add(1, Relaxed);
            prop_assert!(!only_reads(&harm.command), "{}", harm.command);
        }
    });
    let (tried, confirmed) = (tried.into_inner(), confirmed.into_inner());
    println!("{confirmed} of {tried} generated commands had an effect");
    assert!(confirmed * 2 > tried, "{confirmed} of {tried} had an effect");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(4000)))]

    /// Only commands that would be a fault have to be run.
    #[test]
    fn nothing_with_an_effect_only_reads_or_evades_a_rule(harm in harms()) {
        let is_denied = harm.pattern.is_none_or(|pattern| may_run(pattern, &harm.command));
        let is_fault = only_reads(&harm.command) || !is_denied;
        prop_assert!(!is_fault || !has_effect(&harm.command), "{:?}: {}", harm.pattern, harm.command);
    }

    #[test]
    fn a_harmless_command_before_it_hides_nothing(
        harm in harms(),
        first in select(HARMLESS.to_vec()),
        between in select(vec![";", " ; ", "&&", "||", "|", "&", "\n", "\r\n", "\r", "\u{2028}", "|&", "#\n", "\\\n;", "\0;"]),
    ) {
        let command = format!("{first}{between}{}", harm.command);
        prop_assert!(!only_reads(&command) || command.contains('\0') || !has_effect(&command), "{command}");
    }
}

/// Text that opens, closes or separates something in a shell.
const PIECES: &[&str] = &[
    "touch made",
    "X=';' touch made",
    "t\\ouch made",
    "'",
    "\"",
    "`",
    "$(",
    ")",
    "(",
    "((",
    "))",
    "{",
    "}",
    "${z:-",
    "${z#",
    "[",
    "]",
    "X[",
    "]=1 ",
    "$'",
    "\\'",
    "\\\"",
    "\\",
    "#",
    " #",
    "\n",
    ";",
    " ",
    "<<E\n",
    "\nE\n",
    "<<'E'\n",
    "<<-E\n",
    "\t",
    "\\\n",
    "echo ",
    "cat ",
    "$[",
    "|",
    "&",
    "&&",
    "||",
    "for i in a; do ",
    "; done",
    "if ",
    "; then ",
    "; fi",
    "case a in a) ",
    ";; esac",
    "f() ",
    "function f ",
    "; f",
    "<",
    "> /dev/null ",
    "<(",
    "<<< ",
    "[[ ",
    "]] ",
    "a",
    "=",
    "+=",
    "!",
    "time ",
    "eval ",
    "\r",
    "{a,",
    "..",
    "*",
    "@(",
    "coproc ",
    "while ",
    "; do break; done",
    "set -- a;",
    "for i do ",
    "alias a=",
    "\na x",
    "trap ",
    " EXIT",
    "\"$z\"",
    "$z",
    "~",
    "1<<E",
];

/// Lines of such text, with a harmful command somewhere.
fn jumbles() -> impl Strategy<Value = String> {
    let harm = select(vec!["touch made", "X=';' touch made", "t\\ouch made"]);
    (proptest::collection::vec(select(PIECES), 2..10), harm, any::<prop::sample::Index>()).prop_map(
        |(mut pieces, harm, at)| {
            pieces.insert(at.index(pieces.len() + 1), harm);
            pieces.concat()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(1000)))]

    #[test]
    fn nothing_with_an_effect_hides_in_a_jumble_of_operators(line in jumbles()) {
        let is_fault = only_reads(&line) || !may_run("touch *", &line);
        prop_assert!(!is_fault || !has_effect(&line), "{line:?}");
    }
}

/// Command lines of programs that read, with options and operands of every kind.
fn readings() -> impl Strategy<Value = String> {
    let program = select(vec![
        "basename",
        "cat",
        "cd",
        "cksum",
        "cmp",
        "cut",
        "df",
        "diff",
        "dirname",
        "du",
        "echo",
        "egrep",
        "fgrep",
        "find",
        "grep",
        "head",
        "id",
        "jq",
        "ls",
        "md5sum",
        "nl",
        "nproc",
        "ps",
        "pwd",
        "readlink",
        "realpath",
        "rg",
        "sha256sum",
        "sort",
        "stat",
        "tail",
        "tr",
        "true",
        "uname",
        "uniq",
        "wc",
        "which",
    ]);
    let word = prop_oneof![
        3 => select(vec![
            "victim.txt", "list.txt", "made", "public", ".", "public/*.txt", "*.txt", "odd/*", "x", "1", "-", "--",
            "'-o'", "\"a b\"", "\\-o", "''", "+1", "-1", "victim.txt made", "\\(", "\\;", "{}", "a=b", "/dev/null",
        ]).prop_map(str::to_owned),
        3 => "-[a-zA-Z0-9]{1,3}",
        1 => "--[a-z]{2,8}(=[a-z.]{1,6})?",
        1 => select(vec![
            "--output=made", "--files", "--pre", "--print", "-print", "-ls", "-delete", "-fprint", "-exec", "-name",
            "-size", "-newer", "--color", "--sort", "--time", "--relative-to=.", "--output-delimiter=made",
        ]).prop_map(str::to_owned),
        1 => select(vec![
            ">/dev/null", "2>/dev/null", ">> /dev/null", "2>&1", ">&2", ">made", "> made", ">&made", "<list.txt",
            ">/dev/null/made", ">'/dev/null'", ">>|/dev/null", ">&|1", ">>&1", "1<>made", "<>made", ">&&2",
        ]).prop_map(str::to_owned),
    ];
    let command = (program, proptest::collection::vec(word, 0..5)).prop_map(|(program, words)| {
        std::iter::once(program.to_owned()).chain(words).collect::<Vec<_>>().join(" ")
    });
    let between = select(vec![" | ", "|", "; ", " && ", " || ", ";", " & ", "\n"]);
    proptest::collection::vec((command, between), 1..4).prop_map(|parts| {
        let mut line: String = parts.iter().map(|(command, between)| format!("{command}{between}")).collect();
        let end = parts.last().map_or(0, |(_, between)| between.len());
        line.truncate(line.len() - end);
        line
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(25)))]

    /// The commands share a directory: none of them may change it.
    #[test]
    fn what_only_reads_changes_nothing(lines in proptest::collection::vec(readings(), 100)) {
        let lines: Vec<String> = lines.into_iter().filter(|line| only_reads(line)).collect();
        for shell in SHELLS {
            let is_changed = Arena::new().unwrap().is_changed_by(shell, &lines).unwrap();
            prop_assert!(!is_changed, "{shell}: {lines:#?}");
        }
    }
}
