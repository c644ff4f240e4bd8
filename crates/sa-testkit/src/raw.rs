//! A bare TCP connection for what no HTTP client would send or leave unread.

use crate::http::Http;
use crate::wait::within;
use anyhow::{Context, Result, bail};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A connection that reads only on request.
pub struct RawConnection {
    stream: TcpStream,
    read: Vec<u8>,
}

impl RawConnection {
    /// Connects and does nothing.
    pub async fn connect(http: &Http) -> Result<Self> {
        Ok(Self::new(http.socket(None).await?))
    }

    pub(crate) fn new(stream: TcpStream) -> Self {
        Self { stream, read: Vec::new() }
    }

    pub async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.stream.write_all(bytes).await.context("writing to the server")
    }

    /// Ends the sending side.
    pub async fn finish_writing(&mut self) -> Result<()> {
        self.stream.shutdown().await.context("ending the request")
    }

    /// Drops everything that comes from now on before the system answers it, as if this machine had lost its network.
    pub fn vanish(&self) -> Result<()> {
        /// Ends the filter and keeps as many bytes of a packet as its operand says.
        const RETURN: u16 = 0x06;
        let drop_all = [socket2::SockFilter::new(RETURN, 0, 0, 0)];
        socket2::SockRef::from(&self.stream).attach_filter(&drop_all).context("dropping what comes")
    }

    /// Reads until these bytes have come; returns all bytes up to and with them, and keeps the rest.
    pub async fn read_until(&mut self, end: &[u8], deadline: Duration) -> Result<Vec<u8>> {
        within(&format!("{:?}", String::from_utf8_lossy(end)), deadline, async {
            loop {
                if let Some(at) = memchr::memmem::find(&self.read, end) {
                    return Ok(self.read.drain(..at + end.len()).collect());
                }
                if self.stream.read_buf(&mut self.read).await? == 0 {
                    bail!("closed after {:?}", String::from_utf8_lossy(&self.read));
                }
            }
        })
        .await?
    }

    /// Reads until the server closes; a reset counts as closing.
    pub async fn read_to_end(&mut self, deadline: Duration) -> Result<Vec<u8>> {
        within("the server to close the connection", deadline, async {
            while matches!(self.stream.read_buf(&mut self.read).await, Ok(read) if read > 0) {}
        })
        .await?;
        Ok(std::mem::take(&mut self.read))
    }
}
