//! The cancellation of a turn, and the time at which it is enforced.

use std::time::Duration;

/// The state of a cancellation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Cancellation {
    /// The turn was not cancelled.
    #[default]
    None,
    /// The turn was cancelled, and the CLI has until then to stop.
    Requested(Duration),
    /// The CLI did not stop in time.
    Overdue,
}

impl Cancellation {
    /// Cancels the turn, unless that was done before.
    pub fn request(&mut self, deadline: Duration) {
        if *self == Self::None {
            *self = Self::Requested(deadline);
        }
    }

    /// Returns whether the turn was cancelled.
    pub fn is_requested(self) -> bool {
        self != Self::None
    }

    /// Returns the time at which the cancellation is enforced.
    pub fn deadline(self) -> Option<Duration> {
        match self {
            Self::Requested(deadline) => Some(deadline),
            Self::None | Self::Overdue => None,
        }
    }

    /// Notes that the CLI did not stop in time. Returns `false` if the cancellation does not have to be enforced now.
    pub fn expire(&mut self, now: Duration) -> bool {
        let is_due = self.is_due(now);
        if is_due {
            *self = Self::Overdue;
        }
        is_due
    }

    /// Returns whether the cancellation has to be enforced now.
    pub fn is_due(self, now: Duration) -> bool {
        self.deadline().is_some_and(|deadline| deadline <= now)
    }
}
