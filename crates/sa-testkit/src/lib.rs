//! The harness of the end-to-end tests and benches: a daemon under test, clients that show every byte and
//! control every connection, and `sa-puppet`, a peer that misbehaves on request.
//!
//! It shares no code with what it tests. Nothing here sleeps for luck: waits poll a condition until a deadline.

mod acp;
mod arena;
mod binaries;
mod daemon;
pub mod harm;
mod http;
mod installed;
pub mod mirror;
mod pace;
mod problem;
mod process;
mod procfs;
mod raw;
mod request;
mod sse;
mod wait;
mod ws;

pub use acp::Acp;
pub use arena::{Arena, FileState};
pub use binaries::{daemon_path, puppet_path};
pub use daemon::{Daemon, DaemonBuilder, Stopped};
pub use http::{Connection, Http, OpenReply, Reply};
pub use installed::{Installed, bare_path, installed};
pub use pace::{Pace, PaceControl};
pub use problem::Problem;
pub use process::{Finished, Sandbox};
pub use procfs::{Process, descendants, is_alive, marked_processes, process, send as send_signal};
pub use raw::RawConnection;
pub use request::Request;
pub use rustix::process::Signal;
pub use sse::{Event, Sse, SseParser};
pub use wait::{DEADLINE, until, until_some, within};
pub use ws::{Ws, WsRequest};
