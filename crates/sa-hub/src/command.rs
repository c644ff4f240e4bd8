//! Commands that handlers send to a server's owner.

use crate::{CallError, Position, Reader, ReaderKind, Response, WhenStopped};
use bytes::Bytes;
use sa_jsonrpc::Message;
use sa_relay::Caller;
use tokio::sync::oneshot;

pub(crate) type Reply<T> = oneshot::Sender<Result<T, CallError>>;

pub(crate) enum ServerCommand {
    /// Start the agent if it does not run.
    Start {
        reply: Reply<()>,
    },
    /// A request whose answer somebody waits for.
    Call {
        message: Message<Bytes>,
        when_stopped: WhenStopped,
        reply: Reply<Response>,
    },
    /// Any message whose answer, if there will be one, goes to a stream or socket.
    Send {
        message: Message<Bytes>,
        when_stopped: WhenStopped,
        caller: Caller,
        reply: Reply<()>,
    },
    Subscribe {
        from: Position,
        kind: ReaderKind,
        reply: Reply<Reader>,
    },
}

impl ServerCommand {
    /// Returns whether the command starts an agent if none runs.
    pub(crate) fn starts_agent(&self) -> bool {
        match self {
            Self::Start { .. } => true,
            Self::Call { when_stopped, .. } | Self::Send { when_stopped, .. } => {
                *when_stopped == WhenStopped::Start
            }
            Self::Subscribe { .. } => false,
        }
    }

    /// Answers it with a failure.
    pub(crate) fn fail(self, error: CallError) {
        // A caller that has gone away needs no answer, so a failed send is no failure here.
        match self {
            Self::Start { reply } | Self::Send { reply, .. } => drop(reply.send(Err(error))),
            Self::Call { reply, .. } => drop(reply.send(Err(error))),
            Self::Subscribe { reply, .. } => drop(reply.send(Err(error))),
        }
    }
}
