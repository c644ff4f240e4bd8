//! The puppet on a pair of pipes: each method does what the tests of the transport rely on.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use sa_testkit::{Signal, descendants, is_alive, process};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStderr, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

const DEADLINE: Duration = Duration::from_secs(30);

struct Puppet {
    child: Child,
    stdin: Option<ChildStdin>,
    stderr: ChildStderr,
    lines: Receiver<Vec<u8>>,
}

impl Puppet {
    fn start(flags: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sa-puppet"));
        command.args(flags).env("PUPPET_TEST", "here");
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let (sender, lines) = sync_channel(1024);
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            let mut line = Vec::new();
            while matches!(stdout.read_until(b'\n', &mut line), Ok(read) if read > 0) {
                if sender.send(std::mem::take(&mut line)).is_err() {
                    break;
                }
            }
        });
        Self { stdin: child.stdin.take(), stderr: child.stderr.take().unwrap(), child, lines }
    }

    fn send(&mut self, line: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    fn request(&mut self, id: &str, method: &str, params: &str) {
        self.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#));
    }

    fn line(&self) -> String {
        let line = self.lines.recv_timeout(DEADLINE).expect("a line in time");
        String::from_utf8(line).unwrap().trim_end_matches('\n').to_owned()
    }

    fn message(&self) -> Value {
        serde_json::from_str(&self.line()).unwrap()
    }

    fn call(&mut self, method: &str, params: &str) -> Value {
        self.request("1", method, params);
        self.message()["result"].take()
    }

    fn exit(mut self) -> (ExitStatus, String) {
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(started.elapsed() < DEADLINE, "the puppet still runs");
            std::thread::sleep(Duration::from_millis(2));
        };
        let mut stderr = String::new();
        self.stderr.read_to_string(&mut stderr).unwrap();
        (status, stderr)
    }
}

