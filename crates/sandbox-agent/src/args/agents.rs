//! The flags of the commands that deal with agents on this machine, and those that `server` shares with them.

use super::{CONFIG_VARIABLE, DATA_DIR_VARIABLE, OWN_AGENTS_VARIABLE, wire};
use clap::Args;
use sa_api::InstallSource;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

const SOURCES: &str = "Sources of agents";

/// Sources of agents. Absent flags leave the decision to the configuration file.
#[derive(Debug, Default, Clone, Args, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SourceArgs {
    /// Mirror for all downloads: https://host/path is fetched from URL/host/path; file: for a directory
    #[arg(long, value_name = "URL", env = "SANDBOX_AGENT_MIRROR", help_heading = SOURCES)]
    pub(crate) mirror: Option<String>,

    /// npm registry [default: npm's own configuration]
    #[arg(long, value_name = "URL", env = "SANDBOX_AGENT_NPM_REGISTRY", help_heading = SOURCES)]
    pub(crate) npm_registry: Option<String>,

    /// Index of the ACP registry, an address or a file [default: the public one]
    #[arg(long, value_name = "ADDRESS", env = "SANDBOX_AGENT_ACP_REGISTRY", help_heading = SOURCES)]
    pub(crate) acp_registry: Option<String>,

    /// Allow installing agents that have no published checksum
    #[arg(long, env = "SANDBOX_AGENT_ALLOW_UNVERIFIED", help_heading = SOURCES)]
    pub(crate) allow_unverified: Option<bool>,
}

/// Configuration and data of the daemon on this machine.
#[derive(Debug, Default, Clone, Args)]
pub(crate) struct LocalArgs {
    /// Configuration file of the daemon, for its agents and sources
    #[arg(long, value_name = "FILE", env = CONFIG_VARIABLE)]
    pub(crate) config: Option<PathBuf>,

    /// Directory for agents, sessions and settings [default: $XDG_DATA_HOME/sandbox-agent]
    #[arg(long, value_name = "DIR", env = DATA_DIR_VARIABLE)]
    pub(crate) data_dir: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) sources: SourceArgs,
}

/// The version to install, and where it comes from.
#[derive(Debug, Args)]
pub(crate) struct InstallChoice {
    /// Version to install [default: latest]
    #[arg(long = "version", visible_alias = "agent-version", value_name = "VERSION")]
    pub(crate) version: Option<String>,

    /// Install again even if this version is installed
    #[arg(short, long)]
    pub(crate) reinstall: bool,

    /// Use only this kind of source [default: any]
    #[arg(long, value_name = "KIND", value_parser = wire(InstallSource::REMOTE, InstallSource::name))]
    pub(crate) source: Option<InstallSource>,

    /// Make this version the current one [default: true unless a newer one is current]
    #[arg(long)]
    pub(crate) make_current: Option<bool>,
}

/// The arguments of `install-agent`.
#[derive(Debug, Args)]
#[command(
    after_help = "Versions are kept side by side in the data directory. Installing needs neither Node nor npm; some agents need Node to \
    run. Examples:\n  \
    sandbox-agent install-agent claude codex\n  \
    sandbox-agent install-agent claude --version 2.1.0"
)]
pub(crate) struct InstallAgentArgs {
    /// Ids of the agents
    #[arg(required_unless_present = "all", conflicts_with = "all", value_name = "AGENT")]
    pub(crate) agents: Vec<String>,

    /// Install claude, codex, opencode and amp
    #[arg(long)]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) choice: InstallChoice,

    /// Install from this directory: a mirror's tree, published files, or an unpacked program
    #[arg(long, value_name = "DIR", conflicts_with_all = ["source", "mirror"])]
    pub(crate) from: Option<PathBuf>,

    /// Print the result as JSON, without progress
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) local: LocalArgs,
}

/// The arguments of `uninstall-agent`.
#[derive(Debug, Args)]
pub(crate) struct UninstallAgentArgs {
    /// Id of the agent
    pub(crate) agent: String,
    /// Remove only this version [default: all versions]
    #[arg(long = "version", value_name = "VERSION")]
    pub(crate) version: Option<String>,
    #[command(flatten)]
    pub(crate) local: LocalArgs,
}

/// The arguments of `outdated`.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 all are current, 1 one is outdated or could not be checked, 64 bad usage."
)]
pub(crate) struct OutdatedArgs {
    /// Ids of the agents [default: all installed agents]
    #[arg(value_name = "AGENT")]
    pub(crate) agents: Vec<String>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) local: LocalArgs,
}

/// The arguments of `doctor`.
#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 no problem found, 1 a problem found, 64 bad usage.")]
pub(crate) struct DoctorArgs {
    /// Ids of the agents [default: all installed agents]
    #[arg(value_name = "AGENT")]
    pub(crate) agents: Vec<String>,
    /// Make no network requests
    #[arg(long)]
    pub(crate) offline: bool,
    /// Print the findings as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Add an agent, as 'server --agent' does (repeatable; one per line in the variable)
    #[arg(long, value_name = "ID=COMMAND LINE", env = OWN_AGENTS_VARIABLE, value_delimiter = '\n')]
    pub(crate) agent: Vec<String>,
    #[command(flatten)]
    pub(crate) local: LocalArgs,
}
