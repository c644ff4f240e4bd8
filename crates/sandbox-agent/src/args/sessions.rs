//! The flags of `sandbox-agent api sessions` and `sandbox-agent sessions`.

use super::processes::variable;
use super::{Connection, Output, wire};
use clap::{Args, Subcommand, ValueEnum};
use sa_api::sessions::{
    CreateSession, OptionValue, PermissionMode, PermissionReplyKind, SessionPatch, SessionState,
    TranscriptOrder,
};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The operations on universal sessions. Where people have a shorter word, the name of the operation works as well.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// List sessions, the newest first (GET /v1/sessions)
    List(ListArgs),
    /// Create a session and start its agent (POST /v1/sessions/{sessionId}, POST /v1/sessions)
    #[command(
        after_help = "Exit codes: 0 the agent is ready, 1 it is not, 64 bad usage. A session whose id is printed exists even if its agent \
            is not ready; the next message starts the agent again. Example:\n  \
            sandbox-agent sessions create demo-1 --agent demo --permission-mode bypass"
    )]
    Create(CreateArgs),
    /// Show a session (GET /v1/sessions/{sessionId})
    Get(OneSessionArgs),
    /// Update a session (PATCH /v1/sessions/{sessionId})
    #[command(visible_alias = "update")]
    Patch(PatchArgs),
    /// Delete a session (DELETE /v1/sessions/{sessionId})
    Delete {
        /// Id of the session
        id: String,
    },
    /// End a session and keep its history (POST /v1/sessions/{sessionId}/terminate)
    Terminate(OneSessionArgs),
    /// Resume a session after a restart or an agent's end (POST /v1/sessions/{sessionId}/resume)
    Resume(OneSessionArgs),
    /// Send a message (POST /v1/sessions/{sessionId}/messages)
    #[command(visible_alias = "post-message")]
    Send(SendArgs),
    /// Withdraw a queued message (DELETE /v1/sessions/{sessionId}/messages/{messageId})
    #[command(visible_alias = "withdraw-message")]
    Withdraw {
        /// Id of the session
        id: String,
        /// Id of the message
        message_id: String,
    },
    /// Reorder the queued messages (PUT /v1/sessions/{sessionId}/queue)
    #[command(visible_alias = "reorder-queue")]
    Reorder {
        /// Id of the session
        id: String,
        /// Ids of the queued messages, the next one first
        #[arg(required = true)]
        message_ids: Vec<String>,
        #[command(flatten)]
        output: Output,
    },
    /// Cancel the running turn (POST /v1/sessions/{sessionId}/cancel)
    Cancel(OneSessionArgs),
    /// Fork a session (POST /v1/sessions/{sessionId}/fork)
    Fork {
        /// Id of the session
        id: String,
        /// Id of the new session [default: generated]
        #[arg(long, value_name = "ID")]
        new_id: Option<String>,
        /// Title of the new session
        #[arg(long)]
        title: Option<String>,
        /// Last event to copy [default: all events]
        #[arg(long, value_name = "EVENT")]
        until: Option<u64>,
        #[command(flatten)]
        output: Output,
    },
    /// Print a page of the transcript (GET /v1/sessions/{sessionId}/messages)
    Messages(MessagesArgs),
    /// Print a page of events, one per line (GET /v1/sessions/{sessionId}/events)
    Events {
        /// Id of the session
        id: String,
        #[command(flatten)]
        events: EventArgs,
        /// Maximum number of events to print
        #[arg(long, value_name = "N", default_value_t = 100)]
        limit: usize,
    },
    /// Print events as they happen (GET /v1/sessions/{sessionId}/events/sse)
    #[command(visible_alias = "stream-events")]
    Follow {
        /// Id of the session
        id: String,
        #[command(flatten)]
        events: EventArgs,
        /// Print events as JSON, one per line
        #[arg(long)]
        json: bool,
    },
    /// Answer a question (POST /v1/sessions/{sessionId}/questions/{questionId}/reply)
    #[command(visible_alias = "reply-to-question")]
    Answer(AnswerArgs),
    /// Reject a question (POST /v1/sessions/{sessionId}/questions/{questionId}/reject)
    #[command(visible_alias = "reject-question")]
    Reject {
        /// Id of the session
        id: String,
        /// Id of the question
        question_id: String,
    },
    /// Grant or reject a permission (POST /v1/sessions/{sessionId}/permissions/{permissionId}/reply)
    #[command(visible_alias = "reply-to-permission")]
    Decide(DecideArgs),
    /// Export a session as lines of JSON (GET /v1/sessions/{sessionId}/export)
    Export {
        /// Id of the session
        id: String,
        /// File to write, readable only by you [default: standard output]
        #[arg(long, value_name = "FILE")]
        to: Option<PathBuf>,
    },
    /// Import an exported session (POST /v1/sessions/import)
    Import {
        /// Exported file [default: standard input]
        file: Option<PathBuf>,
        /// Id of the new session [default: the exported id]
        #[arg(long, value_name = "ID")]
        id: Option<String>,
        #[command(flatten)]
        output: Output,
    },
}

