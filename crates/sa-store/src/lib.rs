//! The durable store of sessions: their records, the events each has had, the messages each has accepted.
//!
//! The store keeps bytes and does not know their meaning: no type of the contract, no HTTP, no agents. The caller
//! that appends an event says what it changes in the transcript ([`Mark`]). Its guarantees:
//!
//! - A change is answered when it is committed, so a delivery after that never contains what a crash can take back
//!   ([`Synchronous`] defines the kinds of crashes).
//! - The ids of a session's events have no holes and no repeats; only the oldest ones ever go ([`Retention`]).
//! - One writer thread commits whatever waits as one transaction; readers never wait for it, nor it for them.
//! - Damage is reported ([`OpenError::Corrupt`], [`StoreError::Corrupt`]), never replaced and never read as whole. The
//!   caller that meets it gets an error; the changes of others in the same transaction are committed.
//!
//! ```text
//! commit ──► queue (bounded in bytes) ──► writer thread: BEGIN, all changes, COMMIT ──► answers
//!                                              ├─ if one was at fault: again, each in a savepoint
//!                                              └─ then, while nobody waits: checkpoints, removing what was deleted
//! events ──► a few reading connections, each read one snapshot
//! ```

mod checksum;
mod error;
mod files;
mod import;
mod keys;
mod limits;
mod listings;
mod messages;
mod open;
mod options;
mod queries;
mod reader;
mod runs;
mod schema;
mod statements;
mod store;
mod transcript;
mod types;
mod usage;
mod writer;

pub use error::{OpenError, StoreError};
pub use import::Import;
pub use options::{Meaning, Retention, StoreOptions, Synchronous};
pub use store::Store;
pub use types::{
    Change, Committed, Direction, EventSlice, Head, ListPlace, Listing, Mark, MessageChange, MessageState,
    NewEvent, QueuePlace, Standing, Stats, StoredEvent, StoredMessage, StoredSession, Swept, TranscriptEntry,
    TranscriptSlice, Unfinished, WebhookCursor, Which,
};
pub use usage::{Tokens, UsageDimension, UsageKey, UsageNote, UsagePage, UsageQuery, UsageSum};
