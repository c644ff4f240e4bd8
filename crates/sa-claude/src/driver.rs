//! Runs the machine on a pair of streams and real processes.

use super::child::{Event, Run};
use super::core::{ChildId, Effect, Host};
use super::disk::ConfigDir;
use super::launch::Launch;
use super::limits::Limits;
use super::machine::Machine;
use sa_acp::{Line, LineReader, MAX_LINE, Now, Outbound, StdinReader, StdoutWriter};
use sa_supervisor::{BaseEnv, CommandSpec, Supervisor, SupervisorOptions};
use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};

/// Lines of processes that may wait to be worked on. Each is as long as the CLI makes it, so they are few.
const WAITING_LINES: usize = 32;

/// Lines that a process may leave unread: one prompt, and orders and answers beside it.
const UNREAD_LINES: usize = 256;

/// Orders to end one process.
const ENDS: usize = 8;

/// How long a client may take to read what was written before the agent ended, and processes to end by themselves.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How the agent is run.
pub struct Options {
    /// The CLI.
    pub program: PathBuf,
    /// The environment that the CLI inherits.
    pub inherited: Vec<(OsString, OsString)>,
    /// What is set on top of it, credentials for example.
    pub env: Vec<(OsString, OsString)>,
    /// Where the CLI keeps its files: `CLAUDE_CONFIG_DIR`, or `.claude` in the home directory.
    pub config_dir: PathBuf,
    /// Whether the CLI is run by the superuser.
    pub is_root: bool,
    /// Whether a client may switch to the mode that never asks.
    pub allow_bypass: bool,
    /// Whether a client may choose models that the CLI does not list.
    pub any_model: bool,
    /// See there.
    pub limits: Limits,
}

impl Options {
    /// The CLI at that path with its files in that directory, an empty environment, and nothing allowed that is not safe.
    pub fn new(program: impl Into<PathBuf>, config_dir: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            inherited: Vec::new(),
            env: Vec::new(),
            config_dir: config_dir.into(),
            is_root: false,
            allow_bypass: false,
            any_model: false,
            limits: Limits::default(),
        }
    }
}

/// Values of variables may be secrets: only names of those that were added are shown.
impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.env.iter().map(|(name, _)| name).collect();
        f.debug_struct("Options")
            .field("program", &self.program)
            .field("env", &names)
            .field("config_dir", &self.config_dir)
            .field("is_root", &self.is_root)
            .field("allow_bypass", &self.allow_bypass)
            .finish_non_exhaustive()
    }
}

