//! A client and a server, both played by the test, with the machine between them.

use crate::schema::{Side, check, check_error};
use sa_acp::{ChildId, Driven, Effect, Ended, Now};
use sa_opencode::{Disk, Door, Doors, Host, Launch, Limits, Machine};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The first session.
pub(crate) const SESSION: &str = "ses_one";

/// What is on disk: directories, and one file in each.
struct Folder;

impl Disk for Folder {
    fn is_directory(&self, path: &Path) -> bool {
        path.starts_with("/project") || path.starts_with("/other")
    }

    fn read(&self, path: &Path) -> Option<String> {
        match path.file_name()?.to_str()? {
            "old.txt" => Some("one\ntwo\nthree\n".to_owned()),
            name if name.ends_with(".md") => Some("# The plan\n".to_owned()),
            _ => None,
        }
    }
}

struct Row(u16);

impl Doors for Row {
    fn next(&mut self) -> Door {
        self.0 += 1;
        Door { port: self.0, password: "secret".to_owned() }
    }
}

pub(crate) fn host() -> Host {
    Host {
        disk: Box::new(Folder),
        doors: Box::new(Row(0)),
        home: PathBuf::from("/home/user"),
        allow_bypass: true,
        limits: Limits::default(),
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
    /// Requests to the server that are not answered.
    pub(crate) calls: Vec<Value>,
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
            calls: Vec::new(),
        }
    }

    /// A client that shows forms and has a session.
    pub(crate) fn open() -> Self {
        Self::open_as(json!({ "elicitation": { "form": {} }, "session": { "compaction": {} } }))
    }

    pub(crate) fn open_as(capabilities: Value) -> Self {
        let mut client = Self::new(host());
        client.call("initialize", json!({ "protocolVersion": 1, "clientCapabilities": capabilities }));
        client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
        client.up();
        client.around();
        let opened = client.respond("POST /session", info(SESSION));
        assert_eq!(answer(&opened)["result"]["sessionId"], SESSION, "{opened:?}");
        client
    }

    /// Another session in a directory.
    pub(crate) fn another(&mut self, id: &str, cwd: &str) {
        self.call("session/new", json!({ "cwd": cwd, "mcpServers": [] }));
        self.around();
        self.respond("POST /session", info(id));
    }

    pub(crate) fn child(&self) -> ChildId {
        self.starts.last().expect("a process").0
    }

    /// The server is there.
    pub(crate) fn up(&mut self) {
        self.bring(&json!({ "up": true }));
        self.respond("GET /global/health", json!({ "healthy": true, "version": "1.18.34" }));
    }

    /// The server tells what there is in a directory.
    pub(crate) fn around(&mut self) {
        self.respond("GET /config/providers", providers());
        self.respond("GET /agent", agents());
        self.respond(
            "GET /command",
            json!([{ "name": "init", "description": "Sets up", "hints": ["$ARGUMENTS"] }]),
        );
        self.respond("GET /config", json!({}));
    }

    /// Asks the agent something, and gives what comes of it.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Vec<Value> {
        self.last_id += 1;
        self.asked.insert(self.last_id, method.to_owned());
        self.write(&json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params }))
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) -> Vec<Value> {
        self.write(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
    }

    pub(crate) fn prompt(&mut self, session: &str, text: &str) -> Vec<Value> {
        let prompt = json!([{ "type": "text", "text": text }]);
        self.call("session/prompt", json!({ "sessionId": session, "prompt": prompt }))
    }

    /// Answers a request of the agent.
    pub(crate) fn reply(&mut self, request: &Value, result: Value) -> Vec<Value> {
        self.write(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }))
    }

    pub(crate) fn choose(&mut self, request: &Value, option: &str) -> Vec<Value> {
        self.reply(request, json!({ "outcome": { "outcome": "selected", "optionId": option } }))
    }

    /// The client writes a line.
    pub(crate) fn write(&mut self, message: &Value) -> Vec<Value> {
        if let (Some(id), Some(method)) = (message["id"].as_i64(), message["method"].as_str()) {
            self.asked.insert(id, method.to_owned());
        }
        self.machine.line(self.now, message.to_string().as_bytes());
        self.drain()
    }

    /// The wire brings a line.
    pub(crate) fn bring(&mut self, line: &Value) -> Vec<Value> {
        let child = self.child();
        self.machine.native(self.now, child, line.to_string().as_bytes());
        self.drain()
    }

    /// The server tells something about a session.
    pub(crate) fn event(&mut self, session: &str, kind: &str, properties: Value) -> Vec<Value> {
        let mut properties = properties;
        properties["sessionID"] = json!(session);
        let payload = json!({ "id": "evt", "type": kind, "properties": properties });
        self.bring(&json!({ "event": { "directory": "/project", "payload": payload } }))
    }

    pub(crate) fn status(&mut self, session: &str, status: &str) -> Vec<Value> {
        self.event(session, "session.status", json!({ "status": { "type": status } }))
    }

    pub(crate) fn part(&mut self, session: &str, part: Value) -> Vec<Value> {
        self.event(session, "message.part.updated", json!({ "part": part }))
    }

    /// The model begins a message.
    pub(crate) fn message(&mut self, session: &str, id: &str) -> Vec<Value> {
        self.status(session, "busy");
        self.event(session, "message.updated", json!({ "info": { "id": id, "role": "assistant" } }))
    }

    /// A tool call in the state that is given.
    pub(crate) fn tool(
        &mut self,
        session: &str,
        message: &str,
        call: &str,
        tool: &str,
        state: Value,
    ) -> Vec<Value> {
        let id = format!("prt_{call}");
        let part = json!({ "id": id, "messageID": message, "type": "tool", "tool": tool, "callID": call, "state": state });
        self.part(session, part)
    }

    /// Answers the oldest request like this one. What the path asks for is not looked at.
    pub(crate) fn respond(&mut self, to: &str, body: Value) -> Vec<Value> {
        self.respond_as(to, 200, body)
    }

    pub(crate) fn respond_as(&mut self, to: &str, status: u16, body: Value) -> Vec<Value> {
        let call = self.take(to);
        self.bring(&json!({ "id": call["id"], "status": status, "body": body }))
    }

    /// Takes the oldest request like this one.
    pub(crate) fn take(&mut self, to: &str) -> Value {
        let index = self.calls.iter().position(|call| name(call) == to);
        let index = index.unwrap_or_else(|| panic!("{to} was not asked: {:?}", self.names()));
        self.calls.remove(index)
    }

    /// What the server was asked and has not answered.
    pub(crate) fn names(&self) -> Vec<String> {
        self.calls.iter().map(name).collect()
    }

    /// The server is done with a prompt, and all of it was told.
    pub(crate) fn done(&mut self, session: &str) -> Vec<Value> {
        let to = format!("POST /session/{session}/message");
        let info = json!({ "id": "msg_last", "role": "assistant", "finish": "stop" });
        let mut messages = self.respond(&to, json!({ "info": info, "parts": [] }));
        messages.extend(self.status(session, "idle"));
        messages
    }

    /// Time passes.
    pub(crate) fn wait(&mut self, time: Duration) -> Vec<Value> {
        self.now.elapsed += time;
        self.now.unix += time;
        self.machine.tick(self.now);
        self.drain()
    }

    /// The process ends.
    pub(crate) fn exit(&mut self, code: Option<i32>, signal: Option<i32>, stderr: &str) -> Vec<Value> {
        let ended = Ended { code, signal, stderr: stderr.to_owned(), ..Ended::default() };
        let child = self.child();
        self.calls.clear();
        self.machine.ended(self.now, child, &ended);
        self.drain()
    }

    fn drain(&mut self) -> Vec<Value> {
        while let Some(effect) = self.machine.next_effect() {
            match effect {
                Effect::Start { child, launch } => self.starts.push((child, *launch)),
                Effect::Write { line, .. } => self.calls.push(serde_json::from_slice(&line).unwrap()),
                Effect::End { child, .. } => self.ends.push(child),
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

    fn check(&self, message: &Value) {
        match (message["method"].as_str(), message.get("id")) {
            (Some("$/cancel_request"), None) => {}
            (Some(method), None) => check(Side::Client, method, "Notification", &message["params"]),
            (Some(method), Some(_)) => check(Side::Client, method, "Request", &message["params"]),
            (None, Some(id)) => {
                if let Some(error) = message.get("error") {
                    return check_error(error);
                }
                let method = id.as_i64().and_then(|id| self.asked.get(&id)).expect("an answer to a request");
                check(Side::Agent, method, "Response", &message["result"]);
            }
            (None, None) => panic!("no message: {message}"),
        }
    }
}

/// What a request asks for, without its parameters.
pub(crate) fn name(call: &Value) -> String {
    let path = call["path"].as_str().unwrap();
    format!("{} {}", call["method"].as_str().unwrap(), path.split('?').next().unwrap())
}

pub(crate) fn info(id: &str) -> Value {
    json!({ "id": id, "directory": "/project", "title": "New session - 2026", "cost": 0, "time": { "updated": 1 } })
}

pub(crate) fn providers() -> Value {
    let variants = json!({ "max": {}, "low": {} });
    let models = json!({
        "big": { "id": "big", "name": "Big", "limit": { "context": 1000 }, "variants": variants },
        "small": { "id": "small", "name": "Small", "limit": { "context": 500 }, "variants": null },
    });
    let hosted = json!({ "free": { "id": "free", "name": "Free", "limit": { "context": 100 } } });
    json!({
        "providers": [
            { "id": "opencode", "name": "OpenCode Zen", "key": null, "models": hosted },
            { "id": "anthropic", "name": "Anthropic", "key": "sk-fake", "models": models },
        ],
        "default": { "opencode": "free", "anthropic": "big" },
    })
}

pub(crate) fn agents() -> Value {
    let rule = |permission: &str, pattern: &str, action: &str| json!({ "permission": permission, "pattern": pattern, "action": action });
    let plans = rule("edit", ".opencode/plans/*.md", "allow");
    json!([
        { "name": "build", "mode": "primary", "hidden": null, "permission": [rule("*", "*", "allow")] },
        { "name": "plan", "mode": "primary", "permission": [rule("*", "*", "allow"), rule("edit", "*", "deny"), plans] },
        { "name": "general", "mode": "subagent", "permission": [] },
        { "name": "title", "mode": "primary", "hidden": true, "permission": [] },
    ])
}

/// The answer among messages.
pub(crate) fn answer(messages: &[Value]) -> &Value {
    let found = messages.iter().find(|message| message["method"].is_null());
    found.unwrap_or_else(|| panic!("no answer: {messages:?}"))
}

/// The requests of the agent among messages.
pub(crate) fn requests(messages: &[Value]) -> Vec<&Value> {
    messages.iter().filter(|message| message["method"].is_string() && !message["id"].is_null()).collect()
}

/// The updates of one kind among messages.
pub(crate) fn updates<'m>(messages: &'m [Value], kind: &str) -> Vec<&'m Value> {
    let updates = messages.iter().map(|message| &message["params"]["update"]);
    updates.filter(|update| update["sessionUpdate"] == kind).collect()
}
