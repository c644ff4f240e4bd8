//! A client and a server, both played by the test, with the machine between them.

use sa_acp::testing::{self, Peer};
use sa_opencode::{Core, Disk, Endpoint, Endpoints, Host, LIMITS, Machine};
use serde_json::{Value, json};
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};

use sa_acp::testing::answer;

/// The first session.
pub(crate) const SESSION: &str = "ses_one";

/// A disk with directories and one file in each.
#[derive(Debug)]
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

#[derive(Debug)]
struct Row(u16);

impl Endpoints for Row {
    fn next(&mut self) -> Endpoint {
        self.0 += 1;
        Endpoint { port: self.0, password: "secret".to_owned() }
    }
}

pub(crate) fn host() -> Host {
    Host {
        disk: Box::new(Folder),
        endpoints: Box::new(Row(0)),
        home: PathBuf::from("/home/user"),
        allow_bypass: true,
        limits: LIMITS,
    }
}

/// The server, as far as it is played.
#[derive(Debug, Default)]
pub(crate) struct Server {
    /// Requests to it that are not answered.
    pub(crate) calls: Vec<Value>,
}

impl Peer for Server {
    fn wrote(&mut self, line: Value) {
        self.calls.push(line);
    }
}

pub(crate) struct Client(testing::Client<Core, Server>);

impl Deref for Client {
    type Target = testing::Client<Core, Server>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Client {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl Client {
    pub(crate) fn new(host: Host) -> Self {
        Self(testing::Client::new(Machine::new(host), Server::default()))
    }

    /// A client that shows forms and has a session.
    pub(crate) fn open() -> Self {
        Self::open_as(json!({ "elicitation": { "form": {} }, "session": { "compaction": {} } }))
    }

    pub(crate) fn open_as(capabilities: Value) -> Self {
        Self::opened(capabilities, json!({ "cwd": "/project", "mcpServers": [] }))
    }

    /// The same with a session that is opened by these params.
    pub(crate) fn open_of(params: Value) -> Self {
        Self::opened(json!({}), params)
    }

    fn opened(capabilities: Value, params: Value) -> Self {
        let mut client = Self::new(host());
        client.greet(capabilities);
        client.call("session/new", params);
        client.up();
        client.answer_facts();
        let opened = client.respond("POST /session", info(SESSION));
        assert_eq!(answer(&opened)["result"]["sessionId"], SESSION, "{opened:?}");
        client
    }

    /// Another session in a directory.
    pub(crate) fn another(&mut self, id: &str, cwd: &str) {
        self.call("session/new", json!({ "cwd": cwd, "mcpServers": [] }));
        self.answer_facts();
        self.respond("POST /session", info(id));
    }

    /// The server is there.
    pub(crate) fn up(&mut self) {
        self.native(&json!({ "up": true }));
        self.respond("GET /global/health", json!({ "healthy": true, "version": "1.18.34" }));
    }

    /// Answers the requests about a directory.
    pub(crate) fn answer_facts(&mut self) {
        self.respond("GET /config/providers", providers());
        self.respond("GET /agent", agents());
        self.respond(
            "GET /command",
            json!([{ "name": "init", "description": "Sets up", "hints": ["$ARGUMENTS"] }]),
        );
        self.respond("GET /config", json!({}));
    }

    /// Sends an event about a session.
    pub(crate) fn event(&mut self, session: &str, kind: &str, properties: Value) -> Vec<Value> {
        let mut properties = properties;
        properties["sessionID"] = json!(session);
        let payload = json!({ "id": "evt", "type": kind, "properties": properties });
        self.native(&json!({ "event": { "directory": "/project", "payload": payload } }))
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

    /// Answers the oldest request like this one. The parameters of the path do not matter.
    pub(crate) fn respond(&mut self, to: &str, body: Value) -> Vec<Value> {
        self.respond_as(to, 200, body)
    }

    pub(crate) fn respond_as(&mut self, to: &str, status: u16, body: Value) -> Vec<Value> {
        let call = self.take(to);
        self.native(&json!({ "id": call["id"], "status": status, "body": body }))
    }

    /// Takes the oldest request like this one.
    pub(crate) fn take(&mut self, to: &str) -> Value {
        let index = self.peer.calls.iter().position(|call| name(call) == to);
        let index = index.unwrap_or_else(|| panic!("{to} was not asked: {:?}", self.names()));
        self.peer.calls.remove(index)
    }

    /// Requests that the server has not answered.
    pub(crate) fn names(&self) -> Vec<String> {
        self.peer.calls.iter().map(name).collect()
    }

    /// The server is done with a prompt, and all events were sent.
    pub(crate) fn done(&mut self, session: &str) -> Vec<Value> {
        let to = format!("POST /session/{session}/message");
        let info = json!({ "id": "msg_last", "role": "assistant", "finish": "stop" });
        let mut messages = self.respond(&to, json!({ "info": info, "parts": [] }));
        messages.extend(self.status(session, "idle"));
        messages
    }

    /// The process ends.
    pub(crate) fn exit(&mut self, code: Option<i32>, signal: Option<i32>, stderr: &str) -> Vec<Value> {
        self.peer.calls.clear();
        self.0.exit(code, signal, stderr)
    }
}

/// Returns the path of a request without its parameters.
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

/// The requests of the agent among messages.
pub(crate) fn requests(messages: &[Value]) -> Vec<&Value> {
    messages.iter().filter(|message| message["method"].is_string() && !message["id"].is_null()).collect()
}
