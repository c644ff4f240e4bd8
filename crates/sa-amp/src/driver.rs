//! Runs the machine on a pair of streams and real processes.

use super::core::Host;
use super::delegate::SOCKET;
use super::disk::Files;
use super::launch::Launch;
use super::limits::Limits;
use super::machine::Machine;
use sa_acp::Processes;
use sa_supervisor::CommandSpec;
use std::ffi::OsString;
use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncWrite};

/// How the agent is run.
pub struct Options {
    /// The CLI.
    pub program: PathBuf,
    /// The command, program first, that asks at the agent's door whether a tool may run; see [`super::ask_permission`].
    pub helper: Vec<OsString>,
    /// The environment that the CLI inherits.
    pub inherited: Vec<(OsString, OsString)>,
    /// What is set on top of it.
    pub env: Vec<(OsString, OsString)>,
    /// Whether the environment holds a key (`AMP_API_KEY`).
    pub has_key: bool,
    /// The user's settings of the CLI.
    pub settings: PathBuf,
    /// Where the CLI keeps credentials.
    pub secrets: PathBuf,
    /// Whether a client may switch to the mode that never asks.
    pub allow_bypass: bool,
    /// See there.
    pub limits: Limits,
}

impl Options {
    /// The CLI at that path for a user with that home directory, an empty environment, and nothing allowed that is not safe.
    pub fn new(program: impl Into<PathBuf>, helper: Vec<OsString>, home: &Path) -> Self {
        Self {
            program: program.into(),
            helper,
            inherited: Vec::new(),
            env: Vec::new(),
            has_key: false,
            settings: home.join(".config/amp/settings.json"),
            secrets: home.join(".local/share/amp/secrets.json"),
            allow_bypass: false,
            limits: Limits::default(),
        }
    }
}

/// Values of variables may be secrets: only names of those that were added are shown.
impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.env.iter().map(|(name, _)| name).collect();
        f.debug_struct("Options").field("program", &self.program).field("env", &names).finish_non_exhaustive()
    }
}

/// Serves the client on this process's standard input and output until either ends: all of `sandbox-agent acp amp`.
pub fn run_stdio(options: Options) -> io::Result<ExitCode> {
    let office = Office::open(&options.helper)?;
    let (machine, processes) = options.into_parts(&office);
    let door = office.door.try_clone()?;
    Ok(sa_acp::drive_stdio_with_door(machine, processes, door))
}

/// Serves one client until its side of the connection ends. No process is left when this returns.
pub async fn run(
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin,
    options: Options,
) -> io::Result<ExitCode> {
    let office = Office::open(&options.helper)?;
    let (machine, processes) = options.into_parts(&office);
    let door = office.door.try_clone()?;
    Ok(sa_acp::drive_with_door(input, output, machine, processes, door).await)
}

/// A directory that nobody else can look into, with the door, the helper, and the settings of each process. It goes when this
/// does.
struct Office {
    directory: TempDir,
    door: UnixListener,
}

impl Office {
    fn open(helper: &[OsString]) -> io::Result<Self> {
        let directory = tempfile::Builder::new().prefix("sandbox-agent-amp-").tempdir()?;
        let door = UnixListener::bind(directory.path().join("door"))?;
        // The CLI starts a program without arguments.
        let words: Vec<_> = helper.iter().map(|word| quoted(&word.to_string_lossy())).collect();
        let script = format!("#!/bin/sh\nexec {}\n", words.join(" "));
        write(&directory.path().join("helper"), script.as_bytes(), 0o700)?;
        Ok(Self { directory, door })
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
    fn into_parts(self, office: &Office) -> (Machine, Processes<Launch>) {
        let host = Host {
            disk: Box::new(Files { settings: self.settings, secrets: self.secrets }),
            has_key: self.has_key,
            helper: office.path("helper"),
            allow_bypass: self.allow_bypass,
            limits: self.limits,
        };
        let (program, added) = (self.program, self.env);
        let (folder, socket) = (office.directory.path().to_owned(), office.path("door"));
        let last = AtomicU64::new(0);
        let command = move |launch: &Launch| {
            let number = last.fetch_add(1, Ordering::Relaxed);
            let settings = folder.join(format!("settings-{number}.json"));
            let mut program = program.clone();
            if let Launch::Work { settings: text, .. } = launch
                && let Err(error) = write(&settings, text.as_bytes(), 0o600)
            {
                // Without them the CLI would ask nobody; so it does not start at all.
                tracing::error!(%error, path = %settings.display(), "the settings cannot be written");
                program = settings.clone();
            }
            let mut env = vec![
                // Updates are the installer's business.
                ("AMP_SKIP_UPDATE_CHECK".into(), "1".into()),
                ("NO_COLOR".into(), "1".into()),
                (SOCKET.into(), socket.clone().into()),
            ];
            env.extend(added.iter().cloned());
            let args = launch.arguments(&settings);
            let cwd = launch.cwd().map(Path::to_owned);
            CommandSpec { program: program.into(), args, env, cwd, ..CommandSpec::default() }
        };
        let processes = Processes {
            name: "amp",
            inherited: self.inherited,
            command: Box::new(command),
            grace: self.limits.grace,
        };
        (Machine::new(host), processes)
    }
}

impl Drop for Office {
    fn drop(&mut self) {
        // The directory goes by itself; this says so if it cannot.
        if let Err(error) = fs::remove_file(self.path("door")) {
            tracing::debug!(%error, "the door is gone already");
        }
    }
}
