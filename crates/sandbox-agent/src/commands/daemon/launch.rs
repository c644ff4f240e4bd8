//! Starting a process in the background that becomes the daemon, and waiting until it answers.

use super::{POLL, START_TIMEOUT, block_on, client};
use crate::agents::this_program;
use crate::args::ServerArgs;
use crate::failure::{EXIT_USAGE, Failure};
use crate::local_daemon::{DaemonFolder, Found, Record, open_log, write_private};
use crate::settings::{Access, Settings};
use anyhow::{Context, anyhow};
use sa_supervisor::{Detached, DetachedCommand};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::ChildStdout;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Bytes of the log that are searched for the reason of a failed start.
const REASON_BYTES: u64 = 64 << 10;
/// Time for one attempt to reach the daemon.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// The way in which a daemon in the background is started; it reads this, and so does an upgrade.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Launch {
    pub(super) args: ServerArgs,
    /// Relative paths start here, and so do the agents.
    pub(super) directory: PathBuf,
}

impl Launch {
    /// Returns the launch for arguments that were checked.
    pub(super) fn new(mut args: ServerArgs, settings: &Settings) -> Result<Self, Failure> {
        (args.token, args.token_file, args.no_token) = match &settings.access {
            Access::Given(token) | Access::Generated(token) => (Some(token.clone()), None, None),
            Access::Open => (None, None, Some(true)),
        };
        let directory = std::env::current_dir().context("cannot tell the current directory")?;
        Ok(Self { args, directory })
    }

    /// Reads the launch that was handed over, and removes it: it holds the token.
    pub(super) fn take(path: &Path) -> Result<Self, Failure> {
        let launch = read(path)?;
        // Without a trace on the disk if that is possible.
        let _ = std::fs::remove_file(path);
        Ok(launch)
    }

    /// Writes down the launch and, in a file of its own, the token. Only the daemon that has the place may do that.
    pub(super) fn keep(mut self, place: &DaemonFolder) -> Result<ServerArgs, Failure> {
        if let Some(token) = self.args.token.take() {
            write_private(&place.token(), token.as_bytes())?;
            self.args.token_file = Some(place.token());
        }
        write(&place.launch(), &self)?;
        Ok(self.args)
    }

    /// Reads how the running daemon was started.
    pub(super) fn of(place: &DaemonFolder) -> Result<Self, Failure> {
        read(&place.launch())
    }

    /// Starts the daemon with this program and waits until it answers.
    pub(super) fn start(
        &self,
        place: &DaemonFolder,
        env: Vec<(OsString, OsString)>,
    ) -> Result<Record, Failure> {
        // Not under the name that the daemon gives it: another one may be about to start.
        let handed_over = HandedOver(place.folder().join(format!("launch-{}.json", std::process::id())));
        write(&handed_over.0, self)?;
        let log = open_log(place)?;
        let logged = log.metadata().map_or(0, |log| log.len());
        let command = DetachedCommand {
            program: program().context("cannot find this program's own file")?,
            name: "sandbox-agent",
            args: vec!["daemon".into(), "serve".into(), handed_over.0.clone().into()],
            env,
            directory: self.directory.clone(),
            log,
        };
        let (child, output) = command.spawn().context("cannot start the daemon")?;
        Starting { child, place, logged }.wait(output)
    }
}

/// The file in which a launch is handed over. It holds the token, so it is removed even if no daemon has taken it.
struct HandedOver(PathBuf);

impl Drop for HandedOver {
    fn drop(&mut self) {
        // As a rule the daemon has removed it.
        let _ = std::fs::remove_file(&self.0);
    }
}

fn read(path: &Path) -> Result<Launch, Failure> {
    let text = std::fs::read(path)
        .with_context(|| format!("cannot read how the daemon is started from {}", path.display()))?;
    let launch = serde_json::from_slice(&text);
    Ok(launch.with_context(|| format!("{} does not say how to start the daemon", path.display()))?)
}

fn write(path: &Path, launch: &Launch) -> Result<(), Failure> {
    let text = serde_json::to_vec_pretty(launch).context("a setting cannot be written down")?;
    write_private(path, &text)
}

/// Returns the file of this program by its name, which lists of processes show, unless it was just replaced.
fn program() -> std::io::Result<PathBuf> {
    match std::env::current_exe() {
        Ok(path) if path.exists() => Ok(path),
        _ => this_program(),
    }
}

/// A daemon that does not answer yet.
struct Starting<'a> {
    child: Detached,
    place: &'a DaemonFolder,
    /// The length of the log before.
    logged: u64,
}

impl Starting<'_> {
    fn wait(mut self, output: ChildStdout) -> Result<Record, Failure> {
        let deadline = Instant::now() + START_TIMEOUT;
        let (sender, announced) = sync_channel(1);
        std::thread::spawn(move || {
            let mut line = String::new();
            // The first line comes once the daemon listens, and the end of the output if it does not.
            if BufReader::new(output).read_line(&mut line).is_ok_and(|count| count > 0) {
                let _ = sender.send(());
            }
        });
        match announced.recv_timeout(START_TIMEOUT) {
            Ok(()) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(self.ended(deadline)),
            Err(RecvTimeoutError::Timeout) => return Err(self.too_slow()),
        }
        let Found::Running(record) = self.place.find()? else { return Err(self.ended(deadline)) };
        let client = client(&record)?;
        while Instant::now() < deadline {
            let answer = block_on(async { tokio::time::timeout(ANSWER_TIMEOUT, client.health()).await })?;
            if matches!(answer, Ok(Ok(_))) {
                return Ok(record);
            }
            sleep(POLL);
        }
        Err(self.too_slow())
    }

    /// Reports why it ended, in its own words.
    fn ended(mut self, deadline: Instant) -> Failure {
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if Instant::now() < deadline => sleep(POLL),
                _ => return self.too_slow(),
            }
        };
        match self.reason() {
            Some(reason) if status.code() == Some(EXIT_USAGE.into()) => Failure::usage(reason),
            Some(reason) => Failure::Failed(anyhow!("the daemon did not start: {reason}")),
            None => Failure::Failed(anyhow!(
                "the daemon ended while it started ({status}); see its log: {}",
                self.place.log().display()
            )),
        }
    }

    fn too_slow(&mut self) -> Failure {
        // The child may have ended by itself in the meantime.
        let _ = self.child.kill();
        let (seconds, log) = (START_TIMEOUT.as_secs(), self.place.log());
        Failure::Failed(anyhow!(
            "the daemon did not answer within {seconds} s and was ended; see its log: {}",
            log.display()
        ))
    }

    /// The error that it wrote last.
    fn reason(&self) -> Option<String> {
        let mut log = File::open(self.place.log()).ok()?;
        log.seek(SeekFrom::Start(self.logged)).ok()?;
        let mut text = Vec::new();
        log.take(REASON_BYTES).read_to_end(&mut text).ok()?;
        let text = String::from_utf8_lossy(&text);
        let (_, reason) = text.rsplit_once("error: ")?;
        Some(reason.trim_end().to_owned())
    }
}
