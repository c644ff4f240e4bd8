//! This process's standard input and output as asynchronous streams.
//!
//! Pipes, which is what a client that starts an agent gives it, are polled directly: no thread per stream, and nothing that
//! keeps the process from ending while a read is pending. Files and terminals cannot be polled and go through tokio's
//! blocking threads.

use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::unix::pipe;

/// Runs an agent on standard input and output, which it takes over.
pub fn run_on_stdio<T>(run: impl AsyncFnOnce(StdinReader, StdoutWriter) -> T) -> io::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    let result = runtime.block_on(async { run(stdin(), StdoutWriter::open()).await });
    // A thread that reads from a terminal cannot be ended, so it must not be waited for.
    runtime.shutdown_background();
    Ok(result)
}

/// Standard input.
pub type StdinReader = Box<dyn AsyncRead + Unpin>;

fn stdin() -> StdinReader {
    match io::stdin().as_fd().try_clone_to_owned().and_then(pipe::Receiver::from_owned_fd) {
        Ok(pipe) => Box::new(pipe),
        Err(_) => Box::new(tokio::io::stdin()),
    }
}

/// Standard output. Shutting it down closes it for good, so that the other side sees its end.
pub struct StdoutWriter(Option<Box<dyn AsyncWrite + Unpin>>);

impl fmt::Debug for StdoutWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StdoutWriter").finish_non_exhaustive()
    }
}

impl StdoutWriter {
    fn open() -> Self {
        Self(Some(match io::stdout().as_fd().try_clone_to_owned().and_then(pipe::Sender::from_owned_fd) {
            Ok(pipe) => Box::new(pipe),
            Err(_) => Box::new(tokio::io::stdout()),
        }))
    }
}

impl AsyncWrite for StdoutWriter {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match &mut self.get_mut().0 {
            Some(output) => Pin::new(output).poll_write(cx, bytes),
            None => Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().0 {
            Some(output) => Pin::new(output).poll_flush(cx),
            None => Poll::Ready(Ok(())),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.as_mut().poll_flush(cx))?;
        self.0 = None;
        // Descriptor 1 itself stays taken, or the next file that is opened would become standard output.
        let nowhere = File::options().write(true).open("/dev/null")?;
        Poll::Ready(rustix::stdio::dup2_stdout(nowhere).map_err(io::Error::from))
    }
}
