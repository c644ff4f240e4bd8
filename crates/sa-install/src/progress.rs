//! What an installation tells while it runs.

use sa_agents::SourceKind;

/// One step of an installation, or how far it has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// Another installation of the agent, maybe of another process, is waited for.
    Waiting,
    /// A source is asked which versions it has.
    Resolving {
        /// Which kind.
        source: SourceKind,
    },
    /// A source could not help; the next one is asked.
    SourceFailed {
        /// Which kind.
        source: SourceKind,
        /// Why, in words for people.
        reason: String,
    },
    /// Bytes are coming in.
    Downloading {
        /// From where, without credentials.
        url: String,
        /// How many there are, also those of an earlier attempt that is continued.
        received: u64,
        /// How many there will be.
        total: Option<u64>,
    },
    /// The bytes are compared with what their publisher says.
    Verifying,
    /// The archive is unpacked.
    Unpacking {
        /// Bytes written so far.
        written: u64,
    },
    /// The version is put in its place.
    Activating,
}
