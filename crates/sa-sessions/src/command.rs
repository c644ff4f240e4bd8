//! Requests of clients to a session, and their answers.

use crate::{AgentFailure, SessionError};
use sa_api::sessions::{
    CancelResult, Delivery, MessageAccepted, MessagePart, PermissionReply, QuestionReply, SessionPatch,
};
use sa_otlp::TraceContext;
use tokio::sync::oneshot;

/// Where the answer to one request goes.
pub(crate) struct Reply<T, E = SessionError>(oneshot::Sender<Result<T, E>>);

impl<T, E> Reply<T, E> {
    pub(crate) fn channel() -> (Self, oneshot::Receiver<Result<T, E>>) {
        let (sender, receiver) = oneshot::channel();
        (Self(sender), receiver)
    }

    /// Returns whether the client has stopped waiting.
    pub(crate) fn is_closed(&self) -> bool {
        self.0.is_closed()
    }

    fn send(self, outcome: Result<T, E>) {
        // A client that has gone away needs no answer.
        drop(self.0.send(outcome));
    }
}

/// An answer together with the client that waits for it.
pub(crate) enum Answer {
    Done(Reply<()>, Result<(), SessionError>),
    Accepted(Reply<MessageAccepted>, Result<MessageAccepted, SessionError>),
    Cancelled(Reply<CancelResult>, Result<CancelResult, SessionError>),
    Withdrawn(Reply<Withdrawal>, Result<Withdrawal, SessionError>),
    Started(Reply<(), AgentFailure>, Result<(), AgentFailure>),
}

impl Answer {
    pub(crate) fn send(self) {
        match self {
            Self::Done(reply, outcome) => reply.send(outcome),
            Self::Accepted(reply, outcome) => reply.send(outcome),
            Self::Cancelled(reply, outcome) => reply.send(outcome),
            Self::Withdrawn(reply, outcome) => reply.send(outcome),
            Self::Started(reply, outcome) => reply.send(outcome),
        }
    }
}

/// Commands that wait while the agent is being started or changed.
pub(crate) enum Command {
    /// Start the agent.
    Start { reply: Reply<(), AgentFailure> },
    /// Change settings.
    Patch { patch: Box<SessionPatch>, reply: Reply<()> },
    /// Continue with a queue that is held, and with an agent that has ended.
    Resume { reply: Reply<()> },
    /// Stop without an event, so that the session can be created again, unless it has begun.
    Relinquish { reply: Reply<()> },
}

/// Commands that do not wait for a start of the agent, however long that takes.
pub(crate) enum Urgent {
    /// Answers to a question; without any it is rejected.
    Question { id: String, answers: Option<QuestionReply>, reply: Reply<()> },
    /// A decision on a permission.
    Permission { id: String, decision: PermissionReply, reply: Reply<()> },
    /// Stop the turn and withdraw waiting messages.
    Cancel { reply: Reply<CancelResult> },
    /// Take one message out of the queue.
    Withdraw { message_id: String, reply: Reply<Withdrawal> },
    /// Change the order of messages that wait.
    Reorder { message_ids: Vec<String>, reply: Reply<()> },
    /// A message for the agent, to be stored.
    Post { message: Box<Posted>, reply: Reply<MessageAccepted> },
    /// End the session.
    Terminate { native: NativeSession, reply: Reply<()> },
}

/// The fate of the agent's own session when a session is terminated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NativeSession {
    Keep,
    Delete,
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
    /// Distinguishes the message from others under the same key.
    pub(crate) digest: [u8; 32],
    /// The trace that the message belongs to.
    pub(crate) trace: Option<TraceContext>,
}

impl Command {
    /// Answers it with a failure.
    pub(crate) fn fail(self, error: SessionError) {
        match self {
            Self::Start { reply } => reply.send(Err(AgentFailure::Machine(error.to_string()))),
            Self::Patch { reply, .. } | Self::Resume { reply } | Self::Relinquish { reply } => {
                reply.send(Err(error));
            }
        }
    }
}

impl Urgent {
    /// Answers it with a failure.
    pub(crate) fn fail(self, error: SessionError) {
        match self {
            Self::Question { reply, .. }
            | Self::Permission { reply, .. }
            | Self::Reorder { reply, .. }
            | Self::Terminate { reply, .. } => reply.send(Err(error)),
            Self::Cancel { reply } => reply.send(Err(error)),
            Self::Withdraw { reply, .. } => reply.send(Err(error)),
            Self::Post { reply, .. } => reply.send(Err(error)),
        }
    }
}
