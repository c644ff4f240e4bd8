//! Permissions.

use crate::client::{SESSION, call_tool, end_turn, open, open_with, verdict};
use sa_acp::testing::{request, stop_reason};
use serde_json::json;

const ASK: &str = "session/request_permission";

#[test]
fn what_only_reads_runs_and_what_changes_is_asked_about() {
    let mut client = open();
    client.prompt_in(SESSION, "go");
    call_tool(&mut client, "read", json!({ "path": "a" }));
    assert_eq!(verdict(&mut client).as_deref(), Some("allow"));
    call_tool(&mut client, "bash", json!({ "command": "ls" }));
    assert_eq!(verdict(&mut client).as_deref(), Some("allow"));
    let asked = request(&call_tool(&mut client, "bash", json!({ "command": "touch a" })), ASK);
    assert_eq!(verdict(&mut client), None, "the call waits");
    client.choose(&asked, "reject_once");
    assert_eq!(verdict(&mut client).as_deref(), Some("The user rejected this use of bash."));
}

#[test]
fn always_holds_for_the_session() {
    let mut client = open();
    client.prompt_in(SESSION, "go");
    let asked = request(&call_tool(&mut client, "write", json!({ "path": "a", "content": "" })), ASK);
    client.choose(&asked, "allow_always");
    assert_eq!(verdict(&mut client).as_deref(), Some("allow"));
    call_tool(&mut client, "edit", json!({ "path": "a", "edits": [] }));
    assert_eq!(verdict(&mut client).as_deref(), Some("allow"));
    request(&call_tool(&mut client, "bash", json!({ "command": "touch a" })), ASK);
}

#[test]
fn plan_mode_refuses_changes_and_another_mode_decides_what_waits() {
    let mut client = open();
    client.prompt_in(SESSION, "go");
    request(&call_tool(&mut client, "bash", json!({ "command": "touch a" })), ASK);
    client.call("session/set_mode", json!({ "sessionId": SESSION, "modeId": "plan" }));
    let refusal = verdict(&mut client).unwrap_or_default();
    assert!(refusal.starts_with("Plan mode is read-only"), "{refusal}");
    client.call("session/set_mode", json!({ "sessionId": SESSION, "modeId": "bypass" }));
    call_tool(&mut client, "bash", json!({ "command": "touch a" }));
    assert_eq!(verdict(&mut client).as_deref(), Some("allow"));
}

#[test]
fn a_client_with_rules_is_asked_about_everything() {
    let mut client = open_with(json!({ "sandboxAgent": { "askAll": true } }));
    client.prompt_in(SESSION, "go");
    let asked = request(&call_tool(&mut client, "read", json!({ "path": "a" })), ASK);
    assert_eq!(asked["params"]["_meta"]["sandboxAgent"]["allowed"], true);
}

#[test]
fn cancelling_a_question_cancels_the_turn() {
    let mut client = open();
    client.prompt_in(SESSION, "go");
    let asked = request(&call_tool(&mut client, "bash", json!({ "command": "touch a" })), ASK);
    client.answer(&asked, json!({ "outcome": { "outcome": "cancelled" } }));
    assert_eq!(verdict(&mut client).as_deref(), Some("cancelled"));
    assert!(client.peer.0.iter().any(|line| line["type"] == "abort"));
    assert_eq!(stop_reason(&end_turn(&mut client, "aborted")), "cancelled");
}

#[test]
fn dialogs_of_others_are_cancelled() {
    let mut client = open();
    client.native(&json!({ "type": "extension_ui_request", "id": "x", "method": "select", "title": "?" }));
    assert_eq!(verdict(&mut client).as_deref(), Some("cancelled"));
}
