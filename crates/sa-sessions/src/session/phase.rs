//! The phases of a session's agent.
//!
//! ```text
//!                     message, POST, resume
//!   Detached ───────────────────────────────────► Starting
//!    ▲  New, IdleShutdown, Lost                     Preparing ─► Connecting ─► Opening ◄─► Pausing (session busy)
//!    │                                                                            │
//!    │                                              Configuring ◄─ Remembering ◄──┘
//!    │                                                  │
//!    │                 failed, given up                 ▼
//!    ├──── Leaving ◄──────────────────────────────── Ready
//!    │      Closing ─► Deleting                       settled ─► holding a mode, changing settings ─► settled
//!    │                                                  │
//!    └──────────────── agent ended ◄────────────────────┘ (also from Starting and Leaving)
//!
//!   terminate, from anywhere: (Starting is given up) ─► Leaving ─► Ended
//! ```
//!
//! A phase has a link exactly if an agent is connected, and a call exactly if something other than a turn waits for the agent.

use super::change::Change;
use super::input::{Agent, McpServer};
use super::settings::Applying;
use crate::agent::AgentFailure;
use crate::command::Reply;
use serde_json::Value;
use std::time::{Duration, Instant};

pub(super) enum Phase {
    /// No agent.
    Detached(Why),
    Starting(Box<Start>),
    /// The agent has an open session.
    Ready(Ready),
    /// The agent is asked to close its session before it is let go.
    Leaving(Box<Leaving>),
    /// Nothing happens any more.
    Ended,
}

/// The reason there is no agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// The session was created and its first start has not been requested.
    New,
    /// The agent had nothing to do for a while.
    IdleShutdown,
    /// The agent ended, could not be started or was left.
    Lost,
}

pub(super) struct Start {
    pub(super) request: StartRequest,
    pub(super) step: Step,
}

pub(super) struct StartRequest {
    pub(super) purpose: Purpose,
    pub(super) attempt: Attempt,
}

/// The work that waits for the agent's start.
pub(super) enum Purpose {
    /// The turn, whose message is sent then.
    Turn,
    Client(Reply<()>),
    Resume(Reply<()>),
}

/// The number of the attempt. A process that was joined may not find its program any more, so another is tried once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attempt {
    First,
    Last,
}

pub(super) enum Step {
    /// Skills are fetched and configuration is read.
    Preparing,
    /// The agent's process is installed, started or joined.
    Connecting(Vec<McpServer>),
    /// The agent opens its session.
    Opening { agent: Connected, way: Way, call: Call },
    /// Another process still holds the agent's session.
    Pausing { agent: Connected, retries: usize, until: Instant },
    /// The conversation is read, as the agent does not know it.
    Remembering { link: AgentInUse, reason: Option<String> },
    /// The agent takes its settings.
    Configuring { link: AgentInUse, applying: Applying },
}

/// An agent without an open session, and the MCP servers that its session gets.
pub(super) struct Connected {
    pub(super) link: AgentInUse,
    pub(super) mcp: Vec<Value>,
}

/// The way in which the agent's session is opened.
pub(super) enum Way {
    /// A new session, in place of one that is lost for this reason.
    New {
        lost: Option<String>,
    },
    Fork,
    Reopen {
        retries: usize,
    },
}

pub(super) struct Ready {
    pub(super) link: AgentInUse,
    pub(super) work: Work,
}

/// Settings that the agent is taking.
pub(super) enum Work {
    Settled,
    /// The agent is set back to a mode in which it asks enough.
    Holding(Box<Applying>),
    Changing(Box<Changing>),
}

/// A client's change on its way to the agent.
pub(super) struct Changing {
    pub(super) change: Change,
    pub(super) applying: Applying,
    pub(super) direction: Direction,
}

pub(super) enum Direction {
    Forward,
    /// The agent refused a part of the change, so it gets back what it had.
    Back(AgentFailure),
}

pub(super) struct Leaving {
    pub(super) link: AgentInUse,
    pub(super) call: Call,
    pub(super) step: LeavingStep,
    pub(super) then: Then,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeavingStep {
    Closing,
    Deleting(Closed),
}

/// Reports if the agent has closed its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closed {
    Yes,
    No,
}

/// The next step once the agent is left.
pub(super) enum Then {
    IdleShutdown,
    /// The turn's message needs an agent with another environment.
    Renew,
    /// The agent did not stop its turn when it was asked to.
    TurnAbandoned,
    StartFailed {
        purpose: Purpose,
        failure: AgentFailure,
        reported: Reported,
    },
    /// The start is tried again with another process.
    Retry(Purpose),
    Terminate,
}

/// Reports if the log says why the agent has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reported {
    Yes,
    No,
}