/// Serves the client on this process's standard input and output until either ends: all of `sandbox-agent acp claude`.
pub fn run_stdio(options: Options) -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            complain(&format!("claude: cannot start: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let code = runtime.block_on(async { run(StdinReader::open(), StdoutWriter::open(), options).await });
    // A thread that reads from a terminal cannot be ended, so it must not be waited for.
    runtime.shutdown_background();
    code
}

/// Serves one client until its side of the connection ends. No process is left when this returns.
pub async fn run(
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin,
    options: Options,
) -> ExitCode {
    let supervisor = SupervisorOptions { env: BaseEnv::Inherit(options.inherited.clone()), guardian: None };
    let supervisor = match Supervisor::start(supervisor) {
        Ok(supervisor) => supervisor,
        Err(error) => {
            complain(&format!("claude: cannot start: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let host = Host {
        new_id: Box::new(|| uuid::Uuid::new_v4().to_string()),
        disk: Box::new(ConfigDir(options.config_dir.clone())),
        plans: options.config_dir.join("plans"),
        allow_bypass: options.allow_bypass,
        is_root: options.is_root,
        any_model: options.any_model,
        limits: options.limits,
    };
    let grace = options.limits.grace;
    let (sender, events) = mpsc::channel(WAITING_LINES);
    let driver = Driver {
        machine: Machine::new(host),
        reader: LineReader::new(input, MAX_LINE),
        output,
        outbound: Outbound::default(),
        options,
        supervisor: supervisor.clone(),
        children: HashMap::new(),
        sender,
        events,
        started: Instant::now(),
    };
    driver.serve().await;
    supervisor.shutdown(grace).await;
    ExitCode::SUCCESS
}

/// The way to a process.
struct Handle {
    /// `None` once its input is closed.
    lines: Option<mpsc::Sender<Vec<u8>>>,
    ends: mpsc::Sender<Duration>,
}

impl Handle {
    fn end(&mut self, farewell: Duration) {
        self.lines = None;
        // If there is no room, enough of them are on their way.
        let _ = self.ends.try_send(farewell);
    }
}

struct Driver<R, W> {
    machine: Machine,
    reader: LineReader<R>,
    output: W,
    outbound: Outbound,
    options: Options,
    supervisor: Supervisor,
    children: HashMap<ChildId, Handle>,
    sender: mpsc::Sender<Event>,
    events: mpsc::Receiver<Event>,
    started: Instant,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Driver<R, W> {
    async fn serve(mut self) {
        loop {
            self.machine.take_output(self.outbound.buffer());
            while let Some(effect) = self.machine.next_effect() {
                self.act(effect);
            }
            let wake = self.machine.wake().and_then(|time| self.started.checked_add(time));
            // What the client has not read yet holds everything back that would add to it.
            let hears = !self.outbound.is_full();
            tokio::select! {
                read = self.reader.fill(), if hears => match read {
                    Ok(true) => self.take_lines(),
                    Ok(false) | Err(_) => return self.say_goodbye().await,
                },
                event = self.events.recv(), if hears => self.take_event(event),
                wrote = write(&mut self.outbound, &mut self.output) => if wrote.is_err() { return },
                () = until(wake) => {
                    let now = self.now();
                    self.machine.tick(now);
                }
            }
        }
    }

    /// Gives the machine all lines of the client that have arrived.
    fn take_lines(&mut self) {
        let now = self.now();
        while let Some(line) = self.reader.take() {
            match line {
                Line::Whole(line) => self.machine.line(now, line),
                Line::TooLong(length) => self.machine.overlong(now, length),
            }
        }
    }

    fn take_event(&mut self, event: Option<Event>) {
        let now = self.now();
        match event {
            Some(Event::Line(child, line)) => self.machine.native(now, child, &line),
            Some(Event::Overlong(child, length)) => self.machine.native_overlong(now, child, length),
            Some(Event::Ended(child, ended)) => {
                self.children.remove(&child);
                self.machine.ended(now, child, &ended);
            }
            // The driver keeps a sender itself.
            None => {}
        }
    }

    fn act(&mut self, effect: Effect) {
        match effect {
            Effect::Start { child, launch } => self.start(child, &launch),
            // A process that has ended needs nothing.
            Effect::Write { child, line } => {
                let Some(handle) = self.children.get_mut(&child) else { return };
                let full = handle.lines.as_ref().is_some_and(|lines| {
                    matches!(lines.try_send(line), Err(mpsc::error::TrySendError::Full(_)))
                });
                if full {
                    tracing::warn!("claude does not read what it is told and is ended");
                    handle.end(Duration::ZERO);
                }
            }
            Effect::End { child, farewell } => {
                if let Some(handle) = self.children.get_mut(&child) {
                    handle.end(farewell);
                }
            }
        }
    }

    fn start(&mut self, child: ChildId, launch: &Launch) {
        let mut env = launch.environment();
        env.extend(self.options.env.iter().cloned());
        let spec = CommandSpec {
            program: self.options.program.clone().into(),
            args: launch.arguments(),
            env,
            cwd: Some(launch.cwd.clone()),
            ..CommandSpec::default()
        };
        let (lines, lines_receiver) = mpsc::channel(UNREAD_LINES);
        let (ends, ends_receiver) = mpsc::channel(ENDS);
        let run = Run {
            supervisor: self.supervisor.clone(),
            child,
            spec,
            grace: self.options.limits.grace,
            events: self.sender.clone(),
            lines: lines_receiver,
            ends: ends_receiver,
        };
        self.children.insert(child, Handle { lines: Some(lines), ends });
        tokio::spawn(run.attend());
    }

    /// The client said its last word: it may still read what was said to it, and processes may end by themselves.
    async fn say_goodbye(mut self) {
        for handle in self.children.values_mut() {
            handle.lines = None;
        }
        let (outbound, output) = (&mut self.outbound, &mut self.output);
        let said = async { while !outbound.is_settled() && outbound.write_some(output).await.is_ok() {} };
        let (children, events) = (&mut self.children, &mut self.events);
        let left = async {
            while !children.is_empty() {
                if let Some(Event::Ended(child, _)) = events.recv().await {
                    children.remove(&child);
                }
            }
        };
        // Nobody is there any more who would care about either.
        let _ = timeout(LAST_WORDS, async { tokio::join!(said, left) }).await;
    }

    fn now(&self) -> Now {
        let unix = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Now { elapsed: self.started.elapsed(), unix }
    }
}

/// Writes what waits; never returns while there is nothing.
async fn write(outbound: &mut Outbound, output: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
    if outbound.is_settled() {
        return std::future::pending().await;
    }
    outbound.write_some(output).await
}

async fn until(wake: Option<Instant>) {
    match wake {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}

/// Writes a line to standard error, which nobody may be reading.
fn complain(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
