//! State that a session's handles and its owner share.

use crate::command::Command;
use crate::deletion::Deletion;
use crate::log::{EventLine, Log};
use crate::record::{Detail, Record, View};
use crate::taking_up::Arrival;
use parking_lot::{Mutex, MutexGuard};
use sa_api::sessions::{QueuedMessage, Session, SessionState, WebhookStatus};
use sa_otlp::TraceContext;
use sa_store::StoreError;
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::task::Poll;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

/// Commands that may wait for an owner. Each caller sends one and waits for its answer.
const COMMANDS: usize = 64;

pub(crate) struct Shared {
    pub(crate) id: String,
    pub(crate) log: std::sync::Arc<Log>,
    /// Takes commands that can wait.
    pub(crate) commands: mpsc::Sender<Command>,
    pub(crate) urgent: mpsc::Sender<Command>,
    /// Cancelled to stop the owner without a trace in the log.
    pub(crate) stop: CancellationToken,
    pub(crate) deletion: Deletion,
    /// Cancelled when the session is forgotten, or has another owner.
    pub(crate) deleted: CancellationToken,
    /// Cancelled when the owner has taken up what an earlier daemon left.
    pub(crate) recovered: CancellationToken,
    /// Cancelled when the session is about to be forgotten: its webhook gets what it has not got yet.
    pub(crate) last_look: CancellationToken,
    /// Cancelled when nothing is delivered to its webhook any more.
    pub(crate) delivered: CancellationToken,
    /// Cancelled when the owner has stopped.
    pub(crate) stopped: CancellationToken,
    /// The reason the owner cannot store what has happened, while it tries again: nobody needs to wait for it meanwhile.
    pub(crate) stalled: watch::Sender<Option<StoreError>>,
    state: Mutex<State>,
}

/// The newest that was committed.
pub(crate) struct State {
    record: Record,
    /// Variables that the agent of this session, of a copy of it, or of its next owner gets.
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) queue: Vec<QueuedMessage>,
    /// The ACP server on which its agent runs.
    pub(crate) server: Option<String>,
    pub(crate) webhook: Option<WebhookStatus>,
    /// The trace of the newest turn.
    pub(crate) trace: Option<TraceContext>,
}

/// The record after a commit.
pub(crate) enum Shown<'a> {
    Changed(&'a Record),
    /// Only the time of the last event is new.
    Touched {
        at_ms: u64,
    },
}

/// The commands of a session's handles, as its owner receives them.
pub(crate) struct Inbox {
    /// Commands that can wait.
    pub(crate) commands: mpsc::Receiver<Command>,
    pub(crate) urgent: mpsc::Receiver<Command>,
}

/// The commands that an owner takes at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    All,
    Urgent,
}

impl Inbox {
    /// Returns the next command, urgent ones first. Waits forever once there are no more senders.
    pub(crate) async fn next(&mut self, takes: Takes) -> Command {
        poll_fn(|context| {
            if let Poll::Ready(Some(command)) = self.urgent.poll_recv(context) {
                return Poll::Ready(command);
            }
            match takes {
                Takes::All => match self.commands.poll_recv(context) {
                    Poll::Ready(Some(command)) => Poll::Ready(command),
                    _ => Poll::Pending,
                },
                Takes::Urgent => Poll::Pending,
            }
        })
        .await
    }
}

impl Shared {
    pub(crate) fn new(id: &str, log: Log, arrival: &Arrival, stop: CancellationToken) -> (Self, Inbox) {
        let (commands, command_inbox) = mpsc::channel(COMMANDS);
        let (urgent, urgent_inbox) = mpsc::channel(COMMANDS);
        let Arrival { record, env, webhook, .. } = arrival;
        let (record, env, webhook) = (record.clone(), env.clone(), webhook.clone());
        let shared = Self {
            id: id.to_owned(),
            log: std::sync::Arc::new(log),
            commands,
            urgent,
            stop,
            deletion: Deletion::default(),
            deleted: CancellationToken::new(),
            recovered: CancellationToken::new(),
            last_look: CancellationToken::new(),
            delivered: CancellationToken::new(),
            stopped: CancellationToken::new(),
            stalled: watch::Sender::new(None),
            state: Mutex::new(State { record, env, queue: Vec::new(), server: None, webhook, trace: None }),
        };
        (shared, Inbox { commands: command_inbox, urgent: urgent_inbox })
    }

    /// Returns a session of its own store, and the owner's end.
    #[cfg(test)]
    #[allow(clippy::unwrap_used)]
    pub(crate) async fn for_test(env: BTreeMap<String, String>) -> (std::sync::Arc<Self>, Inbox) {
        use crate::log::Ends;
        use crate::record::Activity;
        use sa_store::{Store, StoreOptions};

        let request = sa_api::sessions::CreateSession { agent: "demo".to_owned(), ..Default::default() };
        let record = Record::new(request, "/".to_owned(), 0);
        let listing = record.listing(Activity::UnderWay);
        let ends = Ends { oldest: 1, last: 0, closed: false };
        let arrival = Arrival { record, ends, env, webhook: None, listing };
        let log = Log::new("s", Store::in_memory(StoreOptions::default()).await.unwrap(), ends);
        let (shared, inbox) = Self::new("s", log, &arrival, CancellationToken::new());
        (std::sync::Arc::new(shared), inbox)
    }

    /// Locks the state, for one statement.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Sets the state that clients see from now on.
    pub(crate) fn show(&self, record: &Record, queue: Vec<QueuedMessage>) {
        let mut state = self.state();
        state.record.clone_from(record);
        state.queue = queue;
    }

    /// Shows what has been committed: the events, and the record and the queue as they are after them. A description never
    /// has the id of an event that it does not reflect.
    pub(crate) fn publish(
        &self,
        lines: Vec<EventLine>,
        oldest: u64,
        record: Shown<'_>,
        queue: Vec<QueuedMessage>,
    ) {
        let mut state = self.state();
        match record {
            Shown::Changed(record) => state.record.clone_from(record),
            Shown::Touched { at_ms } => state.record.updated_at_ms = at_ms,
        }
        state.queue = queue;
        self.log.publish(lines, oldest);
    }

    pub(crate) fn record(&self) -> Record {
        self.state().record.clone()
    }

    /// Returns the session as clients see it, all of it.
    pub(crate) fn describe(&self) -> Session {
        self.describe_with(Detail::Full)
    }

    /// Returns the session as clients see it.
    pub(crate) fn describe_with(&self, detail: Detail) -> Session {
        let state = self.state();
        let (queue, webhook) = (state.queue.clone(), state.webhook.clone());
        let view = View { queue, ends: self.log.ends(), webhook, detail };
        state.record.describe(&self.id, view)
    }

    /// Looks at the record without copying it.
    pub(crate) fn peek<T>(&self, look: impl FnOnce(&Record) -> T) -> T {
        look(&self.state().record)
    }

    /// Returns the state that clients see.
    pub(crate) fn shown_state(&self) -> SessionState {
        let state = self.state();
        state.record.shown_state(state.queue.len())
    }
}
