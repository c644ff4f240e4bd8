//! Sessions that are closed or given up before they are open: every request gets its answer.
#![allow(clippy::unwrap_used)]

use crate::client::{Client, SESSION, end_turn, greeted, open, respond, shake_hands};
use sa_acp::testing::{answer_to, stop_reason, text};
use serde_json::{Value, json};
use std::time::Duration;

const FIRST: i64 = 2;

fn load(client: &mut Client) -> Vec<Value> {
    client.call("session/load", json!({ "cwd": "/project", "mcpServers": [], "sessionId": SESSION }))
}

/// A client that waits for a stored session to be loaded.
fn loading() -> Client {
    let mut client = greeted();
    assert!(load(&mut client).is_empty());
    client
}

/// A client whose session works on a prompt and is loaded again, and the id of the request to load it.
fn reloading() -> (Client, i64) {
    let mut client = open();
    client.prompt_in(SESSION, "go");
    client.native(&json!({ "type": "agent_start" }));
    assert!(load(&mut client).is_empty());
    (client, FIRST + 2)
}

/// Refuses the oldest command of that type.
fn refuse(client: &mut Client, command: &str) -> Vec<Value> {
    let place = client.peer.0.iter().position(|line| line["type"] == command).unwrap();
    let sent = client.peer.0.remove(place);
    client.native(&json!({
        "id": sent["id"], "type": "response", "command": command, "success": false, "error": "not today",
    }))
}

#[test]
fn a_session_that_is_closed_or_deleted_while_it_opens_ends_with_its_process() {
    for method in ["session/close", "session/delete"] {
        let mut client = loading();
        assert!(client.call(method, json!({ "sessionId": SESSION })).is_empty(), "the process ends first");
        let messages = client.exit(Some(0), None, "");
        assert_eq!(answer_to(&messages, FIRST)["error"]["data"]["errorKind"], "closed");
        assert_eq!(answer_to(&messages, FIRST + 1)["result"], json!({}), "{method}: {messages:?}");
    }
}

#[test]
fn a_session_that_is_closed_while_it_opens_ends_after_a_failed_handshake_too() {
    for method in ["session/close", "session/delete"] {
        let mut client = loading();
        client.call(method, json!({ "sessionId": SESSION }));
        let messages = refuse(&mut client, "get_state");
        assert_eq!(answer_to(&messages, FIRST)["error"]["data"]["errorKind"], "handshake_failed");
        let messages = client.exit(Some(0), None, "");
        assert_eq!(answer_to(&messages, FIRST + 1)["result"], json!({}), "{method}: {messages:?}");
    }
}

#[test]
fn a_failed_load_of_an_open_session_leaves_its_prompt_alone() {
    type Failure = fn(&mut Client) -> Vec<Value>;
    let failures: [(Failure, i64); 3] = [
        (|client| refuse(client, "get_messages"), -32603),
        (|client| client.pass(Duration::from_secs(11)), -32603),
        (|client| client.notify("$/cancel_request", json!({ "requestId": 4 })), -32800),
    ];
    for (fail, code) in failures {
        let (mut client, request) = reloading();
        let messages = fail(&mut client);
        assert_eq!(answer_to(&messages, request)["error"]["code"], code, "{messages:?}");
        assert!(client.ends.is_empty(), "the process works on");
        assert_eq!(stop_reason(&end_turn(&mut client, "stop")), "end_turn");
        assert!(load(&mut client).is_empty(), "the session is open");
    }
}

#[test]
fn a_load_that_was_cancelled_replays_nothing() {
    let (mut client, request) = reloading();
    client.notify("$/cancel_request", json!({ "requestId": request }));
    let history = json!({ "messages": [{ "role": "user", "content": "hello" }] });
    assert_eq!(respond(&mut client, "get_messages", &history), Vec::<Value>::new());
}

#[test]
fn a_load_of_an_open_session_fails_with_its_process() {
    let (mut client, request) = reloading();
    let messages = client.exit(Some(7), None, "boom");
    for request in [request - 1, request] {
        assert_eq!(answer_to(&messages, request)["error"]["data"]["exitCode"], 7, "{messages:?}");
    }
    client.prompt_in(SESSION, "again");
    assert_eq!(client.starts.len(), 2, "the session is open");
}

#[test]
fn a_load_while_a_process_starts_again_waits_for_the_history() {
    let mut client = open();
    client.exit(Some(0), None, "");
    client.prompt_in(SESSION, "again");
    assert!(load(&mut client).is_empty());
    let handshake = shake_hands(&mut client);
    assert_eq!(handshake, Vec::<Value>::new(), "the history is missing");
    let history = json!({ "messages": [{ "role": "user", "content": "hello" }] });
    let messages = respond(&mut client, "get_messages", &history);
    assert_eq!(text(&messages, "user_message_chunk"), "hello");
    assert!(answer_to(&messages, FIRST + 2)["result"].is_object());
}

#[test]
fn settings_of_a_session_that_does_not_open_are_refused() {
    // While it is loaded, and while a process starts again for a prompt.
    let mut revived = open();
    revived.exit(Some(0), None, "");
    revived.prompt_in(SESSION, "again");
    for (mut client, waiting) in [(loading(), FIRST), (revived, FIRST + 1)] {
        let set = json!({ "sessionId": SESSION, "configId": "model", "value": "anthropic/big" });
        let model = json!({ "id": "big", "name": "Big", "provider": "anthropic" });
        respond(&mut client, "get_available_models", &json!({ "models": [model] }));
        assert!(client.call("session/set_config_option", set).is_empty(), "the CLI is asked first");
        let messages = refuse(&mut client, "get_commands");
        for request in [waiting, waiting + 1] {
            let error = &answer_to(&messages, request)["error"];
            assert_eq!(error["data"]["errorKind"], "handshake_failed", "{messages:?}");
        }
    }
}
