//! Errors of the store, by the reaction of a caller.

use rusqlite::ErrorCode;
use rusqlite::ffi;
use sa_disk::DiskError;
use std::path::PathBuf;

/// The reason why a store cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// The file is damaged, or is something else. Nothing was changed.
    #[error(
        "the session store {path} is damaged ({detail}); nothing was changed. To begin with an empty one, move it away: \
         mv -- {path} {path}.damaged; [ ! -e {path}-wal ] || mv -- {path}-wal {path}.damaged-wal",
        path = quoted(path)
    )]
    Corrupt { path: PathBuf, detail: String },
    /// A later version of this program made it.
    #[error(
        "the session store has version {found}, and this program knows versions up to {known}: use a newer one"
    )]
    Newer {
        /// The version of the file.
        found: i64,
        known: i64,
    },
    /// Another process has it open.
    #[error("the session store {path} is in use{by}: end that process, or use another data directory",
        path = quoted(path), by = holder.map(|pid| format!(" by process {pid}")).unwrap_or_default())]
    InUse {
        path: PathBuf,
        /// The process, as far as it said.
        holder: Option<u32>,
    },
    /// There is no room for it.
    #[error("there is no room on the disk for the session store")]
    Full,
    /// The system said no.
    #[error("cannot open the session store: {0}")]
    Io(String),
}

impl From<DiskError> for OpenError {
    fn from(error: DiskError) -> Self {
        if error.is_full() { Self::Full } else { Self::Io(error.to_string()) }
    }
}

/// A result with the usual error of this crate.
pub(crate) type Result<T, E = StoreError> = std::result::Result<T, E>;

/// The reason why an operation failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// There is no room. Nothing of the change was kept; it can be made again once there is.
    #[error("there is no room on the disk for sessions")]
    Full,
    /// The bytes that were read are not those that were written.
    #[error("the session store is damaged: {0}")]
    Corrupt(String),
    /// The change does not continue where the session's events end.
    #[error("event {found} was to be appended where event {expected} comes next")]
    Sequence {
        /// The id that comes next.
        expected: u64,
        /// The id that was given.
        found: u64,
    },
    /// There is no such session, or no longer.
    #[error("the store has no session {0}")]
    UnknownSession(String),
    /// The session has no such message, or no longer.
    #[error("the session has no message for turn {0}")]
    UnknownTurn(String),
    /// The session already has a message with this turn or this key.
    #[error("the session already has a message for turn {0}, or one with its key")]
    Repeated(String),
    /// The system has no descriptor or memory left. Nothing of the change was kept; it can be made again.
    #[error("the session store cannot be used while no file descriptor or memory is free: {0}")]
    Exhausted(String),
    /// The system said no.
    #[error("the session store cannot be used: {0}")]
    Io(String),
    /// The store was closed.
    #[error("the session store is closed")]
    Closed,
}

impl StoreError {
    /// Returns whether the disk as a whole failed, and so every change of a transaction fails. Otherwise only one
    /// change failed, or what it has met, and the others can still be committed.
    pub(crate) fn concerns_all(&self) -> bool {
        match self {
            Self::Full | Self::Exhausted(_) | Self::Io(_) | Self::Closed => true,
            Self::Corrupt(_)
            | Self::Sequence { .. }
            | Self::UnknownSession(_)
            | Self::UnknownTurn(_)
            | Self::Repeated(_) => false,
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::Error;
        let said = error.to_string();
        match error {
            Error::SqliteFailure(failure, _) => match failure.code {
                ErrorCode::DiskFull => Self::Full,
                // Files of a store that was opened before are there. Their log and temporary files are opened as needed.
                ErrorCode::CannotOpen | ErrorCode::OutOfMemory => Self::Exhausted(said),
                ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Self::Corrupt(said),
                // The writer only breaks a rule of the schema if a row is there that should not be.
                ErrorCode::ConstraintViolation => Self::Corrupt(said),
                _ if is_damage(failure.extended_code) => Self::Corrupt(said),
                _ => Self::Io(said),
            },
            // Columns of another kind than the schema has, or a schema that our statements do not fit.
            Error::SqlInputError { .. }
            | Error::FromSqlConversionFailure(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::InvalidColumnType(..)
            | Error::Utf8Error(..) => Self::Corrupt(said),
            _ => Self::Io(said),
        }
    }
}

fn is_damage(extended: i32) -> bool {
    matches!(extended, ffi::SQLITE_IOERR_SHORT_READ | ffi::SQLITE_IOERR_CORRUPTFS | ffi::SQLITE_IOERR_DATA)
}

/// Returns a path as a shell takes it.
fn quoted(path: &std::path::Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_cannot_be_opened_are_a_lack_of_descriptors() {
        let failed = |code| StoreError::from(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None));
        assert!(matches!(failed(ffi::SQLITE_CANTOPEN), StoreError::Exhausted(_)));
        assert!(matches!(failed(ffi::SQLITE_NOMEM), StoreError::Exhausted(_)));
        assert_eq!(failed(ffi::SQLITE_FULL), StoreError::Full);
        assert!(matches!(failed(ffi::SQLITE_IOERR_WRITE), StoreError::Io(_)));
    }
}
