//! The flags of the commands that deal with agents on this machine, and those that `server` shares with them.

use clap::Args;
use clap::builder::BoolishValueParser;
use std::path::PathBuf;

const SOURCES: &str = "Sources of agents";

/// Where agents are fetched from. Absent flags leave the decision to the configuration file.
#[derive(Debug, Default, Clone, Args)]
pub(crate) struct SourceArgs {
    /// Fetch everything from this mirror: https://host/path is asked for as URL/host/path; file: for a directory
    #[arg(long, value_name = "URL", env = "SANDBOX_AGENT_MIRROR", hide_env_values = true, help_heading = SOURCES)]
    pub(crate) mirror: Option<String>,

    /// The npm registry [default: npm's own configuration]
    #[arg(
        long,
        value_name = "URL",
        env = "SANDBOX_AGENT_NPM_REGISTRY",
        hide_env_values = true,
        help_heading = SOURCES
    )]
    pub(crate) npm_registry: Option<String>,

    /// The index of the ACP registry, an address or a file [default: the public one]
    #[arg(
        long,
        value_name = "ADDRESS",
        env = "SANDBOX_AGENT_ACP_REGISTRY",
        hide_env_values = true,
        help_heading = SOURCES
    )]
    pub(crate) acp_registry: Option<String>,

    /// Allow installing agents that have no published checksum
    #[arg(
        long,
        env = "SANDBOX_AGENT_ALLOW_UNVERIFIED",
        hide_env_values = true,
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        value_parser = BoolishValueParser::new(),
        hide_possible_values = true,
        help_heading = SOURCES
    )]
    pub(crate) allow_unverified: Option<bool>,
}

/// Which configuration and which data a command works with: those of the daemon on this machine.
#[derive(Debug, Default, Clone, Args)]
pub(crate) struct LocalArgs {
    /// The daemon's configuration file, for its agents and sources
    #[arg(long, value_name = "FILE", env = "SANDBOX_AGENT_CONFIG", hide_env_values = true)]
    pub(crate) config: Option<PathBuf>,

    /// Directory for what outlives the daemon [default: $XDG_DATA_HOME/sandbox-agent]
    #[arg(long, value_name = "DIR", env = "SANDBOX_AGENT_DATA_DIR", hide_env_values = true)]
    pub(crate) data_dir: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) sources: SourceArgs,
}

/// The arguments of `install-agent`.
#[derive(Debug, Args)]
#[command(
    after_help = "Versions live side by side in the data directory. The one that was installed becomes current, unless a newer \
    one is: --make-current decides. Neither Node nor npm is needed, except by agents that are Node programs themselves."
)]
pub(crate) struct InstallAgentArgs {
    /// The agents' ids
    #[arg(required_unless_present = "all", conflicts_with = "all", value_name = "AGENT")]
    pub(crate) agents: Vec<String>,

    /// Install claude, codex, opencode and amp
    #[arg(long)]
    pub(crate) all: bool,

    /// The version, or a word such as 'latest' [default: latest]
    #[arg(long = "version", visible_alias = "agent-version", value_name = "VERSION")]
    pub(crate) version: Option<String>,

    /// Fetch it again, although it is installed
    #[arg(short, long)]
    pub(crate) reinstall: bool,

    /// Use only this kind of source
    #[arg(long, value_name = "KIND", value_parser = ["vendor", "github", "npm", "registry"])]
    pub(crate) source: Option<String>,

    /// Start this version by default [default: unless a newer one is current]
    #[arg(
        long,
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        value_parser = BoolishValueParser::new(),
        hide_possible_values = true
    )]
    pub(crate) make_current: Option<bool>,

    /// Install from this directory: a mirror's tree, published files, or an unpacked program
    #[arg(long, value_name = "DIR", conflicts_with_all = ["source", "mirror"])]
    pub(crate) from: Option<PathBuf>,

    /// Print the result as JSON, and no progress
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) local: LocalArgs,
}

/// The arguments of `uninstall-agent`.
#[derive(Debug, Args)]
pub(crate) struct UninstallAgentArgs {
    /// The agent's id
    pub(crate) agent: String,
    /// Only this version [default: all of them]
    #[arg(long = "version", value_name = "VERSION")]
    pub(crate) version: Option<String>,
    #[command(flatten)]
    pub(crate) local: LocalArgs,
}

/// The arguments of `outdated`.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 all are current, 1 an agent is outdated or could not be checked, 64 bad usage."
)]
pub(crate) struct OutdatedArgs {
    /// The agents' ids [default: all that are installed]
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
#[command(after_help = "Exit codes: 0 everything is fine, 1 something stands in the way, 64 bad usage.")]
pub(crate) struct DoctorArgs {
    /// The agents' ids [default: all that are installed]
    #[arg(value_name = "AGENT")]
    pub(crate) agents: Vec<String>,
    /// Ask no address
    #[arg(long)]
    pub(crate) offline: bool,
    /// Print the findings as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) local: LocalArgs,
}
