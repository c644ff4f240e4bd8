//! Sessions that are closed, moved or given up before they are open: every request gets its answer.

use crate::client::{Client, SESSION, STORED, answer, initialized};
use sa_acp::testing::answer_to;
use serde_json::{Value, json};

const LOAD: i64 = 2;

/// A client that waits for a stored session to be loaded.
fn loading() -> Client {
    let mut client = Client::greeted(json!({}));
    let place = json!({ "sessionId": STORED, "cwd": "/project", "mcpServers": [] });
    assert!(client.call("session/load", place).is_empty());
    client
}

/// The CLI reports that it has no credentials.
fn refuse_greeting(client: &mut Client) -> Vec<Value> {
    client.respond("get_settings", json!({}));
    client.respond("get_binary_version", json!({ "version": "2.1.197" }));
    let mut greeting = initialized();
    greeting["account"] = json!({ "tokenSource": "none", "apiProvider": "firstParty" });
    client.respond("initialize", greeting)
}

/// A client that waits for its open session to move to another directory.
fn moving() -> Client {
    let mut client = Client::open(json!({}));
    let place = json!({ "sessionId": SESSION, "cwd": "/project/sub", "mcpServers": [] });
    assert!(client.call("session/resume", place).is_empty());
    client
}

/// Asserts that the session still works in its first directory.
fn assert_not_moved(client: &mut Client) {
    let starts = client.starts.len();
    client.prompt("hello");
    client.exit(Some(0), None, "");
    assert_eq!(client.starts.len(), starts + 1, "the prompt starts a process");
    assert_eq!(client.starts.last().unwrap().1.cwd.to_str(), Some("/project"));
    client.shake_hands();
    client.state("running");
    assert_eq!(answer(&client.result(json!({})))["result"]["stopReason"], "end_turn");
}

#[test]
fn a_session_that_is_closed_or_deleted_while_it_opens_ends_with_its_process() {
    for method in ["session/close", "session/delete"] {
        let mut client = loading();
        assert!(client.call(method, json!({ "sessionId": STORED })).is_empty(), "the process ends first");
        let messages = client.exit(Some(0), None, "");
        assert_eq!(answer_to(&messages, LOAD)["error"]["data"]["errorKind"], "closed");
        assert_eq!(answer_to(&messages, LOAD + 1)["result"], json!({}), "{method}: {messages:?}");
    }
}

#[test]
fn a_session_that_is_closed_while_it_opens_ends_after_a_failed_handshake_too() {
    for method in ["session/close", "session/delete"] {
        let mut client = loading();
        client.call(method, json!({ "sessionId": STORED }));
        let messages = refuse_greeting(&mut client);
        assert_eq!(answer_to(&messages, LOAD)["error"]["code"], -32000);
        let messages = client.exit(Some(0), None, "");
        assert_eq!(answer_to(&messages, LOAD + 1)["result"], json!({}), "{method}: {messages:?}");
    }
}

#[test]
fn a_session_that_is_not_moved_stays_open_where_it_was() {
    let mut client = moving();
    client.prompt("wait for it");
    let messages = client.notify("$/cancel_request", json!({ "requestId": 3 }));
    assert_eq!(answer_to(&messages, 3)["error"]["code"], -32800);
    assert_not_moved(&mut client);
    // The process in the new directory is of no use.
    let mut client = moving();
    client.exit(Some(0), None, "");
    assert_eq!(client.starts.last().unwrap().1.cwd.to_str(), Some("/project/sub"));
    assert_eq!(answer_to(&refuse_greeting(&mut client), 3)["error"]["code"], -32000);
    assert_not_moved(&mut client);
}

#[test]
fn settings_of_a_session_that_does_not_open_are_refused() {
    let mut client = loading();
    let set = json!({ "sessionId": STORED, "modeId": "plan" });
    assert!(client.call("session/set_mode", set).is_empty(), "the CLI is asked first");
    let messages = refuse_greeting(&mut client);
    for request in [LOAD, LOAD + 1] {
        assert_eq!(answer_to(&messages, request)["error"]["code"], -32000, "{messages:?}");
    }
}
