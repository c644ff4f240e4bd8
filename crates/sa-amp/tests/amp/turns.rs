//! Prompts and what comes of them.

use crate::client::{Client, Folder, THREAD, answer, host_with, stop_reason, updates};
use sa_amp::Launch;
use serde_json::json;
use std::time::Duration;

#[test]
fn a_process_serves_one_prompt_after_the_other() {
    let mut client = Client::open();
    client.prompt("one");
    assert!(client.prompt("two").is_empty(), "it waits");
    assert_eq!(client.written().len(), 1, "what is sent while it works would be merged into that");
    let messages = client.says("First.");
    assert_eq!(stop_reason(&messages), "end_turn");
    assert_eq!(answer(&messages)["result"]["_meta"]["sandboxAgent"]["usage"]["totalTokens"], 120);
    assert_eq!(updates(&messages, "session_info_update")[0]["title"], "one");
    assert_eq!(updates(&messages, "usage_update")[0]["size"], 300_000);
    assert_eq!(client.written().len(), 1, "now it is its turn");
    let messages = client.says("Second.");
    assert_eq!(stop_reason(&messages), "end_turn");
    assert!(updates(&messages, "session_info_update").is_empty());
    assert_eq!(client.starts.len(), 3);
}

#[test]
fn reasons_to_stop_are_told() {
    for (native, told) in
        [("max_tokens", "max_tokens"), ("refusal", "refusal"), ("stop_sequence", "end_turn")]
    {
        let mut client = Client::open();
        client.prompt("hello");
        let messages = client.assistant(json!([{ "type": "text", "text": "x" }]), native);
        assert_eq!(stop_reason(&messages), told);
    }
}

#[test]
fn cancelling_ends_the_process_and_the_next_prompt_starts_another() {
    let mut client = Client::open();
    client.prompt("one");
    client.prompt("two");
    client.calls_tool("c1", "Bash", json!({ "cmd": "sleep 9" }));
    let messages = client.cancel_in(THREAD);
    assert_eq!(stop_reason(&messages), "cancelled", "the waiting one is over at once");
    assert_eq!(client.ends, [(client.child(), Duration::ZERO)]);
    let result = json!({ "type": "result", "subtype": "error_during_execution", "is_error": true, "error": "User cancelled (SIGINT/SIGTERM)" });
    assert!(client.native(&result).is_empty(), "its end is waited for");
    assert!(client.prompt("three").is_empty());
    let before = client.starts.len();
    let messages = client.exit(Some(0), None, "");
    assert_eq!(updates(&messages, "tool_call_update")[0]["status"], "failed");
    assert_eq!(stop_reason(&messages), "cancelled");
    assert_eq!(client.starts.len(), before + 1, "another process takes the thread up");
    assert_eq!(stop_reason(&client.says("Three.")), "end_turn");
}

#[test]
fn a_crash_is_told_and_the_thread_goes_on() {
    let mut client = Client::open();
    client.prompt("one");
    let messages = client.exit(None, Some(9), "it hurts");
    let error = &answer(&messages)["error"];
    assert_eq!(error["message"], "Amp ended with signal 9: it hurts");
    assert_eq!(error["data"]["signal"], 9);
    client.prompt("two");
    assert!(matches!(&client.starts.last().unwrap().1, Launch::Work { thread, .. } if thread == THREAD));
    assert_eq!(stop_reason(&client.says("Two.")), "end_turn");
}

#[test]
fn errors_say_what_kind_they_are() {
    let body = r#"{"type":"error","error":{"type":"x","message":"too much"}}"#;
    for (words, code, kind, message) in [
        (format!("429 {body}"), -32603, "rate_limit", "too much (status 429)"),
        (format!("500 {body}"), -32603, "server_error", "too much (status 500)"),
        (
            "Unauthorized Check your access token.".to_owned(),
            -32000,
            "authentication_failed",
            "Unauthorized Check your access token.",
        ),
        ("Something else".to_owned(), -32603, "unknown", "Something else"),
    ] {
        let mut client = Client::open();
        client.prompt("one");
        let messages =
            client.native(&json!({ "type": "result", "subtype": "error_during_execution", "is_error": true, "error": words }));
        let error = &answer(&messages)["error"];
        assert_eq!(
            (&error["code"], &error["data"]["errorKind"], &error["message"]),
            (&json!(code), &json!(kind), &json!(message))
        );
        // The process ends by itself; the next prompt waits for that.
        client.prompt("two");
        let before = client.starts.len();
        client.exit(Some(0), None, "");
        assert_eq!(client.starts.len(), before + 1);
    }
}

#[test]
fn lines_that_nobody_knows_are_passed_on() {
    let mut client = Client::open();
    client.prompt("one");
    for line in [json!({ "type": "from_the_future" }), json!("no JSON at all")] {
        let messages = client.native(&line);
        let about = &messages[0]["params"]["update"]["_meta"]["amp"]["unparsed"]["line"];
        assert!(
            about.as_str().is_some_and(|text| text.contains("future") || text.contains("JSON")),
            "{messages:?}"
        );
    }
    let messages =
        client.assistant(json!([{ "type": "hologram" }, { "type": "text", "text": "Hi." }]), "end_turn");
    assert_eq!(stop_reason(&messages), "end_turn");
}

#[test]
fn pictures_are_passed_on_and_addresses_of_pictures_are_not() {
    let mut client = Client::open();
    let picture = json!({ "type": "image", "mimeType": "image/png", "data": "AAAA" });
    client.call("session/prompt", json!({ "sessionId": THREAD, "prompt": [picture] }));
    let source = json!({ "type": "base64", "media_type": "image/png", "data": "AAAA" });
    assert_eq!(client.written()[0]["message"]["content"], json!([{ "type": "image", "source": source }]));
    let picture =
        json!({ "type": "image", "mimeType": "image/png", "data": "", "uri": "https://example.com/x.png" });
    let messages = client.call("session/prompt", json!({ "sessionId": THREAD, "prompt": [picture] }));
    assert_eq!(answer(&messages)["error"]["code"], -32602);
}

#[test]
fn settings_that_cannot_be_read_stop_the_work_rather_than_ask_nobody() {
    let mut client =
        Client::open_with(host_with(Folder { broken: true, ..Folder::default() }), THREAD, json!([]));
    let messages = client.prompt("one");
    assert_eq!(answer(&messages)["error"]["data"]["errorKind"], "settings");
    assert!(!client.starts.iter().any(|(_, launch)| matches!(launch, Launch::Work { .. })));
}

#[test]
fn a_message_without_a_reason_to_end_is_the_last_one_only_if_nothing_follows() {
    let silent = |client: &mut Client, content: serde_json::Value| {
        client.native(&json!({ "type": "assistant", "session_id": THREAD,
            "message": { "role": "assistant", "content": content, "stop_reason": null } }))
    };
    let text = json!([{ "type": "text", "text": "And so" }]);
    let mut client = Client::open();
    client.prompt("one");
    silent(&mut client, text.clone());
    client.wait(1);
    assert_eq!(stop_reason(&client.says("Done.")), "end_turn", "it went on");
    client.prompt("two");
    silent(&mut client, json!([{ "type": "tool_use", "id": "c", "name": "Read", "input": {} }]));
    assert!(client.wait(60).is_empty(), "a tool takes its time");
    silent(&mut client, text);
    let messages = client.wait(3);
    assert_eq!(answer(&messages)["error"]["data"]["errorKind"], "stopped_early");
    client.prompt("three");
    assert_eq!(stop_reason(&client.says("Three.")), "end_turn");
}
