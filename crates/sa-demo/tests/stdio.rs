//! The agent as a process of its own, on real pipes: this program starts itself again as the agent.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use sa_demo::{Options, run_stdio};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdout, Command, ExitCode, Stdio};

const AGENT: &str = "--as-the-agent";

const TESTS: &[(&str, fn())] = &[
    ("a_conversation_over_pipes", a_conversation_over_pipes),
    ("files_do_as_well_as_pipes", files_do_as_well_as_pipes),
    ("it_ends_by_code_and_by_signal", it_ends_by_code_and_by_signal),
    ("its_output_can_be_closed", its_output_can_be_closed),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    if has(AGENT) {
        return run_stdio(Options { env: Box::new(|name| std::env::var(name).ok()), ..Options::default() });
    }
    let wanted = |name: &str| {
        let mut names =
            arguments.iter().filter(|argument| !argument.starts_with('-') && *argument != "terse").peekable();
        names.peek().is_none() || names.any(|argument| name.contains(argument.as_str()))
    };
    for (name, test) in TESTS.iter().filter(|(name, _)| wanted(name) && !has("--ignored")) {
        if has("--list") {
            println!("{name}: test");
        } else {
            test();
        }
    }
    ExitCode::SUCCESS
}

struct Agent {
    child: Child,
    output: BufReader<ChildStdout>,
    session: String,
}

impl Agent {
    fn start() -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .arg(AGENT)
            .env("DEMO_VARIABLE", "value")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut agent = Self { child, output, session: String::new() };
        agent.call(1, "initialize", json!({ "protocolVersion": 1 }));
        let opened = agent.call(2, "session/new", json!({ "cwd": "/", "mcpServers": [] }));
        agent.session = opened.last().unwrap()["result"]["sessionId"].as_str().unwrap().to_owned();
        assert_eq!(agent.message()["params"]["update"]["sessionUpdate"], "available_commands_update");
        agent
    }

    fn send(&mut self, id: i64, method: &str, params: Value) {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(self.child.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    fn call(&mut self, id: i64, method: &str, params: Value) -> Vec<Value> {
        self.send(id, method, params);
        let mut messages = Vec::new();
        loop {
            messages.push(self.message());
            if messages.last().is_some_and(|last| last["id"] == id) {
                return messages;
            }
        }
    }

    fn message(&mut self) -> Value {
        let mut line = String::new();
        assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the output ended");
        serde_json::from_str(&line).unwrap()
    }

    fn prompt(&self, text: &str) -> Value {
        json!({ "sessionId": self.session, "prompt": [{ "type": "text", "text": text }] })
    }
}

fn a_conversation_over_pipes() {
    let mut agent = Agent::start();
    let messages = agent.call(3, "session/prompt", agent.prompt("env DEMO_VARIABLE value\nflood 20000 100"));
    assert_eq!(messages[0]["params"]["update"]["content"]["text"], "DEMO_VARIABLE is set to that value.");
    assert_eq!(messages.last().unwrap()["result"]["stopReason"], "end_turn");
    assert!(messages.len() > 20_000);
    // A turn that hangs does not keep it from ending with its input.
    agent.send(4, "session/prompt", agent.prompt("hang"));
    drop(agent.child.stdin.take());
    assert_eq!(agent.child.wait().unwrap().code(), Some(0));
}

fn files_do_as_well_as_pipes() {
    let directory = tempfile::tempdir().unwrap();
    let (input, output) = (directory.path().join("in"), directory.path().join("out"));
    let hello =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": 1 } });
    std::fs::write(&input, format!("{hello}\nnonsense\n")).unwrap();
    let status = Command::new(std::env::current_exe().unwrap())
        .arg(AGENT)
        .stdin(std::fs::File::open(input).unwrap())
        .stdout(std::fs::File::create(&output).unwrap())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(0));
    assert_eq!(std::fs::read_to_string(output).unwrap().lines().count(), 2);
}

fn it_ends_by_code_and_by_signal() {
    const SIGABRT: i32 = 6;
    for (script, code, signal) in [("stderr first\ncrash 7", Some(7), None), ("abort", None, Some(SIGABRT))] {
        let mut agent = Agent::start();
        agent.send(3, "session/prompt", agent.prompt(script));
        let status = agent.child.wait().unwrap();
        assert_eq!((status.code(), status.signal()), (code, signal), "{script}");
        let mut complaint = String::new();
        agent.child.stderr.take().unwrap().read_to_string(&mut complaint).unwrap();
        assert_eq!(complaint.starts_with("first\n"), code.is_some(), "{complaint}");
    }
}

fn its_output_can_be_closed() {
    let mut agent = Agent::start();
    agent.send(3, "session/prompt", agent.prompt("close-stdout"));
    let mut rest = String::new();
    agent.output.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
    assert!(agent.child.try_wait().unwrap().is_none(), "it lives");
    drop(agent.child.stdin.take());
    assert_eq!(agent.child.wait().unwrap().code(), Some(0));
}
