//! Errors of starting a supervisor or a child.

use std::io;
use std::path::PathBuf;

/// The reason why a supervisor did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// `Supervisor::start` was called outside a tokio runtime.
    #[error("the supervisor needs a running tokio runtime")]
    NoRuntime,
    /// The kernel refused to make this process the parent of orphaned descendants.
    #[error("cannot become the parent of orphaned processes: {0}")]
    Subreaper(#[source] io::Error),
    /// A thread of the supervisor did not start.
    #[error("cannot start a thread of the supervisor: {0}")]
    Thread(#[source] io::Error),
    /// SIGCHLD cannot be watched.
    #[error("cannot watch for ended children: {0}")]
    Signal(#[source] io::Error),
}

/// The reason why a child did not start.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// No file of that name: at the given path, or in any directory of the child's `PATH`.
    #[error("program not found: {}", program.display())]
    NotFound {
        /// The program as it was asked for.
        program: PathBuf,
    },
    /// The file is there and cannot be run: no permission, not a program, or its interpreter is missing.
    #[error("cannot execute {}: {source}", program.display())]
    NotExecutable { program: PathBuf, source: io::Error },
    /// The working directory is missing, is not a directory, or cannot be entered.
    #[error("working directory does not exist or cannot be entered: {}", path.display())]
    BadDirectory {
        /// The directory as it was asked for.
        path: PathBuf,
    },
    /// An environment variable without a name, or with `=` or a NUL byte in it.
    #[error("not a valid name of an environment variable: {name:?}")]
    BadVariable { name: String },
    /// The supervisor is shutting down and starts nothing any more.
    #[error("the daemon is shutting down")]
    ShuttingDown,
    /// Anything else the operating system refused: too many processes, too long arguments, no descriptors.
    #[error("cannot start the process: {0}")]
    Io(#[from] io::Error),
}

impl SpawnError {
    /// Returns whether the system has no process, descriptor or memory to spare. The same command may start a moment later.
    pub fn is_exhausted(&self) -> bool {
        use rustix::io::Errno;
        let (Self::Io(source) | Self::NotExecutable { source, .. }) = self else { return false };
        matches!(
            Errno::from_io_error(source),
            Some(Errno::AGAIN | Errno::MFILE | Errno::NFILE | Errno::NOMEM)
        )
    }
}
