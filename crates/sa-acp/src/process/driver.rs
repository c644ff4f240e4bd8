//! Runs the state machine of an agent on a pair of streams and real processes.

use crate::process::child::{Event, Run};
use crate::process::children::{ChildId, Effect};
use crate::process::limits::Limits;
use crate::process::permission_socket::{self, HelperId};
use crate::process::program::{CommandOf, Program, cannot_start};
use crate::process::wire::{EventSink, LineBudget};
use crate::protocol::clock::{Now, until};
use crate::protocol::lines::{InputLine, LineReader, MAX_LINE};
use crate::protocol::output_buffer::OutputBuffer;
use crate::session::adapter::Adapter;
use crate::session::machine::Machine;
use sa_supervisor::{BaseEnv, Supervisor, SupervisorOptions};
use std::collections::HashMap;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout};

/// The number of process lines that may wait to be handled.
const WAITING_LINES: usize = 32;

/// The number of bytes in these lines: 1 MiB, unless one line is longer.
const WAITING_BYTES: u32 = 1 << 20;

/// The number of lines that a process may leave unread: one prompt, and orders and answers next to it.
const UNREAD_LINES: usize = 256;

/// The number of orders to end one process that may wait.
const STOP_ORDERS: usize = 8;

/// The time that a client gets to read the last output, and processes to exit by themselves.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Serves one client until its side of the connection ends. No process is left when this returns.
pub(crate) async fn serve<A: Adapter>(
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin,
    mut program: Program<A>,
) -> ExitCode {
    let env = BaseEnv::Inherit(std::mem::take(&mut program.inherited));
    let supervisor = match Supervisor::start(SupervisorOptions { env, guardian: None }) {
        Ok(supervisor) => supervisor,
        Err(error) => return cannot_start(program.name, &error),
    };
    let Program { machine, name, command, limits, permission_socket, resources, .. } = program;
    let (sender, events) = mpsc::channel(WAITING_LINES);
    let socket = permission_socket.map(|listener| permission_socket::open(listener, sender.clone()));
    let driver = Driver {
        machine,
        name,
        command,
        limits,
        reader: LineReader::new(input, MAX_LINE),
        output,
        pending_output: OutputBuffer::default(),
        supervisor: supervisor.clone(),
        children: HashMap::new(),
        sender,
        budget: LineBudget::new(WAITING_BYTES),
        events,
        helpers: HashMap::new(),
        started: Instant::now(),
    };
    driver.serve().await;
    drop(socket);
    supervisor.shutdown(limits.grace).await;
    drop(resources);
    ExitCode::SUCCESS
}

/// The channels to a process.
struct Handle {
    /// `None` once the standard input is closed.
    lines: Option<mpsc::Sender<Vec<u8>>>,
    stop_orders: mpsc::Sender<Duration>,
}

impl Handle {
    fn end(&mut self, drain: Duration) {
        self.lines = None;
        // If there is no room, enough of them are on their way.
        let _ = self.stop_orders.try_send(drain);
    }
}

struct Driver<A: Adapter, R, W> {
    machine: Machine<A>,
    name: &'static str,
    command: CommandOf<A::Launch>,
    limits: Limits,
    reader: LineReader<R>,
    output: W,
    pending_output: OutputBuffer,
    supervisor: Supervisor,
    children: HashMap<ChildId, Handle>,
    sender: mpsc::Sender<Event>,
    budget: LineBudget,
    events: mpsc::Receiver<Event>,
    helpers: HashMap<HelperId, oneshot::Sender<Vec<u8>>>,
    started: Instant,
}

impl<A: Adapter, R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Driver<A, R, W> {
    async fn serve(mut self) {
        loop {
            self.machine.take_output(self.pending_output.buffer());
            while let Some(effect) = self.machine.next_effect() {
                self.act(effect);
            }
            while let Some((helper, line)) = self.machine.next_helper_reply() {
                if let Some(reply) = self.helpers.remove(&helper) {
                    // A helper that is gone does not need it.
                    let _ = reply.send(line);
                }
            }
            let wake = self.machine.wake().and_then(|time| self.started.checked_add(time));
            // Output that the client has not read holds back everything that would add to it.
            let may_read = !self.pending_output.is_full();
            tokio::select! {
                read = self.reader.fill(), if may_read => match read {
                    Ok(true) => self.take_lines(),
                    Ok(false) | Err(_) => return self.drain().await,
                },
                event = self.events.recv(), if may_read => self.take_event(event),
                wrote = self.pending_output.write_next(&mut self.output) => if wrote.is_err() { return },
                () = until(wake) => {
                    let now = self.now();
                    self.machine.tick(now);
                }
            }
        }
    }

    /// Passes all lines of the client that have arrived to the agent.
    fn take_lines(&mut self) {
        let now = self.now();
        while let Some(line) = self.reader.take() {
            match line {
                InputLine::Whole(line) => self.machine.line(now, line),
                InputLine::TooLong(length) => self.machine.overlong(now, length),
            }
        }
    }

    fn take_event(&mut self, event: Option<Event>) {
        let now = self.now();
        match event {
            Some(Event::Line(child, line)) => self.machine.native(now, child, &line.bytes),
            Some(Event::Overlong(child, length)) => self.machine.native_overlong(now, child, length),
            Some(Event::Ended(child, ended)) => {
                self.children.remove(&child);
                self.machine.ended(now, child, &ended);
            }
            Some(Event::HelperRequest(request)) => {
                self.helpers.insert(request.helper, request.reply);
                self.machine.on_helper_request(now, request.helper, &request.line);
            }
            Some(Event::HelperGone(helper)) => {
                self.helpers.remove(&helper);
                self.machine.on_helper_gone(now, helper);
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
                    tracing::warn!(agent = self.name, "a process does not read its input and is ended");
                    handle.end(Duration::ZERO);
                }
            }
            Effect::End { child, drain } => {
                if let Some(handle) = self.children.get_mut(&child) {
                    handle.end(drain);
                }
            }
        }
    }

    fn start(&mut self, child: ChildId, launch: &A::Launch) {
        let spec = (self.command)(launch);
        let (lines, lines_receiver) = mpsc::channel(UNREAD_LINES);
        let (stop_orders, stop_orders_receiver) = mpsc::channel(STOP_ORDERS);
        let run = Run {
            supervisor: self.supervisor.clone(),
            spec,
            wire: self.machine.wire(launch),
            limits: self.limits,
            sink: EventSink::new(child, self.sender.clone(), self.budget.clone()),
            lines: lines_receiver,
            stop_orders: stop_orders_receiver,
        };
        self.children.insert(child, Handle { lines: Some(lines), stop_orders });
        run.start();
    }

    /// Waits a moment after the client's last message: it may still read answers, and processes may exit by themselves.
    async fn drain(mut self) {
        for handle in self.children.values_mut() {
            handle.lines = None;
        }
        let (pending, output) = (&mut self.pending_output, &mut self.output);
        let said = async { while !pending.is_settled() && pending.write_some(output).await.is_ok() {} };
        let (children, events) = (&mut self.children, &mut self.events);
        let left = async {
            while !children.is_empty() {
                if let Some(Event::Ended(child, _)) = events.recv().await {
                    children.remove(&child);
                }
            }
        };
        // After that time nobody needs either.
        let _ = timeout(LAST_WORDS, async { tokio::join!(said, left) }).await;
    }

    fn now(&self) -> Now {
        let unix = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Now { elapsed: self.started.elapsed(), unix }
    }
}
