//! Files that packages carry next to the binary: license, README, completion scripts, manual pages.

use super::Artifact;
use super::platform::Platform;
use crate::shell::{Program, root};
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// A shell's completion script.
pub(super) struct Completion {
    /// The conventional file name.
    pub(super) name: &'static str,
    /// The folder in which the shell looks for scripts of packages.
    pub(super) folder: &'static str,
    pub(super) script: Vec<u8>,
}

const SHELLS: [(&str, &str, &str); 3] = [
    ("bash", "sandbox-agent.bash", "usr/share/bash-completion/completions"),
    ("zsh", "_sandbox-agent", "usr/share/zsh/vendor-completions"),
    ("fish", "sandbox-agent.fish", "usr/share/fish/vendor_completions.d"),
];

pub(super) struct Extras {
    pub(super) license: Vec<u8>,
    pub(super) readme: Vec<u8>,
    pub(super) completions: Vec<Completion>,
    /// The manual: file names, such as `sandbox-agent.1`, and pages.
    pub(super) manual: Vec<(String, Vec<u8>)>,
}

impl Extras {
    /// Reads the files, and asks the binary of this machine's platform for its completions.
    pub(super) fn read(artifacts: &[Artifact]) -> Result<Self> {
        let host = Platform::host()?;
        let own = artifacts.iter().find(|artifact| artifact.platform == host).with_context(|| {
            format!("--binary: a binary for {} is needed to print completions and manual", host.name())
        })?;
        let completions = SHELLS.map(|(shell, name, folder)| {
            let script = Program::new(&own.path).args(&["completions", shell]).output()?;
            Ok(Completion { name, folder, script: script.into_bytes() })
        });
        Ok(Self {
            license: fs::read(root().join("LICENSE"))?,
            readme: fs::read(root().join("README.md"))?,
            completions: completions.into_iter().collect::<Result<_>>()?,
            manual: manual(&own.path)?,
        })
    }
}

/// Has the binary write its manual, and reads it.
fn manual(binary: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let folder = tempfile::tempdir()?;
    let place = folder.path().to_str().context("the temporary folder's name is not text")?;
    Program::new(binary).args(&["man", "--dir", place]).run()?;
    let mut pages = Vec::new();
    for entry in fs::read_dir(folder.path())? {
        let entry = entry?;
        pages.push((entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path())?));
    }
    pages.sort();
    Ok(pages)
}
