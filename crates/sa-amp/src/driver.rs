//! Runs the machine on a pair of streams and real processes.

use super::core::{Core, Host};
use super::delegate::SOCKET;
use super::disk::Files;
use super::launch::Launch;
use super::limits::LIMITS;
use sa_acp::{Cli, Limits, Machine, Program};
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use tempfile::TempDir;

#[derive(Debug)]
pub struct Options {
    pub cli: Cli,
    /// The command, program first, that asks at the permission socket whether a tool may run; see [`super::ask_permission`].
    pub helper: Vec<OsString>,
    /// Set if the environment holds a key (`AMP_API_KEY`).
    pub has_key: bool,
    /// The user's settings of the CLI.
    pub settings: PathBuf,
    /// The place in which the CLI keeps credentials.
    pub secrets: PathBuf,
    /// Set if a client may switch to the mode that never asks.
    pub allow_bypass: bool,
    pub limits: Limits,
}

impl Options {
    /// The CLI at that path for a user with that home directory, an empty environment, and nothing allowed that is not safe.
    pub fn new(program: impl Into<PathBuf>, helper: Vec<OsString>, home: &Path) -> Self {
        Self {
            cli: Cli::new(program),
            helper,
            has_key: false,
            settings: home.join(".config/amp/settings.json"),
            secrets: home.join(".local/share/amp/secrets.json"),
            allow_bypass: false,
            limits: LIMITS,
        }
    }
}

/// The name of the permission socket in its directory.
const SOCKET_FILE: &str = "socket";

/// A directory that nobody else can look into, with the permission socket, the helper, and the settings of each process. It goes when this
/// does.
struct SocketDirectory {
    directory: TempDir,
    socket: UnixListener,
}

impl SocketDirectory {
    fn open(helper: &[OsString]) -> io::Result<Self> {
        let directory = tempfile::Builder::new().prefix("sandbox-agent-amp-").tempdir()?;
        let socket = UnixListener::bind(directory.path().join(SOCKET_FILE))?;
        // The CLI starts a program without arguments.
        let words: Vec<_> = helper.iter().map(|word| quoted(&word.to_string_lossy())).collect();
        let script = format!("#!/bin/sh\nexec {}\n", words.join(" "));
        write(&directory.path().join("helper"), script.as_bytes(), 0o700)?;
        Ok(Self { directory, socket })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }
}

fn write(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?.write_all(bytes)
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

impl Options {
    /// Returns the agent, ready to run.
    pub fn into_program(self) -> io::Result<Program<Core>> {
        let directory = SocketDirectory::open(&self.helper)?;
        let host = Host {
            disk: Box::new(Files { settings: self.settings, secrets: self.secrets }),
            has_key: self.has_key,
            helper: directory.path("helper"),
            allow_bypass: self.allow_bypass,
            limits: self.limits,
        };
        let (folder, socket) = (directory.directory.path().to_owned(), directory.path(SOCKET_FILE));
        let last = AtomicU64::new(0);
        let command = move |cli: &Cli, launch: &Launch| {
            let number = last.fetch_add(1, Ordering::Relaxed);
            let settings = folder.join(format!("settings-{number}.json"));
            let env = vec![
                // Updates are the installer's business.
                ("AMP_SKIP_UPDATE_CHECK".into(), "1".into()),
                ("NO_COLOR".into(), "1".into()),
                (SOCKET.into(), socket.clone().into()),
            ];
            let cwd = launch.cwd().map(Path::to_owned);
            let mut command = cli.command(launch.arguments(&settings), env, cwd);
            if let Launch::Work { settings: text, .. } = launch
                && let Err(error) = write(&settings, text.as_bytes(), 0o600)
            {
                // Without them the CLI would ask nobody; so it does not start at all.
                tracing::error!(%error, path = %settings.display(), "the settings cannot be written");
                command.program = settings.into();
            }
            command
        };
        let socket = directory.socket.try_clone()?;
        let program = Program::new(Machine::new(host), self.cli, self.limits, command);
        Ok(program.with_permission_socket(socket, directory))
    }
}

impl Drop for SocketDirectory {
    fn drop(&mut self) {
        // The directory goes by itself; this says so if it cannot.
        if let Err(error) = fs::remove_file(self.path(SOCKET_FILE)) {
            tracing::debug!(%error, "the permission socket is gone already");
        }
    }
}
