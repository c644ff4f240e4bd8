//! A client and an app-server, both played by the test, with the machine between them.

use crate::calls;
use sa_acp::Ended;
use sa_acp::testing::{self, Peer};
use sa_codex::{Core, Disk, Host, Machine, Options};
use serde_json::{Value, json};
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::time::Duration;

pub(crate) use sa_acp::testing::{answer, request, stop_reason, text, updates};

/// The thread of the first session, and so its id.
pub(crate) const THREAD: &str = "01a1e071-c248-7450-81a4-6a67caebab65";

/// A disk with one directory and one file.
#[derive(Debug)]
struct Folder;

impl Disk for Folder {
    fn is_directory(&self, path: &Path) -> bool {
        path.starts_with("/project") || path.starts_with("/home/user")
    }

    fn read(&self, path: &Path) -> Option<String> {
        (path.file_name()? == "a.txt").then(|| "one\ntwo\n".to_owned())
    }
}

/// The app-server, as far as it is played.
#[derive(Debug)]
pub(crate) struct Server {
    /// The result of a command in the sandbox.
    sandbox: Value,
    /// Lines to the app-server that the test has not taken.
    written: Vec<Value>,
    /// Requests to it that are not answered.
    pub(crate) open: Vec<Value>,
}

impl Peer for Server {
    fn wrote(&mut self, line: Value) {
        if line["method"].is_string() && line.get("id").is_some() {
            calls::check(&line);
            self.open.push(line.clone());
        }
        self.written.push(line);
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

pub(crate) fn host() -> Host {
    let api_key = Some("sk-fake".to_owned().into());
    let options = Options { api_key, allow_bypass: true, ..Options::new("codex", "/home/user/.codex") };
    Host { options, disk: Box::new(Folder) }
}

impl Client {
    pub(crate) fn new(host: Host) -> Self {
        let sandbox = json!({ "exitCode": 0, "stdout": "", "stderr": "" });
        let server = Server { sandbox, written: Vec::new(), open: Vec::new() };
        Self(testing::Client::new(Machine::new(host), server))
    }

    /// A client with these capabilities that has said hello.
    pub(crate) fn greeted(host: Host, capabilities: Value) -> Self {
        let mut client = Self::new(host);
        client.greet(capabilities);
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
        client.peer.sandbox = json!({ "exitCode": 101, "stderr": "bubblewrap is unavailable" });
        client.with_session()
    }

    /// A client with a session that asks about everything.
    pub(crate) fn open_asking_all() -> Self {
        let ask_all = json!({ "sandboxAgent": { "askAll": true } });
        Self::greeted(host(), json!({}))
            .with_session_of(json!({ "cwd": "/project", "mcpServers": [], "_meta": ask_all }))
    }

    fn with_session(self) -> Self {
        self.with_session_of(json!({ "cwd": "/project", "mcpServers": [] }))
    }

    fn with_session_of(mut self, params: Value) -> Self {
        let client = &mut self;
        client.call("session/new", params);
        client.shake_hands();
        let opened = client.respond("thread/start", opened(THREAD));
        assert_eq!(answer(&opened)["result"]["sessionId"], THREAD, "{opened:?}");
        client.respond("skills/list", json!({ "data": [] }));
        client.peer.written.clear();
        self
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
        messages.extend(self.respond("command/exec", self.peer.sandbox.clone()));
        if self.awaits("account/login/start") {
            messages.extend(self.respond("account/login/start", json!({ "type": "apiKey" })));
        }
        messages
    }

    /// Returns whether a request of that method is open.
    pub(crate) fn awaits(&self, method: &str) -> bool {
        self.peer.open.iter().any(|request| request["method"] == method)
    }

    /// Takes the first open request of that method.
    pub(crate) fn take(&mut self, method: &str) -> Value {
        let open = &mut self.peer.open;
        let place = open.iter().position(|request| request["method"] == method);
        open.remove(place.unwrap_or_else(|| panic!("no {method} is open: {open:?}")))
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

    pub(crate) fn prompt(&mut self, text: &str) -> Vec<Value> {
        self.prompt_in(THREAD, text)
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
        self.cancel_in(THREAD)
    }

    /// Sends a notification about the thread of the first session.
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

    /// The process ends.
    pub(crate) fn exit(&mut self, code: Option<i32>, signal: Option<i32>, stderr: &str) -> Vec<Value> {
        self.ended(&Ended { not_started: None, code, signal, stderr: stderr.to_owned() })
    }

    pub(crate) fn ended(&mut self, ended: &Ended) -> Vec<Value> {
        self.peer.open.clear();
        self.0.ended(ended)
    }

    /// Lets time pass.
    pub(crate) fn wait(&mut self, milliseconds: u64) -> Vec<Value> {
        self.pass(Duration::from_millis(milliseconds))
    }

    /// Takes the lines that were written to the app-server.
    pub(crate) fn written(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.peer.written)
    }

    /// The results among what was written to the app-server since the last look: our answers to its requests.
    pub(crate) fn replies(&mut self) -> Vec<Value> {
        self.written().into_iter().filter(|line| line["method"].is_null()).collect()
    }
}

/// Returns the answer for a thread that was opened.
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
