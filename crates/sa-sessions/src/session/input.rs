//! Everything that can happen to a session, and the moment at which it happens.

use crate::agent::{AgentCapabilities, AgentFailure, FromAgent};
use crate::command::Command;
use crate::error::Result;
use crate::history::History;
use sa_api::Timestamp;
use sa_api::sessions::EventData;
use sa_store::{StoreError, StoredMessage};
use sa_universal::PromptCapabilities;
use serde_json::Value;
use std::time::{Duration, Instant};
use uuid::Uuid;

/// An event that the machine reacts to.
pub(crate) enum Input {
    /// An earlier daemon left this. Always the first input.
    Recovered(Box<Leftovers>),
    Command(Command),
    /// Messages of the agent, in order.
    Agent(Vec<FromAgent>),
    /// A request did not reach the agent.
    CallFailed {
        call: u64,
        failure: AgentFailure,
    },
    Prepared(Result<Context, AgentFailure>),
    Connected(Result<Agent, AgentFailure>),
    HistoryRead(History),
    /// The message that was accepted under an idempotency key, if there is one.
    KeyLookedUp(Result<Option<StoredMessage>>),
    /// Outcome of [`Effect::TryCommit`](super::Effect::TryCommit).
    Stored(Result<(), StoreError>),
    /// The store took a commit after it had refused to.
    StoreRecovered,
    /// The store will never take a commit.
    StoreLost,
    /// A deadline may have passed.
    Time,
    /// All effects of the input before are executed.
    Proceed,
}

/// The moment of an input, and the source of new ids.
#[derive(Clone, Copy)]
pub(crate) struct Now {
    pub(crate) instant: Instant,
    /// Milliseconds since 1970.
    pub(crate) wall_ms: u64,
    pub(crate) ids: fn() -> Uuid,
}

impl Now {
    /// Returns a new id that begins with this word.
    pub(super) fn new_id(&self, kind: &str) -> String {
        format!("{kind}_{}", (self.ids)().simple())
    }

    pub(super) fn timestamp(&self) -> Timestamp {
        Timestamp::from_millis(self.wall_ms)
    }

    /// Returns the wall clock after that time.
    pub(super) fn timestamp_in(&self, delay: Duration) -> Timestamp {
        let delay = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        Timestamp::from_millis(self.wall_ms.saturating_add(delay))
    }
}

/// Work that an earlier daemon left unfinished.
#[derive(Default)]
pub(crate) struct Leftovers {
    /// Messages that are queued, or whose turn ran.
    pub(crate) pending: Vec<StoredMessage>,
    /// The reason messages that may have been pending cannot be read. None is known then.
    pub(crate) lost: Option<StoreError>,
    /// Messages of the agent that the log has only in pieces, as far as they came.
    pub(crate) cut_off: Vec<EventData>,
    /// That daemon was killed, so it has not reported the spans of its turns.
    pub(crate) was_killed: bool,
}

/// Skills and MCP servers that an agent's session gets from its directory and its request.
pub(crate) struct Context {
    pub(crate) servers: Vec<McpServer>,
    pub(crate) warnings: Vec<String>,
}

/// An MCP server that is switched on.
pub(crate) enum McpServer {
    Usable {
        name: String,
        transport: Transport,
        config: Value,
    },
    /// A variable of its configuration is not set.
    Incomplete {
        name: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    Stdio,
    Http,
    Sse,
}

/// A connected agent process, by what it says of itself.
pub(crate) struct Agent {
    pub(crate) capabilities: AgentCapabilities,
    pub(crate) prompts: PromptCapabilities,
    pub(crate) version: Option<String>,
    pub(crate) origin: Origin,
}

/// The way in which a session came to its agent process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Started for this session.
    Started,
    /// Running before this session asked for one.
    Joined,
}
