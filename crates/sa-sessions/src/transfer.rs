//! Sessions on the move: a session as lines of JSON, and back.

mod export;
mod fork;
mod import;
mod secrets;
#[cfg(any(test, feature = "testing"))]
pub(crate) mod testing;
mod unfinished;

use crate::record::Record;
use serde::{Deserialize, Serialize};

/// The form of exports that this program writes.
const FORM: u32 = 1;

/// The first line of an export. Each line after it is an event.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    /// Says what the file is.
    sandbox_agent_session: u32,
    session_id: String,
    /// The id of the last line's event, by which an export is seen to be whole.
    last_event_id: u64,
    /// The part of the session that is private and therefore not in the record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    omitted: Vec<String>,
    record: Record,
}
