//! A stand-in for a collector on loopback: it reads OTLP over HTTP, keeps what it gets, and misbehaves on request.

use crate::wire::{self, Metric, Record, Span};
use anyhow::Result;
use sa_testkit::{Daemon, DaemonBuilder};
use std::collections::BTreeMap;
use std::io::Read;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// The collector's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Manner {
    Takes,
    /// Answers with this status and these header lines.
    Answers(u16, &'static str),
    /// Reads requests and never answers.
    Stalls,
}

#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) path: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
    /// The collector took it.
    pub(crate) taken: bool,
    pub(crate) at: Instant,
}

pub(crate) struct Collector {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

struct State {
    manner: Manner,
    requests: Vec<Request>,
}

impl Collector {
    pub(crate) async fn start() -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let state = Arc::new(Mutex::new(State { manner: Manner::Takes, requests: Vec::new() }));
        let shared = Arc::clone(&state);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let shared = Arc::clone(&shared);
                tokio::spawn(async move {
                    // A connection that breaks is tried again by the exporter.
                    let _ = serve(stream, &shared).await;
                });
            }
        });
        Ok(Self { address, state })
    }

    /// Returns a daemon that exports to it, with short pauses.
    pub(crate) fn daemon(&self) -> DaemonBuilder {
        let builder = Daemon::builder().arg("--otlp-endpoint").arg(&self.url());
        let builder = builder.env("OTEL_BSP_SCHEDULE_DELAY", "20").env("OTEL_BLRP_SCHEDULE_DELAY", "20");
        builder.env("OTEL_METRIC_EXPORT_INTERVAL", "200")
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn behave(&self, manner: Manner) {
        self.state.lock().unwrap().manner = manner;
    }

    pub(crate) fn requests(&self, path: &str) -> Vec<Request> {
        let requests = &self.state.lock().unwrap().requests;
        requests.iter().filter(|request| request.path == path).cloned().collect()
    }

    /// Returns the bodies that it took.
    fn taken(&self, path: &str) -> Vec<Vec<u8>> {
        self.requests(path).into_iter().filter(|request| request.taken).map(|request| request.body).collect()
    }

    pub(crate) fn spans(&self) -> Result<Vec<Span>> {
        let read: Result<Vec<_>> = self.taken("/v1/traces").iter().map(|body| wire::spans(body)).collect();
        Ok(read?.concat())
    }

    pub(crate) fn records(&self) -> Result<Vec<Record>> {
        let read: Result<Vec<_>> = self.taken("/v1/logs").iter().map(|body| wire::records(body)).collect();
        Ok(read?.concat())
    }

    /// Returns the newest readings.
    pub(crate) fn metrics(&self) -> Result<Vec<Metric>> {
        self.taken("/v1/metrics").last().map_or_else(|| Ok(Vec::new()), |body| wire::metrics(body))
    }

    /// Waits for the first span of that name.
    pub(crate) async fn span(&self, name: &str) -> Result<Span> {
        sa_e2e::poll(&format!("a span {name}"), async || {
            Ok(self.spans()?.into_iter().find(|span| span.name == name))
        })
        .await
    }
}

async fn serve(stream: TcpStream, state: &Mutex<State>) -> Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        let mut headers = BTreeMap::new();
        loop {
            line.clear();
            stream.read_line(&mut line).await?;
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            headers.insert(name.to_lowercase(), value.to_owned());
        }
        let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await?;
        if headers.get("content-encoding").is_some_and(|encoding| encoding == "gzip") {
            let mut plain = Vec::new();
            flate2::read::GzDecoder::new(&body[..]).read_to_end(&mut plain)?;
            body = plain;
        }
        let manner = {
            let mut state = state.lock().unwrap();
            let manner = state.manner.clone();
            let (taken, at) = (manner == Manner::Takes, Instant::now());
            state.requests.push(Request { path, headers, body, taken, at });
            manner
        };
        let answer = match manner {
            Manner::Takes => "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n".to_owned(),
            Manner::Answers(status, lines) => {
                format!("HTTP/1.1 {status} No\r\n{lines}content-length: 0\r\n\r\n")
            }
            Manner::Stalls => std::future::pending().await,
        };
        stream.write_all(answer.as_bytes()).await?;
    }
}
