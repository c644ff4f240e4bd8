//! The flags of `sandbox-agent api agents`.

use super::{AgentConnectionCommand, InstallChoice, Output};
use clap::{Args, Subcommand};

/// The operations on agents.
#[derive(Debug, Subcommand)]
pub(crate) enum AgentsCommand {
    /// List agents (GET /v1/agents)
    List {
        #[command(flatten)]
        detail: AgentDetail,
        #[command(flatten)]
        output: Output,
    },
    /// Show an agent (GET /v1/agents/{agent})
    Get {
        /// Id of the agent
        agent: String,
        #[command(flatten)]
        detail: AgentDetail,
        #[command(flatten)]
        output: Output,
    },
    /// Install an agent on the daemon's machine (POST /v1/agents/{agent}/install/sse)
    Install {
        /// Id of the agent
        agent: String,
        #[command(flatten)]
        choice: InstallChoice,
        /// Print the result as JSON, without progress (POST /v1/agents/{agent}/install)
        #[arg(long)]
        json: bool,
    },
    /// Choose the installed version that starts by default (PATCH /v1/agents/{agent})
    Use {
        /// Id of the agent
        agent: String,
        /// Installed version to use
        version: String,
        #[command(flatten)]
        output: Output,
    },
    /// Remove installed versions of an agent (DELETE /v1/agents/{agent})
    Uninstall {
        /// Id of the agent
        agent: String,
        /// Remove only this version [default: all versions]
        #[arg(long, value_name = "VERSION")]
        version: Option<String>,
        #[command(flatten)]
        output: Output,
    },
    /// Show the newest published version of an agent (GET /v1/agents/{agent}/latest)
    Latest {
        /// Id of the agent
        agent: String,
        #[command(flatten)]
        output: Output,
    },
    /// List an agent's modes and what each combination does (GET /v1/agents/{agent}/modes)
    Modes(OfferArgs),
    /// List an agent's models and reasoning efforts (GET /v1/agents/{agent}/models)
    Models(OfferArgs),
    /// Use the standard ACP transport at an agent's own address
    #[command(subcommand)]
    Connection(AgentConnectionCommand),
}

/// The details to show of an agent.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct AgentDetail {
    /// Query installed agents for their modes, models and reasoning efforts (takes a few seconds)
    #[arg(long)]
    pub(crate) config: bool,
    /// Query the agent again instead of using its earlier answer
    #[arg(long, requires = "config")]
    pub(crate) no_cache: bool,
}

/// The arguments of `api agents modes` and `models`.
#[derive(Debug, Args)]
pub(crate) struct OfferArgs {
    /// Id of the agent
    pub(crate) agent: String,
    /// Query the agent again instead of using its earlier answer
    #[arg(long)]
    pub(crate) no_cache: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}
