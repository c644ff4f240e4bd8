//! Runs of `git`: no shell, no hooks, no questions, only known protocols, bounded in time and in what they write.

use crate::SkillsLimits;
use crate::credentials::Credentials;
use crate::limits::{COMPLAINT_CHARS, GIT_GRACE, GIT_OUTPUT_BYTES, SIZE_INTERVAL};
use crate::tree::{Size, measure};
use sa_supervisor::{CommandSpec, Process, SpawnError, Spawned, Supervisor};
use std::ffi::OsString;
use std::path::Path;
use tokio::io::AsyncReadExt;
use tokio::time::{sleep, timeout};

/// Settings of each run, which override the user's configuration. Credential helpers, proxies and certificates stay
/// the user's.
const SETTINGS: [&str; 9] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.autocrlf=false",
    // GIT_SSH_COMMAND, where it is set, wins over this.
    "core.sshCommand=ssh -o BatchMode=yes",
    "credential.interactive=false",
    "submodule.recurse=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "advice.detachedHead=false",
];

const VARIABLES: [(&str, &str); 8] = [
    ("GIT_TERMINAL_PROMPT", "0"),
    // Empty: also no other program that asks.
    ("GIT_ASKPASS", ""),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("GCM_INTERACTIVE", "never"),
    ("GIT_ALLOW_PROTOCOL", "http:https:ssh:file"),
    ("GIT_LFS_SKIP_SMUDGE", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("LC_ALL", "C"),
];

/// The variable that holds what comes with an address.
const CREDENTIALS: &str = "SANDBOX_AGENT_GIT_CREDENTIALS";

/// The reason why a run failed.
#[derive(Debug)]
pub(crate) enum GitFailure {
    Missing,
    TimedOut,
    TooLarge,
    Said(String),
}

/// `git` on one repository.
#[derive(Debug)]
pub(crate) struct Git<'a> {
    pub(crate) supervisor: &'a Supervisor,
    pub(crate) limits: &'a SkillsLimits,
    pub(crate) repository: &'a Path,
    /// The working directory. Everything that it may write is beneath this.
    pub(crate) staging: &'a Path,
    /// The repository on the other side, without credentials.
    pub(crate) address: &'a str,
    pub(crate) credentials: Option<&'a Credentials>,
}

/// A run whose caller has gone is of no use to anybody.
struct KillOnDrop(Process);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        if self.0.exit().is_none() {
            self.0.kill();
        }
    }
}

impl Git<'_> {
    /// Runs it and gives what it wrote.
    pub(crate) async fn run(&self, args: &[&str]) -> Result<String, GitFailure> {
        let spawned = match self.supervisor.spawn(self.command(args)).await {
            Ok(spawned) => spawned,
            Err(SpawnError::NotFound { .. }) => return Err(GitFailure::Missing),
            Err(error) => return Err(GitFailure::Said(error.to_string())),
        };
        let running = KillOnDrop(spawned.process.clone());
        let work = async {
            tokio::select! {
                said = finish(spawned) => said,
                failure = self.outgrown() => Err(failure),
            }
        };
        let result = timeout(self.limits.git_timeout, work).await.unwrap_or(Err(GitFailure::TimedOut));
        if running.0.exit().is_none() {
            running.0.stop(GIT_GRACE).await;
        }
        result
    }

    fn command(&self, args: &[&str]) -> CommandSpec {
        let mut command = CommandSpec::new("git");
        for setting in SETTINGS {
            command.args.extend(["-c".into(), setting.into()]);
        }
        // Arguments can be read by every user of the machine, the environment by this one only.
        if let Some(credentials) = self.credentials {
            let (setting, value) = credentials.setting();
            command.args.push(format!("--config-env={setting}={CREDENTIALS}").into());
            command.env.push((CREDENTIALS.into(), value.into()));
        }
        let mut git_dir = OsString::from("--git-dir=");
        git_dir.push(self.repository);
        command.args.push(git_dir);
        command.args.extend(args.iter().map(OsString::from));
        command.env.extend(VARIABLES.map(|(name, value)| (name.into(), value.into())));
        // A daemon that was itself started from a hook has these in its environment, for another repository.
        command.env.push(("GIT_INDEX_FILE".into(), self.repository.join("index").into()));
        command.env.push(("GIT_OBJECT_DIRECTORY".into(), self.repository.join("objects").into()));
        command.cwd = Some(self.staging.to_owned());
        command
    }

    /// Returns once more was written than may be.
    async fn outgrown(&self) -> GitFailure {
        loop {
            sleep(SIZE_INTERVAL).await;
            let (staging, limits) = (self.staging.to_owned(), self.limits.clone());
            let size = tokio::task::spawn_blocking(move || measure(&staging, &limits)).await;
            // A tree that cannot be measured now, because it changes, is measured the next time.
            if matches!(size, Ok(Ok(Size::TooLarge))) {
                return GitFailure::TooLarge;
            }
        }
    }
}

async fn finish(spawned: Spawned) -> Result<String, GitFailure> {
    let Spawned { process, stdin, stdout } = spawned;
    drop(stdin);
    let mut output = Vec::new();
    let read = stdout.take(GIT_OUTPUT_BYTES).read_to_end(&mut output).await;
    let exit = process.wait().await;
    match (exit.code, read) {
        (Some(0), Ok(_)) => Ok(String::from_utf8_lossy(&output).into_owned()),
        (Some(0), Err(error)) => Err(GitFailure::Said(error.to_string())),
        _ => Err(GitFailure::Said(complaint(&process.stderr_tail()))),
    }
}

/// Returns the end of a complaint, in one line.
fn complaint(stderr: &str) -> String {
    let lines: Vec<&str> = stderr.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let text = lines.join("; ");
    let surplus = text.chars().count().saturating_sub(COMPLAINT_CHARS);
    let text: String = text.chars().skip(surplus).collect();
    if text.is_empty() { "git gave no reason".to_owned() } else { text }
}
