//! How the daemon is started.

use super::{Daemon, Log};
use crate::binaries::{daemon_path, puppet_path};
use crate::http::Http;
use crate::process::{Finished, Sandbox};
use crate::wait::{DEADLINE, within};
use anyhow::{Context, Result, anyhow, bail};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The token unless the test chooses.
const TOKEN: &str = "testkit-token";

/// The name of the entry by which all processes of one daemon are found.
const MARK: &str = "SA_TESTKIT_MARK";

/// Options of a daemon under test.
#[derive(Debug, Default)]
pub struct DaemonBuilder {
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
    agents: Vec<(String, String)>,
    puppets: Vec<(String, Vec<String>)>,
    limits: Vec<(String, u64)>,
    config: String,
    token: Token,
    sandbox: Option<Arc<Sandbox>>,
    binary: Option<PathBuf>,
}

#[derive(Debug, Default)]
enum Token {
    #[default]
    Usual,
    Chosen(String),
    None,
    Unsaid,
}

impl DaemonBuilder {
    /// One more argument of `sandbox-agent server`.
    pub fn arg(mut self, argument: &str) -> Self {
        self.arguments.push(argument.to_owned());
        self
    }

    /// Returns an entry of its environment, which is otherwise empty but for `PATH`, `HOME` and the like.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Returns an agent by its command line, quoted as for a shell.
    pub fn agent(mut self, id: &str, command: &str) -> Self {
        self.agents.push((id.to_owned(), command.to_owned()));
        self
    }

    /// `sa-puppet` with these flags as the agent `puppet`.
    pub fn puppet(self, flags: &[&str]) -> Self {
        self.puppet_as("puppet", flags)
    }

    /// `sa-puppet` with these flags under another id.
    pub fn puppet_as(mut self, id: &str, flags: &[&str]) -> Self {
        self.puppets.push((id.to_owned(), flags.iter().map(|&flag| flag.to_owned()).collect()));
        self
    }

    /// Returns a key of `[limits]` in the configuration file.
    pub fn limit(mut self, key: &str, value: u64) -> Self {
        self.limits.push((key.to_owned(), value));
        self
    }

    /// More of the configuration file: whole tables, other than `[limits]`.
    pub fn config(mut self, toml: &str) -> Self {
        self.config.push_str(toml);
        self.config.push('\n');
        self
    }

    pub fn token(mut self, token: &str) -> Self {
        self.token = Token::Chosen(token.to_owned());
        self
    }

    /// `--no-token`.
    pub fn no_token(mut self) -> Self {
        self.token = Token::None;
        self
    }

    /// Returns no word of a token on the command line: the environment or a file has one, or the daemon makes one up.
    /// The daemon's own client then sends none.
    pub fn token_unsaid(mut self) -> Self {
        self.token = Token::Unsaid;
        self
    }

    /// Returns the home of an earlier daemon, to see what outlives one.
    pub fn sandbox(mut self, sandbox: Arc<Sandbox>) -> Self {
        self.sandbox = Some(sandbox);
        self
    }

    /// Another binary than the usual one.
    pub fn binary(mut self, path: impl Into<PathBuf>) -> Self {
        self.binary = Some(path.into());
        self
    }

    /// Starts it and waits until it says where it listens.
    pub async fn start(self) -> Result<Daemon> {
        let token = self.chosen_token();
        let (mut command, binary, sandbox) = self.prepare()?;
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let mark = format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        command.env(MARK, &mark);
        let mark = format!("{MARK}={mark}");
        // A new group: an interrupt at the terminal ends the test, which then ends the daemon.
        command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("starting {}", binary.display()))?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let (Some(stdout), Some(stderr)) = (stdout, stderr) else { bail!("the daemon has no output") };
        let (log, ready) = Log::read(stdout, stderr);
        let nowhere = Http { address: ([127, 0, 0, 1], 0).into(), token };
        let mut daemon = Daemon { child, ended: false, http: nowhere, log, sandbox, binary, mark };
        match within("the daemon to listen", DEADLINE, ready).await {
            Ok(Ok(address)) => {
                daemon.http = Http::new(&address, daemon.token())?;
                Ok(daemon)
            }
            failed => {
                daemon.kill_all();
                daemon.log.finish();
                let ended = daemon.child.try_wait().ok().flatten();
                let why = failed.err().unwrap_or_else(|| anyhow!("it ended: {ended:?}"));
                Err(why.context(format!("the daemon does not listen\n{}", daemon.log)))
            }
        }
    }

    /// Starts the daemon and waits until it has ended, which it should do unasked.
    pub async fn run_to_end(self) -> Result<Finished> {
        let (command, _, _sandbox) = self.prepare()?;
        Finished::wait(command).await
    }

    fn chosen_token(&self) -> Option<String> {
        match &self.token {
            Token::Usual => Some(TOKEN.to_owned()),
            Token::Chosen(token) => Some(token.clone()),
            Token::None | Token::Unsaid => None,
        }
    }

    fn prepare(mut self) -> Result<(Command, PathBuf, Arc<Sandbox>)> {
        let sandbox = self.sandbox.take().map_or_else(|| Sandbox::new().map(Arc::new), Ok)?;
        let binary = self.binary.take().map_or_else(daemon_path, Ok)?;
        let mut command = sandbox.command(&binary);
        command.args(["server", "--host", "127.0.0.1", "--port", "0"]);
        match (self.chosen_token(), &self.token) {
            (Some(token), _) => drop(command.args(["--token", &token])),
            (None, Token::Unsaid) => {}
            (None, _) => drop(command.arg("--no-token")),
        }
        let puppet = if self.puppets.is_empty() { None } else { Some(puppet_path()?) };
        for (id, flags) in &self.puppets {
            let path = puppet.as_ref().and_then(|path| path.to_str()).context("a path that is text")?;
            let words = std::iter::once(path).chain(flags.iter().map(String::as_str));
            self.agents.push((id.clone(), shlex::try_join(words)?));
        }
        for (id, line) in &self.agents {
            command.args(["--agent", &format!("{id}={line}")]);
        }
        if let Some(config) = self.configuration() {
            let path = sandbox.path("config.toml");
            std::fs::write(&path, config).context("writing the configuration")?;
            command.arg("--config").arg(path);
        }
        command.args(&self.arguments).envs(self.environment);
        Ok((command, binary, sandbox))
    }

    fn configuration(&self) -> Option<String> {
        if self.limits.is_empty() {
            return (!self.config.is_empty()).then(|| self.config.clone());
        }
        let limits: String = self.limits.iter().map(|(key, value)| format!("{key} = {value}\n")).collect();
        Some(format!("[limits]\n{limits}\n{}", self.config))
    }
}
