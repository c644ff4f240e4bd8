//! A client, a CLI and its helper, all played by the test, with the machine between them.

use crate::schema::{Side, check, check_error};
use sa_acp::{ChildId, Driven, Effect, Ended, Now, VisitorId};
use sa_amp::{Asked, Disk, Host, Launch, Limits, Machine};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The thread of the first session, and so its id.
pub(crate) const THREAD: &str = "T-01a1e094-6888-77d3-a355-1560a145d899";

/// What is on disk: one directory with one file.
#[derive(Default)]
pub(crate) struct Folder {
    pub(crate) rules: Option<PathBuf>,
    pub(crate) login: bool,
    pub(crate) broken: bool,
}

impl Disk for Folder {
    fn is_directory(&self, path: &Path) -> bool {
        path.starts_with("/project")
    }

    fn read(&self, path: &Path) -> Option<String> {
        (path.file_name()? == "a.txt").then(|| "one\ntwo\n".to_owned())
    }

    fn has_login(&self) -> bool {
        self.login
    }

    fn settings(&self) -> Result<Map<String, Value>, String> {
        if self.broken { Err("settings.json: broken".to_owned()) } else { Ok(Map::new()) }
    }

    fn project_rules(&self, _: &Path) -> Option<PathBuf> {
        self.rules.clone()
    }
}

pub(crate) struct Client {
    pub(crate) machine: Machine,
    pub(crate) now: Now,
    asked: HashMap<i64, String>,
    last_id: i64,
    /// Processes that were started, in order.
    pub(crate) starts: Vec<(ChildId, Launch)>,
    /// Processes that were to end, and how long they have.
    pub(crate) ends: Vec<(ChildId, Duration)>,
    /// What was written to processes and not looked at yet.
    written: Vec<Value>,
    visitors: u64,
    /// What visitors were answered.
    pub(crate) answers: Arc<Mutex<Vec<(VisitorId, Value)>>>,
}

pub(crate) fn host() -> Host {
    host_with(Folder::default())
}

pub(crate) fn host_with(folder: Folder) -> Host {
    Host {
        disk: Box::new(folder),
        has_key: true,
        helper: "/helper".into(),
        allow_bypass: true,
        limits: Limits::default(),
    }
}

impl Client {
    /// A client that has said hello.
    pub(crate) fn greeted(host: Host) -> Self {
        let mut client = Self {
            machine: Machine::new(host),
            now: Now { elapsed: Duration::ZERO, unix: Duration::from_secs(1_800_000_000) },
            asked: HashMap::new(),
            last_id: 0,
            starts: Vec::new(),
            ends: Vec::new(),
            written: Vec::new(),
            visitors: 0,
            answers: Arc::default(),
        };
        client.call("initialize", json!({ "protocolVersion": 1 }));
        client
    }

    /// A client that has a session.
    pub(crate) fn open() -> Self {
        Self::open_with(host(), THREAD, json!([]))
    }

    pub(crate) fn open_with(host: Host, thread: &str, servers: Value) -> Self {
        let mut client = Self::greeted(host);
        client.call("session/new", json!({ "cwd": "/project", "mcpServers": servers }));
        let help =
            "-m, --mode <value>\n  Set the agent mode (deep, large, rush, smart) — controls the model\n";
        client.run_errand(&Launch::Help, help);
        let opened = client.run_errand(&Launch::NewThread { cwd: "/project".into() }, thread);
        assert_eq!(answer(&opened)["result"]["sessionId"], thread, "{opened:?}");
        client
    }

    /// The process that was started last.
    pub(crate) fn child(&self) -> ChildId {
        self.starts.last().expect("a process").0
    }

    /// The last process that was started for this.
    pub(crate) fn started(&self, launch: &Launch) -> ChildId {
        let found = self.starts.iter().rfind(|(_, started)| started == launch);
        found.unwrap_or_else(|| panic!("no {launch:?}: {:?}", self.starts)).0
    }

