//! The daemon of a data directory: how it makes itself known on this machine, and how commands find it.
//!
//! Each data directory has one folder, `daemon`, that only its user can read. A daemon holds a lock there for as long as
//! it lives and writes down where it listens. The lock says whether a daemon lives, the record which one. A record
//! without a lock is left from a crash. Commands that start or stop a daemon take turns by a second lock.

mod discovery;
mod log;
mod place;
mod record;
mod registration;
mod role;

pub(crate) use discovery::{DEFAULT_ENDPOINT, Target};
pub(crate) use log::{older_log, open_log};
pub(crate) use place::{DaemonFolder, Operation};
pub(crate) use record::{Found, Record, Standing};
pub(crate) use registration::{Registration, write_private};
pub(crate) use role::Role;
