//! Runs the state machine of an agent on a pair of streams and real processes.

use crate::process::child::{Event, Run};
use crate::process::children::{ChildId, Effect};
use crate::process::permission_socket::{self, VisitorId};
use crate::process::program::{CommandOf, Program};
use crate::protocol::clock::Now;
use crate::protocol::lines::{LineReader, MAX_LINE};
use crate::protocol::outbound::Outbound;
use crate::session::adapter::Driven;
use sa_jsonrpc::Line;
use sa_supervisor::{BaseEnv, Supervisor, SupervisorOptions};
use std::collections::HashMap;
use std::io;
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

/// Serves one client until its side of the connection ends. No process is left when this returns.
pub(crate) async fn serve<A: Driven>(
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin,
    mut program: Program<A>,
) -> ExitCode {
    let env = BaseEnv::Inherit(std::mem::take(&mut program.inherited));
    let supervisor = match Supervisor::start(SupervisorOptions { env, guardian: None }) {
        Ok(supervisor) => supervisor,
        Err(error) => return program.fail(&error),
    };
    let Program { machine, name, command, grace, permission_socket, resources, .. } = program;
    let (sender, events) = mpsc::channel(WAITING_LINES);
    let socket =
        permission_socket.map(|listener| SocketTask(permission_socket::open(listener, sender.clone())));
    let driver = Driver {
        machine,
        name,
        command,
        grace,
        reader: LineReader::new(input, MAX_LINE),
        output,
        outbound: Outbound::default(),
        supervisor: supervisor.clone(),
        children: HashMap::new(),
        sender,
        events,
        visitors: HashMap::new(),
        started: Instant::now(),
    };
    driver.serve().await;
    drop(socket);
    supervisor.shutdown(grace).await;
    drop(resources);
    ExitCode::SUCCESS
}

/// The task of the permission socket, which ends with its owner.
struct SocketTask(AbortHandle);

impl Drop for SocketTask {
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
    machine: A,
    name: &'static str,
    command: CommandOf<A::Launch>,
    grace: Duration,
    reader: LineReader<R>,
    output: W,
    outbound: Outbound,
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
            self.machine.take_output(self.outbound.buffer());
            while let Some(effect) = self.machine.next_effect() {
                self.act(effect);
            }
            while let Some((visitor, line)) = self.machine.next_answer() {
                if let Some(answer) = self.visitors.remove(&visitor) {
                    // Whoever left does not need it.
                    let _ = answer.send(line);
                }
            }
            let wake = self.machine.wake().and_then(|time| self.started.checked_add(time));
            // What the client has not read yet holds everything back that would add to it.
            let hears = !self.outbound.is_full();
            tokio::select! {
                read = self.reader.fill(), if hears => match read {
                    Ok(true) => self.take_lines(),
                    Ok(false) | Err(_) => return self.drain().await,
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

    /// Gives the agent all lines of the client that have arrived.
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
            Some(Event::Visit(visit)) => {
                self.visitors.insert(visit.visitor, visit.answer);
                self.machine.visited(now, visit.visitor, &visit.line);
            }
            Some(Event::Left(visitor)) => {
                self.visitors.remove(&visitor);
                self.machine.left(now, visitor);
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
                    tracing::warn!(agent = self.name, "a process does not read what it is told and is ended");
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
        let spec = (self.command)(launch);
        let (lines, lines_receiver) = mpsc::channel(UNREAD_LINES);
        let (ends, ends_receiver) = mpsc::channel(ENDS);
        let run = Run {
            supervisor: self.supervisor.clone(),
            child,
            spec,
            wire: self.machine.wire(launch),
            grace: self.grace,
            events: self.sender.clone(),
            lines: lines_receiver,
            ends: ends_receiver,
        };
        self.children.insert(child, Handle { lines: Some(lines), ends });
        run.start();
    }

    /// Waits a moment after the client's last message: it may still read its answers, and processes may end by themselves.
    async fn drain(mut self) {
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
