//! Finds the daemon that a command calls: the one that it was given, else the one of this user's data directory.

use super::place::DaemonFolder;
use super::record::Found;
use crate::args::Connection;
use crate::failure::Failure;
use crate::settings;
use anyhow::Context;
use sa_client::{Client, ClientError};
use std::path::PathBuf;

/// The address of a daemon that nothing is known about.
pub(crate) const DEFAULT_ENDPOINT: &str = "http://127.0.0.1:2468";

/// A daemon to call.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) endpoint: String,
    pub(crate) token: Option<String>,
}

impl Target {
    /// Finds the daemon that runs with this data directory, or with the one that variables and defaults name.
    pub(crate) fn running(data_dir: Option<PathBuf>) -> anyhow::Result<Option<Self>> {
        let Some(data_dir) = settings::data_dir_of_command(data_dir, |name| std::env::var_os(name))? else {
            return Ok(None);
        };
        let Found::Running(record) = DaemonFolder::of(&data_dir).find()? else { return Ok(None) };
        Ok(Some(Self { endpoint: record.endpoint(), token: record.token()? }))
    }

    pub(crate) fn client(&self) -> Result<Client, ClientError> {
        Client::new(&self.endpoint, self.token.as_deref())
    }
}

impl Connection {
    /// Decides which daemon to call. A token that was given is used in any case.
    pub(crate) fn target(&self) -> Result<Target, Failure> {
        let (endpoint, found) = match &self.endpoint {
            // A data directory that cannot be used is no reason not to call a daemon elsewhere.
            Some(given) => (given.clone(), Target::running(None).unwrap_or(None)),
            None => {
                let found = Target::running(None)
                    .context("cannot look for a daemon on this machine (--endpoint names one)")?;
                let endpoint = found.as_ref().map_or(DEFAULT_ENDPOINT, |found| &found.endpoint).to_owned();
                (endpoint, found)
            }
        };
        // The token goes to the daemon that it belongs to and to nobody else.
        let own = found.filter(|found| found.endpoint == endpoint.trim_end_matches('/'));
        let token = self.token.clone().or_else(|| own.and_then(|own| own.token));
        Ok(Target { endpoint, token })
    }
}
