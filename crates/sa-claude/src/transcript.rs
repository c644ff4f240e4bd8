//! The transcripts that the CLI keeps of its sessions: listed, replayed as ACP updates, removed. Only what the CLI wrote is
//! read; nothing is written here. Everything blocks on the disk and belongs on a thread that may.
//!
//! ```text
//!  <config>/projects/<slug of the folder>/<session>.jsonl     one line a message, in a tree by `parentUuid`
//!                                        /<session>/…         sub-agents, title
//! ```

mod chain;
mod lines;
mod listing;
mod replay;
mod speech;
mod store;

#[cfg(test)]
mod tests;

pub(crate) use listing::list;
pub(crate) use store::{delete, find, is_session_id};

use agent_client_protocol_schema::v1::SessionUpdate;
use std::io;
use std::path::Path;

/// The failure to read a transcript.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TranscriptError {
    /// There is no such session.
    #[error("no conversation found with this session id")]
    NotFound,
    /// Larger than is read.
    #[error("the transcript has {0} bytes, more than is read")]
    TooLarge(u64),
    /// The cursor is none that was given out.
    #[error("the cursor is not one of this agent")]
    BadCursor,
    /// The disk said no.
    #[error("the transcript cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// Returns what was said in a session, oldest first, as a client sees it when the session is loaded. `cwd` is the
/// folder in which the session is wanted; a session of another folder is found all the same.
pub(crate) fn read(config: &Path, id: &str, cwd: &Path) -> Result<Vec<SessionUpdate>, TranscriptError> {
    let path = store::find(config, id, Some(cwd)).ok_or(TranscriptError::NotFound)?;
    let chain = chain::Chain::open(&path)?;
    replay::replay(chain, cwd)
}
