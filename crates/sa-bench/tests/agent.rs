//! The stand-in agent as a real process on pipes.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use sa_bench::message::{Numbered, now};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

struct Agent {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Agent {
    fn start(mode: Option<&str>) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_sa-bench-agent"))
            .args(mode)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self { child, stdin, stdout }
    }

    fn send(&mut self, text: &str) {
        self.stdin.write_all(text.as_bytes()).unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line
    }

    /// Closes the input; the agent must leave unasked.
    fn end(self) {
        let Self { mut child, stdin, .. } = self;
        drop(stdin);
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn requests_are_answered_in_order_with_their_own_id_and_params() {
    for mode in [None, Some("idle")] {
        let mut agent = Agent::start(mode);
        agent.send("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"bench/echo\",\"params\":{\"n\": 1.50}}\n{\"jsonrpc\":\"2.0\",");
        assert_eq!(agent.line(), "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{\"n\": 1.50}}\n");
        agent.send("\"method\":\"note\"}\n{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"bench/hang\"}\n");
        agent.send("{\"id\":2,\"params\":{},\"method\":\"bench/pid\",\"jsonrpc\":\"2.0\"}\n");
        assert_eq!(
            agent.line(),
            format!("{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}}\n", agent.child.id())
        );
        agent.end();
    }
}

#[test]
fn a_prompt_yields_numbered_messages_of_the_asked_size_then_its_answer() {
    for (mode, size, count) in [(None, 200, 5_000), (Some("idle"), 200, 100), (None, 1 << 20, 3)] {
        let mut agent = Agent::start(mode);
        agent.send(&format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/prompt\",\"params\":{{\"first\":11,\"count\":{count},\"size\":{size}}}}}\n"
        ));
        for number in 11..11 + count {
            let line = agent.line();
            assert_eq!(line.len(), size + 1);
            assert_eq!(Numbered::parse(line.as_bytes()).unwrap(), Numbered { number, written_at: 0 });
        }
        assert_eq!(agent.line(), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"stopReason\":\"end_turn\"}}\n");
        agent.end();
    }
}

#[test]
fn paced_messages_carry_the_time_of_their_writing() {
    let mut agent = Agent::start(None);
    let start = now();
    agent.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/prompt\",\"params\":{\"count\":20,\"size\":200,\"perSecond\":1000}}\n");
    let times: Vec<u64> =
        (0..20).map(|_| Numbered::parse(agent.line().as_bytes()).unwrap().written_at).collect();
    let end = now();
    assert!(times.is_sorted() && start < times[0] && times[19] < end);
    assert!(times[19] - start >= 20_000_000, "20 messages at 1000/s take at least 20 ms");
    agent.end();
}
