//! A reader of a process's output.

use crate::log::{Entry, Position};
use crate::shared::Shared;
use sa_api::ProcessLogsStream;
use sa_journal::Step;
use std::task::{Context, Poll, ready};

/// Reads the output of a process from one point on, at its own pace.
#[derive(Debug)]
pub struct Reader {
    reader: sa_journal::Reader<Entry>,
    only: Option<ProcessLogsStream>,
}

impl Reader {
    pub(crate) fn new(shared: &Shared, from: Position, only: Option<ProcessLogsStream>) -> Self {
        let after = from.resolve(&shared.journal.ring(), |entry| shows(only, entry));
        Self { reader: shared.journal.reader(after), only }
    }

    /// Returns the number of the last entry that the reader was given, or started after.
    pub fn cursor(&self) -> u64 {
        self.reader.cursor()
    }

    /// Returns the next step if it is there already.
    pub fn try_step(&mut self) -> Option<Step<Entry>> {
        loop {
            match self.reader.try_step()? {
                Step::Entry(entry) if !shows(self.only, &entry) => {}
                step => return Some(step),
            }
        }
    }

    /// Polls for the next step; `None` once the process has ended and everything was read.
    pub fn poll_step(&mut self, context: &mut Context<'_>) -> Poll<Option<Step<Entry>>> {
        loop {
            match ready!(self.reader.poll_step(context)) {
                Some(Step::Entry(entry)) if !shows(self.only, &entry) => {}
                step => return Poll::Ready(step),
            }
        }
    }

    /// Waits for the next step. Cancel-safe.
    pub async fn step(&mut self) -> Option<Step<Entry>> {
        std::future::poll_fn(|context| self.poll_step(context)).await
    }
}

fn shows(only: Option<ProcessLogsStream>, entry: &Entry) -> bool {
    only.is_none_or(|only| entry.stream == only)
}
