//! Sessions that are kept: how fast one session is stored, the room that its text needs, and the cost of thousands that have ended.

use crate::acp;
use crate::figures::{Figure, Goal, median};
use crate::process::Server;
use crate::run::Run;
use crate::wire;
use anyhow::{Context, Result, ensure};
use sa_bench::Connection;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Bytes of text in a piece.
const PIECE: usize = 200;
/// Pieces of one message.
const PIECES: usize = 50;
/// Requests under way at once.
const WINDOW: usize = 16;
/// Time for a server to settle before its memory is read.
const REST: Duration = Duration::from_millis(300);
/// A session that does not get on for this long is broken.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn measure(run: &mut Run) -> Result<()> {
    fast_session(run)?;
    room(run)?;
    ended_sessions(run)
}

/// Stores the pieces of one session as fast as its agent says them.
fn fast_session(run: &mut Run) -> Result<()> {
    let pieces = run.pick(200_000, 5_000);
    let daemon = run.daemon()?;
    let mut connection = daemon.connect()?;
    let created =
        connection.exchange(&wire::post("/v1/sessions/fast", r#"{"agent":"demo"}"#), &mut run.scratch)?;
    acp::expect(&created, 201, "a session")?;
    let before = daemon.cpu()?;
    let start = Instant::now();
    let body = serde_json::json!({ "message": format!("stream {pieces} {PIECE}") }).to_string();
    let sent = connection.exchange(&wire::post("/v1/sessions/fast/messages", &body), &mut run.scratch)?;
    acp::expect(&sent, 202, "a message")?;
    while state(run, &mut connection, "fast")? != "idle" {
        ensure!(start.elapsed() < PATIENCE, "the turn did not end");
        std::thread::sleep(Duration::from_millis(5));
    }
    let seconds = start.elapsed().as_secs_f64();
    let cpu = (daemon.cpu()? - before).as_secs_f64() * 1e6 / pieces as f64;
    let rate = Figure::new("one session, durable: pieces of 200 B", "/s", pieces as f64 / seconds);
    run.figure(rate.goal(Goal::AtLeast(50_000.0)));
    run.figure(Figure::new("one session, durable: daemon CPU", "µs/piece", cpu));
    Ok(())
}

fn state(run: &mut Run, connection: &mut Connection, session: &str) -> Result<String> {
    let answer = connection.exchange(&wire::get(&format!("/v1/sessions/{session}")), &mut run.scratch)?;
    acp::expect(&answer, 200, "a session's state")?;
    let session: serde_json::Value = serde_json::from_slice(&answer.body)?;
    Ok(session["state"].as_str().context("a state")?.to_owned())
}

/// Puts a long conversation into a store: pieces, and each message as a whole.
fn room(run: &mut Run) -> Result<()> {
    let data = TempDir::new()?;
    let messages = run.pick(2_000, 20);
    let daemon = kept(run, data.path())?;
    import(run, &daemon, &[export("long", messages)])?;
    drop(daemon);
    let text = (messages * PIECES * PIECE) as f64;
    let ratio = fs::metadata(data.path().join("sessions.db"))?.len() as f64 / text;
    run.figure(Figure::new("database for each byte of text", "B", ratio).goal(Goal::AtMost(2.0)));
    Ok(())
}

/// Compares a start with thousands of ended sessions to one with none.
fn ended_sessions(run: &mut Run) -> Result<()> {
    let count = run.pick(10_000, 100);
    let (empty, full) = (TempDir::new()?, TempDir::new()?);
    drop(kept(run, empty.path())?);
    let daemon = kept(run, full.path())?;
    // One place is left for a session that a client makes.
    for first in (0..count - 1).step_by(WINDOW) {
        let exports: Vec<String> =
            (first..(first + WINDOW).min(count - 1)).map(|n| export(&format!("s{n}"), 1)).collect();
        import(run, &daemon, &exports)?;
    }
    drop(daemon);
    let (mut starts, mut memory) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
    for _ in 0..run.pick(7, 2) {
        for (index, data) in [empty.path(), full.path()].into_iter().enumerate() {
            let begin = Instant::now();
            let daemon = kept(run, data)?;
            let answer = daemon.connect()?.exchange(&wire::get("/v1/health"), &mut run.scratch)?;
            starts[index].push(begin.elapsed().as_secs_f64() * 1e3);
            acp::expect(&answer, 200, "health")?;
            std::thread::sleep(REST);
            memory[index].push(daemon.resident()? * 1024.0 / 1e6);
        }
    }
    let more = |samples: &[Vec<f64>; 2]| median(&samples[1]) - median(&samples[0]);
    let start = Figure::new(format!("{count} ended sessions: longer start"), "ms", more(&starts));
    run.figure(start.goal(Goal::AtMost(50.0)));
    let heap = Figure::new(format!("{count} ended sessions: more memory"), "MB", more(&memory));
    run.figure(heap.goal(Goal::AtMost(10.0)));
    let daemon = kept(run, full.path())?;
    let mut connection = daemon.connect()?;
    let (mut times, mut bytes) = (Vec::new(), 0);
    for _ in 0..run.pick(50, 5) {
        let begin = Instant::now();
        let page = connection.exchange(&wire::get("/v1/sessions"), &mut run.scratch)?;
        times.push(begin.elapsed().as_secs_f64() * 1e3);
        acp::expect(&page, 200, "a list")?;
        bytes = page.body.len();
    }
    run.figure(Figure::new(format!("{count} ended sessions: a page of the list"), "ms", median(&times)));
    run.figure(Figure::new(format!("{count} ended sessions: a page of the list"), "kB", bytes as f64 / 1e3));
    Ok(())
}

fn kept(run: &Run, data: &Path) -> Result<Server> {
    let data = data.to_str().context("a path that is UTF-8")?;
    run.daemon_with(&["--data-dir", data])
}

/// Imports sessions, all at once.
fn import(run: &mut Run, daemon: &Server, exports: &[String]) -> Result<()> {
    let mut connections = exports.iter().map(|_| daemon.connect()).collect::<Result<Vec<_>>>()?;
    for (connection, export) in connections.iter_mut().zip(exports) {
        connection.send(&wire::post_head(
            "/v1/sessions/import",
            "application/x-ndjson",
            export.len() as u64,
        ))?;
        connection.send_more(export.as_bytes())?;
    }
    for connection in &mut connections {
        acp::expect(&connection.finish(&mut run.scratch)?, 201, "an import")?;
    }
    Ok(())
}

/// Returns an ended session with so many messages, each said in pieces and then as a whole.
fn export(id: &str, messages: usize) -> String {
    let mut log = Log { id, lines: String::new(), events: 0 };
    let mut words = Words(id.len() as u64 + messages as u64);
    for message in 0..messages {
        let mut whole = String::new();
        for _ in 0..PIECES {
            let text = words.text(PIECE);
            whole.push_str(&text);
            log.event(
                "messageDelta",
                &serde_json::json!({"messageId": format!("m{message}"), "kind": "text", "text": text}),
            );
        }
        let parts = serde_json::json!([{"type": "text", "text": whole}]);
        log.event(
            "message",
            &serde_json::json!({"id": format!("m{message}"), "role": "assistant", "parts": parts}),
        );
    }
    log.event("ended", &serde_json::json!({"reason": "terminated"}));
    let record = serde_json::json!({
        "request": {"agent": "demo"}, "cwd": "/", "createdAtMs": 1_767_225_600_000_u64, "updatedAtMs": 1_767_225_600_000_u64,
        "state": "ended", "agentMode": "build", "permissionMode": "default", "title": "A conversation",
        "nativeSessionId": "0199b6c0-0000-7000-8000-000000000000", "metadata": {"team": "web"},
    });
    let head = serde_json::json!({"sandboxAgentSession": 1, "sessionId": id, "lastEventId": log.events, "record": record});
    format!("{head}\n{}", log.lines)
}

struct Log<'a> {
    id: &'a str,
    lines: String,
    events: usize,
}

impl Log<'_> {
    fn event(&mut self, kind: &str, data: &serde_json::Value) {
        self.events += 1;
        let event = serde_json::json!({
            "id": self.events, "type": kind, "timestamp": "2026-01-01T00:00:00.000Z", "sessionId": self.id, "agent": "demo",
            "nativeSessionId": "0199b6c0-0000-7000-8000-000000000000", "data": {kind: data},
        });
        self.lines.push_str(&event.to_string());
        self.lines.push('\n');
    }
}

/// Text that is as hard to pack as prose: words of a small vocabulary, in no order.
struct Words(u64);

impl Words {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn text(&mut self, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + 16);
        while text.len() < bytes {
            // A word of a vocabulary of about 4,000.
            let mut word = self.next() % 4_000 + 20;
            while word > 0 {
                text.push(char::from(b'a' + (word % 16) as u8));
                word /= 16;
            }
            text.push(' ');
        }
        text.truncate(bytes);
        text
    }
}
