//! Cancellation: the prompt always ends, always with `cancelled`, and nothing is left open.

use crate::client::{Client, SESSION, request, said, stop_reason, transcript, updates};
use serde_json::json;

#[test]
fn a_turn_that_waits_is_cancelled_at_once() {
    for script in [
        "hang",
        "sleep 60000",
        "permission X",
        "stream 5 every 1000",
        "question",
        "ask _demo/x",
        "plan every 9",
    ] {
        let mut client = Client::open(json!({}));
        assert!(client.prompt(script).iter().all(|message| message["result"].is_null()), "{script}");
        assert_eq!(stop_reason(&client.cancel()), "cancelled", "{script}");
        assert!(client.wait(100_000).is_empty(), "{script} goes on after its end");
        assert_eq!(said(&client.prompt("say next")), ["next"], "{script} blocks the session");
    }
}

#[test]
fn what_was_open_is_closed_before_the_answer() {
    let mut client = Client::open(json!({ "terminal": true }));
    let messages = client.prompt("run sleep 100");
    let asked = request(&messages, "terminal/create").clone();
    client.answer(&asked, json!({ "terminalId": "t1" }));
    let cancelled = client.cancel();
    insta::assert_snapshot!(transcript(&cancelled));
    let release = cancelled.iter().find(|message| message["method"] == "terminal/release").unwrap();
    assert!(client.answer(release, json!({})).is_empty());
}

#[test]
fn an_answer_that_comes_too_late_is_ignored() {
    let mut client = Client::open(json!({}));
    let messages = client.prompt("permission X");
    let asked = request(&messages, "session/request_permission").clone();
    client.cancel();
    assert!(client.answer(&asked, json!({ "outcome": { "outcome": "cancelled" } })).is_empty());
    client.prompt("hang");
    assert!(
        client
            .answer(&asked, json!({ "outcome": { "outcome": "selected", "optionId": "allow_once" } }))
            .is_empty()
    );
}

#[test]
fn waiting_prompts_are_cancelled_too() {
    let mut client = Client::open(json!({}));
    let ids: Vec<_> = ["hang", "say two", "say three"].map(|text| client.post_prompt(SESSION, text)).into();
    client.run();
    let messages = client.cancel();
    let ended: Vec<_> = messages.iter().map(|message| message["id"].as_i64().unwrap()).collect();
    assert_eq!(ended, ids);
    assert!(messages.iter().all(|message| message["result"]["stopReason"] == "cancelled"));
}

#[test]
fn a_single_request_can_be_cancelled() {
    let mut client = Client::open(json!({}));
    let running = client.post_prompt(SESSION, "hang");
    let waiting = client.post_prompt(SESSION, "say no");
    let next = client.post_prompt(SESSION, "say yes");
    client.run();
    let messages = client.notify("$/cancel_request", json!({ "requestId": waiting }));
    assert_eq!((&messages[0]["id"], &messages[0]["error"]["code"]), (&json!(waiting), &json!(-32800)));
    let messages = client.notify("$/cancel_request", json!({ "requestId": running }));
    assert_eq!((&messages[0]["id"], &messages[0]["error"]["code"]), (&json!(running), &json!(-32800)));
    assert_eq!(said(&messages), ["yes"], "the next prompt starts");
    assert_eq!(messages.last().unwrap()["id"], next);
}

#[test]
fn cancellation_can_be_ignored_for_a_while() {
    let mut client = Client::open(json!({}));
    client.prompt("ignore-cancel 500\nsay not any more");
    assert!(client.cancel().is_empty());
    assert!(client.wait(499).is_empty());
    let messages = client.wait(1);
    assert_eq!((said(&messages).len(), stop_reason(&messages)), (0, "cancelled"));
    assert!(client.prompt("ignore-cancel 500").is_empty());
    assert_eq!(said(&client.wait(500)), ["I heeded nothing for 500 ms."]);
}

#[test]
fn closing_and_deleting_cancel_first() {
    for method in ["session/close", "session/delete"] {
        let mut client = Client::open(json!({}));
        client.prompt("fail x\nignore-cancel 10000");
        let messages = client.call(method, json!({ "sessionId": SESSION }));
        assert_eq!(messages.len(), 2, "{messages:?}");
        assert_eq!(messages[0]["result"]["stopReason"], "cancelled");
        assert_eq!(messages[1]["result"], json!({}));
        assert_eq!(client.prompt("say gone")[0]["error"]["code"], -32002);
    }
}

#[test]
fn cancelling_nothing_does_nothing() {
    let mut client = Client::open(json!({}));
    assert!(client.cancel().is_empty());
    let messages = client.prompt("say one");
    assert_eq!(stop_reason(&messages), "end_turn");
    assert!(client.cancel().is_empty());
}

#[test]
fn a_flood_is_made_as_it_is_taken_and_stops_when_cancelled() {
    let mut client = Client::open(json!({}));
    client.post_prompt(SESSION, "flood 100000 100");
    for _ in 0..100 {
        let (_, out) = client.poll();
        assert!(out.len() < 1000, "one message at a time");
    }
    client.machine.line(
        client.now,
        br#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"session-001"}}"#,
    );
    let messages = client.run();
    assert_eq!(messages.len(), 1);
    assert_eq!(stop_reason(&messages), "cancelled");
    let few = client.prompt("flood 3 8");
    assert_eq!(said(&few), ["1 xxxxxx", "2 xxxxxx", "3 xxxxxx"]);
    assert!(updates(&few, "agent_message_chunk").iter().all(|chunk| chunk["messageId"].is_string()));
}
