//! How a command ends when it does not succeed: what is said on standard error, and the exit code.

use crate::commands::api::explain;
use crate::diagnostics::diagnose;
use crate::settings::SettingsError;
use sa_client::ClientError;
use std::any::TypeId;
use std::io;
use std::process::ExitCode;

/// Exit code of a command line, variable or configuration file that makes no sense (`EX_USAGE`).
pub(crate) const EXIT_USAGE: u8 = 64;

/// The reason a command did not succeed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Bad usage; the same call fails again.
    Usage(anyhow::Error),
    /// A valid command that did not work.
    Failed(anyhow::Error),
    /// An exit code whose reason was printed already, by the command or by the program that it ran.
    Exit(u8),
}

impl Failure {
    /// Bad usage, in one sentence.
    pub(crate) fn usage(message: impl std::fmt::Display) -> Self {
        Self::Usage(anyhow::anyhow!("{message}"))
    }

    /// Says what went wrong, unless nobody is left to read on, and gives the exit code.
    pub(crate) fn report(self) -> ExitCode {
        let (error, code) = match self {
            Self::Usage(error) => (error, EXIT_USAGE),
            Self::Failed(error) if is_broken_pipe(&error) => return ExitCode::SUCCESS,
            Self::Failed(error) => (error, 1),
            Self::Exit(code) => return ExitCode::from(code),
        };
        diagnose!("error: {error:#}");
        ExitCode::from(code)
    }
}

impl<E: Into<anyhow::Error> + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        let cause = TypeId::of::<E>();
        let error = error.into();
        // Of an error with context, the context says more.
        if cause == TypeId::of::<ClientError>() {
            error.downcast().map_or_else(Self::Failed, explain)
        } else if cause == TypeId::of::<SettingsError>() {
            Self::Usage(error)
        } else {
            Self::Failed(error)
        }
    }
}

/// The reader of our output closed it, as `head` does: the command is done.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
