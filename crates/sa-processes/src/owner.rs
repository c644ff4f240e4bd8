//! The owner of one process: the only task that reads its output, writes its input and resizes its terminal.
//!
//! ```text
//!  running ──exit of the process──► ending ──all output read, or its tree gone──► ended
//! ```
//!
//! Others see `ended` only when the log is complete, so a caller that waits for the end and then reads gets
//! everything.

use crate::error::{InputError, ResizeError};
use crate::handle::{AfterInput, Ended};
use crate::input::{Input, QueuedInput};
use crate::limits::{READER_LAG_BYTES, READER_STALL};
use crate::registry::{Registry, Slot};
use crate::shared::Shared;
use crate::streams::Streams;
use bytes::Bytes;
use sa_api::ProcessLogsStream;
use sa_supervisor::{Exit, Process as Child, TerminalSize};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

/// A request to an owner.
pub(crate) enum ProcessCommand {
    /// Write this, and then perhaps close the input.
    Input {
        piece: QueuedInput,
        after: AfterInput,
        reply: oneshot::Sender<Result<(), InputError>>,
    },
    Resize {
        size: TerminalSize,
        reply: oneshot::Sender<Result<(), ResizeError>>,
    },
}

pub(crate) struct Owner {
    pub(crate) id: String,
    pub(crate) child: Child,
    pub(crate) streams: Streams,
    pub(crate) commands: mpsc::Receiver<ProcessCommand>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) registry: Arc<Registry>,
    /// The process's place among those that run.
    pub(crate) slot: Slot,
    pub(crate) input: Input,
}

impl Owner {
    /// Runs until the process has ended and its output is complete.
    pub(crate) async fn run(mut self) {
        let child = self.child.clone();
        let mut exit = None;
        while exit.is_none() || self.streams.has_output() {
            let hold = self.shared.journal.hold(READER_LAG_BYTES, READER_STALL);
            let held = hold.map(|hold| Instant::from_std(hold.until));
            tokio::select! {
                ended = child.wait(), if exit.is_none() => {
                    self.streams.release();
                    self.input.give_up();
                    exit = Some(ended);
                }
                () = child.gone(), if exit.is_some() => {
                    let shared = &self.shared;
                    self.streams.drain(|stream, bytes| shared.append(stream, Bytes::copy_from_slice(bytes)));
                }
                stream = self.streams.readable(), if held.is_none() => self.read(stream),
                () = self.streams.writable(), if !self.input.is_empty() => self.write(),
                Some(command) = self.commands.recv() => self.command(command),
                () = self.shared.journal.nudged(), if held.is_some() => {}
                () = tokio::time::sleep_until(held.unwrap_or_else(Instant::now)), if held.is_some() => {}
            }
        }
        self.finish(exit).await;
    }

    fn read(&mut self, stream: ProcessLogsStream) {
        let shared = &self.shared;
        self.streams.read(stream, |bytes| shared.append(stream, Bytes::copy_from_slice(bytes)));
    }

    fn write(&mut self) {
        let streams = &self.streams;
        if let Err(error) = self.input.write(|bytes| streams.try_write(bytes)) {
            tracing::debug!(process = %self.id, %error, "a process takes no more input");
            self.input.give_up();
        }
        if self.input.is_over() {
            self.streams.close_input();
        }
    }

    fn command(&mut self, command: ProcessCommand) {
        // Nobody waits for the answer any more: that is fine, too.
        match command {
            ProcessCommand::Input { piece, after, reply } => {
                let _ = reply.send(self.accept(piece, after));
            }
            ProcessCommand::Resize { size, reply } => {
                let resized = self.streams.resize(size).ok_or(ResizeError::NoTerminal);
                let _ = reply.send(resized.and_then(|done| done.map_err(ResizeError::from)));
            }
        }
    }

    fn accept(&mut self, piece: QueuedInput, after: AfterInput) -> Result<(), InputError> {
        if !self.streams.takes_input() || !self.input.is_open() {
            return Err(InputError::Closed);
        }
        match self.streams.end_of_input().filter(|_| after == AfterInput::Closed) {
            Some(key) => {
                let QueuedInput { bytes, _room } = piece;
                // After an unfinished line the key only hands the line over; the second one ends the input.
                let is_unfinished = bytes.last().is_some_and(|last| !matches!(last, b'\n' | b'\r'));
                let keys = std::iter::repeat_n(key, if is_unfinished { 2 } else { 1 });
                let typed: Vec<u8> = bytes.iter().copied().chain(keys).collect();
                self.input.push(QueuedInput { bytes: typed.into(), _room });
            }
            None => {
                self.input.push(piece);
                if after == AfterInput::Closed {
                    self.input.finish();
                }
            }
        }
        self.write();
        Ok(())
    }

    async fn finish(self, exit: Option<Exit>) {
        let Self { id, child, mut commands, shared, registry, slot, .. } = self;
        let exit = exit.unwrap_or(Exit { code: None, signal: None });
        tracing::info!(process = %id, pid = child.pid(), code = exit.code, signal = exit.signal, "process ended");
        commands.close();
        // Its place is free, and it counts as ended, before anybody can see that: who waits for it may start the next.
        drop(slot);
        registry.ended(&id);
        shared.end(Ended::now(&child, exit));
        // Waits for senders that have their place in the queue already: what they put there after it was dropped would never
        // be answered.
        while commands.recv().await.is_some() {}
    }
}
