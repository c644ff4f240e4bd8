//! The flags of `sandbox-agent api`: one command per operation of the HTTP API.

use super::{
    AgentsCommand, ConfigCommand, ConnectionCommand, FsCommand, ProcessesCommand, SessionsCommand, UsageArgs,
};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// The arguments of `api`.
#[derive(Debug, Args)]
pub(crate) struct ApiArgs {
    #[command(flatten)]
    pub(crate) connection: Connection,
    #[command(subcommand)]
    pub(crate) command: ApiCommand,
}

/// The daemon to call, and the token for it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Connection")]
pub(crate) struct Connection {
    /// The daemon's address [default: the daemon of the data directory, else http://127.0.0.1:2468]
    #[arg(short, long, global = true, value_name = "URL", env = "SANDBOX_AGENT_ENDPOINT")]
    pub(crate) endpoint: Option<String>,

    /// The daemon's token; other users can see it here, so prefer the variable [default: that of the daemon of the
    /// data directory]
    #[arg(short, long, global = true, env = "SANDBOX_AGENT_TOKEN")]
    pub(crate) token: Option<String>,
}

/// The form of an answer.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Output {
    /// Print the answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The operations.
#[derive(Debug, Subcommand)]
pub(crate) enum ApiCommand {
    /// Check that the daemon answers (GET /v1/health)
    Health(Output),
    /// Show the daemon's name, version and links (GET /)
    Info(Output),
    /// Print the daemon's OpenAPI document (GET /v1/openapi.json)
    Openapi,
    /// Print the daemon's metrics (GET /metrics)
    Metrics,
    /// Sum up tokens and cost (GET /v1/usage)
    Usage(UsageArgs),
    /// Create a ticket for a stream (POST /v1/tickets)
    Ticket(TicketArgs),
    /// Revoke a ticket (DELETE /v1/tickets/{ticket})
    RevokeTicket {
        /// Ticket to revoke
        ticket: String,
    },
    /// List, install and describe agents
    #[command(subcommand)]
    Agents(AgentsCommand),
    /// Work with sessions: messages, events, permissions, questions
    #[command(subcommand)]
    Sessions(Box<SessionsCommand>),
    /// Exchange raw ACP messages with agents
    #[command(subcommand)]
    Acp(AcpCommand),
    /// Read, write, search and transfer files of the sandbox
    #[command(subcommand)]
    Fs(Box<FsCommand>),
    /// Configure MCP servers and skills for a directory
    #[command(subcommand)]
    Config(Box<ConfigCommand>),
    /// Run commands, processes and terminals
    #[command(subcommand)]
    Processes(Box<ProcessesCommand>),
}

/// The operations on ACP servers.
#[derive(Debug, Subcommand)]
pub(crate) enum AcpCommand {
    /// List ACP servers (GET /v1/acp)
    List(Output),
    /// Send one JSON-RPC message and print the answer (POST /v1/acp/{serverId})
    Post {
        /// Id of the server; the first message to a new id starts its agent
        server_id: String,
        /// Agent to start; required by the first message
        #[arg(long, value_name = "ID")]
        agent: Option<String>,
        /// Version of the agent to start, installed if missing [default: the current one]
        #[arg(long, value_name = "VERSION", requires = "agent")]
        agent_version: Option<String>,
        /// Return at once; the answer arrives on the stream
        #[arg(long = "async")]
        respond_async: bool,
        /// Report failures by status even if they come late
        #[arg(long, conflicts_with = "respond_async")]
        wait: bool,
        #[command(flatten)]
        message: MessageSource,
    },
    /// Print the messages of an agent, one per line (GET /v1/acp/{serverId})
    Stream(StreamArgs),
    /// Stop the agent and delete the server (DELETE /v1/acp/{serverId})
    Delete {
        /// Id of the server
        server_id: String,
    },
    /// Use the standard ACP transport
    #[command(subcommand)]
    Connection(ConnectionCommand),
}

/// The arguments of `api ticket`.
#[derive(Debug, Args)]
pub(crate) struct TicketArgs {
    /// Path of the stream that the ticket opens, any number of times [default: any stream, once]
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// Milliseconds until the ticket expires [default: 3600000 with --path, else 30000]
    #[arg(long, value_name = "N")]
    pub(crate) lifetime_ms: Option<u64>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// The source of the message to send.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub(crate) struct MessageSource {
    /// Message to send [default: read from standard input]
    #[arg(long, value_name = "TEXT")]
    pub(crate) json: Option<String>,
    /// File with the message
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

/// The arguments of `api acp stream`.
#[derive(Debug, Args)]
pub(crate) struct StreamArgs {
    /// Id of the server
    pub(crate) server_id: String,
    /// Continue after this event [default: start with new messages]
    #[arg(long, value_name = "N")]
    pub(crate) last_event_id: Option<u64>,
    /// Reconnect when the connection breaks, and continue where it did
    #[arg(long)]
    pub(crate) follow_reconnect: bool,
    /// Print every event as an object with event, id and data, including those of the transport
    #[arg(long)]
    pub(crate) json: bool,
}