    /// A process prints something and ends well.
    pub(crate) fn run_errand(&mut self, launch: &Launch, text: &str) -> Vec<Value> {
        let child = self.started(launch);
        for line in text.lines() {
            self.machine.native(self.now, child, line.as_bytes());
        }
        self.machine.ended(self.now, child, &Ended { code: Some(0), ..Ended::default() });
        self.run()
    }

    /// A process fails.
    pub(crate) fn fail_errand(&mut self, launch: &Launch, stderr: &str) -> Vec<Value> {
        let child = self.started(launch);
        let ended = Ended { code: Some(1), stderr: stderr.to_owned(), ..Ended::default() };
        self.machine.ended(self.now, child, &ended);
        self.run()
    }

    /// Sends a request; all that comes of it at once.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Vec<Value> {
        self.last_id += 1;
        self.asked.insert(self.last_id, method.to_owned());
        let message = json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params });
        self.line(&message)
    }

    pub(crate) fn prompt_in(&mut self, thread: &str, text: &str) -> Vec<Value> {
        let prompt = json!([{ "type": "text", "text": text }]);
        self.call("session/prompt", json!({ "sessionId": thread, "prompt": prompt }))
    }

    pub(crate) fn prompt(&mut self, text: &str) -> Vec<Value> {
        self.prompt_in(THREAD, text)
    }

    pub(crate) fn set_mode(&mut self, mode: &str) -> Vec<Value> {
        self.call("session/set_mode", json!({ "sessionId": THREAD, "modeId": mode }))
    }

    pub(crate) fn cancel(&mut self, thread: &str) -> Vec<Value> {
        let message =
            json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": thread } });
        self.line(&message)
    }

    /// Answers a request for permission with one of its options.
    pub(crate) fn choose(&mut self, request: &Value, option: &str) -> Vec<Value> {
        let outcome = json!({ "outcome": { "outcome": "selected", "optionId": option } });
        self.line(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": outcome }))
    }

    fn line(&mut self, message: &Value) -> Vec<Value> {
        self.machine.line(self.now, message.to_string().as_bytes());
        self.run()
    }

    /// The last process writes a line.
    pub(crate) fn native(&mut self, line: &Value) -> Vec<Value> {
        let text = line.as_str().map_or_else(|| line.to_string(), str::to_owned);
        let child = self.child();
        self.machine.native(self.now, child, text.as_bytes());
        self.run()
    }

    /// The model says something in the last process.
    pub(crate) fn assistant(&mut self, content: Value, stop_reason: &str) -> Vec<Value> {
        let usage = json!({ "input_tokens": 100, "output_tokens": 20, "max_tokens": 300_000 });
        self.native(&json!({
            "type": "assistant",
            "message": { "role": "assistant", "content": content, "stop_reason": stop_reason, "usage": usage },
            "parent_tool_use_id": null, "session_id": THREAD,
        }))
    }

    pub(crate) fn says(&mut self, text: &str) -> Vec<Value> {
        self.assistant(json!([{ "type": "text", "text": text }]), "end_turn")
    }

    pub(crate) fn calls_tool(&mut self, id: &str, name: &str, input: Value) -> Vec<Value> {
        self.assistant(json!([{ "type": "tool_use", "id": id, "name": name, "input": input }]), "tool_use")
    }

    pub(crate) fn tool_result(&mut self, id: &str, content: &str, is_error: bool) -> Vec<Value> {
        let block =
            json!({ "type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error });
        self.native(&json!({ "type": "user", "message": { "role": "user", "content": [block] }, "session_id": THREAD }))
    }

    /// The CLI's helper comes to the door.
    pub(crate) fn helper(&mut self, thread: &str, tool: &str, call: &str, input: Value) -> Vec<Value> {
        self.visitors += 1;
        let asked =
            Asked { tool: tool.to_owned(), call: Some(call.to_owned()), thread: thread.to_owned(), input };
        let line = serde_json::to_vec(&asked).unwrap();
        self.machine.visited(self.now, VisitorId(self.visitors), &line);
        self.run()
    }

    /// What the last visitor was answered.
    pub(crate) fn helped(&self) -> Value {
        let answers = self.answers.lock().unwrap();
        let last = answers.iter().rfind(|(visitor, _)| visitor.0 == self.visitors);
        last.map(|(_, answer)| answer.clone()).unwrap_or_default()
    }

    /// The last visitor leaves.
    pub(crate) fn leaves(&mut self) -> Vec<Value> {
        self.machine.left(self.now, VisitorId(self.visitors));
        self.run()
    }

    /// The last process ends.
    pub(crate) fn exit(&mut self, code: Option<i32>, signal: Option<i32>, stderr: &str) -> Vec<Value> {
        let child = self.child();
        let ended = Ended { not_started: None, code, signal, stderr: stderr.to_owned() };
        self.machine.ended(self.now, child, &ended);
        self.run()
    }

    /// Lets time pass.
    pub(crate) fn wait(&mut self, seconds: u64) -> Vec<Value> {
        self.now.elapsed += Duration::from_secs(seconds);
        self.machine.tick(self.now);
        self.run()
    }

    /// What was written to processes since the last look.
    pub(crate) fn written(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.written)
    }

    fn run(&mut self) -> Vec<Value> {
        while let Some(effect) = self.machine.next_effect() {
            match effect {
                Effect::Start { child, launch } => self.starts.push((child, *launch)),
                Effect::End { child, farewell } => self.ends.push((child, farewell)),
                Effect::Write { line, .. } => {
                    self.written.push(serde_json::from_slice(line.strip_suffix(b"\n").unwrap()).unwrap());
                }
            }
        }
        while let Some((visitor, line)) = self.machine.next_answer() {
            let line = serde_json::from_slice(line.strip_suffix(b"\n").unwrap()).unwrap();
            self.answers.lock().unwrap().push((visitor, line));
        }
        let mut out = Vec::new();
        self.machine.take_output(&mut out);
        let lines = out.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let messages: Vec<Value> = lines.map(|line| serde_json::from_slice(line).unwrap()).collect();
        for message in &messages {
            self.check(message);
        }
        messages
    }

    /// Fails if the agent may not say this.
    fn check(&mut self, message: &Value) {
        match (message.get("id"), message["method"].as_str()) {
            (Some(_), Some(method)) => check(Side::Client, method, "Request", &message["params"]),
            (None, Some(method)) if method.starts_with("$/") => {
                check(Side::Protocol, method, "Notification", &message["params"]);
            }
            (None, Some(method)) => check(Side::Client, method, "Notification", &message["params"]),
            (Some(id), None) => {
                let method = id.as_i64().and_then(|id| self.asked.remove(&id)).expect("asked before");
                match message.get("result") {
                    Some(result) => check(Side::Agent, &method, "Response", result),
                    None => check_error(&message["error"]),
                }
            }
            (None, None) => panic!("neither request, notification nor response: {message}"),
        }
    }
}

/// The updates of that kind.
pub(crate) fn updates<'a>(messages: &'a [Value], kind: &str) -> Vec<&'a Value> {
    let updates = messages.iter().map(|message| &message["params"]["update"]);
    updates.filter(|update| update["sessionUpdate"] == kind).collect()
}

/// The one message that is a request of that method.
pub(crate) fn request(messages: &[Value], method: &str) -> Value {
    let found: Vec<_> = messages.iter().filter(|message| message["method"] == method).collect();
    assert_eq!(found.len(), 1, "{messages:?}");
    found[0].clone()
}

/// The last answer to a request of the client.
pub(crate) fn answer(messages: &[Value]) -> &Value {
    let answer = messages.iter().rfind(|message| message.get("method").is_none());
    answer.unwrap_or_else(|| panic!("no answer: {messages:?}"))
}

/// Why the turn ended.
pub(crate) fn stop_reason(messages: &[Value]) -> &str {
    let answer = answer(messages);
    answer["result"]["stopReason"].as_str().unwrap_or_else(|| panic!("no reason: {answer}"))
}
