//! A client and a CLI, both played by the test, with the machine between them.

use crate::schema::{Side, check, check_error};
use agent_client_protocol_schema::v1::{
    ContentBlock, ContentChunk, Error, ListSessionsResponse, SessionUpdate, TextContent,
};
use sa_acp::Now;
use sa_acp::{ChildId, Driven, Effect, Ended};
use sa_claude::{Disk, Host, Launch, Limits, Machine};
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::time::Duration;

/// The id of the first session.
pub(crate) const SESSION: &str = "00000000-0000-4000-8000-000000000001";

/// What is on disk: one directory, and one session that was stored before.
struct Folder;

/// A session on disk.
pub(crate) const STORED: &str = "00000000-0000-4000-8000-0000000000aa";

impl Disk for Folder {
    fn is_directory(&self, path: &Path) -> bool {
        path.starts_with("/project")
    }

    fn list(&self, _: Option<&Path>, _: Option<&str>) -> Result<ListSessionsResponse, Error> {
        Ok(ListSessionsResponse::new(Vec::new()))
    }

    fn read(&self, session: &str, _: &Path) -> Result<Option<Vec<SessionUpdate>>, Error> {
        let said = |text: &str| ContentChunk::new(ContentBlock::Text(TextContent::new(text)));
        let history = vec![
            SessionUpdate::UserMessageChunk(said("before")),
            SessionUpdate::AgentMessageChunk(said("indeed")),
        ];
        Ok((session == STORED).then_some(history))
    }

    fn mode(&self, session: &str, _: &Path) -> Option<String> {
        (session == STORED).then(|| "plan".to_owned())
    }

    fn delete(&self, _: &str) -> Result<(), Error> {
        Ok(())
    }
}

pub(crate) struct Client {
    pub(crate) machine: Machine,
    pub(crate) now: Now,
    asked: HashMap<i64, String>,
    last_id: i64,
    /// Processes that were started, in order.
    pub(crate) starts: Vec<(ChildId, Launch)>,
    /// Processes that were to end, with the time that they were given.
    pub(crate) ends: Vec<(ChildId, Duration)>,
    /// What was written to the CLI and not looked at yet.
    written: VecDeque<Value>,
    /// Orders to the CLI that are not answered.
    pub(crate) orders: Vec<(String, Value)>,
}

impl Client {
    pub(crate) fn new(allow_bypass: bool) -> Self {
        let mut last = 0;
        let host = Host {
            new_id: Box::new(move || {
                last += 1;
                format!("00000000-0000-4000-8000-{last:012}")
            }),
            disk: Box::new(Folder),
            plans: "/home/user/.claude/plans".into(),
            allow_bypass,
            is_root: false,
            any_model: false,
            limits: Limits::default(),
        };
        Self {
            machine: Machine::new(host),
            now: Now { elapsed: Duration::ZERO, unix: Duration::from_secs(1_800_000_000) },
            asked: HashMap::new(),
            last_id: 0,
            starts: Vec::new(),
            ends: Vec::new(),
            written: VecDeque::new(),
            orders: Vec::new(),
        }
    }

    /// A client with these capabilities that has said hello.
    pub(crate) fn greeted(capabilities: Value) -> Self {
        let mut client = Self::new(true);
        client.call("initialize", json!({ "protocolVersion": 1, "clientCapabilities": capabilities }));
        client
    }

    /// A client with these capabilities that has a session.
    pub(crate) fn open(capabilities: Value) -> Self {
        let mut client = Self::greeted(capabilities);
        client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
        let opened = client.shake_hands();
        assert!(opened.iter().any(|message| message["result"]["sessionId"] == SESSION), "{opened:?}");
        client
    }

    /// The process that was started last.
    pub(crate) fn child(&self) -> ChildId {
        self.starts.last().expect("a process").0
    }

    /// The CLI answers all that it is asked after its start.
    pub(crate) fn shake_hands(&mut self) -> Vec<Value> {
        let mut messages = self.respond("initialize", initialized());
        messages.extend(self.respond("get_binary_version", json!({ "version": "2.1.197" })));
        messages
            .extend(self.respond("get_settings", json!({ "applied": { "model": "claude-opus-4-8[1m]" } })));
        messages.extend(self.respond("set_max_thinking_tokens", Value::Null));
        self.written.clear();
        messages
    }

    /// The CLI answers the first open order of that name.
    pub(crate) fn respond(&mut self, subtype: &str, response: Value) -> Vec<Value> {
        self.answer_order(
            subtype,
            |id| json!({ "subtype": "success", "request_id": id, "response": response }),
        )
    }

    /// The CLI refuses the first open order of that name.
    pub(crate) fn refuse_order(&mut self, subtype: &str, error: &str) -> Vec<Value> {
        self.answer_order(subtype, |id| json!({ "subtype": "error", "request_id": id, "error": error }))
    }

