//! Every bound of this crate that no configuration changes.

use std::time::Duration;

/// Bytes of one read, hence the most that one log entry holds.
pub(crate) const READ_BYTES: usize = 64 * 1024;

/// Bytes that a log entry costs in addition to its data. A process that writes byte by byte must not get more memory
/// than one that writes in blocks.
pub(crate) const ENTRY_OVERHEAD: usize = 128;

/// Input that waits for a process which does not read.
pub(crate) const INPUT_QUEUE_BYTES: usize = 1024 * 1024;

/// Time that a caller waits for room in that queue.
pub(crate) const INPUT_WAIT: Duration = Duration::from_secs(10);

/// Lag of a reader from which on the process's output is left unread; a quarter of the log, if that is less.
pub(crate) const READER_LAG_BYTES: usize = 4 * 1024 * 1024;

/// After this long without progress a reader no longer holds the process back.
pub(crate) const READER_STALL: Duration = Duration::from_secs(2);

/// Logs of ended processes, all together; the oldest processes are forgotten first.
pub(crate) const ENDED_LOG_BYTES: usize = 64 * 1024 * 1024;

/// Commands that may wait for an owner; each caller sends one and waits for its answer.
pub(crate) const COMMANDS: usize = 16;
