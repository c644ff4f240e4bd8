//! Harmful commands, as deeds and as the forms in which a shell takes them. They change the files of an [`Arena`](crate::Arena).

mod disguise;
mod foreign;
mod forms;
mod harms;

pub use foreign::FOREIGN;
pub use forms::FORMS;
pub use harms::{cases, harms};

/// A command that changes the files of an `Arena`.
#[derive(Debug, Clone, Copy)]
pub struct Deed {
    /// The command, as words between single spaces.
    pub command: &'static str,
    /// A pattern of a rule that denies it.
    pub pattern: &'static str,
}

const fn deed(command: &'static str, pattern: &'static str) -> Deed {
    Deed { command, pattern }
}

/// Deeds: deleting, writing, moving, copying a secret, changing permissions, executing.
pub const DEEDS: [Deed; 20] = [
    deed("rm -f victim.txt", "rm *"),
    deed("unlink victim.txt", "unlink *"),
    deed("rmdir empty", "rmdir *"),
    deed("mv victim.txt gone.txt", "mv *"),
    deed("cp secret.txt public/copy.txt", "cp *"),
    deed("ln -s secret.txt public/link.txt", "ln *"),
    deed("touch made", "touch *"),
    deed("mkdir made", "mkdir *"),
    deed("chmod 777 secret.txt", "chmod *"),
    deed("truncate -s 0 victim.txt", "truncate *"),
    deed("tee victim.txt", "tee *"),
    deed("dd if=secret.txt of=made", "dd *"),
    deed("install secret.txt made", "install *"),
    deed("sed -i s/precious/gone/ victim.txt", "sed -i*"),
    deed("sort -o victim.txt list.txt", "sort -o*"),
    deed("uniq list.txt victim.txt", "uniq *"),
    deed("find . -name victim.txt -delete", "find *-delete*"),
    deed("find . -name secret.txt -fprintf made %p", "find *-fprintf*"),
    deed("git -C repo status", "git status*"),
    deed("sh script.sh", "sh *"),
];

/// Asserts that a judgment takes every harmful command for one that may change something, and no harmless one.
pub fn assert_judged(may_change: impl Fn(&str) -> bool) {
    for command in harmful_commands() {
        assert!(may_change(&command), "{command}");
    }
    for command in HARMLESS {
        assert!(!may_change(command), "{command}");
    }
}

/// Commands that the documentation says only read, with what the directory has.
pub const HARMLESS: &[&str] = &[
    "ls",
    "ls -la",
    "ls -l public/*.txt 2>/dev/null",
    "cat victim.txt",
    "cat list.txt | grep -n victim | head -3",
    "cd public && ls; pwd",
    "find . -name '*.txt' -not -path './odd/*' -mtime -7",
    "find . \\( -name a -o -name b \\) -print",
    "grep -rn \"touch made\" --include='*.sh' . 2>&1 | sort -u | uniq -c",
    "echo '$HOME; rm x' \\; -delete",
    "tail -n 20 list.txt > /dev/null;",
    "wc -l list.txt victim.txt || true",
    "head -c 3 victim.txt",
    "stat -c %s victim.txt",
    "du -sh .",
    "diff -u list.txt victim.txt",
    "cut -d . -f 1 list.txt | tr a-z A-Z",
    "jq -n '{a: 1} | .a'",
    "sha256sum secret.txt",
];

/// A command that may change files.
#[derive(Debug, Clone)]
pub struct Harm {
    /// The command line.
    pub command: String,
    /// A pattern of a rule that is to deny it. Without one, another program than a shell does the harm.
    pub pattern: Option<&'static str>,
}

impl Harm {
    /// Returns a deed in a form, without disguises.
    pub fn plain(deed: Deed, form: &str) -> Self {
        Self::written(deed, form, deed.command)
    }

    /// Returns a deed in a form, written in another way.
    pub fn written(deed: Deed, form: &str, command: &str) -> Self {
        let line = form.replace("@plain", deed.command).replace("@text", &quoted(command));
        Self { command: line.replace("@cmd", command), pattern: Some(deed.pattern) }
    }
}

/// Returns a text as one word of a shell.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Returns a deed in every form, every deed, and the commands of other programs: a list for those who judge single commands.
pub fn harmful_commands() -> Vec<String> {
    let [first, ..] = DEEDS;
    let formed = FORMS.iter().map(|form| Harm::plain(first, form));
    let deeds = DEEDS.iter().map(|deed| Harm::plain(*deed, "@cmd"));
    let foreign = FOREIGN.iter().map(|command| (*command).to_owned());
    formed.chain(deeds).map(|harm| harm.command).chain(foreign).collect()
}
