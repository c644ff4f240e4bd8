//! One keep-alive HTTP/1.1 connection of the load generator.

use crate::Decoder;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

/// No answer of any scenario takes this long; a socket that does is reported instead of waited for.
const PATIENCE: Duration = Duration::from_secs(90);

/// A connection with at most one request under way.
#[derive(Debug)]
pub struct Connection {
    socket: TcpStream,
    decoder: Decoder,
}

/// The state of a response after a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// More is to come.
    Open,
    /// The response is complete; the connection can take the next request.
    Complete,
    /// The peer closed the connection where a response may end.
    Closed,
}

/// A whole response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub body: Vec<u8>,
}

impl Connection {
    /// Connects; reads and writes fail after a minute and a half without progress.
    pub fn open(address: SocketAddr) -> io::Result<Self> {
        let socket = TcpStream::connect(address)?;
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(PATIENCE))?;
        socket.set_write_timeout(Some(PATIENCE))?;
        Ok(Self { socket, decoder: Decoder::default() })
    }

    /// Sends a request and expects its response from now on.
    pub fn send(&mut self, request: &[u8]) -> io::Result<()> {
        self.decoder.restart();
        self.socket.write_all(request)
    }

    pub fn send_more(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.socket.write_all(bytes)
    }

    /// Reads once, into a buffer that connections may share, and gives the body's bytes to `sink`.
    pub fn read(&mut self, scratch: &mut [u8], sink: impl FnMut(&[u8])) -> io::Result<Progress> {
        let count = self.socket.read(scratch)?;
        if count == 0 {
            return if self.decoder.may_close() {
                Ok(Progress::Closed)
            } else {
                Err(io::ErrorKind::UnexpectedEof.into())
            };
        }
        self.decoder.push(&scratch[..count], sink)?;
        Ok(if self.decoder.is_done() { Progress::Complete } else { Progress::Open })
    }

    /// Returns the status of the response, once its head has come.
    pub fn status(&self) -> Option<u16> {
        self.decoder.status()
    }

    /// Reads until the head has come and returns its status; body bytes that came along go to `sink`.
    pub fn head(&mut self, scratch: &mut [u8], mut sink: impl FnMut(&[u8])) -> io::Result<u16> {
        loop {
            if let Some(status) = self.status() {
                return Ok(status);
            }
            self.read(scratch, &mut sink)?;
        }
    }

    /// Reads the rest of the response.
    pub fn finish(&mut self, scratch: &mut [u8]) -> io::Result<Answer> {
        let mut body = Vec::new();
        while !self.decoder.is_done() {
            if self.read(scratch, |part| body.extend_from_slice(part))? == Progress::Closed {
                break;
            }
        }
        Ok(Answer { status: self.status().unwrap_or(0), body })
    }

    /// Sends a request and waits for the whole response.
    pub fn exchange(&mut self, request: &[u8], scratch: &mut [u8]) -> io::Result<Answer> {
        self.send(request)?;
        self.finish(scratch)
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
