//! A client that talks to the machine directly and keeps the time.

use agent_client_protocol_schema::v1::SessionId;
use sa_acp::Now;
use sa_acp::testing::{Side, check, check_error};
use sa_demo::{Archive, Effect, Host, Machine, Saved, Step};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) use sa_acp::testing::updates;

/// The id of the first session.
pub(crate) const SESSION: &str = "session-001";

/// The id of the second one.
pub(crate) const SECOND: &str = "session-002";

/// Stored sessions, shared by agents as if they were processes with one directory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shelf(Arc<Mutex<BTreeMap<String, String>>>);

impl Shelf {
    fn put(&self, saved: &Saved) {
        let lines = String::from_utf8(saved.to_jsonl().unwrap()).unwrap();
        self.0.lock().unwrap().insert(saved.session_id().to_string(), lines);
    }

    fn remove(&self, session: &SessionId) {
        self.0.lock().unwrap().remove(session.0.as_ref());
    }

    pub(crate) fn lines(&self, session: &str) -> Option<String> {
        self.0.lock().unwrap().get(session).cloned()
    }
}

impl Archive for Shelf {
    fn session_ids(&self) -> Vec<String> {
        self.0.lock().unwrap().keys().cloned().collect()
    }

    fn summary(&self, session: &SessionId) -> Option<Saved> {
        Saved::from_jsonl(self.lines(&session.0)?.lines().next()?).ok()
    }

    fn session(&self, session: &SessionId) -> Option<Saved> {
        Saved::from_jsonl(&self.lines(&session.0)?).ok()
    }
}

pub(crate) struct Client {
    pub(crate) machine: Machine,
    pub(crate) now: Now,
    /// The effects apart from writing and storing.
    pub(crate) effects: Vec<Effect>,
    shelf: Option<Shelf>,
    /// Bytes that are no message, line by line.
    pub(crate) garbage: Vec<Vec<u8>>,
    asked: HashMap<i64, String>,
    last_id: i64,
}

impl Client {
    /// A client that has said nothing yet.
    pub(crate) fn new() -> Self {
        Self::with_shelf(None)
    }

    /// A client of an agent that stores its sessions there.
    pub(crate) fn with_shelf(shelf: Option<Shelf>) -> Self {
        let mut last = shelf.as_ref().map_or(0, |shelf| shelf.session_ids().len());
        let host = Host {
            env: Box::new(|name| (name == "DEMO_VARIABLE").then(|| "value".to_owned())),
            new_session_id: Box::new(move || {
                last += 1;
                format!("session-{last:03}")
            }),
            archive: shelf.clone().map(|shelf| Box::new(shelf) as Box<dyn Archive>),
        };
        let now = Now { elapsed: Duration::ZERO, unix: Duration::from_secs(1_800_000_000) };
        Self {
            machine: Machine::new(host),
            now,
            effects: Vec::new(),
            shelf,
            garbage: Vec::new(),
            asked: HashMap::new(),
            last_id: 0,
        }
    }

    /// A client with these capabilities that has a session.
    pub(crate) fn open(capabilities: Value) -> Self {
        let mut client = Self::new();
        client.initialize(capabilities);
        client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
        client
    }

    pub(crate) fn initialize(&mut self, capabilities: Value) -> Value {
        let params = json!({ "protocolVersion": 1, "clientCapabilities": capabilities });
        self.call("initialize", params).pop().unwrap()
    }

    /// Sends a line as it is.
    pub(crate) fn line(&mut self, line: impl AsRef<[u8]>) -> Vec<Value> {
        self.machine.line(self.now, line.as_ref());
        self.run()
    }

