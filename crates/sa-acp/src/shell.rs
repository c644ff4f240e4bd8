//! Commands that change nothing, told from all others.

/// Programs that only look, whatever their arguments are.
const PROGRAMS: [&str; 34] = [
    "basename",
    "cat",
    "cd",
    "cksum",
    "cmp",
    "cut",
    "date",
    "df",
    "diff",
    "dirname",
    "du",
    "echo",
    "file",
    "grep",
    "head",
    "hostname",
    "id",
    "jq",
    "ls",
    "md5sum",
    "nl",
    "printf",
    "ps",
    "pwd",
    "readlink",
    "realpath",
    "sha256sum",
    "stat",
    "tail",
    "tr",
    "true",
    "uname",
    "wc",
    "which",
];

/// What git only looks with.
const GIT: [&str; 10] =
    ["blame", "cat-file", "describe", "diff", "log", "ls-files", "ls-tree", "rev-parse", "show", "status"];

/// Whether a command line is made of programs that only look. Whatever would take a shell to understand does not count.
pub fn only_looks(command: &str) -> bool {
    if command.contains(['>', '`', '\n', '\\', '{']) || command.contains("$(") || command.contains("<(") {
        return false;
    }
    let parts = command.replace("&&", ";").replace("||", ";").replace('|', ";");
    if parts.contains('&') {
        return false;
    }
    parts.split(';').map(str::trim).all(|part| {
        let mut words = part.split_whitespace();
        match words.next() {
            Some("git") => words.next().is_some_and(|word| GIT.contains(&word)) && !part.contains("--output"),
            Some("find") => {
                let acts = ["-exec", "-delete", "-ok", "-fprint", "-fls"];
                !words.any(|word| acts.iter().any(|act| word.starts_with(act)))
            }
            Some(program) => PROGRAMS.contains(&program),
            None => true,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_only_look_are_told_from_others() {
        for harmless in [
            "ls -la",
            "cat a.txt | grep -n x | head -3",
            "cd src && git status; git log --oneline",
            "find . -name '*.rs'",
            "echo $HOME",
        ] {
            assert!(only_looks(harmless), "{harmless}");
        }
        for harmful in [
            "touch a",
            "ls > a",
            "ls; rm a",
            "ls && rm a",
            "ls & rm a",
            "echo $(rm a)",
            "echo `rm a`",
            "find . -delete",
            "find . -exec rm {} +",
            "git push",
            "git -C x commit",
            "git diff --output=x",
            "ls\nrm a",
            "env rm a",
            "A=1 rm a",
        ] {
            assert!(!only_looks(harmful), "{harmful}");
        }
    }
}
