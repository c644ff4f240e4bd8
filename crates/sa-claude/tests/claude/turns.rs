//! Prompts and their turns: one at a time, cancelled, failed, cut off, and turns that nobody asked for.

use crate::client::{Client, answer, stop_reason, updates};
use sa_claude::NativeConversation;
use serde_json::{Value, json};
use std::time::Duration;

fn begun(prompt: &str) -> Client {
    let mut client = Client::open(json!({}));
    client.prompt(prompt);
    client.state("running");
    client
}

/// The prompts among the lines.
fn prompts(lines: &[Value]) -> Vec<&str> {
    let users = lines.iter().filter(|line| line["type"] == "user");
    users.map(|line| line["message"]["content"].as_str().unwrap()).collect()
}

fn orders(lines: &[Value], subtype: &str) -> usize {
    lines.iter().filter(|line| line["request"]["subtype"] == subtype).count()
}

#[test]
fn a_prompt_waits_until_the_turn_before_is_over_and_the_cli_idle() {
    let mut client = begun("first");
    assert_eq!(prompts(&client.written()), ["first"]);
    client.prompt("second");
    assert_eq!(stop_reason(&client.result(json!({}))), "end_turn");
    assert_eq!(prompts(&client.written()), [""; 0]);
    client.state("idle");
    assert_eq!(prompts(&client.written()), ["second"]);
}

#[test]
fn a_cli_that_never_says_that_it_is_idle_holds_the_next_prompt_for_a_while_only() {
    let mut client = begun("first");
    client.result(json!({}));
    client.prompt("second");
    client.written();
    client.wait(10_000);
    assert_eq!(prompts(&client.written()), ["second"]);
}

#[test]
fn the_cli_wakes_up_by_itself_and_no_prompt_is_answered_by_that() {
    let mut client = Client::open(json!({}));
    client.state("running");
    assert!(client.prompt("hello").is_empty());
    assert_eq!(prompts(&client.written()), [""; 0], "it is busy");
    assert!(client.result(json!({ "origin": { "kind": "task-notification" } })).is_empty());
    client.state("idle");
    let lines = client.written();
    assert_eq!(prompts(&lines), ["hello"]);
    // It woke up again just before the prompt came, and took the prompt up in that turn.
    client.state("running");
    assert!(client.result(json!({ "origin": { "kind": "task-notification" } })).is_empty());
    let uuid = lines.iter().find(|line| line["type"] == "user").unwrap()["uuid"].clone();
    client.native(
        &json!({ "type": "user", "message": { "content": "hello" }, "uuid": uuid, "isReplay": true }),
    );
    let messages = client.result(json!({ "origin": { "kind": "task-notification" } }));
    assert_eq!(stop_reason(&messages), "end_turn");
}

#[test]
fn a_newer_cli_says_which_prompts_a_result_answers() {
    let mut client = begun("hello");
    assert!(client.result(json!({ "user_message_uuids": ["another"] })).is_empty());
    let uuid = client.written().iter().find(|line| line["type"] == "user").unwrap()["uuid"].clone();
    assert_eq!(stop_reason(&client.result(json!({ "user_message_uuids": [uuid] }))), "end_turn");
}

#[test]
fn cancelling_interrupts_and_is_never_an_error() {
    let mut client = begun("long");
    client.prompt("waiting");
    client.written();
    let messages = client.cancel();
    assert_eq!(stop_reason(&messages), "cancelled", "what waits is cancelled at once");
    assert_eq!(orders(&client.written(), "interrupt"), 1);
    // Only when the CLI is idle it has said all that it has to say of the turn.
    let messages = client.result(json!({ "subtype": "error_during_execution", "is_error": true }));
    assert!(messages.iter().all(|message| message["method"] == "session/update"), "{messages:?}");
    let messages = client.state("idle");
    assert_eq!((messages.len(), stop_reason(&messages)), (1, "cancelled"));
}

#[test]
fn a_cancelled_turn_ends_although_the_cli_never_says_that_it_is_idle() {
    let mut client = begun("long");
    client.cancel();
    client.result(json!({ "subtype": "error_during_execution", "is_error": true }));
    assert_eq!(stop_reason(&client.wait(6_000)), "cancelled");
    client.written();
    client.prompt("next");
    assert_eq!(prompts(&client.written()), ["next"]);
}

#[test]
fn an_interrupt_that_came_before_the_turn_is_sent_again() {
    let mut client = Client::open(json!({}));
    client.prompt("long");
    client.cancel();
    client.written();
    client.state("running");
    assert_eq!(orders(&client.written(), "interrupt"), 1);
}

#[test]
fn a_cli_that_ignores_an_interrupt_is_ended_and_resumed_for_the_next_prompt() {
    let mut client = begun("long");
    client.native(&json!({ "type": "system", "subtype": "init", "session_id": "native" }));
    client.cancel();
    client.wait(6_000);
    assert!(client.ends.is_empty());
    client.wait(2_000);
    assert_eq!(client.ends, [(client.child(), Duration::ZERO)]);
    assert_eq!(stop_reason(&client.exit(Some(143), None, "")), "cancelled");
    client.prompt("next");
    assert_eq!(client.starts.len(), 2);
    assert_eq!(client.starts[1].1.conversation, NativeConversation::Resumed { id: "native".to_owned() });
    client.shake_hands();
    assert!(client.prompt("another").is_empty());
}

