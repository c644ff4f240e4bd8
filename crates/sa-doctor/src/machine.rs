//! Examines the requirements of every agent on a machine: a home, a place for temporary files, a shell.

use crate::Finding;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The machine as the daemon's environment shows it.
#[derive(Debug)]
pub struct Machine {
    /// The daemon's `PATH`.
    pub search_path: Option<OsString>,
    pub temporary: PathBuf,
    /// The directory of installed agents.
    pub data_dir: PathBuf,
}

impl Machine {
    pub(crate) fn examine(&self, home: &Path) -> Vec<Finding> {
        let advice = |variable: &str| format!("make it writable, or set {variable} to a directory that is");
        vec![
            writable("home", home, &advice("HOME")),
            writable("temporary files", &self.temporary, &advice("TMPDIR")),
            writable("data directory", &self.data_dir, "make it writable, or name another with --data-dir"),
            self.shell(),
            user(),
        ]
    }

    /// Returns the file of this name in the directories of `PATH`.
    pub(crate) fn search(&self, name: &str) -> Option<PathBuf> {
        std::env::split_paths(self.search_path.as_ref()?)
            .map(|directory| directory.join(name))
            .find(|path| path.is_file())
    }

    fn shell(&self) -> Finding {
        const CHECK: &str = "shell";
        let found = ["bash", "zsh", "sh"].into_iter().find_map(|name| self.search(name));
        match found {
            Some(path)
                if path.ends_with("sh") && self.search("bash").is_none() && self.search("zsh").is_none() =>
            {
                let detail = format!("{} only", path.display());
                Finding::note(CHECK, detail, "some agents run commands with bash or zsh only: install bash")
            }
            Some(path) => Finding::fine(CHECK, path.display().to_string()),
            None => Finding::wrong(
                CHECK,
                "neither bash, zsh nor sh is on PATH",
                "install bash; agents run commands with it",
            ),
        }
    }
}

/// Checks that files can be created in a directory, which may have to be created first.
fn writable(check: &'static str, path: &Path, advice: &str) -> Finding {
    let existing = path.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(path);
    match tempfile::Builder::new().prefix(".sandbox-agent-").tempfile_in(existing) {
        Ok(_) => Finding::fine(check, path.display().to_string()),
        Err(error) => Finding::wrong(check, format!("{}: {}", existing.display(), error.kind()), advice),
    }
}

fn user() -> Finding {
    const CHECK: &str = "user";
    if rustix::process::geteuid().is_root() {
        let advice = "fine in a sandbox: agents that refuse to skip permissions as root are started with their sandbox setting";
        Finding::note(CHECK, "root", advice)
    } else {
        Finding::fine(CHECK, format!("uid {}", rustix::process::geteuid().as_raw()))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::Verdict;

    #[test]
    fn a_directory_that_cannot_be_made_is_wrong() {
        let folder = tempfile::tempdir().unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(writable("x", &folder.path().join("a/b"), "").verdict, Verdict::Fine);
        assert_eq!(writable("x", &file.path().join("a"), "").verdict, Verdict::Wrong);
    }

    #[test]
    fn a_machine_without_a_shell_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let machine =
            Machine { search_path: Some(path.into()), temporary: path.into(), data_dir: path.into() };
        assert_eq!(machine.shell().verdict, Verdict::Wrong);
        std::fs::write(path.join("sh"), "").unwrap();
        assert_eq!(machine.shell().verdict, Verdict::Note);
        std::fs::write(path.join("bash"), "").unwrap();
        assert_eq!(machine.shell().verdict, Verdict::Fine);
    }
}
