//! Which file is the agent's program.

use super::Installer;
use crate::error::InstallError;
use crate::store::{AgentDirectory, Receipt, is_executable};
use sa_agents::AgentSpec;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// An agent's program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub program: PathBuf,
    /// Arguments that replace the catalog's.
    pub args: Option<Vec<String>>,
    /// Variables on top of the catalog's.
    pub env: BTreeMap<String, String>,
    pub version: Option<String>,
    pub origin: Origin,
}

/// The origin of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Installed(Box<Receipt>),
    /// The user's own: named by its path, or found on the search path.
    Path,
}

impl Found {
    pub(super) fn installed(directory: &AgentDirectory, receipt: Receipt) -> Self {
        Self {
            program: directory.version(&receipt.version).join(&receipt.entry),
            args: receipt.args.clone(),
            env: receipt.env.clone(),
            version: Some(receipt.version.clone()),
            origin: Origin::Installed(Box::new(receipt)),
        }
    }

    fn on_path(program: PathBuf) -> Self {
        Self { program, args: None, env: BTreeMap::new(), version: None, origin: Origin::Path }
    }
}

impl Installer {
    /// Returns the agent's program without installing anything: of the version asked for, else the current one, else
    /// the one on the search path. A program that the catalog gives by its path is that file, if it is there. An
    /// agent that needs no program has none.
    pub fn find(&self, agent: &AgentSpec, version: Option<&str>) -> Result<Option<Found>, InstallError> {
        let Some(program) = agent.program() else { return Ok(None) };
        if program.contains('/') {
            let file = PathBuf::from(program);
            return Ok((version.is_none() && is_executable(&file)).then(|| Found::on_path(file)));
        }
        let directory = self.inner.directory(&agent.id)?;
        let receipt = match version {
            Some(version) => directory.installed(version),
            None => directory.current().map_err(|error| InstallError::from_disk(&agent.id, error))?,
        };
        let found = receipt.map(|receipt| Found::installed(&directory, receipt));
        Ok(found.or_else(|| self.search(program).filter(|_| version.is_none()).map(Found::on_path)))
    }

    fn search(&self, program: &str) -> Option<PathBuf> {
        let directories = std::env::split_paths(self.inner.search_path.as_ref()?);
        // An empty entry would mean whatever directory this process happens to be in.
        let absolute = directories.filter(|directory| directory.is_absolute());
        absolute
            .map(|directory| directory.join(program))
            .find(|file: &PathBuf| is_executable(Path::new(file)))
    }
}
