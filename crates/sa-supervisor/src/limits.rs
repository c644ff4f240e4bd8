//! Every bound of this crate: bytes kept, time waited, queue lengths.

use std::time::Duration;

/// Bytes of a child's stderr that are kept, counted from its end.
pub(crate) const STDERR_TAIL_BYTES: usize = 64 * 1024;

/// A line of stderr is logged up to this length.
pub(crate) const STDERR_LINE_BYTES: usize = 4 * 1024;

/// Time that an exit waits for the last bytes of stderr. Only a descendant that still holds the pipe makes it wait
/// this long.
pub(crate) const STDERR_SETTLE: Duration = Duration::from_millis(100);

/// Wanted capacity of a child's stdout pipe: an agent that writes in bursts does not stall on the daemon.
#[cfg(target_os = "linux")]
pub(crate) const STDOUT_PIPE_BYTES: usize = 1024 * 1024;

/// Only so many children at a time get the large pipe. An unprivileged user has 64 MiB of pipe capacity in
/// total, and beyond it the kernel shrinks every new pipe of that user to one page.
pub(crate) const LARGE_PIPES: usize = 32;

/// Grace for the processes that a child leaves behind at its exit.
pub(crate) const ORPHAN_GRACE: Duration = Duration::from_secs(1);

/// Delay after such an exit until the leftovers are searched. Nobody waits for it, and hundreds of short processes
/// then share one search.
pub(crate) const ORPHAN_DELAY: Duration = Duration::from_millis(50);

/// Time for which SIGKILL is repeated before a tree is given up; only an uninterruptible system call or foreign
/// privileges survive the first one.
pub(crate) const KILL_LIMIT: Duration = Duration::from_secs(5);

/// Time that a stop waits for the exit status after the tree is gone.
pub(crate) const REAP_LIMIT: Duration = Duration::from_secs(1);

/// Bounds on the pause between two looks at the trees being ended.
pub(crate) const TICK_MIN: Duration = Duration::from_millis(2);
pub(crate) const TICK_MAX: Duration = Duration::from_millis(20);

/// A tree in its grace whose group is not empty is looked at in full this often.
pub(crate) const CENSUS_INTERVAL: Duration = Duration::from_millis(100);

/// Time for which the guardian keeps killing after the daemon died.
pub(crate) const GUARDIAN_LIMIT: Duration = Duration::from_secs(10);

/// Time that a shutdown waits for the guardian to exit, and for orphans that belong to no tree.
pub(crate) const SHUTDOWN_LIMIT: Duration = Duration::from_secs(2);

/// Spawns that may wait for the thread that forks; further callers wait for a place.
pub(crate) const SPAWN_QUEUE: usize = 64;

/// Stack of the two threads of this crate.
pub(crate) const THREAD_STACK_BYTES: usize = 256 * 1024;

/// A program that another thread's fork still holds open for writing cannot run yet; this is how often, and at
/// which distance, it is tried again.
pub(crate) const BUSY_RETRIES: u32 = 5;
pub(crate) const BUSY_PAUSE: Duration = Duration::from_millis(10);

/// Descriptors up to this number are marked one by one where the kernel cannot mark all at once.
pub(crate) const MARKED_DESCRIPTORS: i32 = 4096;
