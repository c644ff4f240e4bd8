//! The guardian: a tiny process that outlives a killed daemon just long enough to kill what the daemon ran.
//!
//! The daemon holds one end of a pipe and writes what the guardian is in charge of, a line each:
//!
//! ```text
//! daemon <uuid>     the id by which the environments of all processes of this daemon are marked
//! add <group>       a process group was started
//! del <group>       it is gone
//! ```
//!
//! When the pipe closes, the daemon is dead, however it died. After an orderly shutdown nothing is left to kill.

mod link;
mod watch;

pub use link::GuardianCommand;
pub(crate) use link::GuardianLink;
pub use watch::guardian_main;
