//! What handlers ask of a session's owner.

use crate::{AgentFailure, SessionError};
use sa_api::sessions::{
    CancelResult, Delivery, MessageAccepted, MessagePart, PermissionReply, QuestionReply, SessionPatch,
};
use sa_otlp::TraceContext;
use tokio::sync::oneshot;

pub(crate) type Reply<T> = oneshot::Sender<Result<T, SessionError>>;

/// What waits while the agent is being started.
pub(crate) enum Command {
    /// Start the agent.
    Start { reply: oneshot::Sender<Result<(), AgentFailure>> },
    /// Changes.
    Patch { patch: Box<SessionPatch>, reply: Reply<()> },
    /// Continue with a queue that is held, and with an agent that has ended.
    Resume { reply: Reply<()> },
    /// Stop without a trace, so that the session can be created again, unless it has begun.
    Relinquish { reply: Reply<()> },
}

/// Commands that do not wait for a start of the agent, however long that takes.
pub(crate) enum Urgent {
    /// Answers to a question; without any it is rejected.
    Question { id: String, answers: Option<QuestionReply>, reply: Reply<()> },
    /// A decision.
    Permission { id: String, decision: PermissionReply, reply: Reply<()> },
    /// Stop the turn.
    Cancel { reply: Reply<CancelResult> },
    /// Take one message out of the queue.
    Withdraw { message_id: String, reply: Reply<Withdrawal> },
    /// Change the order of messages that wait.
    Reorder { message_ids: Vec<String>, reply: Reply<()> },
    /// A message for the agent, to be stored.
    Post { message: Box<Posted>, reply: Reply<MessageAccepted> },
    /// The end. `forget`: the agent is to forget its own session, too.
    Terminate { forget: bool, reply: Reply<()> },
}

/// Outcome of a request to withdraw a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Withdrawal {
    /// The message no longer waits.
    Withdrawn,
    /// The turn of the message runs.
    Running,
    /// The message was not waiting: it is done, or there is no such message.
    NotWaiting,
}

/// A message as it was posted.
#[derive(Debug)]
pub(crate) struct Posted {
    pub(crate) parts: Vec<MessagePart>,
    pub(crate) delivery: Delivery,
    pub(crate) key: Option<String>,
    /// Tells the message from others under the same key.
    pub(crate) digest: [u8; 32],
    /// The trace that the message belongs to.
    pub(crate) trace: Option<TraceContext>,
}

impl Command {
    /// Answers it with a failure.
    pub(crate) fn fail(self, error: SessionError) {
        // A caller that has gone away needs no answer, so a failed send is no failure here.
        match self {
            Self::Start { reply } => drop(reply.send(Err(AgentFailure::Machine(error.to_string())))),
            Self::Patch { reply, .. } | Self::Resume { reply } | Self::Relinquish { reply } => {
                drop(reply.send(Err(error)));
            }
        }
    }
}

impl Urgent {
    /// Answers it with a failure.
    pub(crate) fn fail(self, error: SessionError) {
        match self {
            Self::Question { reply, .. } | Self::Permission { reply, .. } | Self::Reorder { reply, .. } => {
                drop(reply.send(Err(error)));
            }
            Self::Cancel { reply } => drop(reply.send(Err(error))),
            Self::Withdraw { reply, .. } => drop(reply.send(Err(error))),
            Self::Post { reply, .. } => drop(reply.send(Err(error))),
            Self::Terminate { reply, .. } => drop(reply.send(Err(error))),
        }
    }
}
