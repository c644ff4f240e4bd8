//! The standard streams of a running process: three pipes, or one terminal.

use crate::scratch::{self, Look};
use sa_api::ProcessLogsStream;
use sa_supervisor::{OnPipes, OnTerminal, Process as Child, Terminal, TerminalSize};
use std::fs::File;
use std::future::pending;
use std::io::{self, Read};
use std::os::fd::AsFd;
use tokio::net::unix::pipe;

/// The byte that ends the input of a program on a terminal when it is typed.
const END_OF_INPUT: u8 = 4;
/// Most that a pipe can still hold once its writers are gone (Linux allows a user 1 MiB). A writer that escaped from
/// the tree could otherwise keep the reader busy forever.
const DRAIN_BYTES: usize = 2 * 1024 * 1024;

pub(crate) enum Streams {
    Pipes { stdin: Option<pipe::Sender>, stdout: Option<pipe::Receiver>, stderr: Option<pipe::Receiver> },
    Terminal { terminal: Terminal, open: bool, takes_input: bool },
}

/// The standard input of a new process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stdin {
    /// Clients write to it and close it.
    Open,
    /// The process reads the end of input at once.
    Empty,
}

impl Streams {
    pub(crate) fn of_pipes(child: OnPipes, input: Stdin) -> (Child, Self) {
        let OnPipes { process, stdin, stdout, stderr } = child;
        let stdin = (input == Stdin::Open).then_some(stdin);
        (process, Self::Pipes { stdin, stdout: Some(stdout), stderr: Some(stderr) })
    }

    pub(crate) fn of_terminal(child: OnTerminal) -> (Child, Self) {
        (child.process, Self::Terminal { terminal: child.terminal, open: true, takes_input: true })
    }

    /// Returns whether more output may come.
    pub(crate) fn has_output(&self) -> bool {
        match self {
            Self::Pipes { stdout, stderr, .. } => stdout.is_some() || stderr.is_some(),
            Self::Terminal { open, .. } => *open,
        }
    }

    /// Returns whether input can be written.
    pub(crate) fn takes_input(&self) -> bool {
        match self {
            Self::Pipes { stdin, .. } => stdin.is_some(),
            Self::Terminal { takes_input, .. } => *takes_input,
        }
    }

    /// Waits until one of the outputs may be read; forever if there is none. Cancel-safe.
    pub(crate) async fn readable(&self) -> ProcessLogsStream {
        match self {
            Self::Pipes { stdout, stderr, .. } => tokio::select! {
                () = ready(stdout.as_ref()) => ProcessLogsStream::Stdout,
                () = ready(stderr.as_ref()) => ProcessLogsStream::Stderr,
            },
            Self::Terminal { terminal, open: true, .. } => {
                // An error shows at the read that follows.
                let _ = terminal.readable().await;
                ProcessLogsStream::Pty
            }
            Self::Terminal { open: false, .. } => pending().await,
        }
    }

    pub(crate) fn read(&mut self, stream: ProcessLogsStream, work: impl FnOnce(&[u8])) {
        match self {
            Self::Pipes { stdout, stderr, .. } => {
                let pipe = if stream == ProcessLogsStream::Stderr { stderr } else { stdout };
                let look = pipe
                    .as_ref()
                    .map_or(Look::End, |pipe| scratch::read(|buffer| pipe.try_read(buffer), work));
                if look == Look::End {
                    *pipe = None;
                }
            }
            Self::Terminal { terminal, open, .. } => {
                *open = scratch::read(|buffer| terminal.try_read(buffer), work) != Look::End;
            }
        }
    }

    /// Reads the rest of all outputs once the writers are gone, and closes them. It reads the descriptors directly, as
    /// the runtime may not know of the last bytes yet.
    pub(crate) fn drain(&mut self, mut work: impl FnMut(ProcessLogsStream, &[u8])) {
        match self {
            Self::Pipes { stdout, stderr, .. } => {
                for (stream, pipe) in
                    [(ProcessLogsStream::Stdout, stdout.take()), (ProcessLogsStream::Stderr, stderr.take())]
                {
                    let file = pipe.map(|pipe| pipe.as_fd().try_clone_to_owned().map(File::from));
                    let Some(Ok(mut file)) = file else { continue };
                    drain(|buffer| file.read(buffer), |bytes| work(stream, bytes));
                }
            }
            Self::Terminal { terminal, open, .. } => {
                if *open {
                    drain(|buffer| terminal.read_now(buffer), |bytes| work(ProcessLogsStream::Pty, bytes));
                }
                *open = false;
            }
        }
    }

    /// Waits until input may be written; forever if none can. Cancel-safe.
    pub(crate) async fn writable(&self) {
        match self {
            Self::Pipes { stdin: Some(stdin), .. } => drop(stdin.writable().await),
            Self::Terminal { terminal, takes_input: true, .. } => drop(terminal.writable().await),
            Self::Pipes { stdin: None, .. } | Self::Terminal { .. } => pending().await,
        }
    }

    pub(crate) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Pipes { stdin: Some(stdin), .. } => stdin.try_write(bytes),
            Self::Terminal { terminal, .. } => terminal.try_write(bytes),
            Self::Pipes { stdin: None, .. } => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Returns the byte that ends the input on a terminal.
    pub(crate) fn end_of_input(&self) -> Option<u8> {
        matches!(self, Self::Terminal { .. }).then_some(END_OF_INPUT)
    }

    pub(crate) fn close_input(&mut self) {
        match self {
            Self::Pipes { stdin, .. } => *stdin = None,
            Self::Terminal { takes_input, .. } => *takes_input = false,
        }
    }

    /// Notes the exit of the process itself: the output now ends with the last process that holds it.
    pub(crate) fn release(&mut self) {
        self.close_input();
        if let Self::Terminal { terminal, .. } = self {
            terminal.release();
        }
    }

    /// Resizes the terminal; `None` if there is none.
    pub(crate) fn resize(&self, size: TerminalSize) -> Option<io::Result<()>> {
        match self {
            Self::Pipes { .. } => None,
            Self::Terminal { terminal, .. } => Some(terminal.resize(size)),
        }
    }
}

/// Repeats `read` until nothing is left or more came than the writers can have left behind.
fn drain(mut read: impl FnMut(&mut [u8]) -> io::Result<usize>, mut work: impl FnMut(&[u8])) {
    let mut taken = 0;
    let mut look = Look::Data;
    while look == Look::Data && taken < DRAIN_BYTES {
        look = scratch::read(&mut read, |bytes| {
            taken += bytes.len();
            work(bytes);
        });
    }
}

async fn ready(pipe: Option<&pipe::Receiver>) {
    match pipe {
        // An error shows at the read that follows.
        Some(pipe) => drop(pipe.readable().await),
        None => pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_writer_that_never_stops_does_not_hold_the_reader() {
        let mut read = 0;
        drain(|_| Ok(1000), |bytes| read += bytes.len());
        assert!((DRAIN_BYTES..DRAIN_BYTES + 1000).contains(&read), "{read}");
    }

    #[test]
    fn the_rest_of_the_output_is_read_to_its_end() {
        let mut reads = [Ok(1), Ok(1), Err(io::ErrorKind::WouldBlock.into())].into_iter();
        drain(|_| reads.next().unwrap_or(Ok(0)), |_| {});
        assert!(reads.next().is_none());
    }
}
