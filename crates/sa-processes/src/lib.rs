//! Processes and terminals that a client starts: output by sequence, time-outs, input, pseudo-terminals.
//!
//! ```text
//!  callers ──mpsc Command──►┌──────────────────────────┐◄── output, exit ──┐
//!                           │ Owner { Streams, Input } │                   │ process tree
//!  readers ◄─Log (cursors)──└──────────────────────────┘─── input queue ──►┘
//! ```
//!
//! One owner task for each process: it alone reads, writes and resizes. Readers hold a cursor into the log, which is
//! bounded in bytes; one that keeps reading holds a flood back, one that does not is told what it missed. `run` needs
//! no owner: it collects the output of one command within a time-out. Knows nothing of HTTP.

mod config;
mod error;
mod handle;
mod input;
mod limits;
mod log;
mod owner;
mod reader;
mod registry;
mod run;
mod scratch;
mod seats;
mod shared;
mod spec;
mod streams;

pub use config::{BadConfig, Config};
pub use error::{InputError, RemoveError, ResizeError, StartError};
pub use handle::{Ended, Process, Snapshot};
pub use log::{Dropped, Entry, Stream};
pub use reader::{Position, Reader, Step};
pub use registry::{Processes, Totals};
pub use run::{Captured, RunOutcome};
pub use sa_supervisor::TerminalSize;
pub use spec::{RunBounds, Spec};
