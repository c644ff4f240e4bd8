//! Words and programs that stand before the program that matters.

use super::names::Names;

/// Shells, by the names under which nobody else is started.
const SHELLS: Names = Names("sh bash zsh dash ksh ash fish");
const PLACES: [&str; 4] = ["", "/bin/", "/usr/bin/", "/usr/local/bin/"];

/// Words of shells behind which a command stands.
const KEYWORDS: Names = Names("! - { and begin do elif else if in nocorrect noglob not or then until while");

/// Words of shells behind which a name stands, and then a command: `for i do`, `function f if`.
const NAMING: Names = Names("for function select");

/// Programs and words of shells that start another program, which one of their arguments names.
const WRAPPERS: Names = Names(
    "arch builtin bundle bunx busybox chcon choom chpst chroot chrt command coproc cpulimit \
     dbus-run-session direnv doas docker dumb-init eatmydata entr env exec fakeroot faketime find firejail \
     flock for function gdb gosu hash i386 ionice kubectl linux32 linux64 logsave ltrace mise nice nohup npx nsenter \
     parallel perf pipx pkexec podman poetry prlimit proxychains repeat rlwrap runcon runuser screen \
     script select setarch setpriv setsid sg ssh start-stop-daemon stdbuf strace su su-exec sudo systemd-run \
     taskset time timeout tini tmux torsocks toybox unbuffer unshare uv uvx valgrind watch x86_64 xargs",
);

/// Programs other than shells that run text as a shell does.
const EVALUATORS: Names = Names(
    "alias bind compgen complete docker env eval find flock mapfile parallel podman readarray runuser \
     screen script sg ssh su sudo tmux trap watch",
);

/// Those of them whose text is a command line in every case. Where a shell fills something in, that may be a command.
const INTERPRETERS: Names = Names("alias compgen eval mapfile readarray script ssh su trap watch");

/// Commands of a shell that evaluate the index of an array in the names that they are given.
const INDEXERS: Names = Names("[ [[ declare export let local printf read readonly test typeset unset wait");

/// Programs whose arguments are completed by what they read or find.
const COMPLETERS: Names = Names("find parallel xargs");

/// Returns whether a program is a shell. One of that name elsewhere could be anything.
pub fn is_shell(program: &str) -> bool {
    PLACES.iter().any(|place| program.strip_prefix(place).is_some_and(|name| SHELLS.contains(name)))
}

/// Returns whether the word behind this option of a shell is the script.
pub fn takes_script(option: &str) -> bool {
    let letters = option.strip_prefix('-').unwrap_or_default();
    letters.contains('c') && letters.chars().all(|c| "celiu".contains(c))
}

pub(crate) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(word)
}

/// Returns whether a name stands between this word of a shell and a command.
pub(crate) fn takes_name(word: &str) -> bool {
    NAMING.contains(word)
}

/// Returns whether any argument of the program may be the program that matters.
pub fn starts_others(name: &str) -> bool {
    WRAPPERS.contains(name) || evaluates(name) || name.starts_with("ld-") || name.starts_with("ld.so")
}

/// Returns whether any argument of the program may be a command line.
pub(crate) fn evaluates(name: &str) -> bool {
    SHELLS.contains(name) || EVALUATORS.contains(name) || name == "xargs"
}

/// Returns whether an argument into which a shell fills something is run as a command line.
pub(crate) fn interprets(name: &str) -> bool {
    INTERPRETERS.contains(name)
}

pub(crate) fn indexes(name: &str) -> bool {
    INDEXERS.contains(name)
}

pub(crate) fn completes(name: &str) -> bool {
    COMPLETERS.contains(name)
}

/// Returns whether a program by this name runs commands out of files that it is given, or out of its input.
pub(crate) fn runs_files(name: &str) -> bool {
    SHELLS.contains(name) || matches!(name, "." | "source")
}
