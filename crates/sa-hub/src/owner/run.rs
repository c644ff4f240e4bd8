//! The states of a server's agent. The diagram is in the owner's file.

mod phase;

pub(super) use phase::{Due, OutputState, Phase};

use crate::CallError;
use crate::command::ServerCommand;
use crate::pipes::{ExitWait, Pipes};
use sa_api::AgentExit;
use sa_install::{LaunchError, Launchable};
use sa_supervisor::Exit;
use std::future::{Future, pending};
use std::pin::Pin;
use tokio::time::Instant;

/// The agent of a server. A deadline belongs to the state that it ends.
pub(super) enum Run {
    /// No agent has run yet.
    Idle,
    /// The agent's program is being looked up, and installed if it is missing.
    Preparing(Box<Preparing>),
    /// There is a process.
    Live { agent: Agent, phase: Phase },
    /// The last process is gone and its output is read.
    Exited(Exited),
}

/// Resolves with the command that starts the agent.
pub(super) type LaunchWait = Pin<Box<dyn Future<Output = Result<Launchable, LaunchError>> + Send>>;

/// The preparation of a run.
pub(super) struct Preparing {
    pub(super) launch: LaunchWait,
    /// The command that asked for an agent. It is executed once there is one.
    pub(super) command: ServerCommand,
    /// The run before this one.
    pub(super) previous: Option<Exited>,
}

/// A process, its streams and its exit.
pub(super) struct Agent {
    pub(super) pipes: Pipes,
    pub(super) exit: ExitWait,
}

/// A run that is over.
pub(super) struct Exited {
    pub(super) exit: AgentExit,
    /// The server ends here, if it belongs to a connection.
    pub(super) until: Option<Instant>,
}

impl Run {
    pub(super) fn pipes(&self) -> Option<&Pipes> {
        if let Self::Live { agent, .. } = self { Some(&agent.pipes) } else { None }
    }

    pub(super) fn pipes_mut(&mut self) -> Option<&mut Pipes> {
        if let Self::Live { agent, .. } = self { Some(&mut agent.pipes) } else { None }
    }

    /// Returns the pipes of an agent that can still be sent messages, or why there are none.
    pub(super) fn input(&mut self) -> Result<&mut Pipes, CallError> {
        match self {
            Self::Live { agent, phase } if phase.is_alive() && agent.pipes.takes_input() => {
                Ok(&mut agent.pipes)
            }
            Self::Live { .. } => Err(CallError::Closing),
            Self::Exited(exited) => Err(CallError::NotRunning(exited.exit.clone())),
            Self::Idle | Self::Preparing(_) => Err(CallError::NotRunning(AgentExit::default())),
        }
    }

    pub(super) fn is_preparing(&self) -> bool {
        matches!(self, Self::Preparing(_))
    }

    /// Returns when this state ends if nothing else ends it.
    pub(super) fn deadline(&self) -> Option<Instant> {
        match self {
            Self::Idle | Self::Preparing(_) => None,
            Self::Live { phase, .. } => phase.deadline(),
            Self::Exited(exited) => exited.until,
        }
    }

    /// Returns whether there is a process that has not exited.
    pub(super) fn is_alive(&self) -> bool {
        matches!(self, Self::Live { phase, .. } if phase.is_alive())
    }

    /// Splits off what the state waits for next.
    pub(super) fn split(&mut self) -> (Option<&Pipes>, Pending<'_>) {
        match self {
            Self::Idle | Self::Exited(_) => (None, Pending::Nothing),
            Self::Preparing(preparing) => (None, Pending::Launch(&mut preparing.launch)),
            Self::Live { agent: Agent { pipes, exit }, phase } => {
                let pending = if phase.is_alive() { Pending::Exit(exit) } else { Pending::Nothing };
                (Some(pipes), pending)
            }
        }
    }
}

/// The step that a state waits for.
pub(super) enum Pending<'a> {
    Nothing,
    Launch(&'a mut LaunchWait),
    Exit(&'a mut ExitWait),
}

/// A step that was waited for.
pub(super) enum Progress {
    Prepared(Result<Launchable, LaunchError>),
    Exit(Exit),
}

impl Pending<'_> {
    /// Resolves with the step; never if there is none.
    pub(super) async fn resolve(self) -> Progress {
        match self {
            Self::Nothing => pending().await,
            Self::Launch(launch) => Progress::Prepared(launch.await),
            Self::Exit(exit) => Progress::Exit(exit.await),
        }
    }
}
