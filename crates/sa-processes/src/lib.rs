//! Processes and terminals that a client starts: output by sequence, timeouts, input, pseudo-terminals.
//!
//! ```text
//!  callers ──mpsc Command──►┌──────────────────────────┐◄── output, exit ──┐
//!                           │ Owner { Streams, Input } │                   │ process tree
//!  readers ◄─Journal────────└──────────────────────────┘─── input queue ──►┘
//! ```
//!
//! One owner task for each process: it alone reads, writes and resizes. Readers are cursors into a bounded journal;
//! one that keeps reading holds a flood back, one that does not gets a gap. `run` needs no owner: it collects the
//! output of one command within a timeout. Knows nothing of HTTP.

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
mod shared;
mod spec;
mod streams;

pub use config::{BadConfig, check_config, read_file_keys};
pub use error::{InputError, RemoveError, ResizeError, StartError};
pub use handle::{AfterInput, Ended, Process};
pub use log::{Entry, Position};
pub use reader::Reader;
pub use registry::{Processes, Totals};
pub use run::{Captured, RunOutcome};
pub use sa_supervisor::TerminalSize;
pub use spec::{RunBounds, Spec};
