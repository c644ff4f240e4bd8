//! Requests of clients to a session, and their answers.

use crate::SessionError;
use crate::error::Result;
use sa_api::sessions::{
    CancelResult, Delivery, MessageAccepted, MessagePart, PermissionReply, QuestionReply, SessionPatch,
};
use sa_otlp::TraceContext;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::oneshot;

/// The receiver of the answer to one request. A client whose reply is dropped learns the reason from the session's state.
pub(crate) struct Reply<T> {
    sender: oneshot::Sender<Result<T>>,
    fate: Fate,
}

/// The other end of a [`Reply`].
pub(crate) struct Pending<T> {
    pub(crate) answer: oneshot::Receiver<Result<T>>,
    pub(crate) fate: Fate,
}

/// The fate of a request: its owner does it, or its client gets an error because nothing can be stored. The first to claim it
/// decides.
#[derive(Clone, Default)]
pub(crate) struct Fate(Arc<AtomicBool>);

impl Fate {
    /// Returns whether the caller decides.
    pub(crate) fn claim(&self) -> bool {
        !self.0.swap(true, Ordering::AcqRel)
    }
}

/// An answer, to be sent to the client that waits for it.
pub(crate) type Answer = Box<dyn FnOnce() + Send>;

impl<T: Send + 'static> Reply<T> {
    pub(crate) fn channel() -> (Self, Pending<T>) {
        let (sender, answer) = oneshot::channel();
        let fate = Fate::default();
        (Self { sender, fate: fate.clone() }, Pending { answer, fate })
    }

    /// Returns whether the request is still wanted. From then on its client waits for the answer.
    pub(crate) fn claim(&self) -> bool {
        self.fate.claim()
    }

    pub(crate) fn with(self, outcome: Result<T>) -> Answer {
        // A client that has gone away needs no answer.
        Box::new(move || drop(self.sender.send(outcome)))
    }
}

/// A request of a client to the owner of a session.
pub(crate) enum Command {
    /// Start the agent.
    Start { reply: Reply<()> },
    /// Change settings.
    Patch { patch: Box<SessionPatch>, reply: Reply<()> },
    /// Continue with a queue that is held, and with an agent that has ended.
    Resume { reply: Reply<()> },
    /// Stop without an event, so that the session can be created again, unless it has begun.
    Relinquish { reply: Reply<()> },
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

impl Command {
    /// Returns whether it waits while the agent is being started or changed, however long that takes.
    pub(crate) fn can_wait(&self) -> bool {
        matches!(
            self,
            Self::Start { .. } | Self::Patch { .. } | Self::Resume { .. } | Self::Relinquish { .. }
        )
    }

    /// Answers it with a failure.
    pub(crate) fn fail(self, error: SessionError) {
        let answer = match self {
            Self::Start { reply }
            | Self::Patch { reply, .. }
            | Self::Resume { reply }
            | Self::Relinquish { reply }
            | Self::Question { reply, .. }
            | Self::Permission { reply, .. }
            | Self::Reorder { reply, .. }
            | Self::Terminate { reply, .. } => reply.with(Err(error)),
            Self::Cancel { reply } => reply.with(Err(error)),
            Self::Withdraw { reply, .. } => reply.with(Err(error)),
            Self::Post { reply, .. } => reply.with(Err(error)),
        };
        answer();
    }
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
