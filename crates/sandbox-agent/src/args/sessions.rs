//! The flags of `sandbox-agent api sessions` and `sandbox-agent sessions`.

use super::processes::variable;
use super::{Connection, Output};
use clap::{Args, Subcommand, ValueEnum};
use sa_api::sessions::OptionValue;
use std::path::PathBuf;

/// The operations on universal sessions. Where people have a shorter word, the name of the operation works as well.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// List sessions, the newest first (GET /v1/sessions)
    List(ListArgs),
    /// Create a session and start its agent (POST /v1/sessions/{sessionId}, POST /v1/sessions)
    #[command(
        after_help = "Exit codes: 0 the agent is ready, 1 it is not, or there is no session; 64 bad usage. A session whose id is printed \
            exists also if its agent is not ready: the same command, or the next message, tries again."
    )]
    Create(CreateArgs),
    /// Show a session (GET /v1/sessions/{sessionId})
    Get {
        /// The session's id
        id: String,
        #[command(flatten)]
        output: Output,
    },
    /// Update a session (PATCH /v1/sessions/{sessionId})
    #[command(visible_alias = "update")]
    Patch(PatchArgs),
    /// Delete a session (DELETE /v1/sessions/{sessionId})
    Delete {
        /// The session's id
        id: String,
    },
    /// End a session and keep its history (POST /v1/sessions/{sessionId}/terminate)
    Terminate {
        /// The session's id
        id: String,
        #[command(flatten)]
        output: Output,
    },
    /// Resume a session after a restart or an agent's end (POST /v1/sessions/{sessionId}/resume)
    Resume {
        /// The session's id
        id: String,
        #[command(flatten)]
        output: Output,
    },
    /// Send a message (POST /v1/sessions/{sessionId}/messages)
    #[command(visible_alias = "post-message")]
    Send(SendArgs),
    /// Withdraw a message that waits for its turn (DELETE /v1/sessions/{sessionId}/messages/{messageId})
    #[command(visible_alias = "withdraw-message")]
    Withdraw {
        /// The session's id
        id: String,
        /// The message's id
        message_id: String,
    },
    /// Reorder the messages that wait (PUT /v1/sessions/{sessionId}/queue)
    #[command(visible_alias = "reorder-queue")]
    Reorder {
        /// The session's id
        id: String,
        /// Messages' ids, the next one first
        #[arg(required = true)]
        message_ids: Vec<String>,
        #[command(flatten)]
        output: Output,
    },
    /// Stop the turn that runs (POST /v1/sessions/{sessionId}/cancel)
    Cancel {
        /// The session's id
        id: String,
        #[command(flatten)]
        output: Output,
    },
    /// Make a copy that goes its own way (POST /v1/sessions/{sessionId}/fork)
    Fork {
        /// The session's id
        id: String,
        /// The new session's id [default: one is made up]
        #[arg(long, value_name = "ID")]
        new_id: Option<String>,
        /// Its title
        #[arg(long)]
        title: Option<String>,
        /// Id of the last event to copy [default: all of them]
        #[arg(long, value_name = "EVENT")]
        until: Option<u64>,
        #[command(flatten)]
        output: Output,
    },
    /// Print a page of the transcript (GET /v1/sessions/{sessionId}/messages)
    Messages(MessagesArgs),
    /// Print a page of events, one per line (GET /v1/sessions/{sessionId}/events)
    Events {
        /// The session's id
        id: String,
        #[command(flatten)]
        events: EventArgs,
        /// The most events to print
        #[arg(long, value_name = "N", default_value_t = 100)]
        limit: usize,
    },
    /// Show what happens, as it happens (GET /v1/sessions/{sessionId}/events/sse)
    #[command(visible_alias = "stream-events")]
    Follow {
        /// The session's id
        id: String,
        #[command(flatten)]
        events: EventArgs,
        /// Print the events as they are, one per line
        #[arg(long)]
        json: bool,
    },
    /// Answer a question (POST /v1/sessions/{sessionId}/questions/{questionId}/reply)
    #[command(visible_alias = "reply-to-question")]
    Answer(AnswerArgs),
    /// Reject a question (POST /v1/sessions/{sessionId}/questions/{questionId}/reject)
    #[command(visible_alias = "reject-question")]
    Reject {
        /// The session's id
        id: String,
        /// The question's id
        question_id: String,
    },
    /// Decide on a permission (POST /v1/sessions/{sessionId}/permissions/{permissionId}/reply)
    #[command(visible_alias = "reply-to-permission")]
    Decide(DecideArgs),
    /// Write one as lines of JSON (GET /v1/sessions/{sessionId}/export)
    Export(ExportArgs),
    /// Make one out of such lines (POST /v1/sessions/import)
    Import(ImportArgs),
}

