//! Runs the state machine of an agent on a pair of streams and real processes.

use crate::process::child::{Event, Run};
use crate::process::children::{ChildId, Effect};
use crate::process::permission_socket::{self, VisitorId};
use crate::protocol::clock::Now;
use crate::protocol::lines::{Line, LineReader, MAX_LINE};
use crate::protocol::outbound::Outbound;
use crate::protocol::stdio::{StdinReader, StdoutWriter};
use crate::session::adapter::Driven;
use sa_supervisor::{BaseEnv, CommandSpec, Supervisor, SupervisorOptions};
use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};
use std::os::unix::net::UnixListener;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep_until, timeout};

/// Lines of processes that may wait to be worked on. Each is as long as the CLI makes it, so they are few.
const WAITING_LINES: usize = 32;

/// Lines that a process may leave unread: one prompt, and orders and answers beside it.
const UNREAD_LINES: usize = 256;

/// Orders to end one process.
const ENDS: usize = 8;

/// How long a client may take to read what was written before the agent ended, and processes to end by themselves.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How the processes of an agent are run.
pub struct Processes<L> {
    /// The agent, as complaints name it.
    pub name: &'static str,
    /// The environment that they inherit.
    pub inherited: Vec<(OsString, OsString)>,
    /// The command of a launch.
    pub command: Box<dyn Fn(&L) -> CommandSpec + Send>,
    /// Between SIGTERM and SIGKILL.
    pub grace: Duration,
}

/// The environment may hold secrets.
impl<L> fmt::Debug for Processes<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Processes").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Serves the client on this process's standard input and output until either ends.
pub fn drive_stdio<A: Driven>(adapter: A, processes: Processes<A::Launch>) -> ExitCode {
    run_stdio(adapter, processes, None)
}

/// The same for an agent at whose door programs ask questions.
pub fn drive_stdio_with_door<A: Driven>(
    adapter: A,
    processes: Processes<A::Launch>,
    door: UnixListener,
) -> ExitCode {
    run_stdio(adapter, processes, Some(door))
}

fn run_stdio<A: Driven>(adapter: A, processes: Processes<A::Launch>, door: Option<UnixListener>) -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            complain(&format!("{}: cannot start: {error}", processes.name));
            return ExitCode::FAILURE;
        }
    };
    let code = runtime
        .block_on(async { run(StdinReader::open(), StdoutWriter::open(), adapter, processes, door).await });
    // A thread that reads from a terminal cannot be ended, so it must not be waited for.
    runtime.shutdown_background();
    code
}

/// Serves one client until its side of the connection ends. No process is left when this returns.
pub async fn drive<A: Driven>(
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin,
    adapter: A,
    processes: Processes<A::Launch>,
) -> ExitCode {
    run(input, output, adapter, processes, None).await
}

/// The same for an agent at whose door programs ask questions.
pub async fn drive_with_door<A: Driven>(
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin,
    adapter: A,
    processes: Processes<A::Launch>,
    door: UnixListener,
) -> ExitCode {
    run(input, output, adapter, processes, Some(door)).await
}

async fn run<A: Driven>(
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin,
    adapter: A,
    processes: Processes<A::Launch>,
    door: Option<UnixListener>,
) -> ExitCode {
    let supervisor = SupervisorOptions { env: BaseEnv::Inherit(processes.inherited.clone()), guardian: None };
    let supervisor = match Supervisor::start(supervisor) {
        Ok(supervisor) => supervisor,
        Err(error) => {
            complain(&format!("{}: cannot start: {error}", processes.name));
            return ExitCode::FAILURE;
        }
    };
    let grace = processes.grace;
    let (sender, events) = mpsc::channel(WAITING_LINES);
    let door = door.map(|listener| Doorkeeper(door::open(listener, sender.clone())));
    let driver = Driver {
        adapter,
        reader: LineReader::new(input, MAX_LINE),
        output,
        outbound: Outbound::default(),
        processes,
        supervisor: supervisor.clone(),
        children: HashMap::new(),
        sender,
        events,
        visitors: HashMap::new(),
        started: Instant::now(),
    };
    driver.serve().await;
    drop(door);
    supervisor.shutdown(grace).await;
    ExitCode::SUCCESS
}

