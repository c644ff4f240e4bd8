//! The standard streams of a running agent, and waiting on them.

use crate::inbox::Inbox;
use sa_supervisor::{Exit, Process};
use std::cell::RefCell;
use std::future::{Future, pending};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::unix::pipe;

/// A running agent as its owner holds it.
pub(crate) struct Pipes {
    pub(crate) process: Process,
    stdin: Option<pipe::Sender>,
    stdout: Option<pipe::Receiver>,
    pub(crate) inbox: Inbox,
}

/// The result of a read.
pub(crate) enum Output<T> {
    /// Something was read and worked on.
    Data(T),
    Nothing,
    /// The agent will write no more.
    End,
}

/// The way to find out that there is something to read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Readiness {
    /// The runtime, which knows without a system call when there is nothing.
    Runtime,
    /// The system: the runtime may not have heard yet of the last bytes of an agent that has ended.
    System,
}

/// Resolves with the agent's exit.
pub(crate) type ExitWait = Pin<Box<dyn Future<Output = Exit> + Send>>;

/// Bytes of one read; also the size of the segments of a fast agent.
const READ_BYTES: usize = 256 * 1024;

thread_local! {
    /// One buffer for each worker thread, not for each agent: idle agents cost nothing.
    static SCRATCH: RefCell<Vec<u8>> = RefCell::new(vec![0; READ_BYTES]);
}

impl Pipes {
    pub(crate) fn new(spawned: sa_supervisor::Spawned) -> Self {
        let sa_supervisor::Spawned { process, stdin, stdout } = spawned;
        Self { process, stdin: Some(stdin), stdout: Some(stdout), inbox: Inbox::default() }
    }

    /// Returns whether messages can be written.
    pub(crate) fn takes_input(&self) -> bool {
        self.stdin.is_some()
    }

    /// Returns whether output may still come.
    pub(crate) fn has_output(&self) -> bool {
        self.stdout.is_some()
    }

    pub(crate) fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Writes what has gathered. An agent that closed its input takes no more.
    pub(crate) fn write(&mut self) -> io::Result<()> {
        let Some(stdin) = &self.stdin else { return Ok(()) };
        let result = self.inbox.write_to(stdin);
        if result.is_err() {
            self.stdin = None;
            self.inbox = Inbox::default();
        }
        result
    }

    /// Reads what is there, once, and hands it to `work`.
    pub(crate) fn read<T>(&mut self, asked: Readiness, work: impl FnOnce(&[u8]) -> T) -> Output<T> {
        let Some(stdout) = &mut self.stdout else { return Output::End };
        let mut read = |buffer: &mut [u8]| match asked {
            Readiness::Runtime => read_ready(stdout, buffer),
            Readiness::System => Ok(rustix::io::read(&*stdout, buffer)?),
        };
        let ended = SCRATCH.with_borrow_mut(|buffer| match read(buffer) {
            Ok(0) => Err(None),
            Ok(length) => Ok(Output::Data(work(buffer.get(..length).unwrap_or_default()))),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Output::Nothing),
            Err(error) => Err(Some(error)),
        });
        ended.unwrap_or_else(|error| {
            if let Some(error) = error {
                tracing::warn!(%error, "reading an agent's output failed");
            }
            self.stdout = None;
            Output::End
        })
    }
}

/// Reads what is there. Unlike `try_read` this takes a read that leaves room in the buffer for the last one until the system
/// reports more, which spares the read that finds nothing.
fn read_ready(stdout: &mut pipe::Receiver, buffer: &mut [u8]) -> io::Result<usize> {
    let mut buffer = ReadBuf::new(buffer);
    // The owner waits for the pipe by other means, so nobody has to be woken.
    match Pin::new(stdout).poll_read(&mut Context::from_waker(Waker::noop()), &mut buffer) {
        Poll::Ready(read) => read.map(|()| buffer.filled().len()),
        Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
    }
}

/// Resolves when the agent's output can be read; never without an agent.
pub(crate) async fn readable(pipes: Option<&Pipes>) {
    match pipes.and_then(|pipes| pipes.stdout.as_ref()) {
        // An error shows at the read that follows.
        Some(stdout) => drop(stdout.readable().await),
        None => pending().await,
    }
}

/// Resolves when something waits to be written and the agent takes it.
pub(crate) async fn writable(pipes: Option<&Pipes>) {
    match pipes.filter(|pipes| !pipes.inbox.is_empty()).and_then(|pipes| pipes.stdin.as_ref()) {
        Some(stdin) => drop(stdin.writable().await),
        None => pending().await,
    }
}
