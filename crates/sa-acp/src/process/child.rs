//! One process of a vendor's CLI: started, written to, read from, ended.

use crate::process::children::{ChildId, Ended};
use crate::process::limits::Limits;
use crate::process::permission_socket::{HelperId, HelperRequest};
use crate::process::wire::{EventSink, WaitingLine, Wire, WireChannels};
use crate::protocol::clock::until;
use crate::protocol::lines::{InputLine, LineReader, MAX_LINE};
use sa_supervisor::{CommandSpec, Exit, Process, Spawned, Supervisor};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};

/// The time for which the output of a process that exited is still read if another process keeps it open.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// An event of a process, or of a helper at the permission socket, with the id of its source.
#[derive(Debug)]
pub(crate) enum Event {
    Line(ChildId, WaitingLine),
    Overlong(ChildId, u64),
    Ended(ChildId, Ended),
    HelperRequest(HelperRequest),
    HelperGone(HelperId),
}

/// The number of lines that a wire may leave unread. Each may be long.
const PRINTED: usize = 1;

pub(crate) struct Run {
    pub(crate) supervisor: Supervisor,
    pub(crate) spec: CommandSpec,
    /// The connection, if not over the standard streams.
    pub(crate) wire: Option<Wire>,
    pub(crate) limits: Limits,
    pub(crate) sink: EventSink,
    /// Lines for the standard input, which is closed with this channel.
    pub(crate) lines: mpsc::Receiver<Vec<u8>>,
    /// Orders to end the process, each with the time that it gets to exit by itself.
    pub(crate) stop_orders: mpsc::Receiver<Duration>,
}

impl Run {
    /// Starts the process in a task of its own. The driver is generic and must not spawn the task itself: every adapter would
    /// get a copy of its code.
    pub(crate) fn start(self) {
        tokio::spawn(self.run());
    }

    /// Runs the process until it exited and all its output was passed on.
    async fn run(self) {
        let Self { supervisor, spec, wire, limits, sink, lines, stop_orders } = self;
        let Spawned { process, stdin, stdout } = match supervisor.spawn(spec).await {
            Ok(spawned) => spawned,
            Err(error) => {
                let ended = Ended { not_started: Some(error.to_string()), ..Ended::default() };
                return sink.send_end(ended).await;
            }
        };
        tokio::spawn(stop_on_order(process.clone(), stop_orders, limits.grace));
        let exit = match wire {
            None => {
                let writer = tokio::spawn(write(stdin, lines));
                read(&process, stdout, &Listener::Events(&sink)).await;
                let exit = exit_of(&process, limits).await;
                writer.abort();
                exit
            }
            Some(wire) => {
                drop(stdin);
                let (printed, receiver) = mpsc::channel(PRINTED);
                let channels = WireChannels { printed: receiver, lines, sink: sink.clone() };
                let mut wire = tokio::spawn(wire(channels));
                read(&process, stdout, &Listener::Wire(printed)).await;
                let exit = exit_of(&process, limits).await;
                // Lines in transit may still arrive.
                if timeout(LAST_WORDS, &mut wire).await.is_err() {
                    wire.abort();
                }
                exit
            }
        };
        let ended =
            Ended { not_started: None, code: exit.code, signal: exit.signal, stderr: process.stderr_tail() };
        sink.send_end(ended).await;
    }
}

/// The receiver of the standard output of a process.
enum Listener<'a> {
    Events(&'a EventSink),
    Wire(mpsc::Sender<Vec<u8>>),
}

impl Listener<'_> {
    /// Passes a line on. Waits while the receiver does not keep up, and with it the process. Returns `false` if it is gone.
    async fn pass(&self, line: InputLine<'_>) -> bool {
        match (self, line) {
            (Self::Events(sink), InputLine::Whole(line)) => sink.send_line(line.to_vec()).await,
            (Self::Events(sink), InputLine::TooLong(length)) => sink.send_overlong(length).await,
            (Self::Wire(printed), InputLine::Whole(line)) => printed.send(line.to_vec()).await.is_ok(),
            (Self::Wire(_), InputLine::TooLong(_)) => true,
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
        let passing = Instant::now();
        while let Some(line) = reader.take() {
            if !listener.pass(line).await {
                return;
            }
        }
        // The time for which the receiver does not keep up does not count.
        deadline = deadline.map(|deadline| deadline + passing.elapsed());
    }
}

/// Waits for the exit of a process that wrote all its output, and stops it if it does not exit in time.
async fn exit_of(process: &Process, limits: Limits) -> Exit {
    match timeout(limits.exit, process.wait()).await {
        Ok(exit) => exit,
        Err(_) => {
            tracing::warn!(pid = process.pid(), "a process closed its output, does not exit and is stopped");
            process.stop(limits.grace).await
        }
    }
}

/// Writes lines until the channel is closed. A process that closed its input has exited or will.
async fn write(mut stdin: pipe::Sender, mut lines: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = lines.recv().await {
        if stdin.write_all(&line).await.is_err() {
            return;
        }
    }
}

/// Ends the process if it does not exit in the time that an order leaves it. The shortest time counts.
async fn stop_on_order(process: Process, mut stop_orders: mpsc::Receiver<Duration>, grace: Duration) {
    let mut deadline: Option<Instant> = None;
    loop {
        tokio::select! {
            drain = stop_orders.recv() => match drain {
                Some(drain) => {
                    let until = Instant::now() + drain;
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

#[cfg(test)]
mod tests;