/// The arguments of `api sessions list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Only sessions in this state (repeatable)
    #[arg(long, value_name = "STATE")]
    pub(crate) state: Vec<StateArg>,
    /// Only sessions of this agent (repeatable)
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Vec<String>,
    /// Only sessions with this member of metadata (repeatable)
    #[arg(long, value_name = "KEY:VALUE", value_parser = member)]
    pub(crate) metadata: Vec<(String, String)>,
    /// The most sessions to list [default: all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// With --json: also print what can be chosen in each session
    #[arg(long)]
    pub(crate) choices: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// The events to print.
#[derive(Debug, Args)]
pub(crate) struct EventArgs {
    /// Id of the last event that is known already
    #[arg(long, alias = "offset", value_name = "N", default_value_t = 0)]
    pub(crate) after: u64,
    /// Types of events to print, separated by commas [default: all]
    #[arg(long, value_name = "TYPES", value_delimiter = ',')]
    pub(crate) types: Vec<String>,
    /// Leave out the pieces of messages
    #[arg(long)]
    pub(crate) no_deltas: bool,
}

/// The arguments of `api sessions messages`.
#[derive(Debug, Args)]
pub(crate) struct MessagesArgs {
    /// The session's id
    pub(crate) id: String,
    /// Cursor of the page, as the page before says it [default: the first page]
    #[arg(long, value_name = "N")]
    pub(crate) after: Option<u64>,
    /// The most messages to print
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) limit: usize,
    /// Which message comes first
    #[arg(long, value_name = "ORDER", default_value = "asc")]
    pub(crate) order: OrderArg,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// The state of a session. What the names say needs no help text.
#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "camelCase")]
pub(crate) enum StateArg {
    Starting,
    Idle,
    Running,
    RequiresAction,
    Interrupted,
    Ended,
}

