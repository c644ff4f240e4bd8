//! A server that receives deliveries and sends scripted answers, byte by byte.

use sa_api::sessions::WebhookDelivery;
use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The reaction of a server to a request.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// A status, with these header lines.
    Status(u16, String),
    /// These bytes, and the end of the connection.
    Bytes(Vec<u8>),
    /// A status, and a body without an end.
    Endless(u16),
    Silence,
}

impl Answer {
    pub(crate) fn status(status: u16) -> Self {
        Self::Status(status, String::new())
    }
}

pub(crate) struct Request {
    pub(crate) at: Instant,
    pub(crate) line: String,
    /// By names in small letters.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn delivery(&self) -> WebhookDelivery {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn ids(&self) -> Vec<u64> {
        self.delivery().events.iter().map(|event| event.id).collect()
    }
}

#[derive(Default)]
struct Shared {
    requests: Mutex<Vec<Arc<Request>>>,
    answers: Mutex<VecDeque<Answer>>,
}

pub(crate) struct Receiver {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Receiver {
    /// Starts a server that gives these answers in order, then 204 forever.
    pub(crate) async fn start(answers: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        shared.answers.lock().unwrap().extend(answers);
        let server = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(serve(socket, Arc::clone(&server)));
            }
        });
        Self { address, shared }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook?key=k", self.address)
    }

    pub(crate) fn requests(&self) -> Vec<Arc<Request>> {
        self.shared.requests.lock().unwrap().clone()
    }

    /// Waits for that many requests.
    pub(crate) async fn until(&self, number: usize) -> Vec<Arc<Request>> {
        crate::within(async {
            while self.requests().len() < number {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        })
        .await;
        self.requests()
    }

    /// Returns the ids of all events, in the order in which they came.
    pub(crate) fn ids(&self) -> Vec<u64> {
        self.requests().iter().flat_map(|request| request.ids()).collect()
    }
}

async fn serve(mut socket: TcpStream, shared: Arc<Shared>) {
    while let Some(request) = read(&mut socket).await {
        let answer = shared.answers.lock().unwrap().pop_front().unwrap_or(Answer::status(204));
        shared.requests.lock().unwrap().push(Arc::new(request));
        match answer {
            Answer::Status(status, headers) => {
                let head = format!("HTTP/1.1 {status} X\r\nContent-Length: 0\r\n{headers}\r\n");
                if socket.write_all(head.as_bytes()).await.is_err() {
                    return;
                }
            }
            Answer::Bytes(bytes) => {
                let _ = socket.write_all(&bytes).await;
                return;
            }
            Answer::Endless(status) => {
                let _ = socket.write_all(format!("HTTP/1.1 {status} X\r\n\r\n").as_bytes()).await;
                while socket.write_all(&[b'x'; 4096]).await.is_ok() {}
                return;
            }
            Answer::Silence => std::future::pending().await,
        }
    }
}

async fn read(socket: &mut TcpStream) -> Option<Request> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(socket.read_u8().await.ok()?);
    }
    let at = Instant::now();
    let head = String::from_utf8(head).unwrap();
    let mut lines = head.lines();
    let line = lines.next().unwrap().to_owned();
    let pairs = lines.filter_map(|line| line.split_once(": "));
    let headers: BTreeMap<String, String> =
        pairs.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
    let mut body = vec![0; headers.get("content-length")?.parse().unwrap()];
    socket.read_exact(&mut body).await.ok()?;
    Some(Request { at, line, headers, body })
}
