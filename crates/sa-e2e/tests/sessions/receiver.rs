//! A receiver of webhooks on loopback: a plain HTTP server that notes what it was sent.

use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// One delivery as it came.
#[derive(Debug, Clone)]
pub(crate) struct Delivery {
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Delivery {
    pub(crate) fn json(&self) -> Result<Value> {
        serde_json::from_slice(&self.body).context("a delivery that is no JSON")
    }
}

/// A receiver that refuses its first deliveries and takes the others.
pub(crate) struct Receiver {
    address: SocketAddr,
    deliveries: Arc<Mutex<Vec<Delivery>>>,
}

impl Receiver {
    pub(crate) async fn start(refusals: usize) -> Result<Self> {
        Self::start_slow(refusals, Duration::ZERO).await
    }

    /// Starts a receiver with a pause before each answer.
    pub(crate) async fn start_slow(refusals: usize, pause: Duration) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let deliveries: Arc<Mutex<Vec<Delivery>>> = Arc::default();
        let kept = Arc::clone(&deliveries);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let kept = Arc::clone(&kept);
                tokio::spawn(async move {
                    // The sender retries after a broken connection.
                    let _ = serve(stream, refusals, pause, kept).await;
                });
            }
        });
        Ok(Self { address, deliveries })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook?key=hidden", self.address)
    }

    pub(crate) fn deliveries(&self) -> Vec<Delivery> {
        self.deliveries.lock().unwrap().clone()
    }
}

async fn serve(
    stream: TcpStream,
    refusals: usize,
    pause: Duration,
    kept: Arc<Mutex<Vec<Delivery>>>,
) -> Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let mut headers = BTreeMap::new();
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        loop {
            line.clear();
            stream.read_line(&mut line).await?;
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            headers.insert(name.to_lowercase(), value.to_owned());
        }
        let length: usize = headers.get("content-length").context("a length")?.parse()?;
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await?;
        let count = {
            let mut kept = kept.lock().unwrap();
            kept.push(Delivery { headers, body });
            kept.len()
        };
        tokio::time::sleep(pause).await;
        let status = if count <= refusals { "503 Service Unavailable" } else { "204 No Content" };
        let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
        stream.get_mut().write_all(answer.as_bytes()).await?;
    }
}