/// Ends with its owner.
struct Doorkeeper(AbortHandle);

impl Drop for Doorkeeper {
    fn drop(&mut self) {
        self.0.abort();
    }
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

struct Driver<A: Driven, R, W> {
    adapter: A,
    reader: LineReader<R>,
    output: W,
    outbound: Outbound,
    processes: Processes<A::Launch>,
    supervisor: Supervisor,
    children: HashMap<ChildId, Handle>,
    sender: mpsc::Sender<Event>,
    events: mpsc::Receiver<Event>,
    visitors: HashMap<VisitorId, oneshot::Sender<Vec<u8>>>,
    started: Instant,
}

impl<A: Driven, R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Driver<A, R, W> {
    async fn serve(mut self) {
        loop {
            self.adapter.take_output(self.outbound.buffer());
            while let Some(effect) = self.adapter.next_effect() {
                self.act(effect);
            }
            while let Some((visitor, line)) = self.adapter.next_answer() {
                if let Some(answer) = self.visitors.remove(&visitor) {
                    // Whoever left does not need it.
                    let _ = answer.send(line);
                }
            }
            let wake = self.adapter.wake().and_then(|time| self.started.checked_add(time));
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
                    self.adapter.tick(now);
                }
            }
        }
    }

    /// Gives the agent all lines of the client that have arrived.
    fn take_lines(&mut self) {
        let now = self.now();
        while let Some(line) = self.reader.take() {
            match line {
                Line::Whole(line) => self.adapter.line(now, line),
                Line::TooLong(length) => self.adapter.overlong(now, length),
            }
        }
    }

    fn take_event(&mut self, event: Option<Event>) {
        let now = self.now();
        match event {
            Some(Event::Line(child, line)) => self.adapter.native(now, child, &line),
            Some(Event::Overlong(child, length)) => self.adapter.native_overlong(now, child, length),
            Some(Event::Ended(child, ended)) => {
                self.children.remove(&child);
                self.adapter.ended(now, child, &ended);
            }
            Some(Event::Visit(visit)) => {
                self.visitors.insert(visit.visitor, visit.answer);
                self.adapter.visited(now, visit.visitor, &visit.line);
            }
            Some(Event::Left(visitor)) => {
                self.visitors.remove(&visitor);
                self.adapter.left(now, visitor);
            }
            // The driver keeps a sender itself.
            None => {}
        }
    }

    fn act(&mut self, effect: Effect<A::Launch>) {
        match effect {
            Effect::Start { child, launch } => self.start(child, &launch),
            // A process that has ended needs nothing.
            Effect::Write { child, line } => {
                let Some(handle) = self.children.get_mut(&child) else { return };
                let full = handle.lines.as_ref().is_some_and(|lines| {
                    matches!(lines.try_send(line), Err(mpsc::error::TrySendError::Full(_)))
                });
                if full {
                    tracing::warn!(
                        agent = self.processes.name,
                        "a process does not read what it is told and is ended"
                    );
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

    fn start(&mut self, child: ChildId, launch: &A::Launch) {
        let spec = (self.processes.command)(launch);
        let (lines, lines_receiver) = mpsc::channel(UNREAD_LINES);
        let (ends, ends_receiver) = mpsc::channel(ENDS);
        let run = Run {
            supervisor: self.supervisor.clone(),
            child,
            spec,
            wire: self.adapter.wire(launch),
            grace: self.processes.grace,
            events: self.sender.clone(),
            lines: lines_receiver,
            ends: ends_receiver,
        };
        self.children.insert(child, Handle { lines: Some(lines), ends });
        run.start();
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
