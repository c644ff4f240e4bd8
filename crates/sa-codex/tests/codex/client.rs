//! A client and an app-server, both played by the test, with the machine between them.

use crate::calls;
use crate::schema::{Side, check, check_error};
use sa_acp::{ChildId, Driven, Effect, Ended, Now};
use sa_codex::{Disk, Host, Launch, Limits, Machine};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

/// The thread of the first session, and so its id.
pub(crate) const THREAD: &str = "01a1e071-c248-7450-81a4-6a67caebab65";

/// What is on disk: one directory with one file.
struct Folder;

impl Disk for Folder {
    fn is_directory(&self, path: &Path) -> bool {
        path.starts_with("/project") || path.starts_with("/home/user")
    }

    fn read(&self, path: &Path) -> Option<String> {
        (path.file_name()? == "a.txt").then(|| "one\ntwo\n".to_owned())
    }
}

pub(crate) struct Client {
    pub(crate) machine: Machine,
    pub(crate) now: Now,
    asked: HashMap<i64, String>,
    last_id: i64,
    /// Processes that were started, in order.
    pub(crate) starts: Vec<(ChildId, Launch)>,
    /// Processes that were to end.
    pub(crate) ends: Vec<ChildId>,
    /// What comes of a command in the sandbox.
    pub(crate) sandbox: Value,
    /// What was written to the app-server and not looked at yet.
    written: Vec<Value>,
    /// Requests to the app-server that are not answered.
    pub(crate) open: Vec<Value>,
}

pub(crate) fn host() -> Host {
    Host {
        disk: Box::new(Folder),
        api_key: Some("sk-fake".to_owned()),
        base_url: None,
        allow_bypass: true,
        any_model: false,
        limits: Limits::default(),
    }
}

impl Client {
    pub(crate) fn new(host: Host) -> Self {
        Self {
            machine: Machine::new(host),
            now: Now { elapsed: Duration::ZERO, unix: Duration::from_secs(1_800_000_000) },
            asked: HashMap::new(),
            last_id: 0,
            starts: Vec::new(),
            ends: Vec::new(),
            sandbox: json!({ "exitCode": 0, "stdout": "", "stderr": "" }),
            written: Vec::new(),
            open: Vec::new(),
        }
    }

    /// A client with these capabilities that has said hello.
    pub(crate) fn greeted(host: Host, capabilities: Value) -> Self {
        let mut client = Self::new(host);
        client.call("initialize", json!({ "protocolVersion": 1, "clientCapabilities": capabilities }));
        client
    }

    /// A client with these capabilities that has a session.
    pub(crate) fn open(capabilities: Value) -> Self {
        Self::open_with(host(), capabilities)
    }

    pub(crate) fn open_with(host: Host, capabilities: Value) -> Self {
        Self::greeted(host, capabilities).with_session()
    }

    /// A client with a session where the sandbox of the CLI does not work.
    pub(crate) fn open_without_sandbox(host: Host) -> Self {
        let mut client = Self::greeted(host, json!({}));
        client.sandbox = json!({ "exitCode": 101, "stderr": "bubblewrap is unavailable" });
        client.with_session()
    }

    fn with_session(mut self) -> Self {
        let client = &mut self;
        client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
        client.shake_hands();
        let opened = client.respond("thread/start", opened(THREAD));
        assert_eq!(answer(&opened)["result"]["sessionId"], THREAD, "{opened:?}");
        client.respond("skills/list", json!({ "data": [] }));
        client.written.clear();
        self
    }

    /// The process that was started last.
    pub(crate) fn child(&self) -> ChildId {
        self.starts.last().expect("a process").0
    }

    /// The app-server answers all that it is asked after its start.
    pub(crate) fn shake_hands(&mut self) -> Vec<Value> {
        self.shake_hands_as("0.166.0")
    }

    pub(crate) fn shake_hands_as(&mut self, version: &str) -> Vec<Value> {
        let user_agent = format!("sandbox-agent/{version} (Debian 12; x86_64)");
        let mut messages = self.respond("initialize", json!({ "userAgent": user_agent }));
        if self.awaits("account/read") {
            let account = json!({ "account": { "type": "apiKey" }, "requiresOpenaiAuth": true });
            messages.extend(self.respond("account/read", account));
        }
        messages.extend(self.respond("model/list", models()));
        messages.extend(self.respond("command/exec", self.sandbox.clone()));
        if self.awaits("account/login/start") {
            messages.extend(self.respond("account/login/start", json!({ "type": "apiKey" })));
        }
        messages
    }

