//! Progress of an installation.

use sa_agents::SourceKind;

/// One step of an installation, or how far it has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// Another installation of the agent, maybe of another process, is waited for.
    Waiting,
    /// A source is asked which versions it has.
    Resolving { source: SourceKind },
    /// A source could not help; the next one is asked.
    SourceFailed { source: SourceKind, reason: String },
    /// Bytes are coming in.
    Downloading {
        /// From where, without credentials.
        url: String,
        /// Bytes received, including those of an earlier attempt that is continued.
        received: u64,
        /// Bytes of the whole file.
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