impl Drop for Puppet {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < DEADLINE, "waited for {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn kill(pid: u32, signal: Signal) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

#[test]
fn echo_keeps_every_byte() {
    let mut puppet = Puppet::start(&[]);
    let params = r#"{"z": 1.50,"a":[1e400, -0,12345678901234567890123],"z":"\u00e9é\/"  ,"n":null}"#;
    puppet.request(r#""wéird \u0000""#, "echo", params);
    assert_eq!(puppet.line(), format!(r#"{{"jsonrpc":"2.0","id":"wéird \u0000","result":{params}}}"#));
    puppet.send(r#"{"method":"echo" , "id":1.0}"#);
    assert_eq!(puppet.line(), r#"{"jsonrpc":"2.0","id":1.0,"result":null}"#);
    let line = r#"{"params":{}, "method" :"line","id":7}"#;
    puppet.send(line);
    assert_eq!(puppet.message(), json!({"jsonrpc": "2.0", "id": 7, "result": line}));
}

#[test]
fn errors_are_answers_too() {
    let mut puppet = Puppet::start(&[]);
    puppet.request("1", "error", r#"{"code":-1,"message":"no","data":1.0}"#);
    assert_eq!(puppet.line(), r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no","data":1.0}}"#);
    puppet.request("2", "nothing/like/it", "{}");
    assert_eq!(puppet.message()["error"]["code"], json!(-32601));
    puppet.request("3", "delay", r#"{"ms":"x"}"#);
    assert_eq!(puppet.message()["error"]["code"], json!(-32602));
}

#[test]
fn a_flood_is_numbered_and_of_the_size_asked_for() {
    let mut puppet = Puppet::start(&[]);
    puppet.request("1", "flood", r#"{"count":2000,"bytes":200,"label":"a"}"#);
    for n in 1..=2000 {
        let line = puppet.line();
        assert_eq!(line.len(), 200);
        let message: Value = serde_json::from_str(&line).unwrap();
        assert_eq!((&message["params"]["n"], &message["params"]["label"]), (&json!(n), &json!("a")));
        assert_eq!(message.get("id"), None);
    }
    assert_eq!(puppet.message()["result"], json!({"sent": 2000}));
    puppet.request("2", "huge", r#"{"bytes":1048577}"#);
    let line = puppet.line();
    assert_eq!(line.len(), 1_048_577);
    assert!(serde_json::from_str::<Value>(&line).is_ok());
    assert_eq!(puppet.message()["id"], json!(2));
}

#[test]
fn it_listens_while_nobody_reads_its_flood() {
    let mut puppet = Puppet::start(&[]);
    // More than the pipe, the channel and the batch hold, then a request that ends the process.
    puppet.request("1", "flood", r#"{"count":100000,"bytes":4096}"#);
    puppet.request("2", "crash", r#"{"code":9}"#);
    assert_eq!(puppet.exit().0.code(), Some(9));
}

#[test]
fn ask_is_answered_when_the_client_answered() {
    let mut puppet = Puppet::start(&[]);
    puppet.request("1", "ask", r#"{"method":"fs/read","params":{"p":1.0}}"#);
    puppet.request("2", "ask", r#"{"method":"x","id":900719925474099300}"#);
    assert_eq!(puppet.line(), r#"{"jsonrpc":"2.0","id":"puppet-1","method":"fs/read","params":{"p":1.0}}"#);
    assert_eq!(puppet.line(), r#"{"jsonrpc":"2.0","id":900719925474099300,"method":"x","params":{}}"#);
    let second = r#"{"jsonrpc":"2.0","id":900719925474099300,"error":{"code":1,"message":""}}"#;
    puppet.send(second);
    assert_eq!(puppet.line(), format!(r#"{{"jsonrpc":"2.0","id":2,"result":{second}}}"#));
    let first = r#"{"jsonrpc":"2.0","id":"puppet-1","result":{"b":1,"a":2}}"#;
    puppet.send(first);
    assert_eq!(puppet.line(), format!(r#"{{"jsonrpc":"2.0","id":1,"result":{first}}}"#));
}

#[test]
fn held_requests_are_released_in_the_order_given() {
    let mut puppet = Puppet::start(&[]);
    puppet.request("1", "hold", r#"{"name":"a"}"#);
    puppet.request("9", "release", r#"{"names":["c","a"]}"#);
    puppet.request("2", "hold", r#"{"name":"b"}"#);
    puppet.request("3", "hold", r#"{"name":"c"}"#);
    let ids: Vec<_> = (0..3).map(|_| puppet.message()["id"].take()).collect();
    assert_eq!(ids, [json!(3), json!(1), json!(9)]);
    puppet.request("10", "release", "{}");
    assert_eq!((puppet.message()["id"].take(), puppet.message()["id"].take()), (json!(2), json!(10)));
}

#[test]
fn other_requests_pass_a_delayed_or_forgotten_one() {
    let mut puppet = Puppet::start(&[]);
    puppet.request("1", "never", "{}");
    puppet.request("2", "delay", r#"{"ms":50}"#);
    puppet.request("3", "echo", "{}");
    assert_eq!(puppet.message()["id"], json!(3));
    assert_eq!(puppet.line(), r#"{"jsonrpc":"2.0","id":2,"result":{"ms":50}}"#);
}

#[test]
fn it_reports_what_it_saw() {
    let mut puppet = Puppet::start(&[]);
    puppet.send(r#"{"jsonrpc":"2.0","method":"echo","params":{}}"#);
    puppet.send(r#"{"jsonrpc":"2.0","method":"anything"}"#);
    assert_eq!(puppet.call("notify_count", "{}"), json!(2));
    puppet.request(r#""a""#, "ids", "{}");
    assert_eq!(puppet.line(), r#"{"jsonrpc":"2.0","id":"a","result":[1,"a"]}"#);
    assert_eq!(puppet.call("env", r#"{"name":"PUPPET_TEST"}"#), json!("here"));
    assert_eq!(puppet.call("env", r#"{"name":"PUPPET_TEST_ABSENT"}"#), Value::Null);
    assert_eq!(puppet.call("env", "{}")["PUPPET_TEST"], json!("here"));
    let pid = puppet.child.id();
    assert_eq!(puppet.call("pid", "{}"), json!(pid));
    let open = puppet.call("fds", "{}");
    let numbers: Vec<_> = open.as_array().unwrap().iter().map(|open| open["fd"].as_u64().unwrap()).collect();
    assert!(numbers.starts_with(&[0, 1, 2]), "{open}");
    assert!(open[1]["target"].as_str().unwrap().starts_with("pipe:"), "{open}");
}

#[test]
fn it_can_break_the_protocol() {
    let mut puppet = Puppet::start(&[]);
    puppet.request("5", "duplicate_id", r#"{"x":1}"#);
    assert_eq!((puppet.message()["id"].take(), puppet.message()["id"].take()), (json!(5), json!(5)));
    // "\xff\x00x\n" and then a line that has no end.
    puppet.send(r#"{"jsonrpc":"2.0","method":"raw","params":{"base64":"/wB4Cg=="}}"#);
    assert_eq!(puppet.lines.recv_timeout(DEADLINE).unwrap(), b"\xff\x00x\n");
    puppet.send(r#"{"jsonrpc":"2.0","method":"raw","params":{"base64":"e30="}}"#);
    puppet.send(r#"{"jsonrpc":"2.0","method":"crash","params":{"code":4,"stderr":"last words"}}"#);
    assert_eq!(puppet.lines.recv_timeout(DEADLINE).unwrap(), b"{}");
    let (status, stderr) = puppet.exit();
    assert_eq!((status.code(), stderr.as_str()), (Some(4), "last words"));
}

#[test]
fn it_can_kill_itself() {
    let mut puppet = Puppet::start(&[]);
    puppet.request("1", "signal", r#"{"sig":9}"#);
    assert_eq!(puppet.exit().0.signal(), Some(9));
}

#[test]
fn stderr_is_written_as_often_as_asked() {
    let mut puppet = Puppet::start(&[]);
    assert_eq!(puppet.call("stderr", r#"{"text":"ab\n","repeat":3}"#), Value::Null);
    puppet.stdin = None;
    let (status, stderr) = puppet.exit();
    assert_eq!((status.code(), stderr.as_str()), (Some(0), "ab\nab\nab\n"));
}

#[test]
fn streams_close_while_it_lives() {
    let mut puppet = Puppet::start(&[]);
    assert_eq!(puppet.call("close_stdout", "{}"), Value::Null);
    assert!(puppet.lines.recv_timeout(DEADLINE).is_err());
    assert!(is_alive(puppet.child.id()));

    let mut puppet = Puppet::start(&[]);
    assert_eq!(puppet.call("close_stdin", "{}"), Value::Null);
    wait_until("a broken pipe", || puppet.stdin.as_mut().unwrap().write_all(b"\n").is_err());
    assert!(is_alive(puppet.child.id()));
}

#[test]
fn deaf_it_reads_nothing_more() {
    let mut puppet = Puppet::start(&[]);
    assert_eq!(puppet.call("deaf", "{}"), Value::Null);
    puppet.request("2", "echo", "{}");
    puppet.stdin = None;
    assert!(puppet.lines.recv_timeout(Duration::from_millis(100)).is_err());
    assert!(is_alive(puppet.child.id()));
}

#[test]
fn flags_change_start_and_end() {
    let (status, stderr) = Puppet::start(&["--no-start"]).exit();
    assert_eq!((status.code(), stderr.is_empty()), (Some(3), false));
    assert_eq!(Puppet::start(&["--exit-after", "1"]).exit().0.code(), Some(0));
    assert_eq!(Puppet::start(&["--what"]).exit().0.code(), Some(64));
    let started = Instant::now();
    let mut slow = Puppet::start(&["--slow-start", "120"]);
    slow.call("pid", "{}");
    assert!(started.elapsed() >= Duration::from_millis(120));
}

#[test]
fn sigterm_ends_it_unless_told_to_stay() {
    let mut obedient = Puppet::start(&[]);
    obedient.call("pid", "{}");
    kill(obedient.child.id(), Signal::TERM);
    assert_eq!(obedient.exit().0.signal(), Some(15));

    let mut stubborn = Puppet::start(&["--ignore-term"]);
    stubborn.call("pid", "{}");
    kill(stubborn.child.id(), Signal::TERM);
    assert_eq!(stubborn.call("echo", "[1]"), json!([1]));
    stubborn.stdin = None;
    kill(stubborn.child.id(), Signal::TERM);
    assert!(is_alive(stubborn.child.id()));
    kill(stubborn.child.id(), Signal::KILL);
    assert_eq!(stubborn.exit().0.signal(), Some(9));
}

fn tree(puppet: &mut Puppet, params: &str) -> Vec<u32> {
    serde_json::from_value(puppet.call("spawn_tree", params)["pids"].take()).unwrap()
}

#[test]
fn a_tree_is_a_chain_below_it() {
    let mut puppet = Puppet::start(&["--ignore-term"]);
    let own = puppet.child.id();
    let pids = tree(&mut puppet, r#"{"depth":3}"#);
    assert_eq!(pids.len(), 3);
    let mut below: Vec<u32> = descendants(own).iter().map(|process| process.pid).collect();
    let mut expected = pids.clone();
    below.sort_unstable();
    expected.sort_unstable();
    assert_eq!(below, expected);
    let parents: Vec<u32> = pids.iter().map(|&pid| process(pid).unwrap().parent).collect();
    assert_eq!(parents, [own, pids[0], pids[1]]);
    // From the top: a shell whose child has ended leaves, too.
    for &pid in &pids {
        kill(pid, Signal::TERM);
        wait_until("an obedient child to end", || !is_alive(pid));
    }
}

#[test]
fn a_tree_may_leave_and_resist() {
    let mut puppet = Puppet::start(&[]);
    let group = process(puppet.child.id()).unwrap().group;
    let pids = tree(&mut puppet, r#"{"depth":2,"setsid":true,"ignore_term":true,"orphan":true}"#);
    let [pid] = pids[..] else { panic!("one stays: {pids:?}") };
    let left = process(pid).unwrap();
    assert_ne!(left.group, group);
    assert!(!descendants(puppet.child.id()).iter().any(|process| process.pid == pid), "{left:?}");
    kill(pid, Signal::TERM);
    assert!(is_alive(pid));
    kill(pid, Signal::KILL);
    wait_until("the orphan to end", || !is_alive(pid));
}

#[test]
fn a_tree_may_keep_the_output_open() {
    let mut puppet = Puppet::start(&[]);
    let pids = tree(&mut puppet, r#"{"hold_stdout":true}"#);
    puppet.stdin = None;
    wait_until("the puppet to end", || puppet.child.try_wait().unwrap().is_some());
    assert_eq!(
        puppet.lines.recv_timeout(Duration::from_millis(50)),
        Err(std::sync::mpsc::RecvTimeoutError::Timeout)
    );
    kill(pids[0], Signal::KILL);
    assert_eq!(puppet.lines.recv_timeout(DEADLINE), Err(std::sync::mpsc::RecvTimeoutError::Disconnected));
}
