//! The frame: handshake, errors, unknown and broken messages.

use crate::client::{Client, SECOND, SESSION, said, stop_reason, transcript, updates};
use serde_json::{Value, json};

fn error_of(messages: &[Value]) -> (Value, i64) {
    assert_eq!(messages.len(), 1, "{messages:?}");
    (messages[0]["id"].clone(), messages[0]["error"]["code"].as_i64().expect("an error"))
}

#[test]
fn initialize_tells_who_it_is_and_what_it_can() {
    let mut client = Client::new();
    let answer = client.initialize(json!({}));
    insta::assert_snapshot!(serde_json::to_string_pretty(&answer["result"]).unwrap());
}

#[test]
fn every_version_is_answered_with_the_first() {
    for version in [0u64, 1, 2, 99, 65_536, 5_000_000_000] {
        let mut client = Client::new();
        let answer = client.call("initialize", json!({ "protocolVersion": version }));
        assert_eq!(answer[0]["result"]["protocolVersion"], 1, "asked for {version}");
    }
    let mut client = Client::new();
    for version in [json!(-1), json!(1.5), json!("1"), Value::Null] {
        assert_eq!(error_of(&client.call("initialize", json!({ "protocolVersion": version }))).1, -32602);
    }
    assert_eq!(error_of(&client.call("initialize", json!({}))).1, -32602);
}

#[test]
fn capabilities_that_make_no_sense_are_as_good_as_none() {
    let mut client = Client::new();
    let answer = client.initialize(json!({ "fs": 7, "terminal": "yes", "elicitation": [] }));
    assert_eq!(answer["result"]["protocolVersion"], 1);
}

#[test]
fn nothing_is_served_before_initialize() {
    let mut client = Client::new();
    assert_eq!(error_of(&client.call("session/new", json!({ "cwd": "/", "mcpServers": [] }))).1, -32600);
    assert_eq!(error_of(&client.call("session/list", json!({}))).1, -32600);
    assert!(client.notify("session/cancel", json!({ "sessionId": "x" })).is_empty());
}