#[test]
fn one_prompt_can_be_cancelled_by_its_request() {
    let mut client = begun("first");
    client.prompt("second");
    let messages = client.notify("$/cancel_request", json!({ "requestId": 4 }));
    assert_eq!(answer(&messages)["error"]["code"], -32800, "{messages:?}");
    assert_eq!(orders(&client.written(), "interrupt"), 0);
    assert!(client.notify("$/cancel_request", json!({ "requestId": 3 })).is_empty());
    assert_eq!(orders(&client.written(), "interrupt"), 1);
    client.result(json!({ "subtype": "error_during_execution", "is_error": true }));
    assert_eq!(answer(&client.state("idle"))["error"]["code"], -32800);
    // Cancelling the session's work is no error, as before.
    client.prompt("third");
    client.state("running");
    client.cancel();
    client.result(json!({ "subtype": "error_during_execution", "is_error": true }));
    assert_eq!(stop_reason(&client.state("idle")), "cancelled");
}

#[test]
fn a_model_that_the_user_chooses_by_a_command_is_followed() {
    let mut client = begun("/model haiku");
    client.result(json!({ "result": "Set model to Haiku" }));
    let messages = client.respond("get_settings", json!({ "applied": { "model": "claude-haiku-4-5" } }));
    let options = &updates(&messages, "config_option_update")[0]["configOptions"];
    assert_eq!(options[1]["currentValue"], "haiku", "{options}");
    client.state("idle");
    // Two names of one model are distinguished by what the user wrote.
    client.prompt("/model default");
    client.state("running");
    client.result(json!({}));
    let messages = client.respond("get_settings", json!({ "applied": { "model": "claude-opus-4-8[1m]" } }));
    assert_eq!(updates(&messages, "config_option_update")[0]["configOptions"][1]["currentValue"], "default");
    // A command that the CLI does not take changes nothing.
    client.state("idle");
    client.prompt("/model nonsense");
    client.state("running");
    client.result(json!({}));
    assert!(
        client.respond("get_settings", json!({ "applied": { "model": "claude-opus-4-8[1m]" } })).is_empty()
    );
}

#[test]
fn the_tokens_of_a_turn_are_metadata_and_nobody_counts_them_at_the_api() {
    let mut client = begun("hello");
    let start = json!({ "type": "message_start", "message": { "id": "m", "model": "x", "usage": { "input_tokens": 3 } } });
    client.native(&json!({ "type": "stream_event", "event": start }));
    let delta = json!({ "type": "message_delta", "usage": { "output_tokens": 4 } });
    let messages = client.native(&json!({ "type": "stream_event", "event": delta }));
    assert_eq!(updates(&messages, "usage_update")[0]["used"], 7);
    let messages = client.result(json!({}));
    let result = &answer(&messages)["result"];
    assert_eq!(result["_meta"]["sandboxAgent"]["usage"]["inputTokens"], 10, "{result}");
    assert!(result.get("usage").is_none(), "the field is not stable: {result}");
    assert_eq!(orders(&client.written(), "get_context_usage"), 0);
}

#[test]
fn a_cli_that_dies_fails_the_prompt_with_all_that_is_known_and_the_session_goes_on() {
    let mut client = begun("hello");
    client.native(&json!({ "type": "system", "subtype": "init", "session_id": "native" }));
    client.native(&json!({ "type": "assistant", "message": { "id": "m", "content": [
        { "type": "tool_use", "id": "t", "name": "Bash", "input": { "command": "true" } }
    ] } }));
    let messages = client.exit(None, Some(9), "first\nlast words\n");
    assert_eq!(updates(&messages, "tool_call_update")[0]["status"], "failed");
    let error = &answer(&messages)["error"];
    assert_eq!(error["code"], -32603);
    assert_eq!(error["message"], "Claude Code ended with signal 9: last words");
    assert_eq!(error["data"]["errorKind"], "process_exited");
    assert_eq!(
        (&error["data"]["signal"], &error["data"]["stderrTail"]),
        (&json!(9), &json!("first\nlast words\n"))
    );
    client.prompt("again");
    client.shake_hands();
    client.state("running");
    assert_eq!(stop_reason(&client.result(json!({}))), "end_turn");
}

#[test]
fn a_conversation_that_was_not_stored_before_the_crash_begins_anew() {
    let mut client = begun("hello");
    client.native(&json!({ "type": "system", "subtype": "init", "session_id": "native" }));
    client.exit(None, Some(9), "");
    client.prompt("again");
    client.exit(Some(1), None, "No conversation found with session ID: native");
    assert_eq!(client.starts[2].1.conversation, NativeConversation::New { id: "native".to_owned() });
    client.shake_hands();
    client.state("running");
    assert_eq!(stop_reason(&client.result(json!({}))), "end_turn");
}

