//! The flags of `sandbox-agent api`: one command per operation of the HTTP API.

use super::{
    AgentsCommand, ConfigCommand, ConnectionCommand, FsCommand, ProcessesCommand, SessionsCommand, wire,
};
use clap::{Args, Subcommand};
use sa_api::{Timestamp, UsageGrouping};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error;
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
    Ticket {
        /// Path of the stream that the ticket opens, any number of times [default: any stream, once]
        #[arg(long, value_name = "PATH")]
        path: Option<String>,
        /// Milliseconds until the ticket expires [default: 3600000 with --path, else 30000]
        #[arg(long, value_name = "N")]
        lifetime_ms: Option<u64>,
        #[command(flatten)]
        output: Output,
    },
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

/// The arguments of `api usage`.
#[derive(Debug, Args)]
pub(crate) struct UsageArgs {
    /// Start of the period, inclusive, as an RFC 3339 time [default: the first turn]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) from: Option<Timestamp>,
    /// End of the period, exclusive, as an RFC 3339 time [default: now]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) to: Option<Timestamp>,
    /// Properties that the turns of a group share, separated by commas
    #[arg(long, value_name = "PROPERTIES", value_delimiter = ',', default_value = "day", value_parser = wire(UsageGrouping::ALL, UsageGrouping::name))]
    pub(crate) by: Vec<UsageGrouping>,
    /// Only turns of this session (repeatable)
    #[arg(long, value_name = "ID")]
    pub(crate) session: Vec<String>,
    /// Only turns of this agent (repeatable)
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Vec<String>,
    /// Only turns with this model (repeatable)
    #[arg(long, value_name = "ID")]
    pub(crate) model: Vec<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

fn time(text: &str) -> Result<Timestamp, String> {
    let time: Result<Timestamp, Error> = Timestamp::deserialize(text.into_deserializer());
    time.map_err(|error| format!("{error} such as 2026-03-14T00:00:00Z"))
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