#[test]
fn what_is_no_message_is_answered_with_what_is_wrong() {
    let mut client = Client::open(json!({}));
    let null = Value::Null;
    assert_eq!(error_of(&client.line("{")), (null.clone(), -32700));
    assert_eq!(error_of(&client.line("hello")), (null.clone(), -32700));
    assert_eq!(error_of(&client.line(b"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}")), (null.clone(), -32700));
    assert_eq!(
        error_of(&client.line(r#"[{"jsonrpc":"2.0","id":1,"method":"session/list"}]"#)),
        (null.clone(), -32600)
    );
    assert_eq!(error_of(&client.line("[]")), (null.clone(), -32600));
    assert_eq!(error_of(&client.line("7")), (null.clone(), -32600));
    assert_eq!(error_of(&client.line(r#"{"id":1,"method":"session/list"}"#)), (null.clone(), -32600));
    assert_eq!(
        error_of(&client.line(r#"{"jsonrpc":"2.0","id":{},"method":"session/list"}"#)),
        (null, -32600)
    );
}

#[test]
fn ids_come_back_as_they_were_written() {
    let mut client = Client::open(json!({}));
    for id in [r#""text \u0041""#, "9007199254740993", "-3", "null", "1.50"] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"_unknown"}}"#);
        client.machine.line(client.now, line.as_bytes());
        let (_, out) = client.poll();
        let out = String::from_utf8(out).unwrap();
        assert!(out.contains(&format!(r#""id":{id},"#)), "{id} became {out}");
        client.run();
    }
}

#[test]
fn unknown_methods_are_refused_and_unknown_notifications_ignored() {
    let mut client = Client::open(json!({}));
    assert_eq!(error_of(&client.call("session/set_model", json!({}))).1, -32601);
    assert_eq!(error_of(&client.call("_vendor/thing", json!({}))).1, -32601);
    assert_eq!(error_of(&client.call("session/cancel", json!({ "sessionId": SESSION }))).1, -32601);
    assert!(client.notify("_vendor/thing", json!({})).is_empty());
    assert!(client.notify("session/prompt", json!({ "sessionId": SESSION, "prompt": [] })).is_empty());
    assert!(client.notify("$/cancel_request", json!({ "requestId": 77 })).is_empty());
    assert!(client.notify("$/cancel_request", json!({})).is_empty());
    assert!(client.notify("session/cancel", json!({ "sessionId": "unknown" })).is_empty());
    assert!(client.line(r#"{"jsonrpc":"2.0","id":99,"result":{}}"#).is_empty());
}

#[test]
fn parameters_that_do_not_fit_are_refused() {
    let mut client = Client::open(json!({}));
    for (method, params) in [
        ("session/new", json!({ "mcpServers": [] })),
        ("session/new", json!({ "cwd": "relative", "mcpServers": [] })),
        ("session/new", json!({ "cwd": "/a", "mcpServers": [], "additionalDirectories": ["b"] })),
        ("session/load", json!({ "sessionId": SESSION, "cwd": "relative", "mcpServers": [] })),
        ("session/prompt", json!({ "sessionId": SESSION })),
        ("session/prompt", json!({ "sessionId": SESSION, "prompt": [{ "type": "smell" }] })),
        ("session/list", json!({ "cursor": "nonsense" })),
        ("session/set_mode", json!({ "sessionId": SESSION, "modeId": "nonsense" })),
        ("session/set_config_option", json!({ "sessionId": SESSION, "configId": "nonsense", "value": "x" })),
        ("session/set_config_option", json!({ "sessionId": SESSION, "configId": "model", "value": "x" })),
        ("session/set_config_option", json!({ "sessionId": SESSION, "configId": "model", "value": true })),
        ("authenticate", json!({ "methodId": "nonsense" })),
    ] {
        assert_eq!(error_of(&client.call(method, params.clone())).1, -32602, "{method} {params}");
    }
}

#[test]
fn an_unknown_session_is_named_in_the_error() {
    let mut client = Client::open(json!({}));
    for (method, params) in [
        ("session/prompt", json!({ "prompt": [] })),
        ("session/load", json!({ "cwd": "/", "mcpServers": [] })),
        ("session/resume", json!({ "cwd": "/" })),
        ("session/fork", json!({ "cwd": "/" })),
        ("session/close", json!({})),
        ("session/set_mode", json!({ "modeId": "plan" })),
        ("session/set_config_option", json!({ "configId": "mode", "value": "plan" })),
    ] {
        let mut params = params;
        params["sessionId"] = json!("nowhere");
        let answer = client.call(method, params);
        assert_eq!(error_of(&answer).1, -32002, "{method}");
        assert_eq!(answer[0]["error"]["data"]["sessionId"], "nowhere");
    }
}

#[test]
fn logging_in_and_out_always_succeeds() {
    let mut client = Client::open(json!({}));
    assert_eq!(client.call("authenticate", json!({ "methodId": "demo" }))[0]["result"], json!({}));
    assert_eq!(client.call("logout", json!({}))[0]["result"], json!({}));
}

#[test]
fn a_new_session_comes_with_its_modes_options_and_commands() {
    let mut client = Client::new();
    client.initialize(json!({}));
    let messages = client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
    assert_eq!(messages[0]["result"]["sessionId"], SESSION, "the client must know the id before it is used");
    assert_eq!(updates(&messages, "available_commands_update").len(), 1);
    insta::assert_snapshot!(serde_json::to_string_pretty(&messages[0]["result"]).unwrap());
    insta::assert_snapshot!("available_commands", transcript(&messages[1..]));
}

#[test]
fn sessions_take_prompts_in_parallel() {
    let mut client = Client::open(json!({}));
    client.call("session/new", json!({ "cwd": "/other", "mcpServers": [] }));
    client.post_prompt(SESSION, "stream 3");
    client.post_prompt(SECOND, "cwd\nsay still here\nsay and here");
    let messages = client.run();
    let order: Vec<_> =
        messages.iter().filter_map(|message| message["params"]["sessionId"].as_str()).collect();
    assert!(order.windows(2).any(|pair| pair[0] != pair[1]), "{order:?}");
    assert_eq!(messages.iter().filter(|message| message["result"]["stopReason"] == "end_turn").count(), 2);
}

#[test]
fn prompts_of_one_session_wait_for_each_other() {
    let mut client = Client::open(json!({}));
    let first = client.post_prompt(SESSION, "sleep 100\nsay first");
    let second = client.post_prompt(SESSION, "say second");
    assert!(client.run().is_empty());
    let messages = client.wait(100);
    assert_eq!(said(&messages), ["I slept for 100 ms.", "first", "second"]);
    let ends: Vec<_> = messages.iter().filter(|message| message["result"].is_object()).collect();
    assert_eq!(ends.iter().map(|end| end["id"].as_i64().unwrap()).collect::<Vec<_>>(), [first, second]);
    assert_eq!(stop_reason(&messages), "end_turn");
}

#[test]
fn no_more_prompts_wait_than_can_be_kept() {
    let mut client = Client::open(json!({}));
    for _ in 0..200 {
        client.post_prompt(SESSION, "hang");
    }
    let refused = client.run().iter().filter(|message| message["error"]["code"] == -32600).count();
    assert_eq!(refused, 200 - 1 - 128);
    assert_eq!(client.cancel().iter().filter(|end| end["result"]["stopReason"] == "cancelled").count(), 129);
}
