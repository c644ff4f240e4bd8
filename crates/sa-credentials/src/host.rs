//! The machine that is searched, as its caller sees it. Nothing here asks the process for anything.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// The place and time of a search.
#[derive(Debug, Clone)]
pub struct Host {
    /// The user's home folder.
    pub home: PathBuf,
    /// The environment that agents would start with.
    pub environment: BTreeMap<String, String>,
    /// The system it runs.
    pub platform: Platform,
    /// The current time there, in milliseconds since 1970.
    pub now_ms: u64,
}

/// A system whose conventions differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    Linux,
    /// macOS: some agents keep their login in the keychain there.
    MacOs,
}

impl Host {
    /// Returns a variable's value; agents take a blank one for none.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.environment.get(name).map(String::as_str).filter(|value| !value.trim().is_empty())
    }

    /// Returns the folder that a variable names, else one beneath home.
    pub(crate) fn folder(&self, variable: &str, otherwise: &str) -> PathBuf {
        self.variable(variable).map_or_else(|| self.home.join(otherwise), PathBuf::from)
    }
}
