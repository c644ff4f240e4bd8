//! The daemon next to servers of other projects: the same requests, the same agent, the same machine, one after the other.

use crate::acp::{bootstrap, expect};
use crate::comparison::{Comparison, Measured};
use crate::figures::{median, percentile_us};
use crate::peer::{Contender, contenders};
use crate::process::Server;
use crate::run::Run;
use crate::wire::{self, Prompt};
use anyhow::{Context, Result, ensure};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use sa_bench::message::now;
use sa_bench::{Answer, Connection, Progress, Readiness};
use std::time::{Duration, Instant};

const SERVER: &str = "peer";
/// The longest wait for something that should take milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);
/// A stream on which nothing comes for this long after the turn's end has sent everything it will send.
const SILENCE: Duration = Duration::from_secs(2);
const REST: Duration = Duration::from_millis(1500);

/// The values of one server, in the order of [`ROWS`].
type Column = [Measured; ROWS.len()];

/// Names and units of the rows.
const ROWS: [(&str, &str); 13] = [
    ("installed", "MB"),
    ("exec to first healthy answer", "ms"),
    ("resident at rest", "MB"),
    ("health request, p50", "µs"),
    ("run `true`, p50", "ms"),
    ("request to an ACP agent and back, p50", "µs"),
    ("agent's messages of 200 B to one reader", "msg/s"),
    ("of these lost without a sign", "msg"),
    ("resident after that", "MB"),
    ("two requests with the same id: answered", "of 2"),
    ("agent killed: waiting request fails after", "ms"),
    ("DELETE of a live agent", "ms"),
    ("processes that the agent left behind after it", ""),
];

pub(crate) fn measure(run: &mut Run) -> Result<()> {
    let contenders = contenders(&run.programs);
    if contenders.len() < 2 {
        eprintln!("peers: no other server is installed; `cargo xtask bench --peers` installs those it can");
        return Ok(());
    }
    let columns: Vec<Column> = contenders
        .iter()
        .map(|contender| column(run, contender).with_context(|| contender.name))
        .collect::<Result<_>>()?;
    run.contenders = contenders.iter().map(|contender| contender.name).collect();
    run.comparisons = ROWS
        .iter()
        .enumerate()
        .map(|(row, &(name, unit))| Comparison {
            name,
            unit,
            values: columns.iter().map(|column| column[row]).collect(),
        })
        .collect();
    Ok(())
}

fn column(run: &mut Run, contender: &Contender) -> Result<Column> {
    let mut starts = Vec::new();
    // The first start reads the program from disk.
    for round in 0..=run.pick(5, 1) {
        let (milliseconds, _) = start(run, contender)?;
        if round > 0 {
            starts.push(milliseconds);
        }
    }
    let (_, server) = start(run, contender)?;
    std::thread::sleep(REST);
    let mut column = [Measured::NotOffered; ROWS.len()];
    let installed = contender.installed_bytes(&run.programs)? as f64 / 1e6;
    column[..3].copy_from_slice(&[
        Measured::Value(installed),
        Measured::Value(median(&starts)),
        Measured::Value(server.resident()? * 1024.0 / 1e6),
    ]);
    let count = run.pick(2_000, 100);
    column[3] = Measured::Value(repeated(run, &server, &wire::get(contender.health), count)?);
    let count = run.pick(100, 5);
    column[4] = Measured::Value(repeated(run, &server, &contender.run_command(), count)? / 1e3);
    if let Some(agent) = contender.agent {
        with_agent(run, &server, agent, &mut column[5..])?;
    }
    Ok(column)
}

