//! The turn of a session: one message and everything that the agent does for it.
//!
//! ```text
//!   None ─► Starting ─► Recalling ─► Running ─► Cancelling ─► None
//!              │            │            └────────────────────▲
//!              └────────────┴─► Discarded ────────────────────┘
//! ```

use super::queue::Queued;
use sa_api::sessions::StopReason;
use std::time::Instant;

pub(super) enum Turn {
    None,
    /// The message waits for the agent.
    Starting(Queued),
    /// The earlier conversation is read for the message, as the agent does not know it.
    Recalling(Queued),
    /// The turn was cancelled before the agent got its message. It ends as soon as the agent is started or left.
    Discarded(TurnIds),
    /// The agent works on the message.
    Running(Prompted),
    /// The agent is to stop until that time.
    Cancelling {
        prompted: Prompted,
        by: Instant,
        cause: Cause,
    },
}

#[derive(Debug, Clone)]
pub(super) struct TurnIds {
    pub(super) turn_id: String,
    pub(super) message_id: String,
}

/// A turn whose message the agent has got.
pub(super) struct Prompted {
    pub(super) ids: TurnIds,
    /// The number of the prompt.
    pub(super) call: u64,
    pub(super) recall: Recall,
}

/// Reports if a prompt also carries the earlier conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Recall {
    Included,
    Omitted,
}

/// The reason a turn is being cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    Client,
    /// The agent said nothing for too long.
    Silence,
}

impl Cause {
    /// Returns the way in which a turn ends that was stopped for this.
    pub(super) fn stop_reason(&self) -> StopReason {
        match self {
            Self::Client => StopReason::Cancelled,
            Self::Silence => StopReason::Error,
        }
    }
}

impl Turn {
    pub(super) fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// Returns the ids of the turn and of its message.
    pub(super) fn ids(&self) -> Option<(&str, &str)> {
        match self {
            Self::None => None,
            Self::Starting(message) | Self::Recalling(message) => {
                Some((&message.turn_id, &message.message_id))
            }
            Self::Discarded(ids)
            | Self::Running(Prompted { ids, .. })
            | Self::Cancelling { prompted: Prompted { ids, .. }, .. } => {
                Some((&ids.turn_id, &ids.message_id))
            }
        }
    }

    pub(super) fn id(&self) -> Option<String> {
        self.ids().map(|(turn_id, _)| turn_id.to_owned())
    }

    /// Returns whether the agent, or the turn itself, is to stop.
    pub(super) fn is_stopping(&self) -> bool {
        matches!(self, Self::Discarded(_) | Self::Cancelling { .. })
    }

    pub(super) fn prompted(&self) -> Option<&Prompted> {
        match self {
            Self::Running(prompted) | Self::Cancelling { prompted, .. } => Some(prompted),
            Self::None | Self::Starting(_) | Self::Recalling(_) | Self::Discarded(_) => None,
        }
    }

    /// Returns whether something other than the agent's work is under way for the turn.
    pub(super) fn is_starting(&self) -> bool {
        matches!(self, Self::Starting(_) | Self::Recalling(_) | Self::Discarded(_))
    }
}
