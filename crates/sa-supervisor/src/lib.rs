//! The daemon's child processes: the only crate that spawns.
//!
//! *Kill means gone.* Each child leads a process group. Ending it means SIGTERM to all of its tree, a grace, SIGKILL,
//! until none is left. The tree is the group and every descendant, also those that left the group, started a session,
//! lost their parents or hold a pipe open. No zombies stay behind, also when the daemon is process 1. A child gets
//! descriptors 0, 1 and 2 (pipes, or a terminal), default signals, and nothing else of the daemon. When the daemon is
//! killed, its children are, too.
//!
//! How it is done on Linux:
//! - The daemon is the subreaper of its descendants: orphans become its children, so that each member of a tree
//!   can be found and each zombie collected.
//! - Each tree is marked in its processes' environment (`SANDBOX_AGENT_TREE`), each daemon too
//!   (`SANDBOX_AGENT_DAEMON`). The marker identifies the owner of an orphan.
//! - Two threads per program, shared by all supervisors: the *keeper* forks and reaps, the *sweeper* ends trees.
//! - A killed daemon: the kernel kills its direct children (parent-death signal); the *guardian*, a tiny process
//!   that sees its pipe close, kills the rest.
//!
//! Known limits. An orphan that has left its group *and* hides its environment (started by `env -i`, or running with
//! another user's privileges) before a census cannot be distinguished from the orphans of other trees. It is left
//! alone until the shutdown of the last supervisor, which ends it; the guardian does not find it. A process that asks
//! another daemon of the machine to start something (cron, a container engine) has not started it here.
//!
//! On macOS there is no subreaper, no parent-death signal and no `/proc`: a tree is its process group and
//! nothing else, a descendant that leaves the group is lost, and the guardian kills groups only.

mod census;
mod command;
mod detached;
mod environment;
mod error;
mod fork;
mod guardian;
mod host;
mod identity;
mod keeper;
mod limits;
mod members;
mod oom;
mod process;
mod stderr;
mod supervisor;
mod sweeper;
mod terminal;
mod tree;
mod tree_stop;

pub use command::CommandSpec;
pub use detached::{Detached, DetachedCommand, leave_session};
pub use environment::BaseEnv;
pub use error::{SpawnError, StartError};
pub use guardian::{GuardianCommand, guardian_main};
pub use identity::ProcessIdentity;
pub use process::{Exit, Process};
pub use supervisor::{OnPipes, OnTerminal, Spawned, Supervisor, SupervisorOptions};
pub use terminal::{Terminal, TerminalSize};