#[test]
fn wrong_credentials_fail_the_prompt_at_the_first_retry() {
    let mut client = begun("hello");
    client.written();
    let retry = |error| json!({ "type": "system", "subtype": "api_retry", "attempt": 1, "max_retries": 10, "error": error });
    let messages = client.native(&retry("authentication_failed"));
    assert_eq!(answer(&messages)["error"]["code"], -32000);
    assert_eq!(orders(&client.written(), "interrupt"), 1);
    client.prompt("next");
    let messages = client.result(json!({ "terminal_reason": "aborted_streaming", "is_error": true }));
    assert!(
        !messages.iter().any(|message| message.get("id").is_some()),
        "it was answered before: {messages:?}"
    );
    client.state("idle");
    client.state("running");
    assert_eq!(stop_reason(&client.result(json!({}))), "end_turn");
}

#[test]
fn an_error_of_the_model_is_an_error_and_not_speech() {
    let mut client = begun("hello");
    let words = json!([{ "type": "text", "text": "API Error: 529" }]);
    let synthetic = json!({ "id": "m", "model": "<synthetic>", "content": words });
    assert!(
        client
            .native(&json!({ "type": "assistant", "message": synthetic, "error": "overloaded" }))
            .is_empty()
    );
    let messages =
        client.result(json!({ "is_error": true, "result": "API Error: 529", "api_error_status": 529 }));
    let error = &answer(&messages)["error"];
    assert_eq!(error["message"], "API Error: 529");
    assert_eq!(error["data"], json!({ "errorKind": "overloaded", "httpStatus": 529 }));
}

#[test]
fn every_end_has_its_reason() {
    for (result, reason) in [
        (json!({ "stop_reason": "refusal", "is_error": true }), "refusal"),
        (json!({ "stop_reason": "max_tokens" }), "max_tokens"),
        (json!({ "subtype": "error_max_turns", "is_error": true }), "max_turn_requests"),
        (json!({ "terminal_reason": "aborted_tools", "is_error": true }), "cancelled"),
    ] {
        let mut client = begun("hello");
        assert_eq!(stop_reason(&client.result(result)), reason);
    }
}

#[test]
fn a_model_that_never_comes_to_an_end_is_no_error() {
    let mut client = begun("hello");
    let words = json!([{ "type": "text", "text": "API Error: exceeded the output token maximum" }]);
    let synthetic = json!({ "id": "m", "model": "<synthetic>", "content": words });
    client.native(&json!({ "type": "assistant", "message": synthetic, "error": "max_output_tokens" }));
    assert_eq!(stop_reason(&client.result(json!({ "is_error": true }))), "max_tokens");
}

#[test]
fn what_is_not_known_is_kept() {
    let mut client = begun("hello");
    for line in ["no json", "[]", r#"{"type":"brand_new","x":1}"#, r#"{"type":"assistant","message":7}"#] {
        let messages = client.native_text(line);
        let updates = updates(&messages, "session_info_update");
        assert_eq!(updates.len(), 1, "{line}");
        assert!(!updates[0]["_meta"]["claudeCode"]["unparsed"]["raw"].is_null(), "{line}");
    }
    assert_eq!(stop_reason(&client.result(json!({}))), "end_turn");
}

#[test]
fn cost_adds_up_over_processes() {
    let cost = |messages: &[Value]| {
        updates(messages, "usage_update").last().unwrap()["cost"]["amount"].as_f64().unwrap()
    };
    let mut client = begun("one");
    client.native(&json!({ "type": "system", "subtype": "init", "session_id": "native" }));
    let start = json!({ "type": "message_start", "message": { "id": "m", "model": "x", "usage": { "input_tokens": 3 } } });
    let delta = json!({ "type": "message_delta", "usage": { "output_tokens": 4 } });
    let stream = |event: &Value| json!({ "type": "stream_event", "event": event });
    client.native(&stream(&start));
    client.native(&stream(&delta));
    let messages = client.result(json!({ "modelUsage": { "x": { "contextWindow": 1000 } } }));
    let usage = updates(&messages, "usage_update")[0];
    assert_eq!((&usage["used"], &usage["size"]), (&json!(7), &json!(1000)));
    client.exit(Some(0), None, "");
    client.prompt("two");
    client.shake_hands();
    client.state("running");
    assert!((cost(&client.result(json!({ "total_cost_usd": 0.25 }))) - 0.75).abs() < 1e-9);
}

#[test]
fn closing_cancels_what_runs_and_waits_for_the_process() {
    let mut client = begun("long");
    let messages = client.call("session/close", json!({ "sessionId": crate::client::SESSION }));
    assert_eq!(stop_reason(&messages), "cancelled");
    assert_eq!(client.ends.len(), 1);
    let messages = client.exit(Some(0), None, "");
    assert_eq!(answer(&messages)["result"], json!({}));
    assert_eq!(answer(&client.prompt("gone"))["error"]["code"], -32002);
}
