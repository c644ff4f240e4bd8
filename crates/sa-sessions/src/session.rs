//! One session as a pure state machine: inputs and the time go in, effects come out.
//!
//! [`Machine`] has the states, `phase` and `turn` what they are. `starting`, `opening` and `ending` are about the agent, `queueing` and
//! `turns` about messages, `asking` about questions and permissions, `settings` and `change` about modes, models and
//! options. `draft` turns all of it into commits. The `driver` executes effects.

mod allowing;
mod asking;
mod asks;
mod change;
mod draft;
mod effect;
mod ending;
mod input;
mod machine;
mod opening;
mod phase;
mod queue;
mod queueing;
mod reasking;
mod recovery;
mod settings;
mod starting;
#[cfg(test)]
mod tests;
mod trace;
mod trial;
mod turn;
mod turns;
mod usage;

pub(crate) use effect::{Commit, Effect, EndedTurn, Job};
pub(crate) use input::{Agent, Context, Input, Leftovers, McpServer, Now, Origin, Transport};
pub(crate) use machine::{Machine, Setup};
pub(crate) use trace::Tracing;

use std::time::Duration;

/// Time for an agent to close a session that is terminated.
pub(crate) const CLOSING: Duration = Duration::from_secs(2);
/// Time for the same when the session is opened again in another process, which some agents refuse before that.
const LEAVING: Duration = Duration::from_secs(5);
