//! A client and the processes behind an agent, both played by the test, with the agent's machine between them.

use super::schema::{Side, check, check_error};
use crate::{Adapter, ChildId, Effect, Ended, HelperId, Machine, Now};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Duration;

/// The process that the agent talks to, as far as the test plays it.
pub trait Peer {
    /// Takes a line that the agent wrote to it.
    fn wrote(&mut self, line: Value);
}

/// See the module's comment. Every message that the agent writes is checked against ACP's schema.
#[derive(Debug)]
pub struct Client<A: Adapter, P> {
    pub machine: Machine<A>,
    pub peer: P,
    pub now: Now,
    /// Processes that were started, in order.
    pub starts: Vec<(ChildId, A::Launch)>,
    /// Processes that were to end, with the time that they were given.
    pub ends: Vec<(ChildId, Duration)>,
    pub answers: Vec<(HelperId, Value)>,
    asked: HashMap<i64, String>,
    last_id: i64,
}

impl<A: Adapter, P: Peer> Client<A, P> {
    /// A client that has said nothing yet.
    pub fn new(machine: Machine<A>, peer: P) -> Self {
        Self {
            machine,
            peer,
            now: Now { elapsed: Duration::ZERO, unix: Duration::from_secs(1_800_000_000) },
            starts: Vec::new(),
            ends: Vec::new(),
            answers: Vec::new(),
            asked: HashMap::new(),
            last_id: 0,
        }
    }

    /// The process that was started last.
    pub fn child(&self) -> ChildId {
        self.starts.last().expect("a process").0
    }

    /// Sends a request; all that comes of it at once.
    pub fn call(&mut self, method: &str, params: Value) -> Vec<Value> {
        self.last_id += 1;
        self.line(&json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params }))
    }

    /// Says hello.
    pub fn greet(&mut self, capabilities: Value) -> Vec<Value> {
        self.call("initialize", json!({ "protocolVersion": 1, "clientCapabilities": capabilities }))
    }

    /// Sends a prompt of one text.
    pub fn prompt_in(&mut self, session: &str, text: &str) -> Vec<Value> {
        let prompt = json!([{ "type": "text", "text": text }]);
        self.call("session/prompt", json!({ "sessionId": session, "prompt": prompt }))
    }

    pub fn notify(&mut self, method: &str, params: Value) -> Vec<Value> {
        self.line(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
    }

    /// Cancels all prompts of a session.
    pub fn cancel_in(&mut self, session: &str) -> Vec<Value> {
        self.notify("session/cancel", json!({ "sessionId": session }))
    }

    /// Answers a request of the agent.
    pub fn answer(&mut self, request: &Value, result: Value) -> Vec<Value> {
        self.line(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }))
    }

    /// Answers a request for permission with one of its options.
    pub fn choose(&mut self, request: &Value, option: &str) -> Vec<Value> {
        self.answer(request, json!({ "outcome": { "outcome": "selected", "optionId": option } }))
    }

    pub fn line(&mut self, message: &Value) -> Vec<Value> {
        if let (Some(id), Some(method)) = (message["id"].as_i64(), message["method"].as_str()) {
            self.asked.insert(id, method.to_owned());
        }
        self.machine.line(self.now, message.to_string().as_bytes());
        self.run()
    }

    /// The last process writes something.
    pub fn native(&mut self, line: &Value) -> Vec<Value> {
        self.native_text(&line.to_string())
    }

    /// The last process writes something, in its own words.
    pub fn native_text(&mut self, line: &str) -> Vec<Value> {
        let child = self.child();
        self.native_of(child, line)
    }

    /// That process writes something.
    pub fn native_of(&mut self, child: ChildId, line: &str) -> Vec<Value> {
        self.machine.native(self.now, child, line.as_bytes());
        self.run()
    }

    pub fn exit(&mut self, code: Option<i32>, signal: Option<i32>, stderr: &str) -> Vec<Value> {
        self.ended(&Ended { not_started: None, code, signal, stderr: stderr.to_owned() })
    }

    /// The last process ends in that way.
    pub fn ended(&mut self, ended: &Ended) -> Vec<Value> {
        let child = self.child();
        self.ended_of(child, ended)
    }

    pub fn ended_of(&mut self, child: ChildId, ended: &Ended) -> Vec<Value> {
        self.machine.ended(self.now, child, ended);
        self.run()
    }

    /// A helper connects to the permission socket.
    pub fn ask_as_helper(&mut self, helper: HelperId, line: &[u8]) -> Vec<Value> {
        self.machine.on_helper_request(self.now, helper, line);
        self.run()
    }

    /// A helper disconnects.
    pub fn drop_helper(&mut self, helper: HelperId) -> Vec<Value> {
        self.machine.on_helper_gone(self.now, helper);
        self.run()
    }

    pub fn pass(&mut self, time: Duration) -> Vec<Value> {
        self.now.elapsed += time;
        self.now.unix += time;
        self.machine.tick(self.now);
        self.run()
    }

    /// Time passes until that much has passed since the start.
    pub fn pass_until(&mut self, elapsed: Duration) -> Vec<Value> {
        self.pass(elapsed.saturating_sub(self.now.elapsed))
    }

    /// Takes all that came of what was put into the machine.
    fn run(&mut self) -> Vec<Value> {
        while let Some(effect) = self.machine.next_effect() {
            match effect {
                Effect::Start { child, launch } => self.starts.push((child, *launch)),
                Effect::End { child, drain } => self.ends.push((child, drain)),
                Effect::Write { line, .. } => self.peer.wrote(value(&line)),
            }
        }
        while let Some((helper, line)) = self.machine.next_helper_reply() {
            self.answers.push((helper, value(&line)));
        }
        let mut out = Vec::new();
        self.machine.take_output(&mut out);
        let messages: Vec<_> = out.split_inclusive(|byte| *byte == b'\n').map(value).collect();
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

/// A line with its end.
fn value(line: &[u8]) -> Value {
    serde_json::from_slice(line.strip_suffix(b"\n").expect("a line has an end")).unwrap()
}

pub fn updates<'a>(messages: &'a [Value], kind: &str) -> Vec<&'a Value> {
    let updates = messages.iter().map(|message| &message["params"]["update"]);
    updates.filter(|update| update["sessionUpdate"] == kind).collect()
}

/// All text of the updates of that kind.
pub fn text(messages: &[Value], kind: &str) -> String {
    updates(messages, kind).iter().map(|update| update["content"]["text"].as_str().unwrap()).collect()
}

/// The one message that is a request of that method.
pub fn request(messages: &[Value], method: &str) -> Value {
    let found: Vec<_> = messages.iter().filter(|message| message["method"] == method).collect();
    assert_eq!(found.len(), 1, "{messages:?}");
    found[0].clone()
}

/// The last answer to a request of the client.
pub fn answer(messages: &[Value]) -> &Value {
    let answer = messages.iter().rfind(|message| message.get("method").is_none());
    answer.unwrap_or_else(|| panic!("no answer: {messages:?}"))
}

/// The one answer to the request of that id.
pub fn answer_to(messages: &[Value], id: i64) -> &Value {
    let is_it = |message: &&Value| message.get("method").is_none() && message["id"] == id;
    let found: Vec<_> = messages.iter().filter(is_it).collect();
    assert_eq!(found.len(), 1, "answers to {id} in {messages:?}");
    found[0]
}

/// Returns the stop reason in the last answer.
pub fn stop_reason(messages: &[Value]) -> &str {
    let answer = answer(messages);
    answer["result"]["stopReason"].as_str().unwrap_or_else(|| panic!("no reason: {answer}"))
}
