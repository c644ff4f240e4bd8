//! HTTP/1.1, one answer per connection: just enough of it, so that each byte of an answer can go wrong on purpose.

use super::fault::Fault;
use super::{Published, Recorded, State, locked, normal, sha256_hex};
use bytes::Bytes;
use parking_lot::Mutex;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// No request's head is longer.
const LONGEST_HEAD: usize = 64 << 10;

pub(super) async fn serve(listener: TcpListener, state: Arc<Mutex<State>>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else { continue };
                let state = Arc::clone(&state);
                // A client that goes away is its own business.
                connections.spawn(async move { answer(stream, &state).await.ok() });
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// The parts of a request that matter here.
struct Asked {
    recorded: Recorded,
    if_range: Option<String>,
}

struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Bytes,
}

impl Answer {
    fn empty(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Bytes::new() }
    }
}

async fn answer(stream: TcpStream, state: &Mutex<State>) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    let Some(asked) = read_request(&mut stream).await? else { return Ok(()) };
    let (published, faults) = {
        let mut state = locked(state);
        state.requests.push(asked.recorded.clone());
        (state.files.get(&asked.recorded.path).cloned(), state.faults.next(&asked.recorded.path))
    };
    let answer = plan(&asked, published, &faults);
    send(stream.into_inner(), answer, &faults).await
}

async fn read_request(stream: &mut BufReader<TcpStream>) -> io::Result<Option<Asked>> {
    let mut head = String::new();
    loop {
        let before = head.len();
        if stream.read_line(&mut head).await? == 0 || head.len() > LONGEST_HEAD {
            return Ok(None);
        }
        if head.get(before..).is_some_and(|line| line.trim().is_empty()) {
            break;
        }
    }
    let target = head.split_whitespace().nth(1).unwrap_or("/");
    let path = normal(target.split('?').next().unwrap_or(target));
    let header = |name: &str| {
        head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        })
    };
    let recorded = Recorded {
        path,
        range: header("range"),
        authorization: header("authorization"),
        accept: header("accept"),
    };
    Ok(Some(Asked { recorded, if_range: header("if-range") }))
}

fn plan(asked: &Asked, published: Option<Published>, faults: &[Fault]) -> Answer {
    let status =
        faults.iter().find_map(|fault| if let Fault::Status(status) = fault { Some(*status) } else { None });
    if let Some(status) = status {
        return Answer::empty(status);
    }
    match published {
        None => Answer::empty(404),
        Some(Published::Redirect(target)) => {
            Answer { headers: vec![("Location", target)], ..Answer::empty(302) }
        }
        Some(Published::Bytes(bytes)) => part(asked, bytes, faults),
    }
}

/// Returns the bytes that were asked for: all, or those from an offset on.
fn part(asked: &Asked, bytes: Bytes, faults: &[Fault]) -> Answer {
    let tag = format!("\"{}\"", sha256_hex(&bytes));
    let honored =
        !faults.contains(&Fault::IgnoreRange) && asked.if_range.as_ref().is_none_or(|known| *known == tag);
    let from = asked
        .recorded
        .range
        .as_deref()
        .filter(|_| honored)
        .and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse::<usize>().ok());
    let whole = bytes.len();
    let mut answer = match from {
        None => Answer { body: bytes, ..Answer::empty(200) },
        Some(from) if from >= whole => {
            Answer { headers: vec![("Content-Range", format!("bytes */{whole}"))], ..Answer::empty(416) }
        }
        Some(from) => Answer {
            headers: vec![("Content-Range", format!("bytes {from}-{}/{whole}", whole - 1))],
            body: bytes.slice(from..),
            ..Answer::empty(206)
        },
    };
    if faults.contains(&Fault::Corrupt) {
        let mut changed = answer.body.to_vec();
        if let Some(first) = changed.first_mut() {
            *first ^= 0xff;
        }
        answer.body = changed.into();
    }
    answer.headers.extend([("ETag", tag), ("Accept-Ranges", "bytes".to_owned())]);
    answer
}

async fn send(mut stream: TcpStream, answer: Answer, faults: &[Fault]) -> io::Result<()> {
    let mut head = format!("HTTP/1.1 {} -\r\n", answer.status);
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if faults.contains(&Fault::Endless) {
        head.push_str("Connection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).await?;
        loop {
            // Until the client has had enough.
            stream.write_all(&answer.body.repeat(1 + (1 << 16) / answer.body.len().max(1))).await?;
        }
    }
    head.push_str(&format!("Content-Length: {}\r\nConnection: close\r\n\r\n", answer.body.len()));
    stream.write_all(head.as_bytes()).await?;
    let mut end = answer.body.len();
    let mut hangs = false;
    let mut pace = None;
    for fault in faults {
        match fault {
            Fault::CutAfter(bytes) => end = end.min(*bytes),
            Fault::HangAfter(bytes) => {
                end = end.min(*bytes);
                hangs = true;
            }
            Fault::Slow(bytes, pause) => pace = Some((*bytes, *pause)),
            Fault::Status(_) | Fault::Corrupt | Fault::IgnoreRange | Fault::Endless => {}
        }
    }
    let (size, pause) = pace.unwrap_or((end.max(1), Duration::ZERO));
    for chunk in answer.body.slice(..end).chunks(size.max(1)) {
        stream.write_all(chunk).await?;
        stream.flush().await?;
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
    }
    if hangs {
        std::future::pending::<()>().await;
    }
    stream.shutdown().await
}
