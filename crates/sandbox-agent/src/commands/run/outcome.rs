//! How a run ended, as an exit code and in words.

use super::report::Report;
use crate::commands::session::{EXIT_NOT_LOGGED_IN, Refused};
use crate::diagnostics::diagnose;
use crate::signals::Ending;
use sa_api::sessions::{EventData, StopReason};
use sa_terminal::Explanation;

const EXIT_FAILED: u8 = 1;
const EXIT_REFUSED: u8 = 2;
const EXIT_LIMIT: u8 = 3;

/// The end of a run.
#[derive(Debug)]
pub(super) enum Outcome {
    /// The turn ended like this; an error of kind `authRequired` came before.
    Ended { reason: StopReason, is_logged_out: bool },
    /// The message was withdrawn before its turn began.
    Withdrawn,
    /// There was no turn, as the agent is not ready.
    Refused(Refused),
    /// The turn's end was not seen.
    Failed(Explanation),
    /// A signal ended the command.
    Signal(Ending),
}

impl Outcome {
    pub(super) fn failed(what: &str) -> Self {
        Self::Failed(Explanation { what: what.to_owned(), next: None })
    }

    /// The outcome that an event means for the turn, if it is its last.
    pub(super) fn of(data: &EventData, turn: &str, report: &Report) -> Option<Self> {
        match data {
            EventData::TurnEnded(ended) if ended.turn_id == turn => {
                Some(Self::Ended { reason: ended.stop_reason, is_logged_out: report.is_logged_out() })
            }
            EventData::MessageWithdrawn(withdrawn) if withdrawn.turn_id == turn => Some(Self::Withdrawn),
            _ => None,
        }
    }

    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::Ended { reason: StopReason::EndTurn, .. } => 0,
            Self::Ended { reason: StopReason::Refusal, .. } => EXIT_REFUSED,
            Self::Ended { reason: StopReason::MaxTokens | StopReason::MaxTurnRequests, .. } => EXIT_LIMIT,
            Self::Ended { reason: StopReason::Cancelled, .. } | Self::Withdrawn => {
                Ending::Interrupt.exit_code()
            }
            Self::Ended { is_logged_out: true, .. } => EXIT_NOT_LOGGED_IN,
            Self::Ended { .. } | Self::Failed(_) => EXIT_FAILED,
            Self::Refused(refused) => refused.exit_code(),
            Self::Signal(ending) => ending.exit_code(),
        }
    }

    /// The name in JSON.
    pub(super) fn name(&self) -> &'static str {
        match self.exit_code() {
            0 => "finished",
            EXIT_REFUSED => "refused",
            EXIT_LIMIT => "limitReached",
            EXIT_NOT_LOGGED_IN => "notLoggedIn",
            EXIT_FAILED => "failed",
            _ => "cancelled",
        }
    }

    /// The failure, if it is not one that an event reported.
    pub(super) fn explanation(&self) -> Option<&Explanation> {
        match self {
            Self::Refused(refused) => Some(&refused.explanation),
            Self::Failed(explanation) => Some(explanation),
            _ => None,
        }
    }

    /// Returns true if a session exists.
    pub(super) fn has_session(&self) -> bool {
        !matches!(self, Self::Refused(_) | Self::Signal(_))
    }

    /// Says on standard error why there was no turn; a stream of events has no place for that.
    pub(super) fn explain_start(&self) {
        if let Some(explanation) = self.explanation() {
            diagnose!("error: {}", explanation.text());
        }
    }
}
