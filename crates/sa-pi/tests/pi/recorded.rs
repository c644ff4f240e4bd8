//! A recorded conversation with the real CLI, played to the machine.
#![allow(clippy::unwrap_used)]

use crate::client::greeted;
use sa_acp::testing::{Log, describe, request};
use serde_json::{Value, json};

#[test]
fn a_recorded_turn_becomes_these_messages() {
    let recording = include_str!("../fixtures/tool.jsonl");
    let rows: Vec<Value> = recording.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut client = greeted();
    let mut log = Log::default();
    client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
    let session = rows.iter().find_map(|row| row["data"]["sessionId"].as_str()).unwrap();
    for row in &rows {
        let messages = match row["sent"]["type"].as_str() {
            Some("prompt") => client.prompt_in(session, row["sent"]["message"].as_str().unwrap()),
            Some(_) => continue,
            None => client.native(row),
        };
        for message in &messages {
            log.said(&describe(message).replace(session, "SESSION"));
        }
        if messages.iter().any(|message| message["method"] == "session/request_permission") {
            let asked = request(&messages, "session/request_permission");
            client.choose(&asked, "allow_once");
        }
    }
    let sent: Vec<_> = client.peer.0.iter().map(|line| line["type"].as_str().unwrap()).collect();
    log.wrote(&sent.join(" "));
    insta::assert_snapshot!(log.0);
}