/// The session that a command is about, and the form of the answer.
#[derive(Debug, Args)]
pub(crate) struct OneSessionArgs {
    /// Id of the session
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// The arguments of `api sessions list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Only sessions in this state (repeatable)
    #[arg(long, value_name = "STATE", value_parser = wire(SessionState::ALL, SessionState::name))]
    pub(crate) state: Vec<SessionState>,
    /// Only sessions of this agent (repeatable)
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Vec<String>,
    /// Only sessions with this member of metadata (repeatable)
    #[arg(long, value_name = "KEY:VALUE", value_parser = member)]
    pub(crate) metadata: Vec<(String, String)>,
    /// Maximum number of sessions to list [default: all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// With --json, include the modes and models that each session can choose from
    #[arg(long)]
    pub(crate) choices: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// The events to print.
#[derive(Debug, Args)]
pub(crate) struct EventArgs {
    /// Print events after this id
    #[arg(long, alias = "offset", value_name = "N", default_value_t = 0)]
    pub(crate) after: u64,
    /// Event types to print, separated by commas [default: all]
    #[arg(long, value_name = "TYPES", value_delimiter = ',')]
    pub(crate) types: Vec<String>,
    /// Omit message deltas
    #[arg(long)]
    pub(crate) no_deltas: bool,
}

/// The arguments of `api sessions messages`.
#[derive(Debug, Args)]
pub(crate) struct MessagesArgs {
    /// Id of the session
    pub(crate) id: String,
    /// Cursor from the previous page [default: the first page]
    #[arg(long, value_name = "N")]
    pub(crate) after: Option<u64>,
    /// Maximum number of messages to print
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) limit: usize,
    /// Order of the messages
    #[arg(long, value_name = "ORDER", default_value = "asc", value_parser = wire(TranscriptOrder::ALL, TranscriptOrder::name))]
    pub(crate) order: TranscriptOrder,
    #[command(flatten)]
    pub(crate) output: Output,
}

