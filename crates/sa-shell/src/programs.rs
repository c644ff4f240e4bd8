//! Words and programs that stand before the program that matters.

/// Shells, by the names under which nobody else is started.
const SHELLS: [&str; 7] = ["sh", "bash", "zsh", "dash", "ksh", "ash", "fish"];
const PLACES: [&str; 4] = ["", "/bin/", "/usr/bin/", "/usr/local/bin/"];

/// Words of shells behind which a command stands.
const KEYWORDS: [&str; 24] = [
    "!",
    "-",
    "{",
    "and",
    "begin",
    "builtin",
    "coproc",
    "do",
    "elif",
    "else",
    "exec",
    "function",
    "if",
    "in",
    "nocorrect",
    "noglob",
    "not",
    "or",
    "repeat",
    "select",
    "then",
    "time",
    "until",
    "while",
];

/// Programs that start another one, which one of their arguments names.
const WRAPPERS: [&str; 40] = [
    "busybox",
    "chroot",
    "chrt",
    "command",
    "doas",
    "docker",
    "env",
    "find",
    "firejail",
    "flock",
    "gdb",
    "ionice",
    "kubectl",
    "ltrace",
    "nice",
    "nohup",
    "npx",
    "nsenter",
    "parallel",
    "pkexec",
    "podman",
    "prlimit",
    "runuser",
    "script",
    "setarch",
    "setpriv",
    "setsid",
    "ssh",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "taskset",
    "timeout",
    "toybox",
    "unbuffer",
    "unshare",
    "watch",
    "xargs",
];

/// Programs other than shells that run text as a shell does.
const EVALUATORS: [&str; 12] =
    ["alias", "docker", "env", "eval", "find", "parallel", "script", "ssh", "su", "trap", "watch", "xargs"];

/// Returns whether a program is a shell. One of that name elsewhere could be anything.
pub fn is_shell(program: &str) -> bool {
    PLACES.iter().any(|place| program.strip_prefix(place).is_some_and(|name| SHELLS.contains(&name)))
}

/// Returns whether the word behind this option of a shell is the script.
pub fn takes_script(option: &str) -> bool {
    let letters = option.strip_prefix('-').unwrap_or_default();
    letters.contains('c') && letters.chars().all(|c| "celiu".contains(c))
}

pub(crate) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// Returns whether any argument of the program may be the program that matters.
pub(crate) fn starts_others(name: &str) -> bool {
    WRAPPERS.contains(&name) || evaluates(name)
}

/// Returns whether any argument of the program may be a command line.
pub(crate) fn evaluates(name: &str) -> bool {
    SHELLS.contains(&name) || EVALUATORS.contains(&name) || name == "runuser" || name == "sudo"
}
