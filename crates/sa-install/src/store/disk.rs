//! A failure of the disk, with the place where it happened.

use crate::error::{InstallError, SourceError};
use crate::fetch::room;
use std::io;
use std::path::{Path, PathBuf};

/// What the system says about a file or directory.
#[derive(Debug)]
pub(crate) struct DiskError {
    pub(crate) path: PathBuf,
    pub(crate) error: io::Error,
}

impl DiskError {
    /// The same in the words of an installation of this agent.
    pub(crate) fn for_agent(self, agent: &str) -> InstallError {
        if room::is_full(&self.error) {
            // Which of its files was the last straw tells nobody anything.
            let its = self.path.ancestors().find(|path| path.file_name().is_some_and(|name| name == agent));
            let directory = its.unwrap_or(&self.path).to_owned();
            return InstallError::DiskFull { agent: agent.to_owned(), directory };
        }
        InstallError::Store { path: self.path, reason: self.error.to_string() }
    }
}

impl From<DiskError> for SourceError {
    fn from(DiskError { path, error }: DiskError) -> Self {
        Self::Disk { path, error }
    }
}

/// Adds the place to what the system says.
pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> DiskError {
    let path = path.to_owned();
    move |error| DiskError { path, error }
}