    fn answer_order(&mut self, subtype: &str, answer: impl FnOnce(&str) -> Value) -> Vec<Value> {
        let place = self.orders.iter().position(|(_, request)| request["subtype"] == subtype);
        let (id, _) = self.orders.remove(place.unwrap_or_else(|| panic!("no order {subtype} is open")));
        self.native(&json!({ "type": "control_response", "response": answer(&id) }))
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
        self.call("session/prompt", json!({ "sessionId": SESSION, "prompt": prompt }))
    }

    pub(crate) fn cancel(&mut self) -> Vec<Value> {
        let params = json!({ "sessionId": SESSION });
        self.line(&json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": params }))
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

    /// The CLI writes something.
    pub(crate) fn native(&mut self, line: &Value) -> Vec<Value> {
        self.native_text(&line.to_string())
    }

    pub(crate) fn native_text(&mut self, line: &str) -> Vec<Value> {
        let child = self.child();
        self.machine.native(self.now, child, line.as_bytes());
        self.run()
    }

    /// The CLI says that it is in another state.
    pub(crate) fn state(&mut self, state: &str) -> Vec<Value> {
        self.native(&json!({ "type": "system", "subtype": "session_state_changed", "state": state }))
    }

    /// The CLI says how the turn ended.
    pub(crate) fn result(&mut self, more: Value) -> Vec<Value> {
        let mut result = json!({
            "type": "result", "subtype": "success", "is_error": false, "result": "ok", "stop_reason": "end_turn",
            "total_cost_usd": 0.5, "usage": { "input_tokens": 10, "output_tokens": 5 },
        });
        result.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.native(&result)
    }

    /// The process ends.
    pub(crate) fn exit(&mut self, code: Option<i32>, signal: Option<i32>, stderr: &str) -> Vec<Value> {
        let ended = Ended { not_started: None, code, signal, stderr: stderr.to_owned() };
        let child = self.child();
        self.machine.ended(self.now, child, &ended);
        self.run()
    }

    /// The process cannot be started.
    pub(crate) fn fail_to_start(&mut self, reason: &str) -> Vec<Value> {
        let ended = Ended { not_started: Some(reason.to_owned()), ..Ended::default() };
        let child = self.child();
        self.machine.ended(self.now, child, &ended);
        self.run()
    }

    /// Lets time pass.
    pub(crate) fn wait(&mut self, milliseconds: u64) -> Vec<Value> {
        self.now.elapsed += Duration::from_millis(milliseconds);
        self.now.unix += Duration::from_millis(milliseconds);
        self.machine.tick(self.now);
        self.run()
    }

    /// What was written to the CLI since the last look.
    pub(crate) fn written(&mut self) -> Vec<Value> {
        self.written.drain(..).collect()
    }

    fn run(&mut self) -> Vec<Value> {
        while let Some(effect) = self.machine.next_effect() {
            match effect {
                Effect::Start { child, launch } => self.starts.push((child, *launch)),
                Effect::End { child, farewell } => self.ends.push((child, farewell)),
                Effect::Write { line, .. } => {
                    let line: Value = serde_json::from_slice(line.strip_suffix(b"\n").unwrap()).unwrap();
                    if line["type"] == "control_request" {
                        let id = line["request_id"].as_str().unwrap().to_owned();
                        self.orders.push((id, line["request"].clone()));
                    }
                    self.written.push_back(line);
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

/// What the CLI says about itself.
pub(crate) fn initialized() -> Value {
    json!({
        "commands": [
            { "name": "compact", "description": "Sum up", "argumentHint": "[about]" },
            { "name": "clear", "description": "Forget", "argumentHint": "" },
        ],
        "models": [
            {
                "value": "default", "resolvedModel": "claude-opus-4-8[1m]", "displayName": "Default",
                "description": "The best", "supportedEffortLevels": ["low", "high"], "supportsAutoMode": true,
            },
            { "value": "haiku", "resolvedModel": "claude-haiku-4-5", "displayName": "Haiku", "description": "Quick" },
        ],
        "account": { "tokenSource": "none", "apiKeySource": "ANTHROPIC_API_KEY", "apiProvider": "firstParty" },
    })
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

/// The answer to a request of the client; the last message has to be one.
pub(crate) fn answer(messages: &[Value]) -> &Value {
    let last = messages.last().expect("an answer");
    assert!(last.get("id").is_some() && last.get("method").is_none(), "no answer: {last}");
    last
}

/// Why the turn ended; the last message must say it.
pub(crate) fn stop_reason(messages: &[Value]) -> &str {
    answer(messages)["result"]["stopReason"].as_str().expect("a reason")
}
