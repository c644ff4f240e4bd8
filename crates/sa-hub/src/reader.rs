//! A reader: a cursor into a server's log.

use crate::seats::{Pulse, Seat};
use crate::shared::Shared;
use crate::stats::{Stats, add};
use sa_jsonrpc::{Kind, Message};
use sa_relay::{Audience, Part, Question, Read};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

/// What a reader comes upon.
#[derive(Debug)]
pub enum Step {
    /// The next records.
    Part(Part),
    /// Records are missing before the ones that follow.
    Gap {
        /// Oldest record that is left; 0 if none is.
        oldest: u64,
        /// Newest record.
        newest: u64,
    },
}

/// The part of the log that was there before a server's first reader.
#[derive(Debug)]
pub struct Past {
    /// Number of its last record.
    pub(crate) upto: u64,
    /// Records of it that are requests the agent still waits on, in order.
    pub(crate) open: Vec<u64>,
}

impl Past {
    /// Returns whether it reaches to this record.
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

/// Reads a server's log from one point on, at its own pace.
#[derive(Debug)]
pub struct Reader {
    shared: Arc<Shared>,
    seat: Arc<Seat>,
    stats: Arc<Stats>,
    after: u64,
    questions: Vec<Question>,
    past: Option<Past>,
}

impl Reader {
    pub(crate) fn new(
        shared: Arc<Shared>,
        stats: Arc<Stats>,
        after: u64,
        questions: Vec<Question>,
        stream: bool,
    ) -> Self {
        let position = shared.log().position_after(after);
        let seat = shared.seats.take(position, stream);
        Self { shared, seat, stats, after, questions, past: None }
    }

    /// The same reader, as the first one of its server.
    pub(crate) fn with_past(mut self, past: Past) -> Self {
        self.past = Some(past);
        self
    }

    /// Returns what was there before this reader, if it is the first one of its server.
    pub fn past(&self) -> Option<&Past> {
        self.past.as_ref()
    }

    /// What the agent asked before this reader came and nobody has answered; once.
    pub fn take_questions(&mut self) -> Vec<Question> {
        std::mem::take(&mut self.questions)
    }

    /// Its sign of life.
    pub fn pulse(&self) -> Pulse {
        Pulse::of(&self.seat)
    }

    /// Holds the agent back however long this reader takes: nothing that it says may be lost to it.
    pub fn hold_agent(self) -> Self {
        self.seat.be_patient();
        self
    }

    /// Sequence number of the last record this reader was given, or started after.
    pub fn cursor(&self) -> u64 {
        self.after
    }

    /// The next step; `None` once the server is gone and everything was read.
    pub fn poll_step(&mut self, context: &mut Context<'_>) -> Poll<Option<Step>> {
        self.seat.register(context.waker());
        // Looked up before the log: what is appended before closing is then never missed.
        let closed = self.shared.is_closed();
        let read = self.shared.log().read(self.after);
        match read {
            Read::Part(part) => {
                self.after = part.last();
                self.moved(part.segment.end());
                Poll::Ready(Some(Step::Part(part)))
            }
            Read::Gap { oldest, newest } => {
                self.after = oldest.saturating_sub(1);
                add(&self.stats.gaps, 1);
                Poll::Ready(Some(Step::Gap { oldest, newest }))
            }
            Read::End if closed => Poll::Ready(None),
            Read::End => Poll::Pending,
        }
    }

    /// Waits for the next step.
    pub async fn step(&mut self) -> Option<Step> {
        std::future::poll_fn(|context| self.poll_step(context)).await
    }

    fn moved(&self, position: u64) {
        self.shared.seats.moved(&self.seat, position);
        if self.shared.holding.load(Ordering::Acquire) {
            self.shared.nudge.notify_one();
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.shared.seats.leave(&self.seat);
        self.shared.nudge.notify_one();
    }
}
