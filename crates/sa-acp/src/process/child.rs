//! One process of a vendor's CLI: started, written to, read from, ended.

use crate::process::children::{ChildId, Ended};
use crate::process::permission_socket::{Visit, VisitorId};
use crate::process::wire::{Agent, Ends, Wire};
use crate::protocol::lines::{LineReader, MAX_LINE};
use sa_jsonrpc::Line;
use sa_supervisor::{CommandSpec, Process, Spawned, Supervisor};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};

/// How long a process that has ended may leave its output open to others before that is read no more.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// An event of a process, or of a visitor at the permission socket, bound to its source by an id.
#[derive(Debug)]
pub(crate) enum Event {
    Line(ChildId, Vec<u8>),
    Overlong(ChildId, u64),
    Ended(ChildId, Ended),
    Visit(Visit),
    Left(VisitorId),
}

/// Lines that a wire may leave unread.
const PRINTED: usize = 8;

/// What a process is run with.
pub(crate) struct Run {
    pub(crate) supervisor: Supervisor,
    pub(crate) child: ChildId,
    pub(crate) spec: CommandSpec,
    /// How it is talked to, if not over its standard streams.
    pub(crate) wire: Option<Wire>,
    pub(crate) grace: Duration,
    pub(crate) events: mpsc::Sender<Event>,
    /// Lines for its input, which is closed when no more can come.
    pub(crate) lines: mpsc::Receiver<Vec<u8>>,
    /// Orders to end it, each with the time that it has to end by itself.
    pub(crate) ends: mpsc::Receiver<Duration>,
}

impl Run {
    /// Starts the process in a task of its own. The driver is generic and must not spawn the task itself: every adapter would
    /// get a copy of its code.
    pub(crate) fn start(self) {
        tokio::spawn(self.attend());
    }

    /// Attends to the process until it has ended and all that it wrote was passed on.
    async fn attend(self) {
        let Self { supervisor, child, spec, wire, grace, events, lines, ends } = self;
        let Spawned { process, stdin, stdout } = match supervisor.spawn(spec).await {
            Ok(spawned) => spawned,
            Err(error) => {
                let ended = Ended { not_started: Some(error.to_string()), ..Ended::default() };
                // Nobody listens any more: the agent is ending.
                let _ = events.send(Event::Ended(child, ended)).await;
                return;
            }
        };
        tokio::spawn(end(process.clone(), ends, grace));
        let exit = match wire {
            None => {
                let writer = tokio::spawn(write(stdin, lines));
                read(&process, stdout, &Listener::Agent(child, &events)).await;
                let exit = process.wait().await;
                writer.abort();
                exit
            }
            Some(wire) => {
                drop(stdin);
                let (printed, receiver) = mpsc::channel(PRINTED);
                let agent = Agent { child, events: events.clone() };
                let mut wire = tokio::spawn(wire(Ends { printed: receiver, lines, agent }));
                read(&process, stdout, &Listener::Wire(printed)).await;
                let exit = process.wait().await;
                // What it was carrying may still arrive.
                if timeout(LAST_WORDS, &mut wire).await.is_err() {
                    wire.abort();
                }
                exit
            }
        };
        let ended =
            Ended { not_started: None, code: exit.code, signal: exit.signal, stderr: process.stderr_tail() };
        let _ = events.send(Event::Ended(child, ended)).await;
    }
}

/// Who gets what a process writes to its standard output.
enum Listener<'a> {
    Agent(ChildId, &'a mpsc::Sender<Event>),
    Wire(mpsc::Sender<Vec<u8>>),
}

impl Listener<'_> {
    /// Waits while the listener does not keep up, and with it the process; `false` if it is gone.
    async fn hear(&self, line: Line<'_>) -> bool {
        match (self, line) {
            (Self::Agent(child, events), Line::Whole(line)) => {
                events.send(Event::Line(*child, line.to_vec())).await.is_ok()
            }
            (Self::Agent(child, events), Line::TooLong(length)) => {
                events.send(Event::Overlong(*child, length)).await.is_ok()
            }
            (Self::Wire(printed), Line::Whole(line)) => printed.send(line.to_vec()).await.is_ok(),
            (Self::Wire(_), Line::TooLong(_)) => true,
        }
    }
}

/// Passes lines on until the output ends, or the process has ended and somebody else keeps its output open.
async fn read(process: &Process, stdout: pipe::Receiver, listener: &Listener<'_>) {
    let mut reader = LineReader::new(stdout, MAX_LINE);
    let mut deadline: Option<Instant> = None;
    loop {
        tokio::select! {
            filled = reader.fill() => if !matches!(filled, Ok(true)) { return },
            _ = process.wait(), if deadline.is_none() => {
                deadline = Some(Instant::now() + LAST_WORDS);
                continue;
            }
            () = until(deadline) => return,
        }
        while let Some(line) = reader.take() {
            if !listener.hear(line).await {
                return;
            }
        }
    }
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// Writes lines until no more can come. A process that closed its input has ended or will.
async fn write(mut stdin: pipe::Sender, mut lines: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = lines.recv().await {
        if stdin.write_all(&line).await.is_err() {
            return;
        }
    }
}

/// Ends the process when it was told to and does not do so by itself. The shortest time counts.
async fn end(process: Process, mut ends: mpsc::Receiver<Duration>, grace: Duration) {
    let mut deadline: Option<Instant> = None;
    loop {
        tokio::select! {
            farewell = ends.recv() => match farewell {
                Some(farewell) => {
                    let until = Instant::now() + farewell;
                    deadline = Some(deadline.map_or(until, |deadline| deadline.min(until)));
                }
                // The agent is ending, and ends all of its processes.
                None => return,
            },
            () = until(deadline) => {
                process.stop(grace).await;
                return;
            }
            _ = process.wait() => return,
        }
    }
}