/// An agent process that this session uses.
pub(super) struct AgentInUse {
    pub(super) agent: Box<Agent>,
    pub(super) permissions: Permissions,
    pub(super) mode: ModeCheck,
    pub(super) environment: Environment,
}

/// The party that grants permissions if no rule decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Permissions {
    Clients,
    /// The agent has no mode that never asks, so the daemon grants everything.
    Daemon,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ModeCheck {
    Fine,
    /// The agent has given itself a mode in which it asks less than it has to.
    TooLoose,
}

/// Reports if the agent's process has the environment of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Environment {
    Current,
    Outdated,
}

impl AgentInUse {
    pub(super) fn new(agent: Agent) -> Self {
        Self {
            agent: Box::new(agent),
            permissions: Permissions::Clients,
            mode: ModeCheck::Fine,
            environment: Environment::Current,
        }
    }

    pub(super) fn can_close(&self) -> bool {
        self.agent.capabilities.session_capabilities.close.is_some()
    }

    pub(super) fn can_delete(&self) -> bool {
        self.agent.capabilities.session_capabilities.delete.is_some()
    }

    /// Returns whether the agent can continue its session in another process.
    pub(super) fn can_return(&self) -> bool {
        let can = &self.agent.capabilities;
        can.session_capabilities.resume.is_some() || can.load_session
    }
}

/// A request that the agent has to answer in time.
pub(super) struct Call {
    pub(super) id: u64,
    pub(super) method: &'static str,
    pub(super) limit: Duration,
    /// Questions that were open before.
    asks_before: usize,
    /// Absent while the agent waits for the answer to something that it asks first, as long as that takes.
    deadline: Option<Instant>,
}

impl Call {
    pub(super) fn new(id: u64, method: &'static str, limit: Duration, asks: usize, now: Instant) -> Self {
        Self { id, method, limit, asks_before: asks, deadline: Some(now + limit) }
    }

    /// Stops the clock while more questions are open than before the call, and starts it again after that.
    pub(super) fn observe(&mut self, asks: usize, now: Instant) {
        self.deadline = (asks <= self.asks_before).then(|| self.deadline.unwrap_or(now + self.limit));
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    pub(super) fn late(&self) -> AgentFailure {
        AgentFailure::Late { method: self.method.to_owned(), seconds: self.limit.as_secs() }
    }
}

impl Phase {
    /// Returns the agent's link.
    pub(super) fn link(&self) -> Option<&AgentInUse> {
        match self {
            Self::Starting(start) => start.step.link(),
            Self::Ready(ready) => Some(&ready.link),
            Self::Leaving(leaving) => Some(&leaving.link),
            Self::Detached(_) | Self::Ended => None,
        }
    }

    /// Returns the call that this phase waits for.
    pub(super) fn call_mut(&mut self) -> Option<&mut Call> {
        match self {
            Self::Starting(start) => match &mut start.step {
                Step::Opening { call, .. } => Some(call),
                Step::Configuring { applying, .. } => applying.call_mut(),
                _ => None,
            },
            Self::Ready(Ready { work: Work::Holding(applying), .. }) => applying.call_mut(),
            Self::Ready(Ready { work: Work::Changing(changing), .. }) => changing.applying.call_mut(),
            Self::Leaving(leaving) => Some(&mut leaving.call),
            Self::Ready(_) | Self::Detached(_) | Self::Ended => None,
        }
    }

    /// Returns when to try again to open the agent's session, which another process still holds.
    pub(super) fn retry_at(&self) -> Option<Instant> {
        let Self::Starting(start) = self else { return None };
        if let Step::Pausing { until, .. } = start.step { Some(until) } else { None }
    }

    /// Returns the link of an agent that has all its settings.
    pub(super) fn settled_mut(&mut self) -> Option<&mut AgentInUse> {
        match self {
            Self::Ready(Ready { link, work: Work::Settled }) => Some(link),
            _ => None,
        }
    }

    pub(super) fn settled(&self) -> Option<&AgentInUse> {
        match self {
            Self::Ready(Ready { link, work: Work::Settled }) => Some(link),
            _ => None,
        }
    }
}

impl Step {
    fn link(&self) -> Option<&AgentInUse> {
        match self {
            Self::Preparing | Self::Connecting(_) => None,
            Self::Opening { agent, .. } | Self::Pausing { agent, .. } => Some(&agent.link),
            Self::Remembering { link, .. } | Self::Configuring { link, .. } => Some(link),
        }
    }

    /// Returns the link if the agent has opened its session.
    pub(super) fn into_open_link(self) -> Option<AgentInUse> {
        match self {
            Self::Remembering { link, .. } | Self::Configuring { link, .. } => Some(link),
            Self::Preparing | Self::Connecting(_) | Self::Opening { .. } | Self::Pausing { .. } => None,
        }
    }
}
