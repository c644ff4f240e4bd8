//! The command line of the CLI.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The conversation that a process works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    New,
    File(PathBuf),
    /// A copy of the one in this file.
    Copy(PathBuf),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    pub origin: Origin,
    pub cwd: PathBuf,
}

impl Launch {
    /// Returns the arguments. Extensions of users and projects are not loaded: they would run code that nobody is asked
    /// about.
    pub fn arguments(&self, gate: &Path) -> Vec<OsString> {
        let fixed = ["--mode", "rpc", "--no-extensions", "--extension"].map(OsString::from);
        let mut arguments = Vec::from(fixed);
        arguments.push(gate.into());
        match &self.origin {
            Origin::New => {}
            Origin::File(file) => arguments.extend(["--session".into(), file.into()]),
            Origin::Copy(file) => arguments.extend(["--fork".into(), file.into()]),
        }
        arguments
    }
}
