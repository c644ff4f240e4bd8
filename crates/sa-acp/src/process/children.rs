//! The processes that an agent drives, as its state machine knows them.

use std::time::Duration;

/// A process. Numbers are never used twice, so that the last words of one are not taken for another's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChildId(pub u64);

/// Something to do besides writing to the client. `L` says how a process is started.
#[derive(Debug)]
pub enum Effect<L> {
    /// Start a process.
    Start {
        /// What it is called from now on.
        child: ChildId,
        /// How.
        launch: Box<L>,
    },
    /// Write a line, its end included, to its standard input; also before it is known to run.
    Write {
        /// Which process.
        child: ChildId,
        /// The line.
        line: Vec<u8>,
    },
    /// Close its standard input, and end it if it does not end by itself within `farewell`.
    End {
        /// Which process.
        child: ChildId,
        /// How long to wait before it is ended.
        farewell: Duration,
    },
}

/// How a process ended.
#[derive(Debug, Clone, Default)]
pub struct Ended {
    /// Why it could not be started at all.
    pub not_started: Option<String>,
    /// Its exit code, if it ended by itself.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// The last that it wrote to standard error.
    pub stderr: String,
}
