//! How a store behaves: how sure it makes of the disk, and how much it keeps.

use crate::limits::{USAGE_BYTES, USAGE_PART, USAGE_TRIM};
use crate::types::{Listing, Mark};
use serde::{Deserialize, Serialize};

/// Options of a store.
#[derive(Debug, Clone, Default)]
pub struct StoreOptions {
    /// The durability of a commit.
    pub synchronous: Synchronous,
    /// The amount of data that is kept.
    pub retention: Retention,
    /// Reads what files of earlier versions hold.
    pub meaning: Meaning,
}

/// Functions that read the caller's bytes. The store calls them only while it migrates a file of an earlier version.
#[derive(Debug, Clone, Copy)]
pub struct Meaning {
    /// Returns the change that an event makes to its session's transcript. Asked once for each event of a file from before there
    /// were transcripts.
    pub mark: fn(&[u8]) -> Option<Mark>,
    /// Returns how a session is listed, by its record. Asked once for each session of a file from before there were listings.
    pub listing: fn(&[u8]) -> Option<Listing>,
}

impl Default for Meaning {
    fn default() -> Self {
        Self { mark: |_| None, listing: |_| None }
    }
}

/// The condition for reporting a commit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Synchronous {
    /// The disk has it: nothing that was answered is lost in a power failure, or when a virtual machine is killed.
    #[default]
    Full,
    /// The kernel has it: nothing is lost when the process is killed. A power failure never leaves a damaged file or half a
    /// change, but may take back the last changes; the ids of their events are then used again, and a reader who had seen them
    /// takes the new ones for those.
    Normal,
}

/// The amount of data that is kept. The newest event of a session always is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retention {
    pub events_per_session: u64,
    pub bytes_per_session: u64,
    /// Time after which an ended session is removed, in milliseconds; never if absent.
    pub ended_sessions_ms: Option<u64>,
    /// Bytes of everything, a 64th part of which is for usage. If there are more, sessions that have ended are forgotten, the one that ended first goes first.
    /// Then the oldest events of the others go, those of the session that was idle longest first.
    pub total_bytes: u64,
    /// Time for which the key of a message is remembered after the message is done, in milliseconds.
    pub keys_ms: u64,
    /// Keys of one session that are remembered; the oldest are forgotten first.
    pub keys_per_session: u64,
}

impl Retention {
    /// Returns how many turns usage is kept for.
    pub(crate) fn usage_rows(&self) -> u64 {
        (self.total_bytes / USAGE_PART / USAGE_BYTES).max(USAGE_TRIM.unsigned_abs())
    }
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            events_per_session: 1_000_000,
            bytes_per_session: 256 << 20,
            ended_sessions_ms: None,
            total_bytes: 4 << 30,
            keys_ms: 24 * 60 * 60 * 1000,
            keys_per_session: 10_000,
        }
    }
}
