//! The processes that an agent drives, as its state machine knows them.

use std::time::Duration;

/// A process. Numbers are never used twice, so late output of one is never taken for another's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChildId(pub u64);

/// An order about processes for the driver. `L` are the parameters of a process.
#[derive(Debug)]
pub enum Effect<L> {
    Start {
        child: ChildId,
        launch: Box<L>,
    },
    /// Writes a line to the standard input, also before the process is known to run.
    Write {
        child: ChildId,
        line: Vec<u8>,
    },
    /// Closes the standard input, and stops the process if it does not exit within `drain`.
    End {
        child: ChildId,
        /// The time that the process gets to exit by itself.
        drain: Duration,
    },
}

/// The end of a process.
#[derive(Debug, Clone, Default)]
pub struct Ended {
    /// The reason why the process could not be started.
    pub not_started: Option<String>,
    /// The exit code, if the process exited by itself.
    pub code: Option<i32>,
    /// The signal that ended the process.
    pub signal: Option<i32>,
    /// The end of the standard error.
    pub stderr: String,
}
