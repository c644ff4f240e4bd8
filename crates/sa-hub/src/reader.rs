//! A reader of what a server's agent says.

use crate::shared::Shared;
use crate::stats::{Stats, add};
use sa_journal::{Pulse, Step};
use sa_jsonrpc::{Kind, Message};
use sa_relay::{Audience, Part, Question, Segment};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};

/// The part of the log that was there before a server's first reader.
#[derive(Debug)]
pub struct Past {
    /// Number of its last record.
    pub(crate) upto: u64,
    /// Records of it that are requests the agent still waits on, in order.
    pub(crate) open: Vec<u64>,
}

impl Past {
    pub fn reaches(&self, record: u64) -> bool {
        record <= self.upto
    }

    /// Returns whether a record needs no reader any more: an answer that its caller took, or a question of the agent
    /// that was answered.
    pub fn is_settled(&self, record: u64, audience: Audience, data: &[u8]) -> bool {
        if !self.reaches(record) {
            return false;
        }
        audience.is_received()
            || audience == Audience::Everyone
                && Message::read(data).is_ok_and(|message| message.shape.kind == Kind::Request)
                && self.open.binary_search(&record).is_err()
    }
}

/// The kind of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReaderKind {
    /// An event stream of the server, which shows everybody's answers.
    EventStream,
    /// A client that sees its own answers.
    Client,
}

/// Reads a server's journal from one record on, at its own pace.
#[derive(Debug)]
pub struct Reader {
    reader: sa_journal::Reader<Arc<Segment>>,
    kind: ReaderKind,
    shared: Arc<Shared>,
    stats: Arc<Stats>,
    /// Unanswered questions of the agent from before the first record.
    pub(crate) questions: Vec<Question>,
    /// For a server's first reader.
    pub(crate) past: Option<Past>,
}

impl Reader {
    pub(crate) fn new(shared: Arc<Shared>, stats: Arc<Stats>, after: u64, kind: ReaderKind) -> Self {
        if kind == ReaderKind::EventStream {
            shared.event_streams.fetch_add(1, Ordering::Relaxed);
        }
        let reader = shared.journal.reader(after);
        Self { reader, kind, shared, stats, questions: Vec::new(), past: None }
    }

    /// Returns what was there before this reader, if it is the first one of its server.
    pub fn past(&self) -> Option<&Past> {
        self.past.as_ref()
    }

    /// Takes the agent's unanswered questions from before this reader.
    pub fn take_questions(&mut self) -> Vec<Question> {
        std::mem::take(&mut self.questions)
    }

    /// Returns the reader's sign of life.
    pub fn pulse(&self) -> Pulse {
        self.reader.pulse()
    }

    /// Holds the agent back however long this reader takes: nothing that it says may be lost to it.
    pub fn hold_agent(self) -> Self {
        self.reader.hold_writer();
        self
    }

    /// Returns the number of the last record that the reader was given, or started after.
    pub fn cursor(&self) -> u64 {
        self.reader.cursor()
    }

    /// Polls for the next step; `None` once the server is gone and everything was read.
    pub fn poll_step(&mut self, context: &mut Context<'_>) -> Poll<Option<Step<Part>>> {
        let after = self.reader.cursor();
        let step = ready!(self.reader.poll_step(context));
        Poll::Ready(step.map(|step| match step {
            Step::Entry(segment) => Step::Entry(Part::after(segment, after)),
            Step::Gap(gap) => {
                add(&self.stats.gaps, 1);
                Step::Gap(gap)
            }
        }))
    }

    /// Waits for the next step. Cancel-safe.
    pub async fn step(&mut self) -> Option<Step<Part>> {
        std::future::poll_fn(|context| self.poll_step(context)).await
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        if self.kind == ReaderKind::EventStream {
            self.shared.event_streams.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
