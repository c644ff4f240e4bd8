//! Faults that the agent shows on request.

use crate::client::{Client, SECOND, SESSION, said, stop_reason};
use sa_demo::Effect;
use serde_json::json;

#[test]
fn a_turn_ends_for_any_reason() {
    let mut client = Client::open(json!({}));
    for reason in ["end_turn", "max_tokens", "max_turn_requests", "refusal"] {
        let messages = client.prompt(&format!("stop {reason}\nsay never"));
        assert_eq!((said(&messages).len(), stop_reason(&messages)), (0, reason));
    }
}

#[test]
fn a_prompt_fails_with_any_error() {
    let mut client = Client::open(json!({}));
    for (script, code, message) in [
        ("error", -32603, "Scripted error"),
        ("error -32000 Log in first", -32000, "Log in first"),
        ("error 7", 7, "Scripted error"),
        ("error just because", -32603, "just because"),
    ] {
        let messages = client.prompt(script);
        assert_eq!(messages.last().unwrap()["error"], json!({ "code": code, "message": message }));
    }
    assert_eq!(said(&client.prompt("say fine again")), ["fine again"]);
}

#[test]
fn the_process_ends_by_code_or_signal() {
    let mut client = Client::open(json!({}));
    assert_eq!(said(&client.prompt("say bye\ncrash 42\nsay never")), ["bye"]);
    assert!(matches!(&client.effects[..], [Effect::Stderr(line), Effect::Exit(42)] if line.contains("42")));
    let mut client = Client::open(json!({}));
    client.prompt("crash");
    assert!(matches!(client.effects.last(), Some(Effect::Exit(1))));
    let mut client = Client::open(json!({}));
    client.prompt("abort");
    assert!(matches!(client.effects.last(), Some(Effect::Abort)));
    assert!(said(&Client::open(json!({})).prompt("crash 256")).concat().starts_with("Usage"));
}

#[test]
fn other_effects() {
    let mut client = Client::open(json!({}));
    assert_eq!(stop_reason(&client.prompt("stderr Something happened\ndeaf\nclose-stdout")), "end_turn");
    assert!(matches!(
        &client.effects[..],
        [Effect::Stderr(line), Effect::StopReading, Effect::CloseOutput] if line == "Something happened"
    ));
}

#[test]
fn garbage_of_every_kind() {
    let mut client = Client::open(json!({}));
    assert_eq!(stop_reason(&client.prompt("garbage\ngarbage json\ngarbage empty\ngarbage utf8")), "end_turn");
    assert_eq!(client.garbage.len(), 4);
    assert!(serde_json::from_slice::<serde_json::Value>(&client.garbage[0]).is_err());
    assert_eq!(client.garbage[1], b"{\"hello\":\"world\"}\n");
    assert_eq!(client.garbage[2], b"\n");
    assert!(std::str::from_utf8(&client.garbage[3]).is_err());

    let messages = client.prompt("garbage response");
    assert_eq!(messages[0]["id"], "nobody-asked");

    let mut client = Client::open(json!({}));
    client.prompt("garbage nolf");
    assert!(!client.garbage[0].ends_with(b"\n"));
    assert!(matches!(client.effects.last(), Some(Effect::Exit(0))));
}

#[test]
fn a_long_garbage_line_is_made_in_parts_and_nothing_comes_between() {
    let mut client = Client::open(json!({}));
    client.post_prompt(SESSION, "garbage long 1000000\nsay after");
    client.poll();
    client.post("session/list", json!({}));
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\n") {
        let (_, out) = client.poll();
        assert!(out.len() <= (64 << 10) + 1);
        bytes.extend(out);
    }
    let before = 64 << 10;
    assert_eq!(bytes.len() + before, 1_000_001);
    let messages = client.run();
    assert!(messages[0]["result"]["sessions"].is_array());
    assert_eq!(said(&messages), ["after"]);
}

#[test]
fn a_long_garbage_line_ends_early_when_cancelled() {
    let mut client = Client::open(json!({}));
    client.post_prompt(SESSION, "garbage long 1000000000000");
    client.poll();
    let messages = client.cancel();
    assert_eq!(stop_reason(&messages), "cancelled");
    assert_eq!(client.garbage, [b"\n"]);
}

#[test]
fn a_big_message_has_exactly_the_size_asked_for() {
    let mut client = Client::open(json!({}));
    for size in [300, 1000, 1 << 20] {
        client.post_prompt(SESSION, &format!("big {size}"));
        let (_, out) = client.poll();
        assert_eq!(out.len(), size + 1);
        client.run();
    }
    assert_eq!(said(&client.prompt("big 0")), [""], "as small as it gets");
}

#[test]
fn silence_is_kept_in_every_session() {
    let mut client = Client::open(json!({}));
    client.call("session/new", json!({ "cwd": "/", "mcpServers": [] }));
    assert!(client.prompt("silent 100").is_empty());
    assert!(client.prompt_in(SECOND, "say hello").is_empty());
    assert!(client.call("session/list", json!({})).is_empty());
    assert!(client.wait(99).is_empty());
    let messages = client.wait(1);
    assert_eq!(said(&messages).len(), 2);
    assert!(messages.iter().any(|message| message["result"]["sessions"].is_array()));
}
