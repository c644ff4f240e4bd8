//! Hundreds of universal sessions with several readers each: memory, how soon events arrive, how many.
//!
//! All sessions are of the demo agent, which serves them in one process. Its own stream (`/v1/acp`) is read, too: what an
//! event's arrival lags behind that of the agent's own words is what the sessions add.

use crate::acp;
use crate::figures::{Figure, Goal, percentile_us};
use crate::process::Server;
use crate::run::Run;
use crate::wire;
use anyhow::{Context, Result, ensure};
use sa_bench::message::now;
use sa_bench::{Connection, Readiness};
use std::collections::HashMap;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

const READERS: usize = 10;
/// A stream on which nothing arrives for this long is broken.
const PATIENCE: Duration = Duration::from_secs(30);
/// Requests under way at once.
const WINDOW: usize = 16;
/// Pieces of a turn that are not measured: nobody reads while the other turns are begun.
const WARM_UP: usize = 3;

pub(crate) fn measure(run: &mut Run) -> Result<()> {
    alone(run, "", &[])?;
    alone(run, " without a store", &["--no-store"])?;
    let count = run.pick(500, 25);
    let daemon = run.daemon()?;
    let fresh = daemon.resident()?;
    create(run, &daemon, count)?;
    let created = daemon.resident()?;
    let mut streams = open(run, &daemon, count)?;
    let opened = daemon.resident()?;
    let each = |kib: f64, of: usize| (kib / of as f64).max(0.0);
    run.figure(Figure::new(format!("{count} sessions: memory of one"), "KiB", each(created - fresh, count)));
    let stream = each(opened - created, count * READERS);
    run.figure(
        Figure::new(format!("{} streams: memory of one", count * READERS), "KiB", stream)
            .goal(Goal::AtMost(32.0)),
    );

    let (pieces, pause) = run.pick((20, 500), (10, 100));
    daemon.reset_peak();
    let mut lags = paced(run, &daemon, &mut streams, count, pieces, pause)?;
    let rate = count as f64 * 1e3 / pause as f64;
    for (name, share) in [("p50", 0.50), ("p99", 0.99)] {
        let lag = percentile_us(&mut lags, share) / 1e3;
        run.figure(Figure::new(
            format!("{rate:.0} pieces/s to {READERS} readers each, lag {name}"),
            "ms",
            lag,
        ));
    }
    let pieces = run.pick(100, 20);
    let before = daemon.cpu()?;
    let seconds = flood(run, &daemon, &mut streams, count, pieces)?;
    let events = (count * pieces) as f64;
    run.figure(Figure::new("as fast as it goes: pieces", "/s", events / seconds));
    run.figure(Figure::new("as fast as it goes: deliveries", "/s", events * READERS as f64 / seconds));
    let cpu = (daemon.cpu()? - before).as_secs_f64() * 1e6 / events;
    run.figure(Figure::new("as fast as it goes: daemon CPU", "µs/piece", cpu));
    run.figure(Figure::new("peak memory", "MB", daemon.peak()? * 1024.0 / 1e6));
    Ok(())
}

/// One session that has the daemon for itself.
fn alone(run: &mut Run, how: &str, flags: &[&str]) -> Result<()> {
    let daemon = run.daemon_with(flags)?;
    create(run, &daemon, 1)?;
    let mut streams = open(run, &daemon, 1)?;
    let mut lags = paced(run, &daemon, &mut streams, 1, run.pick(250, 50), 20)?;
    for (name, share) in [("p50", 0.50), ("p99", 0.99)] {
        let lag = percentile_us(&mut lags, share) / 1e3;
        let goal = (name == "p99").then_some(Goal::AtMost(5.0));
        let name = format!("one session{how}, 50 pieces/s to {READERS} readers, lag {name}");
        run.figure(Figure::new(name, "ms", lag).maybe_goal(goal));
    }
    Ok(())
}

fn path(session: usize) -> String {
    format!("/v1/sessions/s{session}")
}

