//! The process of one session, for CLIs that have one for each.

use crate::process::children::ChildId;
use crate::process::processes::Processes;
use std::time::Duration;

/// A process of the CLI. `T` is what the agent notes about it.
#[derive(Debug)]
pub struct SessionProcess<T> {
    pub id: ChildId,
    pub note: T,
    /// The CLI's own words about why it cannot continue.
    pub complaint: Option<String>,
    stage: ProcessStage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProcessStage {
    Running,
    Ending,
}

impl<T> SessionProcess<T> {
    pub fn start<L>(processes: &mut Processes<L>, launch: L, note: T) -> Self {
        Self { id: processes.start(launch), note, complaint: None, stage: ProcessStage::Running }
    }

    /// Returns whether the process was ended, or is about to exit.
    pub fn is_ending(&self) -> bool {
        self.stage == ProcessStage::Ending
    }

    /// Closes the input, and stops the process if it does not exit within `drain`. Does nothing for one that ends already.
    pub fn end<L>(&mut self, processes: &mut Processes<L>, drain: Duration) {
        if !self.is_ending() {
            self.hurry(processes, drain);
        }
    }

    /// Does the same for a process that ends already, which then has at most this time.
    pub fn hurry<L>(&mut self, processes: &mut Processes<L>, drain: Duration) {
        self.stage = ProcessStage::Ending;
        processes.end(self.id, drain);
    }
}
