//! The flags of `sandbox-agent api`: one command per operation of the HTTP API.

use super::{AgentsCommand, ConfigCommand, FsCommand, ProcessesCommand, SessionsCommand, UsageArgs};
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

/// Which daemon to call, and as whom.
#[derive(Debug, Args)]
#[command(next_help_heading = "Connection")]
pub(crate) struct Connection {
    /// The daemon's address
    #[arg(
        short,
        long,
        global = true,
        value_name = "URL",
        env = "SANDBOX_AGENT_ENDPOINT",
        hide_env_values = true,
        default_value = "http://127.0.0.1:2468"
    )]
    pub(crate) endpoint: String,

    /// The daemon's token; other users can see it here, so prefer the variable
    #[arg(short, long, global = true, env = "SANDBOX_AGENT_TOKEN", hide_env_values = true)]
    pub(crate) token: Option<String>,
}

/// How an answer is printed.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Output {
    /// Print the answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The operations.
#[derive(Debug, Subcommand)]
pub(crate) enum ApiCommand {
    /// Ask whether the daemon is alive (GET /v1/health)
    Health(Output),
    /// Show name, version and links (GET /)
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
        /// The ticket
        ticket: String,
    },
    /// The agents that the daemon can start
    #[command(subcommand)]
    Agents(AgentsCommand),
    /// Universal sessions: the same for every agent
    #[command(subcommand)]
    Sessions(Box<SessionsCommand>),
    /// The running ACP servers
    #[command(subcommand)]
    Acp(AcpCommand),
    /// The files of the sandbox
    #[command(subcommand)]
    Fs(Box<FsCommand>),
    /// MCP servers and skills, kept for a directory
    #[command(subcommand)]
    Config(Box<ConfigCommand>),
    /// Commands, processes and their terminals
    #[command(subcommand)]
    Processes(Box<ProcessesCommand>),
}

/// The operations on ACP servers.
#[derive(Debug, Subcommand)]
pub(crate) enum AcpCommand {
    /// List them (GET /v1/acp)
    List(Output),
    /// Send one JSON-RPC message and print the answer (POST /v1/acp/{serverId})
    Post {
        /// The server's id; any name, the first message to it starts the server
        server_id: String,
        /// The agent to start; needed by the first message only
        #[arg(long, value_name = "ID")]
        agent: Option<String>,
        /// The version of it to start, installed first if need be [default: the current one]
        #[arg(long, value_name = "VERSION", requires = "agent")]
        agent_version: Option<String>,
        /// Do not wait for the answer; it arrives on the stream
        #[arg(long = "async")]
        respond_async: bool,
        /// Have failures reported by status, however late they come
        #[arg(long, conflicts_with = "respond_async")]
        wait: bool,
        #[command(flatten)]
        message: MessageSource,
    },
    /// Print the messages of the agent, one per line (GET /v1/acp/{serverId})
    Stream(StreamArgs),
    /// Stop the agent and forget the server (DELETE /v1/acp/{serverId})
    Delete {
        /// The server's id
        server_id: String,
    },
}

/// The arguments of `api ticket`.
#[derive(Debug, Args)]
pub(crate) struct TicketArgs {
    /// Path of the one stream that it opens, any number of times [default: any stream, once]
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// Milliseconds that it is valid [default: an hour with --path, else 30 seconds]
    #[arg(long, value_name = "N")]
    pub(crate) lifetime_ms: Option<u64>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Where the message to send comes from.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub(crate) struct MessageSource {
    /// The message itself [default: read from standard input]
    #[arg(long, value_name = "TEXT")]
    pub(crate) json: Option<String>,
    /// File that holds the message
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

/// The arguments of `api acp stream`.
#[derive(Debug, Args)]
pub(crate) struct StreamArgs {
    /// The server's id
    pub(crate) server_id: String,
    /// Continue after this event instead of starting with what comes next
    #[arg(long, value_name = "N")]
    pub(crate) last_event_id: Option<u64>,
    /// Connect again when the connection breaks, and continue where it did
    #[arg(long)]
    pub(crate) follow_reconnect: bool,
    /// Print every event as an object of event, id and data, also those of the transport
    #[arg(long)]
    pub(crate) json: bool,
}
