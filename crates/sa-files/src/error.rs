//! Errors about files, by the reaction of a caller.

use rustix::io::Errno;
use sa_disk::DiskError;
use std::fmt::Display;
use std::io;
use std::path::Path;
use thiserror::Error;

/// A result with the usual error of this crate.
pub(crate) type Result<T, E = FilesError> = std::result::Result<T, E>;

/// The reason why an operation on files failed.
#[derive(Debug, Error)]
pub enum FilesError {
    /// The request itself makes no sense.
    #[error("{0}")]
    Invalid(String),
    /// There is no such file.
    #[error("there is nothing at '{0}'")]
    NotFound(String),
    /// The path leads out of the directory that the daemon is confined to.
    #[error("'{0}' leads out of the directory that this daemon is confined to")]
    Outside(String),
    /// The system forbids it.
    #[error("the system does not allow this for '{path}': {reason}")]
    Denied { path: String, reason: String },
    /// The operation conflicts with an existing file.
    #[error("{0}")]
    Conflict(String),
    /// A condition of the request does not hold.
    #[error("{0}")]
    Precondition(String),
    /// More than a limit allows.
    #[error("{0}")]
    TooLarge(String),
    /// No byte of the file is in the range.
    #[error("the range lies beyond the end of the file, which has {size} bytes")]
    Range { size: u64 },
    /// Disk or quota is full.
    #[error("no space is left for '{0}'")]
    NoSpace(String),
    /// The system has no descriptor, thread or memory to spare.
    #[error("the system has nothing left to do this for '{path}' with: {reason}")]
    Exhausted { path: String, reason: String },
    /// A limit on counts is reached.
    #[error("{0}")]
    TooMany(String),
    /// The other side stopped sending.
    #[error("the body brought no byte for {0} ms")]
    Stalled(u64),
    /// This system has nothing to do it with.
    #[error("{0}")]
    Unsupported(String),
    /// Anything else that the system reports.
    #[error("'{path}': {reason}")]
    Io { path: String, reason: String },
}

impl FilesError {
    /// Returns the system's error about a path, sorted by its kind.
    pub(crate) fn from_io(error: &io::Error, path: &Path) -> Self {
        let path = text(path);
        let Some(errno) = Errno::from_io_error(error) else {
            return match error.kind() {
                io::ErrorKind::Unsupported => Self::Unsupported(error.to_string()),
                io::ErrorKind::DirectoryNotEmpty => Self::Conflict(format!("'{path}' is {error}")),
                _ => Self::Io { path, reason: error.to_string() },
            };
        };
        match errno {
            Errno::NOENT => Self::NotFound(path),
            Errno::ACCESS | Errno::PERM => Self::Denied { path, reason: describe(errno) },
            Errno::ROFS => Self::Denied { path, reason: "the file system is read-only".to_owned() },
            Errno::NOSPC | Errno::DQUOT => Self::NoSpace(path),
            Errno::FBIG => Self::TooLarge(format!("'{path}' would be larger than the system allows")),
            Errno::NOTDIR => Self::Conflict(format!("'{path}' is not a directory, or lies below a file")),
            Errno::ISDIR => Self::Conflict(format!("'{path}' is a directory")),
            Errno::NOTEMPTY => Self::Conflict(format!("the directory '{path}' is not empty")),
            Errno::EXIST => Self::Conflict(format!("'{path}' exists already")),
            Errno::BUSY | Errno::TXTBSY => Self::Conflict(format!("'{path}' is in use")),
            Errno::LOOP => Self::Invalid(format!("'{path}' goes through too many symbolic links")),
            Errno::NAMETOOLONG => Self::Invalid(format!("'{path}' or a name in it is too long")),
            Errno::INVAL => Self::Invalid(format!("'{path}': the system takes no such name here")),
            _ if sa_disk::is_exhausted(error) => Self::Exhausted { path, reason: describe(errno) },
            _ => Self::Io { path, reason: describe(errno) },
        }
    }
}

impl From<DiskError> for FilesError {
    fn from(error: DiskError) -> Self {
        Self::from_io(&error.source, &error.path)
    }
}

/// Returns a path as answers and messages show it.
pub(crate) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Returns a message about a path.
pub(crate) fn about(path: &Path, what: impl Display) -> String {
    format!("'{}' {what}", path.to_string_lossy())
}

fn describe(errno: Errno) -> String {
    io::Error::from(errno).to_string()
}

/// An error on the way to a file, before the caller's path is known.
#[derive(Debug)]
pub(crate) enum Fault {
    Os(io::Error),
    /// A link or `..` leads out.
    Outside,
    /// The way leads through the directory that is to be moved.
    IntoItself,
}

impl Fault {
    pub(crate) fn at(self, path: &Path) -> FilesError {
        match self {
            Self::Os(error) => FilesError::from_io(&error, path),
            Self::Outside => FilesError::Outside(text(path)),
            Self::IntoItself => {
                FilesError::Conflict(about(path, "lies in the directory that is to be moved there"))
            }
        }
    }

    /// Returns whether there is just no file.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, Self::Os(error) if error.kind() == io::ErrorKind::NotFound)
    }
}

impl From<Errno> for Fault {
    fn from(errno: Errno) -> Self {
        Self::Os(errno.into())
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Os(error)
    }
}

/// Names the path that an error is about.
pub(crate) trait At<T> {
    fn at(self, path: &Path) -> Result<T>;
}

impl<T, E: Into<Fault>> At<T> for Result<T, E> {
    fn at(self, path: &Path) -> Result<T> {
        self.map_err(|error| error.into().at(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortage_is_no_fault_of_the_daemon() {
        for errno in [Errno::MFILE, Errno::NFILE, Errno::AGAIN, Errno::NOMEM] {
            let error = FilesError::from_io(&errno.into(), Path::new("a"));
            assert!(matches!(error, FilesError::Exhausted { .. }), "{error:?}");
        }
        assert!(matches!(FilesError::from_io(&Errno::IO.into(), Path::new("a")), FilesError::Io { .. }));
    }

    #[test]
    fn what_a_system_lacks_is_reported_from_what_went_wrong() {
        let about = |kind: io::ErrorKind| FilesError::from_io(&io::Error::new(kind, "why"), Path::new("a"));
        assert!(matches!(about(io::ErrorKind::Unsupported), FilesError::Unsupported(why) if why == "why"));
        assert!(matches!(about(io::ErrorKind::Other), FilesError::Io { .. }));
    }
}
