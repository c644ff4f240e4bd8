//! Universal sessions: the same for every agent, durable, resumable.
//!
//! ```text
//!  handlers ──Command──►┌────────────────────────────┐◄──FromAgent── Connection ◄── sa-hub ◄── agent process
//!                       │ Driver { Machine, Link, … }│───answers───►    (shared by sessions where the agent can)
//!  readers ◄──Log───────└─────────────┬──────────────┘
//!     (memory, else the store)        ▼ commit, before anybody sees an event
//!                                  sa-store
//! ```
//!
//! Each session has one task, its owner: the `driver`, which is a client of ACP within the daemon. It alone changes the session;
//! readers are cursors. All decisions are made by the `session` machine, which is pure.

mod agent;
mod command;
mod creating;
mod deletion;
mod driver;
mod error;
mod event_filter;
mod handle;
mod history;
mod interrupted_messages;
mod limits;
mod listing;
mod log;
pub mod modes;
mod parts;
mod policy;
mod record;
mod registry;
mod reservations;
mod session;
mod sessions;
mod shared;
mod stored;
mod taking_up;
mod transcript;
mod transfer;
mod turn_figures;
mod usage;
mod verdict;
mod webhooks;

#[cfg(any(test, feature = "testing"))]
pub mod testing {
    //! A property of sessions that are imported, for tests and fuzzing.

    pub use crate::transfer::testing::an_import_is_whole_or_nothing;
}

pub use agent::AgentFailure;
pub use creating::Creation;
pub use error::SessionError;
pub use event_filter::EventFilter;
pub use handle::{EventSlice, SessionHandle};
pub use limits::SessionLimits;
pub use listing::{Cursor, SessionFilter, SessionPage, StateCounts};
pub use log::{EventLine, Reader};
pub use record::{Detail, stored_listing};
pub use sa_store::StoreError;
pub use sa_universal::BadAnswers;
pub use sessions::{Sessions, SessionsOptions};
pub use transcript::{Transcript, stored_mark};
pub use usage::UsageCursor;
pub use verdict::Verdict;
