//! The flags of `sandbox-agent api acp connection` and `api agents connection`: the standard ACP transport at its two
//! addresses.

use super::MessageSource;
use clap::{Args, Subcommand};

/// The operations on connections at `/acp`.
#[derive(Debug, Subcommand)]
pub(crate) enum ConnectionCommand {
    /// Open a connection with 'initialize', or send a message on one (POST /acp)
    #[command(after_help = "A connection that is opened is printed with the agent's answer. Example:\n  \
        sandbox-agent api acp connection post --agent demo --file initialize.json")]
    Post {
        /// Agent of a new connection
        #[arg(long, value_name = "ID", conflicts_with = "connection")]
        agent: Option<String>,
        #[command(flatten)]
        post: ConnectionPostArgs,
    },
    /// Print the messages of a connection or a session, one per line (GET /acp)
    Stream(ConnectionStreamArgs),
    /// Close a connection and stop its agent (DELETE /acp)
    Close {
        /// Id of the connection
        connection: String,
    },
}

/// The operations on connections of one agent.
#[derive(Debug, Subcommand)]
pub(crate) enum AgentConnectionCommand {
    /// Open a connection with 'initialize', or send a message on one (POST /v1/agents/{agent}/acp)
    Post {
        /// Id of the agent
        agent: String,
        #[command(flatten)]
        post: ConnectionPostArgs,
    },
    /// Print the messages of a connection or a session, one per line (GET /v1/agents/{agent}/acp)
    Stream {
        /// Id of the agent
        agent: String,
        #[command(flatten)]
        stream: ConnectionStreamArgs,
    },
    /// Close a connection and stop its agent (DELETE /v1/agents/{agent}/acp)
    Close {
        /// Id of the agent
        agent: String,
        /// Id of the connection
        connection: String,
    },
}

/// The message to send on a connection.
#[derive(Debug, Args)]
pub(crate) struct ConnectionPostArgs {
    /// Id of the connection [default: a new connection; the message must be 'initialize']
    #[arg(long, value_name = "ID")]
    pub(crate) connection: Option<String>,
    /// Session that the message is about
    #[arg(long, value_name = "ID", requires = "connection")]
    pub(crate) session: Option<String>,
    /// Version of the agent for a new connection [default: the current one]
    #[arg(long, value_name = "VERSION", conflicts_with = "connection")]
    pub(crate) agent_version: Option<String>,
    #[command(flatten)]
    pub(crate) message: MessageSource,
}

/// The stream to read.
#[derive(Debug, Args)]
pub(crate) struct ConnectionStreamArgs {
    /// Id of the connection
    pub(crate) connection: String,
    /// Print the messages of this session [default: those that belong to no session]
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Continue after this event
    #[arg(long, value_name = "N")]
    pub(crate) last_event_id: Option<u64>,
    /// Print every event as an object with event, id and data
    #[arg(long)]
    pub(crate) json: bool,
}