/// Fills the rows that need an agent behind the server.
fn with_agent(run: &mut Run, server: &Server, agent: &str, rows: &mut [Measured]) -> Result<()> {
    let first = server.connect()?.exchange(&bootstrap(SERVER, agent), &mut run.scratch)?;
    expect(&first, 200, "first POST")?;
    let path = wire::server_path(SERVER);
    let echo = wire::post(&path, &wire::call("bench/echo"));
    let count = run.pick(3_000, 100);
    rows[0] = Measured::Value(repeated(run, server, &echo, count)?);
    let (rate, lost) = stream(run, server)?;
    (rows[1], rows[2]) = (Measured::Value(rate), Measured::Value(lost as f64));
    rows[3] = Measured::Value(server.resident()? * 1024.0 / 1e6);
    rows[4] = Measured::Value(same_id(run, server)? as f64);
    rows[5] = killed(run, server, agent)?;
    let pid = start_parent(run, server, agent)?;
    let mut connection = server.connect()?;
    let begin = Instant::now();
    connection.send(&wire::delete(&wire::server_path("parent")))?;
    rows[6] = match finish(run, &mut connection)? {
        Some(_) => Measured::Value(begin.elapsed().as_secs_f64() * 1e3),
        None => Measured::Over(PATIENCE.as_secs_f64() * 1e3),
    };
    drop(connection);
    let left = test_kill_process(pid).is_ok();
    rows[7] = Measured::Value(if left { 1.0 } else { 0.0 });
    if left {
        let _gone_meanwhile = kill_process(pid, Signal::KILL);
    }
    Ok(())
}

/// Starts a server and asks for its health until the answer is 200; returns the milliseconds.
fn start(run: &mut Run, contender: &Contender) -> Result<(f64, Server)> {
    let begin = Instant::now();
    let server = contender.start(&run.programs)?;
    loop {
        let answer = server.connect()?.exchange(&wire::get(contender.health), &mut run.scratch)?;
        if answer.status == 200 {
            return Ok((begin.elapsed().as_secs_f64() * 1e3, server));
        }
        ensure!(begin.elapsed() < 6 * PATIENCE, "not healthy: status {}", answer.status);
    }
}

/// Sends a request again and again on one connection; returns the median in microseconds.
fn repeated(run: &mut Run, server: &Server, request: &[u8], count: usize) -> Result<f64> {
    let mut connection = server.connect()?;
    let mut taken = Vec::with_capacity(count);
    for _ in 0..count {
        let begin = now();
        let answer = connection.exchange(request, &mut run.scratch)?;
        taken.push(now() - begin);
        ensure!(answer.status / 100 == 2, "status {}", answer.status);
    }
    Ok(percentile_us(&mut taken, 0.5))
}

/// One prompt's messages to one reader; returns messages a second and those that never came.
fn stream(run: &mut Run, server: &Server) -> Result<(f64, usize)> {
    let count = run.pick(50_000, 2_000);
    let mut reader = server.connect()?;
    reader.send(&wire::open_stream(&wire::server_path(SERVER), None))?;
    let mut messages = Messages::expecting(count);
    let status = reader.head(&mut run.scratch, |part| messages.push(part))?;
    ensure!(status == 200, "GET of an event stream: status {status}");
    let mut prompt = server.connect()?;
    let begin = Instant::now();
    let mut last = begin;
    prompt.send(&wire::post(&wire::server_path(SERVER), &Prompt::flood(count as u64, 200).json()))?;
    let mut set = Readiness::over([&reader])?;
    let mut ready = Vec::new();
    while messages.missing > 0 {
        set.wait(SILENCE, &mut ready)?;
        if ready.is_empty() || reader.read(&mut run.scratch, |part| messages.push(part))? != Progress::Open {
            break;
        }
        last = Instant::now();
    }
    expect(&prompt.finish(&mut run.scratch)?, 200, "prompt")?;
    let arrived = count - messages.missing;
    Ok((arrived as f64 / (last - begin).as_secs_f64(), messages.missing))
}

/// Two requests under way with one id; returns how many are answered.
fn same_id(run: &mut Run, server: &Server) -> Result<usize> {
    let request =
        wire::post(&wire::server_path(SERVER), &Prompt { per_second: 10, ..Prompt::flood(3, 200) }.json());
    let mut connections = [server.connect()?, server.connect()?];
    for connection in &mut connections {
        connection.send(&request)?;
    }
    let mut answered = 0;
    for connection in &mut connections {
        answered += usize::from(finish(run, connection)?.is_some());
    }
    Ok(answered)
}

