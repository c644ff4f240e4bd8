//! A connection whose reading side can be slowed down and stopped, to be a bad reader on purpose.

use parking_lot::{Mutex, MutexGuard};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

/// The speed at which a connection reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// As fast as it can.
    Free,
    /// This many bytes, then a pause.
    Slow {
        bytes: usize,
        pause: Duration,
    },
    Stalled,
}

/// Sets the pace of one connection, also while it reads.
#[derive(Debug, Clone)]
pub struct PaceControl(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    pace: Pace,
    waker: Option<Waker>,
}

impl PaceControl {
    pub(crate) fn new(pace: Pace) -> Self {
        Self(Arc::new(Mutex::new(State { pace, waker: None })))
    }

    /// Reads like this from now on.
    pub fn set(&self, pace: Pace) {
        let mut state = self.state();
        state.pace = pace;
        if let Some(waker) = state.waker.take() {
            waker.wake();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock()
    }

    fn poll(&self, cx: &Context<'_>) -> Pace {
        let mut state = self.state();
        state.waker = Some(cx.waker().clone());
        state.pace
    }
}

/// The stream that keeps to it.
pub(crate) struct Paced {
    stream: TcpStream,
    control: PaceControl,
    rest: Option<Pin<Box<Sleep>>>,
}

impl Paced {
    pub(crate) fn new(stream: TcpStream, control: PaceControl) -> Self {
        Self { stream, control, rest: None }
    }

    fn read_slowly(
        &mut self,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
        bytes: usize,
        pause: Duration,
    ) -> Poll<io::Result<()>> {
        if let Some(rest) = &mut self.rest {
            ready!(rest.as_mut().poll(cx));
        }
        let mut piece = vec![0; bytes.clamp(1, into.remaining().max(1))];
        let mut limited = ReadBuf::new(&mut piece);
        ready!(Pin::new(&mut self.stream).poll_read(cx, &mut limited))?;
        into.put_slice(limited.filled());
        self.rest = Some(Box::pin(tokio::time::sleep(pause)));
        Poll::Ready(Ok(()))
    }
}

impl AsyncRead for Paced {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.control.poll(cx) {
            Pace::Free => {
                self.rest = None;
                Pin::new(&mut self.stream).poll_read(cx, into)
            }
            Pace::Slow { bytes, pause } => self.read_slowly(cx, into, bytes, pause),
            Pace::Stalled => Poll::Pending,
        }
    }
}

impl AsyncWrite for Paced {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
