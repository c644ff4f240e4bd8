//! A command, and the search for its file. The search happens before the fork, because after it a missing program, a
//! missing interpreter and a missing working directory are all the same "no such file".

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use crate::error::SpawnError;

/// The search path when the child's environment has no `PATH`.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A program to start, with everything that differs from the supervisor's defaults.
#[derive(Clone, Default)]
pub struct CommandSpec {
    /// A path, or a name to be found in the child's `PATH`. A relative path starts at `cwd`.
    pub program: OsString,
    /// The program's own name; `program` when absent.
    pub arg0: Option<OsString>,
    pub args: Vec<OsString>,
    /// Variables set on top of the supervisor's base environment.
    pub env: Vec<(OsString, OsString)>,
    /// The working directory; the daemon's own when absent.
    pub cwd: Option<PathBuf>,
}

impl CommandSpec {
    /// `program` without arguments, in the daemon's directory, with the base environment.
    pub fn new(program: impl Into<OsString>) -> Self {
        CommandSpec { program: program.into(), ..CommandSpec::default() }
    }
}

/// Arguments and values may be secrets: names only.
impl fmt::Debug for CommandSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&OsString> = self.env.iter().map(|(name, _)| name).collect();
        f.debug_struct("CommandSpec")
            .field("program", &self.program)
            .field("args", &self.args.len())
            .field("env", &names)
            .field("cwd", &self.cwd)
            .finish()
    }
}

/// Returns the directory a child starts in, made absolute and known to be one that can be entered.
pub(crate) fn check_directory(cwd: &Path) -> Result<PathBuf, SpawnError> {
    let bad = || SpawnError::BadDirectory { path: cwd.to_owned() };
    let absolute = std::path::absolute(cwd).map_err(|_| bad())?;
    if !absolute.is_dir() || access(&absolute, Access::EXEC_OK).is_err() {
        return Err(bad());
    }
    Ok(absolute)
}

/// Finds the file that `program` names, as `execvp` would with the child's `PATH` and directory.
pub(crate) fn find_program(
    program: &OsStr,
    path: Option<&OsStr>,
    cwd: Option<&Path>,
) -> Result<PathBuf, SpawnError> {
    let below_cwd = |file: &Path| match cwd {
        Some(cwd) => cwd.join(file),
        None => file.to_owned(),
    };
    let not_found = || SpawnError::NotFound { program: program.into() };
    if program.is_empty() {
        return Err(not_found());
    }
    if program.as_bytes().contains(&b'/') {
        return match check_file(&below_cwd(Path::new(program))) {
            Ok(file) => Ok(file),
            Err(source) if is_absent(&source) => Err(not_found()),
            Err(source) => Err(SpawnError::NotExecutable { program: program.into(), source }),
        };
    }
    let mut refused = None;
    for directory in std::env::split_paths(path.unwrap_or(OsStr::new(DEFAULT_PATH))) {
        // An empty entry means the current directory, which `join` makes of it.
        let candidate = below_cwd(&directory.join(program));
        match check_file(&candidate) {
            Ok(file) => return Ok(file),
            // Also a directory that may not be searched: nothing is known to be there.
            Err(_) if !candidate.exists() => {}
            Err(source) => {
                refused.get_or_insert(SpawnError::NotExecutable { program: candidate, source });
            }
        }
    }
    Err(refused.unwrap_or_else(not_found))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn check_file(file: &Path) -> io::Result<PathBuf> {
    if std::fs::metadata(file)?.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    access(file, Access::EXEC_OK)?;
    std::path::absolute(file)
}

/// Names the reason when the kernel refused a file that is there and has permission to run.
pub(crate) fn explain_refusal(program: &Path, error: io::Error) -> SpawnError {
    use io::ErrorKind as Kind;
    let refused = |source| SpawnError::NotExecutable { program: program.to_owned(), source };
    match error.kind() {
        Kind::NotFound => refused(io::Error::new(
            Kind::NotFound,
            "the interpreter in its first line, or the loader it was linked for, does not exist",
        )),
        Kind::PermissionDenied | Kind::ExecutableFileBusy | Kind::IsADirectory | Kind::NotADirectory => {
            refused(error)
        }
        _ if error.raw_os_error() == Some(libc::ENOEXEC) => refused(io::Error::new(
            Kind::InvalidData,
            "it is neither a program for this machine nor a script with an interpreter line",
        )),
        _ => SpawnError::Io(error),
    }
}