/// Kills the agent while a request waits for it.
fn killed(run: &mut Run, server: &Server, agent: &str) -> Result<Measured> {
    let path = wire::server_path("killed");
    let first = server.connect()?.exchange(&bootstrap("killed", agent), &mut run.scratch)?;
    expect(&first, 200, "first POST")?;
    let pid = ask_pid(run, server, "killed", "bench/pid")?;
    let mut waiting = server.connect()?;
    waiting.send(&wire::post(&path, &call("bench/hang", 2)))?;
    let echo = server.connect()?.exchange(&wire::post(&path, &call("bench/echo", 3)), &mut run.scratch)?;
    expect(&echo, 200, "POST")?;
    let begin = Instant::now();
    kill_process(pid, Signal::KILL)?;
    Ok(match finish(run, &mut waiting)? {
        Some(_) => Measured::Value(begin.elapsed().as_secs_f64() * 1e3),
        None => Measured::Over(PATIENCE.as_secs_f64() * 1e3),
    })
}

/// Starts an agent that starts a process of its own; returns that one.
fn start_parent(run: &mut Run, server: &Server, agent: &str) -> Result<Pid> {
    let first = server.connect()?.exchange(&bootstrap("parent", agent), &mut run.scratch)?;
    expect(&first, 200, "first POST")?;
    ask_pid(run, server, "parent", "bench/child")
}

fn ask_pid(run: &mut Run, server: &Server, id: &str, method: &str) -> Result<Pid> {
    let request = wire::post(&wire::server_path(id), &call(method, 9));
    let answer = server.connect()?.exchange(&request, &mut run.scratch)?;
    expect(&answer, 200, method)?;
    let body: serde_json::Value = serde_json::from_slice(&answer.body)?;
    let pid = body["result"].as_i64().context("the agent did not name a process")?;
    Pid::from_raw(i32::try_from(pid)?).context("no process id")
}

/// Returns a request with its own id, because not every server keeps two with the same id apart.
fn call(method: &str, id: u32) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{}}}}"#)
}

/// Waits for the answer; `None` when it does not come.
fn finish(run: &mut Run, connection: &mut Connection) -> Result<Option<Answer>> {
    let mut set = Readiness::over([&*connection])?;
    let mut ready = Vec::new();
    set.wait(PATIENCE, &mut ready)?;
    if ready.is_empty() { Ok(None) } else { Ok(Some(connection.finish(&mut run.scratch)?)) }
}

/// Finds the numbered messages of a stream whatever the order of their JSON fields.
struct Messages {
    seen: Vec<bool>,
    missing: usize,
    /// The part of the last read after its last line end.
    rest: Vec<u8>,
}

impl Messages {
    fn expecting(count: usize) -> Self {
        Self { seen: vec![false; count], missing: count, rest: Vec::new() }
    }

    fn push(&mut self, part: &[u8]) {
        self.rest.extend_from_slice(part);
        let whole = memchr::memrchr(b'\n', &self.rest).map_or(0, |end| end + 1);
        for line in self.rest[..whole].split(|byte| *byte == b'\n') {
            let Some(number) = number(line) else { continue };
            if let Some(seen @ false) = self.seen.get_mut(number.wrapping_sub(1)) {
                *seen = true;
                self.missing -= 1;
            }
        }
        self.rest.drain(..whole);
    }
}

/// Reads the number at the beginning of a message's text.
fn number(line: &[u8]) -> Option<usize> {
    const TEXT: &[u8] = br#""text":""#;
    let at = memchr::memmem::find(line.strip_prefix(b"data:")?, TEXT)?;
    let digits = line.get("data:".len() + at + TEXT.len()..)?.get(..10)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_counted_once_in_any_order_of_fields() {
        let mut messages = Messages::expecting(3);
        messages.push(b"data: {\"text\":\"0000000002 x\",\"type\":\"text\"}\n\ndata: {\"te");
        messages.push(b"xt\":\"0000000001 x\"}\ndata: {\"text\":\"0000000002 x\"}\nid: 7\n");
        assert_eq!((messages.missing, messages.seen), (1, vec![true, true, false]));
    }
}