fn member(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once(':').ok_or("expected KEY:VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

/// The arguments of `api sessions create`.
#[derive(Debug, Args)]
pub(crate) struct CreateArgs {
    /// The session's id: 1 to 128 of A-Z, a-z, 0-9, '-', '_', '.', '~', ':', '@', starting with a letter or digit [default: the daemon
    /// chooses one]
    pub(crate) id: Option<String>,
    /// Key that makes a repeated request safe; only without an id
    #[arg(long, value_name = "KEY", conflicts_with = "id")]
    pub(crate) idempotency_key: Option<String>,
    /// File with the request as JSON, for mcp, skills, policy and webhook; '-' for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Agent of the session
    #[arg(long, value_name = "ID", required_unless_present = "file")]
    pub(crate) agent: Option<String>,
    /// Version of the agent [default: the current one]
    #[arg(long, value_name = "VERSION")]
    pub(crate) agent_version: Option<String>,
    /// Credential for the model provider; visible to other users of this machine
    #[arg(long, value_name = "TOKEN")]
    pub(crate) agent_token: Option<String>,
    /// Check the credential with its provider first
    #[arg(long)]
    pub(crate) validate_token: bool,
    #[command(flatten)]
    pub(crate) choices: ChoiceArgs,
    /// Directory to work in [default: the daemon's workspace]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// Environment variable of the agent (repeatable)
    #[arg(long = "env", value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    /// Metadata, as a JSON object
    #[arg(long, value_name = "JSON")]
    pub(crate) metadata: Option<String>,
    /// Title of the session
    #[arg(long)]
    pub(crate) title: Option<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Choices for the agent.
#[derive(Debug, Clone, Args)]
pub(crate) struct ChoiceArgs {
    /// Agent mode: build (default of a new session), plan, or a mode of the agent
    #[arg(long, value_name = "MODE")]
    pub(crate) agent_mode: Option<String>,
    /// Permission mode; a new session has 'default'
    #[arg(long, value_name = "MODE", value_parser = wire(PermissionMode::ALL, PermissionMode::name))]
    pub(crate) permission_mode: Option<PermissionMode>,
    /// Model; a new session has the agent's default
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Variant or reasoning effort of the model, such as high
    #[arg(long)]
    pub(crate) variant: Option<String>,
    /// Option of the agent (repeatable)
    #[arg(long = "option", value_name = "ID=VALUE", value_parser = option)]
    pub(crate) options: Vec<(String, OptionValue)>,
}

impl ChoiceArgs {
    /// Makes these choices for a new session.
    pub(crate) fn apply(self, session: &mut CreateSession) {
        session.agent_mode = self.agent_mode.or(session.agent_mode.take());
        session.permission_mode = self.permission_mode.unwrap_or(session.permission_mode);
        session.model = self.model.or(session.model.take());
        session.variant = self.variant.or(session.variant.take());
        session.options.extend(self.options);
    }

    /// Returns the change of a session that these choices are.
    pub(crate) fn into_patch(self) -> SessionPatch {
        let options = self.options.into_iter().map(|(id, value)| (id, Some(value)));
        let options: BTreeMap<_, _> = options.collect();
        SessionPatch {
            agent_mode: self.agent_mode,
            permission_mode: self.permission_mode,
            model: self.model,
            variant: self.variant,
            options: (!options.is_empty()).then_some(options),
            ..SessionPatch::default()
        }
    }
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
    /// Id of the session
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) choices: ChoiceArgs,
    /// Title of the session
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// Metadata to merge, as a JSON object; null removes a member
    #[arg(long, value_name = "JSON")]
    pub(crate) metadata: Option<String>,
    /// New credential for the model provider; visible to other users of this machine
    #[arg(long, value_name = "TOKEN")]
    pub(crate) agent_token: Option<String>,
    /// Environment variable to add (repeatable)
    #[arg(long = "env", value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// The arguments of `api sessions send`.
#[derive(Debug, Args)]
pub(crate) struct SendArgs {
    /// Id of the session
    pub(crate) id: String,
    /// Message to send [default: read from standard input]
    #[arg(conflicts_with = "parts")]
    pub(crate) message: Option<String>,
    /// Message parts as a JSON array, instead of text
    #[arg(long, value_name = "JSON")]
    pub(crate) parts: Option<String>,
    /// Cancel the running turn instead of waiting for it
    #[arg(long)]
    pub(crate) interrupt: bool,
    /// Key that makes a repeated request safe
    #[arg(long, value_name = "KEY")]
    pub(crate) idempotency_key: Option<String>,
    /// Print events until the turn ends (POST /v1/sessions/{sessionId}/messages/stream)
    #[arg(long)]
    pub(crate) stream: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// The arguments of `api sessions answer`.
#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    /// Id of the session
    pub(crate) id: String,
    /// Id of the question
    pub(crate) question_id: String,
    /// Answer to each question
    #[arg(value_name = "ANSWER", required_unless_present = "answers", conflicts_with = "answers")]
    pub(crate) answer: Vec<String>,
    /// Answers as JSON: an array of labels for each question
    #[arg(long, value_name = "JSON")]
    pub(crate) answers: Option<String>,
}

/// The arguments of `api sessions decide`.
#[derive(Debug, Args)]
pub(crate) struct DecideArgs {
    /// Id of the session
    pub(crate) id: String,
    /// Id of the permission
    pub(crate) permission_id: String,
    /// Decision
    #[arg(value_parser = wire(PermissionReplyKind::ALL, PermissionReplyKind::name))]
    pub(crate) reply: PermissionReplyKind,
    /// Option of the agent to choose, if several have the same meaning
    #[arg(long, value_name = "ID")]
    pub(crate) option_id: Option<String>,
    /// Message to the agent, such as a reason
    #[arg(long, value_name = "TEXT")]
    pub(crate) message: Option<String>,
    /// With 'always', allow this tool name or kind; '*' matches any characters
    #[arg(long, value_name = "TOOL")]
    pub(crate) rule_tool: Option<String>,
    /// Allow only this command, path or URL; '*' matches any characters
    #[arg(long, value_name = "PATTERN", requires = "rule_tool")]
    pub(crate) rule_input: Option<String>,
}

/// The arguments of `sessions`.
#[derive(Debug, Args)]
pub(crate) struct SessionsArgs {
    #[command(flatten)]
    pub(crate) connection: Connection,
    #[command(subcommand)]
    pub(crate) command: Box<SessionsCommand>,
}

/// Decision where no user is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PermissionArg {
    Allow,
    Reject,
}
