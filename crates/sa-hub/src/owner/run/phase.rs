//! The phases of a process, as a function of events and times alone.

use sa_supervisor::Exit;
use std::time::Duration;
use tokio::time::Instant;

/// Limit on reading output after the exit: a grandchild may hold the pipe open forever.
pub(super) const DRAIN: Duration = Duration::from_millis(100);
/// Time for an agent that closed its input or output to exit before it is stopped.
pub(super) const HALF_CLOSED: Duration = Duration::from_millis(250);

/// A phase of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::owner) enum Phase {
    Running,
    /// The agent closed its input or its output.
    HalfClosed {
        until: Instant,
    },
    /// The agent did not exit in time after it closed a stream, and is being stopped.
    Stopping,
    /// The agent exited; its last output is being read.
    Draining {
        exit: Exit,
        until: Instant,
    },
}

/// The state of an agent's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::owner) enum OutputState {
    Open,
    /// Open, and left unread until readers catch up.
    Held,
    Closed,
}

/// An action that a transition asks of the owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::owner) enum Due {
    Nothing,
    Stop,
    End(Exit),
}

impl Phase {
    /// Returns whether the process has not exited, as far as the owner knows.
    pub(in crate::owner) fn is_alive(&self) -> bool {
        !matches!(self, Self::Draining { .. })
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        match self {
            Self::Running | Self::Stopping => None,
            Self::HalfClosed { until } | Self::Draining { until, .. } => Some(*until),
        }
    }

    /// Handles the end of the agent's input.
    pub(in crate::owner) fn on_input_closed(&mut self, now: Instant) {
        if *self == Self::Running {
            *self = Self::HalfClosed { until: now + HALF_CLOSED };
        }
    }

    /// Handles the end of the agent's output.
    pub(in crate::owner) fn on_output_closed(&mut self, now: Instant) -> Due {
        if let Self::Draining { exit, .. } = self {
            return Due::End(exit.clone());
        }
        self.on_input_closed(now);
        Due::Nothing
    }

    /// Handles the exit of the process.
    pub(in crate::owner) fn on_exit(&mut self, exit: Exit, output: OutputState, now: Instant) -> Due {
        if output == OutputState::Closed {
            return Due::End(exit);
        }
        *self = Self::Draining { exit, until: now + DRAIN };
        Due::Nothing
    }

    /// Handles the deadline, if it has passed. Output that is held for readers is not cut off.
    pub(in crate::owner) fn on_time(&mut self, now: Instant, output: OutputState) -> Due {
        if self.deadline().is_none_or(|deadline| now < deadline) {
            return Due::Nothing;
        }
        match self {
            Self::Running | Self::Stopping => Due::Nothing,
            Self::HalfClosed { .. } => {
                *self = Self::Stopping;
                Due::Stop
            }
            Self::Draining { until, .. } if output == OutputState::Held => {
                *until = now + DRAIN;
                Due::Nothing
            }
            Self::Draining { exit, .. } => Due::End(exit.clone()),
        }
    }
}

#[cfg(test)]
mod tests;
