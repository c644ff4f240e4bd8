//! A client and a CLI, both played by the test, with the machine between them.
#![allow(clippy::unwrap_used)]

use sa_acp::NoDisk;
use sa_acp::testing::{self, Peer, answer};
use sa_pi::{Core, Disk, Host, Limits, Machine, SessionFiles, StoredSession};
use serde_json::{Value, json};
use std::io;
use std::path::Path;

pub(crate) const SESSION: &str = "01a1e986-c98b-7d00-962b-6ea09aec872d";

/// One directory without files.
#[derive(Debug)]
struct Folder;

impl Disk for Folder {
    fn is_directory(&self, path: &Path) -> bool {
        path.starts_with("/project")
    }

    fn read(&self, path: &Path) -> Option<String> {
        NoDisk.read(path)
    }
}

/// One stored conversation.
#[derive(Debug)]
struct Files;

impl SessionFiles for Files {
    fn list(&self, _: Option<&Path>) -> Vec<StoredSession> {
        self.find(SESSION).into_iter().collect()
    }

    fn find(&self, id: &str) -> Option<StoredSession> {
        (id == SESSION).then(|| StoredSession {
            id: id.to_owned(),
            file: "/files/a.jsonl".into(),
            cwd: "/project".into(),
            title: Some("hello".to_owned()),
            updated: None,
        })
    }

    fn delete(&self, _: &str) -> io::Result<()> {
        Ok(())
    }
}

/// The CLI: what was written to it.
#[derive(Debug, Default)]
pub(crate) struct Cli(pub(crate) Vec<Value>);

impl Peer for Cli {
    fn wrote(&mut self, line: Value) {
        self.0.push(line);
    }
}

pub(crate) type Client = testing::Client<Core, Cli>;

pub(crate) fn greeted() -> Client {
    let host =
        Host { disk: Box::new(Folder), files: Box::new(Files), allow_bypass: true, limits: Limits::USUAL };
    let mut client = Client::new(Machine::new(host), Cli::default());
    client.greet(json!({}));
    client
}

/// Answers the oldest command of that type.
pub(crate) fn respond(client: &mut Client, command: &str, data: &Value) -> Vec<Value> {
    let place = client.peer.0.iter().position(|line| line["type"] == command);
    let sent = client.peer.0.remove(place.unwrap_or_else(|| panic!("no {command}: {:?}", client.peer.0)));
    let response = json!({
        "id": sent["id"], "type": "response", "command": command, "success": true, "data": data,
    });
    client.native(&response)
}

/// Answers the handshake; all that the client gets.
pub(crate) fn shake_hands(client: &mut Client) -> Vec<Value> {
    let model = json!({
        "id": "big", "name": "Big", "provider": "anthropic", "reasoning": true, "contextWindow": 1000,
    });
    let mut all = client.native(&json!({
        "type": "extension_ui_request", "id": "s", "method": "setStatus", "statusKey": "sandbox-agent",
        "statusText": "ready",
    }));
    let state = json!({
        "model": model, "thinkingLevel": "medium", "sessionId": SESSION, "sessionFile": "/files/a.jsonl",
    });
    all.extend(respond(client, "get_state", &state));
    all.extend(respond(client, "get_available_models", &json!({ "models": [model] })));
    all.extend(respond(client, "get_commands", &json!({ "commands": [] })));
    all
}

/// A client with a session.
pub(crate) fn open() -> Client {
    open_with(json!({}))
}

pub(crate) fn open_with(meta: Value) -> Client {
    let mut client = greeted();
    client.call("session/new", json!({ "cwd": "/project", "mcpServers": [], "_meta": meta }));
    let opened = shake_hands(&mut client);
    assert_eq!(answer(&opened)["result"]["sessionId"], SESSION);
    client
}

/// The model calls a tool, and the extension asks about it; all that the client gets.
pub(crate) fn call_tool(client: &mut Client, tool: &str, input: Value) -> Vec<Value> {
    client.native(&json!({ "type": "agent_start" }));
    let start =
        json!({ "type": "tool_execution_start", "toolCallId": "call", "toolName": tool, "args": input });
    let mut all = client.native(&start);
    let call = json!({ "id": "call", "tool": tool, "input": input }).to_string();
    all.extend(client.native(&json!({
        "type": "extension_ui_request", "id": "ask", "method": "input",
        "title": "sandbox-agent/permission", "placeholder": call,
    })));
    all
}

/// The verdict that the extension got last, if any.
pub(crate) fn verdict(client: &mut Client) -> Option<String> {
    let place = client.peer.0.iter().position(|line| line["type"] == "extension_ui_response")?;
    let line = client.peer.0.remove(place);
    Some(line["value"].as_str().unwrap_or("cancelled").to_owned())
}

/// The CLI is done with its work.
pub(crate) fn end_turn(client: &mut Client, stop_reason: &str) -> Vec<Value> {
    let message = json!({ "role": "assistant", "content": [], "stopReason": stop_reason });
    client.native(&json!({ "type": "message_end", "message": message }));
    client.native(&json!({ "type": "agent_end", "messages": [] }));
    respond(client, "get_state", &json!({}))
}