    /// Whether a request of that method is open.
    pub(crate) fn awaits(&self, method: &str) -> bool {
        self.open.iter().any(|request| request["method"] == method)
    }

    /// Takes the first open request of that method.
    pub(crate) fn take(&mut self, method: &str) -> Value {
        let place = self.open.iter().position(|request| request["method"] == method);
        self.open.remove(place.unwrap_or_else(|| panic!("no {method} is open: {:?}", self.open)))
    }

    /// The app-server answers the first open request of that method.
    pub(crate) fn respond(&mut self, method: &str, result: Value) -> Vec<Value> {
        let request = self.take(method);
        self.native(&json!({ "id": request["id"], "result": result }))
    }

    /// The app-server refuses the first open request of that method.
    pub(crate) fn refuse(&mut self, method: &str, message: &str) -> Vec<Value> {
        let request = self.take(method);
        self.native(&json!({ "id": request["id"], "error": { "code": -32600, "message": message } }))
    }

    /// Sends a request; all that comes of it at once.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Vec<Value> {
        self.last_id += 1;
        self.asked.insert(self.last_id, method.to_owned());
        let message = json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params });
        self.line(&message)
    }

    pub(crate) fn prompt(&mut self, text: &str) -> Vec<Value> {
        let prompt = json!([{ "type": "text", "text": text }]);
        self.call("session/prompt", json!({ "sessionId": THREAD, "prompt": prompt }))
    }

    /// Sends a prompt that the app-server takes up as that turn.
    pub(crate) fn begin(&mut self, text: &str, turn: &str) -> Vec<Value> {
        let mut messages = self.prompt(text);
        messages
            .extend(self.respond("turn/start", json!({ "turn": { "id": turn, "status": "inProgress" } })));
        messages.extend(self.tell("turn/started", json!({ "turn": { "id": turn } })));
        messages
    }

    /// The turn ends.
    pub(crate) fn end(&mut self, turn: &str, status: &str) -> Vec<Value> {
        self.tell("turn/completed", json!({ "turn": { "id": turn, "status": status } }))
    }

    pub(crate) fn set_mode(&mut self, mode: &str) -> Vec<Value> {
        self.call("session/set_mode", json!({ "sessionId": THREAD, "modeId": mode }))
    }

    pub(crate) fn cancel(&mut self) -> Vec<Value> {
        self.notify("session/cancel", json!({ "sessionId": THREAD }))
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) -> Vec<Value> {
        self.line(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
    }

    /// Answers a request of the agent.
    pub(crate) fn answer(&mut self, request: &Value, result: Value) -> Vec<Value> {
        self.line(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }))
    }

    /// Answers a request for permission with one of its options.
    pub(crate) fn choose(&mut self, request: &Value, option: &str) -> Vec<Value> {
        self.answer(request, json!({ "outcome": { "outcome": "selected", "optionId": option } }))
    }

    fn line(&mut self, message: &Value) -> Vec<Value> {
        self.machine.line(self.now, message.to_string().as_bytes());
        self.run()
    }

    /// The app-server tells something about the thread of the first session.
    pub(crate) fn tell(&mut self, method: &str, params: Value) -> Vec<Value> {
        let mut params = params;
        params["threadId"] = params.get("threadId").cloned().unwrap_or_else(|| json!(THREAD));
        self.native(&json!({ "method": method, "params": params }))
    }

    /// The app-server asks something about the thread of the first session.
    pub(crate) fn ask(&mut self, id: u64, method: &str, params: Value) -> Vec<Value> {
        let mut params = params;
        params["threadId"] = params.get("threadId").cloned().unwrap_or_else(|| json!(THREAD));
        self.native(&json!({ "id": id, "method": method, "params": params }))
    }

    /// The app-server writes something.
    pub(crate) fn native(&mut self, line: &Value) -> Vec<Value> {
        let child = self.child();
        self.machine.native(self.now, child, line.to_string().as_bytes());
        self.run()
    }

    /// The process ends.
    pub(crate) fn exit(&mut self, code: Option<i32>, signal: Option<i32>, stderr: &str) -> Vec<Value> {
        self.ended(&Ended { not_started: None, code, signal, stderr: stderr.to_owned() })
    }

    pub(crate) fn ended(&mut self, ended: &Ended) -> Vec<Value> {
        let child = self.child();
        self.open.clear();
        self.machine.ended(self.now, child, ended);
        self.run()
    }

    /// Lets time pass.
    pub(crate) fn wait(&mut self, milliseconds: u64) -> Vec<Value> {
        self.now.elapsed += Duration::from_millis(milliseconds);
        self.now.unix += Duration::from_millis(milliseconds);
        self.machine.tick(self.now);
        self.run()
    }

    /// What was written to the app-server since the last look.
    pub(crate) fn written(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.written)
    }

    /// The results among what was written to the app-server since the last look: our answers to its requests.
    pub(crate) fn replies(&mut self) -> Vec<Value> {
        self.written().into_iter().filter(|line| line["method"].is_null()).collect()
    }

    fn run(&mut self) -> Vec<Value> {
        while let Some(effect) = self.machine.next_effect() {
            match effect {
                Effect::Start { child, launch } => self.starts.push((child, *launch)),
                Effect::End { child, .. } => self.ends.push(child),
                Effect::Write { line, .. } => {
                    let line: Value = serde_json::from_slice(line.strip_suffix(b"\n").unwrap()).unwrap();
                    if line["method"].is_string() && line.get("id").is_some() {
                        calls::check(&line);
                        self.open.push(line.clone());
                    }
                    self.written.push(line);
                }
            }
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
                    // Not in the protocol any more.
                    Some(_) if method == "session/set_model" => {}
                    Some(result) => check(Side::Agent, &method, "Response", result),
                    None => check_error(&message["error"]),
                }
            }
            (None, None) => panic!("neither request, notification nor response: {message}"),
        }
    }
}