fn create(run: &mut Run, daemon: &Server, count: usize) -> Result<()> {
    let requests = (0..count).map(|session| wire::post(&path(session), r#"{"agent":"demo"}"#));
    all(run, daemon, requests.collect(), 201)
}

/// Creates sessions, lets each of them say something, and deletes them.
pub(super) fn create_and_delete(run: &mut Run, daemon: &Server, count: usize) -> Result<()> {
    create(run, daemon, count)?;
    let mut streams = open(run, daemon, count)?;
    flood(run, daemon, &mut streams, count, 20)?;
    drop(streams);
    let requests = (0..count).map(|session| wire::delete(&path(session)));
    all(run, daemon, requests.collect(), 204)
}

/// Sends all requests, a window at a time.
fn all(run: &mut Run, daemon: &Server, requests: Vec<Vec<u8>>, status: u16) -> Result<()> {
    let mut connections = (0..WINDOW).map(|_| daemon.connect()).collect::<Result<Vec<_>>>()?;
    for batch in requests.chunks(WINDOW) {
        for (connection, request) in connections.iter_mut().zip(batch) {
            connection.send(request)?;
        }
        for connection in connections.iter_mut().take(batch.len()) {
            acp::expect(&connection.finish(&mut run.scratch)?, status, "a session's request")?;
        }
    }
    Ok(())
}

/// One event stream, of a session or of the agent.
struct Stream {
    connection: Connection,
    /// The session's file; none for the agent's own.
    session: Option<usize>,
    line: Vec<u8>,
    pieces: usize,
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.connection.as_fd()
    }
}

impl Stream {
    fn open(run: &mut Run, daemon: &Server, path: &str, session: Option<usize>) -> Result<Self> {
        let mut connection = daemon.connect()?;
        connection.send(&wire::open_stream(path, None))?;
        let status = connection.head(&mut run.scratch, |_| {})?;
        ensure!(status == 200, "GET of {path}: status {status}");
        Ok(Self { connection, session, line: Vec::new(), pieces: 0 })
    }

    /// Reads once and shows the lines that carry data.
    fn read(&mut self, scratch: &mut [u8], mut each: impl FnMut(&[u8])) -> Result<()> {
        let Self { connection, line, .. } = self;
        connection.read(scratch, |mut part| {
            while let Some(end) = memchr::memchr(b'\n', part) {
                let (head, tail) = part.split_at(end);
                line.extend_from_slice(head);
                if line.starts_with(b"data:") {
                    each(line);
                }
                line.clear();
                part = &tail[1..];
            }
            line.extend_from_slice(part);
        })?;
        Ok(())
    }
}

/// Returns the streams of all sessions, and the agent's own as the last.
fn open(run: &mut Run, daemon: &Server, count: usize) -> Result<Vec<Stream>> {
    let mut streams = Vec::with_capacity(count * READERS + 1);
    for session in 0..count {
        for _ in 0..READERS {
            let path = format!("{}/events/sse", path(session));
            streams.push(Stream::open(run, daemon, &path, Some(session))?);
        }
    }
    let listed = daemon.connect()?.exchange(&wire::get("/v1/acp"), &mut run.scratch)?;
    let listed: serde_json::Value = serde_json::from_slice(&listed.body)?;
    let server = listed["servers"][0]["serverId"].as_str().context("the agent's process")?.to_owned();
    streams.push(Stream::open(run, daemon, &wire::server_path(&server), None)?);
    Ok(streams)
}

fn message(session: usize, script: &str) -> Vec<u8> {
    let body = serde_json::json!({ "message": script }).to_string();
    wire::post(&format!("{}/messages", path(session)), &body)
}

/// Reads until each session's stream has had so many pieces; shows each piece with its stream.
fn read_all(
    run: &mut Run,
    streams: &mut [Stream],
    pieces: usize,
    mut each: impl FnMut(&Stream, &[u8], usize),
) -> Result<()> {
    let mut set = Readiness::over(streams.iter())?;
    let mut ready = Vec::new();
    for stream in streams.iter_mut() {
        stream.pieces = 0;
    }
    let mut open = streams.iter().filter(|stream| stream.session.is_some()).count();
    while open > 0 {
        set.wait(PATIENCE, &mut ready)?;
        ensure!(!ready.is_empty(), "nothing came for {PATIENCE:?}, {open} streams are not complete");
        for index in ready.drain(..) {
            let stream = &mut streams[index];
            let before = stream.pieces;
            let mut lines = Vec::new();
            stream.read(&mut run.scratch, |line| {
                if let Some(number) = piece(line) {
                    lines.push((line.to_vec(), number));
                }
            })?;
            stream.pieces += lines.len();
            let stream = &streams[index];
            lines.iter().for_each(|(line, number)| each(stream, line, *number));
            let complete = stream.session.is_some() && before < pieces && stream.pieces >= pieces;
            open -= usize::from(complete);
        }
    }
    Ok(())
}

/// Returns the number of a piece of the demo agent's stream, in either of the two forms.
fn piece(line: &[u8]) -> Option<usize> {
    memchr::memmem::find(line, b"\"messageDelta\"")
        .or_else(|| memchr::memmem::find(line, b"\"agent_message_chunk\""))?;
    let at = memchr::memmem::find(line, b"\"text\":\"")? + b"\"text\":\"".len();
    let digits = line[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&line[at..at + digits]).ok()?.parse().ok()
}

/// Begins a turn in each session, one after the other over so many milliseconds: sessions of different people do not speak
/// all in the same moment.
fn spread(run: &mut Run, daemon: &Server, count: usize, script: &str, milliseconds: usize) -> Result<()> {
    let mut connection = daemon.connect()?;
    let (start, step) = (Instant::now(), Duration::from_millis(milliseconds as u64) / count as u32);
    for session in 0..count {
        std::thread::sleep((step * session as u32).saturating_sub(start.elapsed()));
        connection.send(&message(session, script))?;
        acp::expect(&connection.finish(&mut run.scratch)?, 202, "a message")?;
    }
    Ok(())
}

/// Nanoseconds by which the first reader of each session is behind the agent's own stream, for each piece.
fn paced(
    run: &mut Run,
    daemon: &Server,
    streams: &mut [Stream],
    count: usize,
    pieces: usize,
    pause: usize,
) -> Result<Vec<u64>> {
    spread(run, daemon, count, &format!("stream {pieces} 200 every {pause}"), pause)?;
    let mut said: HashMap<(Vec<u8>, usize), u64> = HashMap::new();
    let mut heard: HashMap<(usize, usize), u64> = HashMap::new();
    let mut natives: HashMap<Vec<u8>, usize> = HashMap::new();
    read_all(run, streams, pieces, |stream, line, number| {
        let Some(native) = native(line, stream.session.is_some()) else { return };
        match stream.session {
            Some(session) => {
                natives.entry(native.to_vec()).or_insert(session);
                heard.entry((session, number)).or_insert_with(now);
            }
            None => {
                said.entry((native.to_vec(), number)).or_insert_with(now);
            }
        }
    })?;
    let measured = said.iter().filter(|((_, number), _)| *number >= WARM_UP);
    let lags = measured.filter_map(|((native, number), said)| {
        let heard = heard.get(&(*natives.get(native)?, *number))?;
        Some(heard.saturating_sub(*said))
    });
    let lags: Vec<u64> = lags.collect();
    ensure!(lags.len() >= count, "hardly any piece was seen in both streams: {}", lags.len());
    Ok(lags)
}

/// Returns the agent's own id of the session that a line is about.
fn native(line: &[u8], event: bool) -> Option<&[u8]> {
    let key: &[u8] = if event { b"\"nativeSessionId\":\"" } else { b"\"sessionId\":\"" };
    let at = memchr::memmem::find(line, key)? + key.len();
    let end = memchr::memchr(b'"', &line[at..])?;
    Some(&line[at..at + end])
}

/// Seconds until every reader has everything.
fn flood(run: &mut Run, daemon: &Server, streams: &mut [Stream], count: usize, pieces: usize) -> Result<f64> {
    let start = Instant::now();
    let script = format!("stream {pieces} 200");
    let requests = (0..count).map(|session| message(session, &script));
    all(run, daemon, requests.collect(), 202)?;
    read_all(run, streams, pieces, |_, _, _| {})?;
    Ok(start.elapsed().as_secs_f64())
}
