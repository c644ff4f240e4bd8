//! This process's standard input and output as asynchronous streams.
//!
//! Pipes, which is what a client that starts an agent gives it, are polled directly: no thread per stream, and nothing that
//! keeps the process from ending while a read is pending. Files and terminals cannot be polled and go through tokio's
//! blocking threads.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::unix::pipe;

/// Standard input.
#[derive(Debug)]
pub struct StdinReader(Input);

#[derive(Debug)]
enum Input {
    Pipe(pipe::Receiver),
    Other(tokio::io::Stdin),
}

impl StdinReader {
    /// Takes standard input over. Must be called within a tokio runtime.
    pub fn open() -> Self {
        let pipe = io::stdin().as_fd().try_clone_to_owned().and_then(pipe::Receiver::from_owned_fd);
        Self(pipe.map_or_else(|_| Input::Other(tokio::io::stdin()), Input::Pipe))
    }
}

impl AsyncRead for StdinReader {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().0 {
            Input::Pipe(pipe) => Pin::new(pipe).poll_read(cx, buf),
            Input::Other(stdin) => Pin::new(stdin).poll_read(cx, buf),
        }
    }
}

/// Standard output. Shutting it down closes it for good, so that the other side sees its end.
#[derive(Debug)]
pub struct StdoutWriter(Output);

#[derive(Debug)]
enum Output {
    Pipe(pipe::Sender),
    Other(tokio::io::Stdout),
    Closed,
}

impl StdoutWriter {
    /// Takes standard output over. Must be called within a tokio runtime.
    pub fn open() -> Self {
        let pipe = io::stdout().as_fd().try_clone_to_owned().and_then(pipe::Sender::from_owned_fd);
        Self(pipe.map_or_else(|_| Output::Other(tokio::io::stdout()), Output::Pipe))
    }
}

impl AsyncWrite for StdoutWriter {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match &mut self.get_mut().0 {
            Output::Pipe(pipe) => Pin::new(pipe).poll_write(cx, bytes),
            Output::Other(stdout) => Pin::new(stdout).poll_write(cx, bytes),
            Output::Closed => Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().0 {
            Output::Pipe(pipe) => Pin::new(pipe).poll_flush(cx),
            Output::Other(stdout) => Pin::new(stdout).poll_flush(cx),
            Output::Closed => Poll::Ready(Ok(())),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if let Output::Other(stdout) = &mut this.0 {
            std::task::ready!(Pin::new(stdout).poll_flush(cx))?;
        }
        this.0 = Output::Closed;
        // Descriptor 1 itself stays taken, or the next file that is opened would become standard output.
        let nowhere = File::options().write(true).open("/dev/null")?;
        Poll::Ready(rustix::stdio::dup2_stdout(nowhere).map_err(io::Error::from))
    }
}