/// What the app-server says about a thread that it opened.
pub(crate) fn opened(thread: &str) -> Value {
    json!({ "thread": { "id": thread, "cwd": "/project", "turns": [] }, "model": "gpt-6.1-sol", "reasoningEffort": null })
}

pub(crate) fn models() -> Value {
    let efforts = json!([
        { "reasoningEffort": "low", "description": "Quick" },
        { "reasoningEffort": "high", "description": "Thorough" },
    ]);
    json!({ "data": [
        {
            "id": "gpt-6.1-sol", "displayName": "GPT-6.1-Sol", "description": "The latest", "isDefault": true,
            "defaultReasoningEffort": "low", "supportedReasoningEfforts": efforts,
        },
        { "id": "gpt-5.5", "displayName": "GPT-5.5", "description": "An older one", "supportedReasoningEfforts": [] },
        { "id": "secret", "hidden": true },
        { "no": "model" },
    ] })
}

/// The updates of that kind.
pub(crate) fn updates<'a>(messages: &'a [Value], kind: &str) -> Vec<&'a Value> {
    let updates = messages.iter().map(|message| &message["params"]["update"]);
    updates.filter(|update| update["sessionUpdate"] == kind).collect()
}

/// All text of the updates of that kind.
pub(crate) fn text(messages: &[Value], kind: &str) -> String {
    updates(messages, kind).iter().map(|update| update["content"]["text"].as_str().unwrap()).collect()
}

/// The one message that is a request of that method.
pub(crate) fn request(messages: &[Value], method: &str) -> Value {
    let found: Vec<_> = messages.iter().filter(|message| message["method"] == method).collect();
    assert_eq!(found.len(), 1, "{messages:?}");
    found[0].clone()
}

/// The answer to a request of the client; the last message has to be one.
pub(crate) fn answer(messages: &[Value]) -> &Value {
    let answer = messages.iter().rfind(|message| message.get("method").is_none());
    answer.unwrap_or_else(|| panic!("no answer: {messages:?}"))
}

/// Why the turn ended; the last answer must say it.
pub(crate) fn stop_reason(messages: &[Value]) -> &str {
    let answer = answer(messages);
    answer["result"]["stopReason"].as_str().unwrap_or_else(|| panic!("no reason: {answer}"))
}