    /// Sends a request without letting the agent do anything about it; its id.
    pub(crate) fn post(&mut self, method: &str, params: Value) -> i64 {
        self.last_id += 1;
        self.asked.insert(self.last_id, method.to_owned());
        let message = json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params });
        self.machine.line(self.now, message.to_string().as_bytes());
        self.last_id
    }

    /// Sends a request and takes all that comes.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Vec<Value> {
        self.post(method, params);
        self.run()
    }

    pub(crate) fn prompt(&mut self, text: &str) -> Vec<Value> {
        self.prompt_in(SESSION, text)
    }

    pub(crate) fn prompt_in(&mut self, session: &str, text: &str) -> Vec<Value> {
        self.call("session/prompt", prompt_params(session, text))
    }

    pub(crate) fn post_prompt(&mut self, session: &str, text: &str) -> i64 {
        self.post("session/prompt", prompt_params(session, text))
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) -> Vec<Value> {
        self.line(json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string())
    }

    pub(crate) fn cancel(&mut self) -> Vec<Value> {
        self.notify("session/cancel", json!({ "sessionId": SESSION }))
    }

    /// Answers a request of the agent.
    pub(crate) fn answer(&mut self, request: &Value, result: Value) -> Vec<Value> {
        self.line(json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }).to_string())
    }

    /// Refuses a request of the agent.
    pub(crate) fn refuse(&mut self, request: &Value, message: &str) -> Vec<Value> {
        let error = json!({ "code": -32603, "message": message });
        self.line(json!({ "jsonrpc": "2.0", "id": request["id"], "error": error }).to_string())
    }

    /// Lets time pass.
    pub(crate) fn wait(&mut self, milliseconds: u64) -> Vec<Value> {
        self.now.elapsed += Duration::from_millis(milliseconds);
        self.now.unix += Duration::from_millis(milliseconds);
        self.run()
    }

    /// Polls the agent once.
    pub(crate) fn poll(&mut self) -> (Step, Vec<u8>) {
        let mut out = Vec::new();
        let step = self.machine.poll(self.now, &mut out);
        (step, out)
    }

    /// Lets the agent do all it can do now.
    pub(crate) fn run(&mut self) -> Vec<Value> {
        let mut messages = Vec::new();
        loop {
            let (step, out) = self.poll();
            for line in out.split_inclusive(|byte| *byte == b'\n') {
                match serde_json::from_slice::<Value>(line) {
                    Ok(message) if line.ends_with(b"\n") && message["jsonrpc"] == "2.0" => {
                        self.check(&message);
                        messages.push(message);
                    }
                    _ => self.garbage.push(line.to_vec()),
                }
            }
            match step {
                Step::Wrote => {}
                Step::Effect(effect) => self.act(effect),
                Step::Idle(_) => return messages,
            }
        }
    }

    fn act(&mut self, effect: Effect) {
        match (effect, &self.shelf) {
            (Effect::Save(saved), Some(shelf)) => shelf.put(&saved),
            (Effect::Forget(session), Some(shelf)) => shelf.remove(&session),
            (effect, _) => self.effects.push(effect),
        }
    }

    /// Fails if the agent may not say this.
    fn check(&mut self, message: &Value) {
        let (id, method) = (message.get("id"), message["method"].as_str());
        match (id, method) {
            (Some(_), Some(method)) if method.starts_with('_') => {}
            (Some(_), Some(method)) => check(Side::Client, method, "Request", &message["params"]),
            (None, Some(method)) if method.starts_with('_') => {}
            (None, Some(method)) if method.starts_with("$/") => {
                check(Side::Protocol, method, "Notification", &message["params"]);
            }
            (None, Some(method)) => check(Side::Client, method, "Notification", &message["params"]),
            (Some(id), None) => {
                let asked = id.as_i64().and_then(|id| self.asked.remove(&id));
                match (asked, message.get("result")) {
                    (Some(method), Some(result)) => check(Side::Agent, &method, "Response", result),
                    // Written as garbage, or asked for past this client.
                    (None, Some(_)) if id.is_string() => {}
                    (None, Some(_)) => panic!("answers what nobody asked: {message}"),
                    (_, None) => check_error(&message["error"]),
                }
            }
            (None, None) => panic!("neither request, notification nor response: {message}"),
        }
    }
}

fn prompt_params(session: &str, text: &str) -> Value {
    json!({ "sessionId": session, "prompt": [{ "type": "text", "text": text }] })
}

/// Messages as lines that are easy to read and to compare: what is the same in all of them is left out.
pub(crate) fn transcript(messages: &[Value]) -> String {
    let mut lines = String::new();
    for message in messages {
        let mut params = message["params"].clone();
        let session = params.as_object_mut().and_then(|params| params.shift_remove("sessionId"));
        let session = session.filter(|session| session != SESSION).map(|session| format!(" in {session}"));
        let session = session.unwrap_or_default();
        match (message.get("id"), message["method"].as_str()) {
            (Some(id), Some(method)) => writeln!(lines, "request {id} {method}{session} {params}"),
            (None, Some("session/update")) => {
                let mut update = params["update"].take();
                let kind = update.as_object_mut().and_then(|update| update.shift_remove("sessionUpdate"));
                writeln!(lines, "{}{session} {update}", kind.unwrap().as_str().unwrap())
            }
            (None, Some(method)) => writeln!(lines, "notification {method}{session} {params}"),
            (id, None) => {
                let (what, value) = match message.get("error") {
                    Some(error) => ("error", error),
                    None => ("result", &message["result"]),
                };
                writeln!(lines, "{what} {} {value}", id.unwrap())
            }
        }
        .unwrap();
    }
    lines
}

/// Returns the agent's text in these messages, chunk by chunk.
pub(crate) fn said(messages: &[Value]) -> Vec<String> {
    let chunk = |message: &Value| {
        let update = &message["params"]["update"];
        let text = update["content"]["text"].as_str()?;
        (update["sessionUpdate"] == "agent_message_chunk").then(|| text.to_owned())
    };
    messages.iter().filter_map(chunk).collect()
}

/// The last message, which must be a request of that method.
pub(crate) fn request<'a>(messages: &'a [Value], method: &str) -> &'a Value {
    let last = messages.last().expect("a request");
    assert_eq!(last["method"], method, "{last}");
    last
}

/// Returns the stop reason in the last message.
pub(crate) fn stop_reason(messages: &[Value]) -> &str {
    let last = messages.last().expect("an answer");
    last["result"]["stopReason"].as_str().unwrap_or_else(|| panic!("no end of a turn: {last}"))
}
