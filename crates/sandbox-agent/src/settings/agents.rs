//! Settings of agents on this machine: which there are, where they are kept, where they come from. The daemon and the
//! commands that work without one read it in the same way.

use super::file::{ConfigError, ConfigFile};
use super::{SettingsError, data_dir};
use crate::args::{LocalArgs, STATE_DIR_VARIABLE};
use sa_agents::{AgentDefinition, AgentSpec, Catalog, Launch};
use sa_install::{ACP_REGISTRY, Preinstall};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use url::Url;

/// A user's own agents, in the data directory; one table for each.
const AGENTS_FILE: &str = "agents.toml";

/// Settings of everything that deals with agents.
#[derive(Debug, Clone)]
pub(crate) struct AgentSettings {
    pub(crate) catalog: Catalog,
    pub(crate) data_dir: PathBuf,
    pub(crate) mirror: Option<Url>,
    pub(crate) npm_registry: Option<String>,
    pub(crate) acp_registry: Url,
    pub(crate) allow_unverified: bool,
    pub(crate) preinstall: Preinstall,
}

impl AgentSettings {
    /// For a command that works without a daemon, with agents of its own as `id=command line`.
    pub(crate) fn load(
        args: LocalArgs,
        agents: Vec<String>,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, SettingsError> {
        // This command ignores the daemon's token in the file, warnings included.
        let mut file = ConfigFile::read(args.config.as_deref(), &mut Vec::new())?;
        Self::decide(args, None, &agents, &mut file, variable)
    }

    /// Decides by the flags, and by the file where they are silent. `agents` are added, as `id=command line`.
    pub(super) fn decide(
        args: LocalArgs,
        require_preinstall: Option<bool>,
        agents: &[String],
        file: &mut ConfigFile,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, SettingsError> {
        let data_dir = data_dir::resolve(args.data_dir.or(file.data_dir.take()), variable)?;
        let mut catalog = shipped_agents(&data_dir)?;
        let own = read_agents_file(&data_dir.join(AGENTS_FILE))?;
        for (id, definition) in own.into_iter().chain(std::mem::take(&mut file.agents)) {
            catalog.add(definition.into_spec(&id)?);
        }
        for text in agents.iter().filter(|text| !text.trim().is_empty()) {
            catalog.add(AgentSpec::parse(text)?);
        }
        let mirror = args.sources.mirror.or(file.mirror.take());
        let registry = args.sources.acp_registry.or(file.acp_registry.take());
        Ok(Self {
            catalog,
            data_dir,
            mirror: mirror.map(|text| address("mirror", &text)).transpose()?,
            npm_registry: args.sources.npm_registry.or(file.npm_registry.take()),
            acp_registry: address("acp-registry", registry.as_deref().unwrap_or(ACP_REGISTRY))?,
            allow_unverified: args.sources.allow_unverified.or(file.allow_unverified).unwrap_or(false),
            preinstall: match require_preinstall.or(file.require_preinstall) {
                Some(true) => Preinstall::Require,
                _ => Preinstall::Lazy,
            },
        })
    }
}

/// An address, or the path of a file or directory of this machine.
fn address(name: &'static str, text: &str) -> Result<Url, SettingsError> {
    let bad = |reason: String| SettingsError::Address { name, text: text.to_owned(), reason };
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https" | "file") => Ok(url),
        Ok(url) => Err(bad(format!("'{}:' is not supported", url.scheme()))),
        Err(error) => {
            let path = std::path::absolute(text).map_err(|_| bad(error.to_string()))?;
            if !path.exists() {
                return Err(bad("it is neither an address nor a file".to_owned()));
            }
            Url::from_file_path(path).map_err(|()| bad(error.to_string()))
        }
    }
}

/// The agents that ship with the daemon, the built-in ones each with a directory of its own for what it keeps.
fn shipped_agents(data_dir: &Path) -> Result<Catalog, SettingsError> {
    let mut catalog = Catalog::shipped()?;
    let builtin = |agent: &&AgentSpec| matches!(agent.launch, Launch::Builtin { .. });
    let agents: Vec<_> = catalog.iter().filter(builtin).cloned().collect();
    for mut agent in agents {
        if let Some(state_dir) = data_dir.join("state").join(&agent.id).to_str() {
            agent.env.insert(STATE_DIR_VARIABLE.to_owned(), state_dir.to_owned());
            catalog.add(agent);
        }
    }
    Ok(catalog)
}

fn read_agents_file(path: &Path) -> Result<BTreeMap<String, AgentDefinition>, SettingsError> {
    match std::fs::read_to_string(path) {
        Ok(text) => toml::from_str(&text)
            .map_err(|error| SettingsError::Config(path.to_owned(), ConfigError::locate(&text, &error))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
        Err(error) => Err(SettingsError::UnreadableConfig(path.to_owned(), error)),
    }
}
