//! The flags of `sandbox-agent api agents`.

use super::Output;
use clap::builder::BoolishValueParser;
use clap::{Args, Subcommand};

/// The operations on agents.
#[derive(Debug, Subcommand)]
pub(crate) enum AgentsCommand {
    /// List them (GET /v1/agents)
    List {
        #[command(flatten)]
        detail: AgentDetail,
        #[command(flatten)]
        output: Output,
    },
    /// Show one (GET /v1/agents/{agent})
    Get {
        /// The agent's id
        agent: String,
        #[command(flatten)]
        detail: AgentDetail,
        #[command(flatten)]
        output: Output,
    },
    /// Install one on the daemon's machine (POST /v1/agents/{agent}/install)
    Install(ApiInstallArgs),
    /// Choose the installed version that starts by default (PATCH /v1/agents/{agent})
    Use {
        /// The agent's id
        agent: String,
        /// The installed version
        version: String,
        #[command(flatten)]
        output: Output,
    },
    /// Remove installed versions of one (DELETE /v1/agents/{agent})
    Uninstall {
        /// The agent's id
        agent: String,
        /// Only this version [default: all of them]
        #[arg(long, value_name = "VERSION")]
        version: Option<String>,
        #[command(flatten)]
        output: Output,
    },
    /// Show the newest version that is published (GET /v1/agents/{agent}/latest)
    Latest {
        /// The agent's id
        agent: String,
        #[command(flatten)]
        output: Output,
    },
    /// List the modes of one and what each combination does (GET /v1/agents/{agent}/modes)
    Modes(OfferArgs),
    /// List the models of one, and how hard they think (GET /v1/agents/{agent}/models)
    Models(OfferArgs),
}

/// How much is shown of an agent.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct AgentDetail {
    /// Ask what is installed which modes, models and efforts it offers; takes seconds
    #[arg(long)]
    pub(crate) config: bool,
    /// Do not use what it said before
    #[arg(long, requires = "config")]
    pub(crate) no_cache: bool,
}

/// The arguments of `api agents install`.
#[derive(Debug, Args)]
pub(crate) struct ApiInstallArgs {
    /// The agent's id
    pub(crate) agent: String,
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
    /// Print the result as JSON, and no progress
    #[arg(long)]
    pub(crate) json: bool,
}

/// The arguments of `api agents modes` and `models`.
#[derive(Debug, Args)]
pub(crate) struct OfferArgs {
    /// The agent's id
    pub(crate) agent: String,
    /// Do not use what it said before
    #[arg(long)]
    pub(crate) no_cache: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}