fn member(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once(':').ok_or("expected KEY:VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

/// An order of messages.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum OrderArg {
    /// The oldest message first
    Asc,
    /// The newest message first
    Desc,
}

/// The arguments of `api sessions create`.
#[derive(Debug, Args)]
pub(crate) struct CreateArgs {
    /// The session's id: 1 to 128 of A-Z, a-z, 0-9, '-', '_', '.', '~', ':', '@', starting with a letter or digit [default: the daemon
    /// chooses one]
    pub(crate) id: Option<String>,
    /// Without an id: names the request, so that it can be sent again without creating a second session
    #[arg(long, value_name = "KEY", conflicts_with = "id")]
    pub(crate) idempotency_key: Option<String>,
    /// The request's body as JSON, for what has no flag here: mcp, skills, policy, webhook; '-' reads standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// The agent
    #[arg(long, value_name = "ID", required_unless_present = "file")]
    pub(crate) agent: Option<String>,
    /// The agent's version [default: the current one]
    #[arg(long, value_name = "VERSION")]
    pub(crate) agent_version: Option<String>,
    /// The credential for the model's provider; other users can see it here
    #[arg(long, value_name = "TOKEN")]
    pub(crate) agent_token: Option<String>,
    /// Ask the provider first whether it accepts the credential
    #[arg(long)]
    pub(crate) validate_token: bool,
    #[command(flatten)]
    pub(crate) choices: ChoiceArgs,
    /// Directory to work in [default: the daemon's workspace]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// Variable of the agent's environment (repeatable)
    #[arg(long = "env", value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    /// Metadata, as a JSON object
    #[arg(long, value_name = "JSON")]
    pub(crate) metadata: Option<String>,
    /// Its title
    #[arg(long)]
    pub(crate) title: Option<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// How an agent works.
#[derive(Debug, Args)]
pub(crate) struct ChoiceArgs {
    /// Task of the agent: build, plan, or one of its own modes or agents
    #[arg(long, value_name = "MODE")]
    pub(crate) agent_mode: Option<String>,
    /// Permission mode
    #[arg(long, value_name = "MODE")]
    pub(crate) permission_mode: Option<PermissionModeArg>,
    /// The model
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// The model's variant, such as high
    #[arg(long)]
    pub(crate) variant: Option<String>,
    /// Option of the agent (repeatable); true and false switch one on or off
    #[arg(long = "option", value_name = "ID=VALUE", value_parser = option)]
    pub(crate) options: Vec<(String, OptionValue)>,
}

/// Reads `id=value`.
fn option(text: &str) -> Result<(String, OptionValue), String> {
    let (id, value) = text.split_once('=').ok_or("an option is written ID=VALUE")?;
    let value = match value {
        "true" => OptionValue::Switch(true),
        "false" => OptionValue::Switch(false),
        choice => OptionValue::Choice(choice.to_owned()),
    };
    Ok((id.to_owned(), value))
}

/// The arguments of `api sessions patch`.
#[derive(Debug, Args)]
pub(crate) struct PatchArgs {
    /// The session's id
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) choices: ChoiceArgs,
    /// Its title
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// Members to merge into its metadata, as a JSON object; null removes one
    #[arg(long, value_name = "JSON")]
    pub(crate) metadata: Option<String>,
    /// Another credential for the model's provider; other users can see it here
    #[arg(long, value_name = "TOKEN")]
    pub(crate) agent_token: Option<String>,
    /// Variable to add to the agent's environment (repeatable)
    #[arg(long = "env", value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// The arguments of `api sessions send`.
#[derive(Debug, Args)]
pub(crate) struct SendArgs {
    /// The session's id
    pub(crate) id: String,
    /// The message [default: read from standard input]
    #[arg(conflicts_with = "parts")]
    pub(crate) message: Option<String>,
    /// Parts of a message instead of text, as a JSON array
    #[arg(long, value_name = "JSON")]
    pub(crate) parts: Option<String>,
    /// Do not wait for the turn that runs: cancel it
    #[arg(long)]
    pub(crate) interrupt: bool,
    /// Names the message, so that it can be sent again without being doubled
    #[arg(long, value_name = "KEY")]
    pub(crate) idempotency_key: Option<String>,
    /// Show what comes of it, up to the end of its turn (POST /v1/sessions/{sessionId}/messages/stream)
    #[arg(long)]
    pub(crate) stream: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// The arguments of `api sessions answer`.
#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    /// The session's id
    pub(crate) id: String,
    /// The question's id
    pub(crate) question_id: String,
    /// An answer for each of the questions
    #[arg(value_name = "ANSWER", required_unless_present = "answers", conflicts_with = "answers")]
    pub(crate) answer: Vec<String>,
    /// The answers as JSON, an array of labels for each question
    #[arg(long, value_name = "JSON")]
    pub(crate) answers: Option<String>,
}

/// The arguments of `api sessions decide`.
#[derive(Debug, Args)]
pub(crate) struct DecideArgs {
    /// The session's id
    pub(crate) id: String,
    /// The permission's id
    pub(crate) permission_id: String,
    /// The decision
    pub(crate) reply: ReplyArg,
    /// The agent's own id of the option, where several mean the same
    #[arg(long, value_name = "ID")]
    pub(crate) option_id: Option<String>,
    /// Message to the agent, such as why it was rejected
    #[arg(long, value_name = "TEXT")]
    pub(crate) message: Option<String>,
    /// Allow this tool from now on, with always: its name or kind; `*` matches any characters
    #[arg(long, value_name = "TOOL")]
    pub(crate) rule_tool: Option<String>,
    /// Allow only calls about this command, path or address; `*` matches any characters
    #[arg(long, value_name = "PATTERN", requires = "rule_tool")]
    pub(crate) rule_input: Option<String>,
}

/// The arguments of `sessions export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The session's id
    pub(crate) id: String,
    /// File to write, for the caller's eyes only; it is replaced when all of it is there [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub(crate) to: Option<PathBuf>,
}

/// The arguments of `sessions import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// File that was exported [default: standard input]
    pub(crate) file: Option<PathBuf>,
    /// The new session's id [default: the one it had]
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// The arguments of `sessions`.
#[derive(Debug, Args)]
pub(crate) struct SessionsArgs {
    #[command(flatten)]
    pub(crate) connection: Connection,
    #[command(subcommand)]
    pub(crate) command: Box<SessionsCommand>,
}

/// What an agent may do. What the names say needs no help text.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum PermissionModeArg {
    Default,
    Plan,
    Bypass,
}

/// Decisions on a permission. What the names say needs no help text.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ReplyArg {
    Once,
    Always,
    Reject,
}

/// What is decided where nobody is asked. What the names say needs no help text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PermissionArg {
    Allow,
    Reject,
}
