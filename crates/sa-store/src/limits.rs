//! Every limit of the store that is not a matter of taste; those that are, are in [`Retention`](crate::Retention).

use std::time::Duration;

/// Bytes of changes that wait for the writer or are being written. Callers with more to write wait.
pub(crate) const QUEUE_BYTES: usize = 32 << 20;

/// Changes that wait for the writer.
pub(crate) const QUEUE_CHANGES: usize = 1024;

/// Bytes of one transaction, but for the change that goes beyond.
pub(crate) const GROUP_BYTES: usize = 4 << 20;

/// Changes of one transaction.
pub(crate) const GROUP_CHANGES: usize = 512;

/// Events of one row, and bytes of them before they are deflated. Reading one event reads its row.
pub(crate) const RUN_EVENTS: usize = 512;
/// See [`RUN_EVENTS`].
pub(crate) const RUN_BYTES: usize = 64 << 10;

/// Events in rows of their own become one row when there are so many of them.
pub(crate) const MERGED_EVENTS: usize = 64;

/// An event of this size is stored as it is. Deflating it would hold others up.
pub(crate) const LARGE_EVENT: usize = 256 << 10;

/// Bytes that a change costs in the queue in addition to its contents.
pub(crate) const CHANGE_COST: usize = 256;

/// Reads at the same time.
pub(crate) const READERS: usize = 4;

/// Time that a connection waits for another one's short lock.
pub(crate) const BUSY_WAIT: Duration = Duration::from_secs(5);

/// Pages of the write-ahead log after which they are copied to the database (4 MiB), in parallel to commits.
pub(crate) const CHECKPOINT_PAGES: i64 = 1024;

/// Pages of the write-ahead log after which commits wait until it is copied and readers have left it (32 MiB), so
/// that it starts over.
pub(crate) const RESTART_PAGES: i64 = 8192;

/// Time that a restart of the log waits for readers. Others that have the file open can delay it, and must not block
/// everyone.
pub(crate) const RESTART_WAIT: Duration = Duration::from_millis(200);

/// Bytes of the write-ahead log's file that remain when it starts over.
pub(crate) const LOG_FILE_BYTES: i64 = 16 << 20;

/// Time that `close` waits for the writer.
pub(crate) const CLOSE_WAIT: Duration = Duration::from_secs(5);

/// A database up to this size is checked as a whole when it is opened after an unclean end. It costs about 1 ms for each MiB, and
/// neither a kill nor a power failure damages a database; so for larger ones the checks that every read makes suffice.
pub(crate) const CHECKED_BYTES: u64 = 64 << 20;

/// Rows and bytes of a deleted session that are removed at once, between two transactions of others.
pub(crate) const PURGE_ROWS: i64 = 512;
/// See [`PURGE_ROWS`].
pub(crate) const PURGE_BYTES: u64 = 2 << 20;

/// Unused pages from which on the file is made smaller (16 MiB), and how many go at once.
pub(crate) const UNUSED_PAGES: i64 = 4096;
/// See [`UNUSED_PAGES`].
pub(crate) const VACUUM_PAGES: i64 = 256;

/// Bytes and events of live sessions that one sweep removes, so that commits of others get their turn in between.
pub(crate) const SWEEP_BYTES: u64 = 8 << 20;
/// See [`SWEEP_BYTES`].
pub(crate) const SWEEP_EVENTS: u64 = 8192;

/// The part of [`total_bytes`](crate::Retention::total_bytes) that is written between two sweeps.
pub(crate) const SWEEP_PART: u64 = 64;

/// Usage of turns is kept in this part of [`total_bytes`](crate::Retention::total_bytes), at about this many bytes for each turn.
pub(crate) const USAGE_PART: u64 = 64;
/// See [`USAGE_PART`].
pub(crate) const USAGE_BYTES: u64 = 256;

/// Old usage is removed each time that so many turns were added.
pub(crate) const USAGE_TRIM: i64 = 64;

/// Trimming takes this part of a limit at once, so that not each append trims.
pub(crate) const TRIM_PART: u64 = 64;
