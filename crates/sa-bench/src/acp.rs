//! Operations on the daemon: create and delete ACP servers, open event streams, read them.

use crate::process::Server;
use crate::wire::{self, Prompt};
use anyhow::{Context, Result, ensure};
use sa_bench::message::Numbered;
use sa_bench::{Answer, Connection, Progress, Readiness, Tally};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

/// A stream on which nothing arrives for this long is broken.
const PATIENCE: Duration = Duration::from_secs(20);

/// Fails with what the server said unless it answered as expected.
pub(crate) fn expect(answer: &Answer, status: u16, what: &str) -> Result<()> {
    let body = String::from_utf8_lossy(&answer.body);
    let body: String = body.chars().take(400).collect();
    ensure!(answer.status == status, "{what}: status {} instead of {status}: {body}", answer.status);
    Ok(())
}

/// Returns the POST that starts an ACP server with an agent.
pub(crate) fn bootstrap(id: &str, agent: &str) -> Vec<u8> {
    wire::post(&format!("{}?agent={agent}", wire::server_path(id)), &wire::call("bench/echo"))
}

/// Starts an ACP server with the stand-in agent.
pub(crate) fn create(server: &Server, id: &str, scratch: &mut [u8]) -> Result<()> {
    let answer = server.connect()?.exchange(&bootstrap(id, "bench"), scratch)?;
    expect(&answer, 200, "first POST")
}

/// Returns the process id of a server's agent, from the agent itself.
pub(crate) fn agent_pid(server: &Server, id: &str, scratch: &mut [u8]) -> Result<i32> {
    let request = wire::post(&wire::server_path(id), &wire::call("bench/pid"));
    let answer = server.connect()?.exchange(&request, scratch)?;
    expect(&answer, 200, "POST")?;
    let body: serde_json::Value = serde_json::from_slice(&answer.body)?;
    let pid = body["result"].as_i64().context("the agent did not say its process id")?;
    Ok(i32::try_from(pid)?)
}

/// An open event stream.
pub(crate) struct Reader {
    connection: Connection,
    pub(crate) tally: Tally,
    closed: bool,
}

impl Reader {
    /// Opens a stream and waits for its head; `first` is the message number that should come first.
    pub(crate) fn open(
        server: &Server,
        path: &str,
        cursor: Option<u64>,
        first: u64,
        scratch: &mut [u8],
    ) -> Result<Self> {
        let mut reader = Self { connection: server.connect()?, tally: Tally::new(first), closed: false };
        reader.connection.send(&wire::open_stream(path, cursor))?;
        let Self { connection, tally, .. } = &mut reader;
        let status = connection.head(scratch, |part| tally.push(part))?;
        ensure!(status == 200, "GET of an event stream: status {status}");
        Ok(reader)
    }

    /// Returns whether the server ended the stream.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    pub(crate) fn read(&mut self, scratch: &mut [u8], mut each: impl FnMut(Numbered)) -> Result<()> {
        let Self { connection, tally, .. } = self;
        let progress = connection.read(scratch, |part| tally.push_with(part, &mut each))?;
        self.closed = progress != Progress::Open;
        Ok(())
    }

    /// Reads until `count` messages are accounted for.
    pub(crate) fn read_until(&mut self, count: u64, scratch: &mut [u8]) -> Result<()> {
        drain(std::slice::from_mut(self), count, scratch).map(drop)
    }
}

impl AsFd for Reader {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.connection.as_fd()
    }
}

/// Reads all streams until each has accounted for `count` messages; returns the longest time without any byte.
pub(crate) fn drain(readers: &mut [Reader], count: u64, scratch: &mut [u8]) -> Result<Duration> {
    let mut set = Readiness::over(readers.iter())?;
    let mut open = readers.iter().filter(|reader| reader.tally.accounted() < count).count();
    let mut ready = Vec::new();
    let mut longest = Duration::ZERO;
    while open > 0 {
        let before = Instant::now();
        set.wait(PATIENCE, &mut ready)?;
        longest = longest.max(before.elapsed());
        ensure!(!ready.is_empty(), "nothing came for {PATIENCE:?}, {open} streams are not complete");
        for index in ready.drain(..) {
            let reader = &mut readers[index];
            let was_complete = reader.tally.accounted() >= count;
            reader.read(scratch, |_| {})?;
            let complete = reader.tally.accounted() >= count;
            if complete && !was_complete {
                open -= 1;
            }
            if reader.is_closed() {
                let seen = reader.tally.accounted();
                ensure!(complete, "the stream ended after {seen} of {count} messages");
                set.remove(&*reader)?;
            }
        }
    }
    Ok(longest)
}

/// Sends a prompt without waiting for its answer.
pub(crate) fn start_prompt(server: &Server, id: &str, prompt: Prompt) -> Result<Connection> {
    let mut connection = server.connect()?;
    connection.send(&wire::post(&wire::server_path(id), &prompt.json()))?;
    Ok(connection)
}

/// Waits for the answer to a prompt.
pub(crate) fn finish_prompt(mut connection: Connection, scratch: &mut [u8]) -> Result<()> {
    expect(&connection.finish(scratch)?, 200, "prompt")
}
