//! Prompts, their answers, and what can come between.

use crate::client::{Client, THREAD, answer, opened, stop_reason, text, updates};
use serde_json::{Value, json};

fn delta(item: &str, delta: &str) -> Value {
    json!({ "turnId": "t1", "itemId": item, "delta": delta })
}

fn item(item: Value) -> Value {
    json!({ "turnId": "t1", "item": item })
}

#[test]
fn speech_and_thoughts_are_streamed_and_not_told_twice() {
    let mut client = Client::open(json!({}));
    let mut messages = client.begin("hi", "t1");
    messages
        .extend(client.tell("item/reasoning/summaryPartAdded", json!({ "itemId": "r", "summaryIndex": 0 })));
    messages.extend(client.tell("item/reasoning/summaryTextDelta", delta("r", "first")));
    messages
        .extend(client.tell("item/reasoning/summaryPartAdded", json!({ "itemId": "r", "summaryIndex": 1 })));
    messages.extend(client.tell("item/reasoning/summaryTextDelta", delta("r", "second")));
    messages.extend(client.tell(
        "item/completed",
        item(json!({ "type": "reasoning", "id": "r", "summary": ["first", "second"] })),
    ));
    messages.extend(client.tell("item/agentMessage/delta", delta("m", "Hel")));
    messages.extend(
        client.tell("item/completed", item(json!({ "type": "agentMessage", "id": "m", "text": "Hello" }))),
    );
    messages.extend(
        client.tell("item/completed", item(json!({ "type": "agentMessage", "id": "n", "text": "whole" }))),
    );
    assert_eq!(text(&messages, "agent_thought_chunk"), "first\n\nsecond");
    assert_eq!(text(&messages, "agent_message_chunk"), "Hellowhole");
    let messages = client.end("t1", "completed");
    assert_eq!(updates(&messages, "session_info_update")[0]["title"], "hi");
    assert_eq!(stop_reason(&messages), "end_turn");
}

#[test]
fn a_prompt_waits_until_the_turn_before_is_over() {
    let mut client = Client::open(json!({}));
    client.begin("one", "t1");
    client.prompt("two");
    client.prompt("three");
    assert!(!client.awaits("turn/start"), "a second turn would be folded into the first");
    client.tell("item/agentMessage/delta", delta("m", "x"));
    assert_eq!(stop_reason(&client.end("t1", "completed")), "end_turn");
    let request = client.take("turn/start");
    assert_eq!(request["params"]["input"][0]["text"], "two");
    client.native(&json!({ "id": request["id"], "result": { "turn": { "id": "t2" } } }));
    client.tell("turn/started", json!({ "turn": { "id": "t2" } }));
    client.end("t2", "completed");
    assert_eq!(client.take("turn/start")["params"]["input"][0]["text"], "three");
}

#[test]
fn a_turn_of_the_cli_s_own_is_no_answer() {
    let mut client = Client::open(json!({}));
    client.tell("turn/started", json!({ "turn": { "id": "own" } }));
    client.prompt("hello");
    assert!(!client.awaits("turn/start"));
    assert!(client.end("own", "completed").iter().all(|message| message.get("result").is_none()));
    client.respond("turn/start", json!({ "turn": { "id": "t1" } }));
    assert_eq!(stop_reason(&client.end("t1", "completed")), "end_turn");
}

#[test]
fn a_turn_may_be_over_before_it_is_accepted() {
    let mut client = Client::open(json!({}));
    client.prompt("hello");
    client.tell("turn/started", json!({ "turn": { "id": "t1" } }));
    assert_eq!(stop_reason(&client.end("t1", "completed")), "end_turn");
    client.respond("turn/start", json!({ "turn": { "id": "t1" } }));
    client.begin("again", "t2");
    assert_eq!(stop_reason(&client.end("t2", "completed")), "end_turn");
}

#[test]
fn a_prompt_that_is_refused_fails_and_the_next_goes_on() {
    let mut client = Client::open(json!({}));
    client.prompt("one");
    client.prompt("two");
    let messages = client.refuse("turn/start", "image URLs are not supported");
    assert_eq!(answer(&messages)["error"]["message"], "image URLs are not supported");
    assert!(client.awaits("turn/start"));
}

#[test]
fn every_end_has_its_reason() {
    let error = |info: Value, message: &str| json!({ "message": message, "codexErrorInfo": info });
    let status = |code: u64| json!({ "httpConnectionFailed": { "httpStatusCode": code } });
    for (info, message, code, kind) in [
        (status(401), "unauthorized", -32000, "authentication_failed"),
        (status(403), "forbidden", -32603, "permission_denied"),
        (json!({ "responseTooManyFailedAttempts": { "httpStatusCode": 429 } }), "slow", -32603, "rate_limit"),
        (json!("usageLimitExceeded"), "limit", -32603, "usage_limit"),
        (json!("internalServerError"), "busy", -32603, "server_error"),
        (json!("other"), "unexpected status 404 Not Found: x", -32603, "model_not_found"),
        (status(503), "away", -32603, "server_error"),
        (json!("contextWindowExceeded"), "full", -32603, "context_window_exceeded"),
        (json!("other"), "stream disconnected before completion: x", -32603, "stream_cut"),
        (json!("other"), r#"{"error":{"type":"invalid_request_error"}}"#, -32603, "invalid_request"),
        (json!({ "httpConnectionFailed": { "httpStatusCode": null } }), "x", -32603, "connection_failed"),
        (json!({ "somethingNew": {} }), "x", -32603, "unknown"),
    ] {
        let mut client = Client::open(json!({}));
        client.begin("hi", "t1");
        let failed =
            json!({ "turn": { "id": "t1", "status": "failed", "error": error(info.clone(), message) } });
        let messages = client.tell("turn/completed", failed);
        let found = &answer(&messages)["error"];
        assert_eq!((&found["code"], &found["data"]["errorKind"]), (&json!(code), &json!(kind)), "{info}");
        assert_eq!(found["message"], message);
        client.begin("the thread survives", "t2");
    }
    for (message, reason) in [
        ("Incomplete response returned, reason: max_output_tokens", "max_tokens"),
        ("Incomplete response returned, reason: content_filter", "refusal"),
    ] {
        let mut client = Client::open(json!({}));
        client.begin("hi", "t1");
        let failed =
            json!({ "turn": { "id": "t1", "status": "failed", "error": error(json!("other"), message) } });
        assert_eq!(stop_reason(&client.tell("turn/completed", failed)), reason);
    }
}

#[test]
fn the_error_may_come_apart_from_the_end() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    client.tell("error", json!({ "error": { "message": "boom", "codexErrorInfo": "other" }, "willRetry": false, "turnId": "t1" }));
    assert_eq!(answer(&client.end("t1", "failed"))["error"]["message"], "boom");
}

fn retry(status: Option<u64>, details: &str) -> Value {
    let info = json!({ "responseStreamDisconnected": { "httpStatusCode": status } });
    let error =
        json!({ "message": "Reconnecting... 2/5", "codexErrorInfo": info, "additionalDetails": details });
    json!({ "error": error, "willRetry": true, "turnId": "t1" })
}

#[test]
fn what_is_tried_again_is_a_remark_and_not_speech() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    let messages = client.tell("error", retry(Some(429), "slow down"));
    let remark = &updates(&messages, "session_info_update")[0]["_meta"]["codex"]["apiRetry"];
    assert_eq!(
        (&remark["attempt"], &remark["maxRetries"], &remark["httpStatus"]),
        (&json!(2), &json!(5), &json!(429))
    );
    assert_eq!(stop_reason(&client.end("t1", "completed")), "end_turn");
    let mut client = Client::open(json!({ "session": { "notices": {} } }));
    client.begin("hi", "t1");
    let messages = client.tell("error", retry(Some(429), "slow down"));
    assert_eq!(updates(&messages, "notice")[0]["severity"], "warning");
}

#[test]
fn wrong_credentials_and_refusals_are_not_tried_again() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    let messages = client.tell("error", retry(Some(401), "bad key"));
    assert_eq!(answer(&messages)["error"]["code"], -32000);
    assert_eq!(client.take("turn/interrupt")["params"], json!({ "threadId": THREAD, "turnId": "t1" }));
    assert!(client.end("t1", "interrupted").iter().all(|message| message.get("result").is_none()));

    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    let messages = client.tell("error", retry(None, "Incomplete response returned, reason: content_filter"));
    assert_eq!(stop_reason(&messages), "refusal");
    assert!(client.awaits("turn/interrupt"));
}

#[test]
fn usage_is_told_and_counted_by_turn() {
    let mut client = Client::open(json!({}));
    let usage = |turn: &str, input: u64, output: u64| {
        let total = json!({ "inputTokens": input, "outputTokens": output, "cachedInputTokens": input / 10, "totalTokens": input + output });
        let last = json!({ "totalTokens": 42 });
        json!({ "turnId": turn, "tokenUsage": { "total": total, "last": last, "modelContextWindow": 1000 } })
    };
    client.tell("thread/tokenUsage/updated", usage("before", 100, 10));
    client.begin("hi", "t1");
    let messages = client.tell("thread/tokenUsage/updated", usage("t1", 300, 30));
    assert_eq!(
        updates(&messages, "usage_update")[0],
        &json!({ "sessionUpdate": "usage_update", "used": 42, "size": 1000 })
    );
    let messages = client.end("t1", "completed");
    let usage = &answer(&messages)["result"]["_meta"]["sandboxAgent"]["usage"];
    assert_eq!(
        (&usage["totalTokens"], &usage["inputTokens"], &usage["cachedReadTokens"]),
        (&json!(220), &json!(180), &json!(20))
    );
}

#[test]
fn lists_of_things_to_do_are_plans() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    let plan = json!([{ "step": "a", "status": "completed" }, { "step": "b", "status": "inProgress" }, { "step": "c", "status": "new" }]);
    let messages = client.tell("turn/plan/updated", json!({ "turnId": "t1", "plan": plan }));
    let entries = &updates(&messages, "plan")[0]["entries"];
    let states: Vec<_> =
        entries.as_array().unwrap().iter().map(|entry| entry["status"].as_str().unwrap()).collect();
    assert_eq!(states, ["completed", "in_progress", "pending"]);
}

#[test]
fn compaction_and_review_are_commands() {
    let mut client = Client::open(json!({ "session": { "compaction": {} } }));
    client.prompt("/compact");
    client.respond("thread/compact/start", json!({}));
    client.tell("turn/started", json!({ "turn": { "id": "c" } }));
    let mut messages = client
        .tell("item/started", json!({ "turnId": "c", "item": { "type": "contextCompaction", "id": "i" } }));
    messages.extend(client.tell(
        "item/completed",
        json!({ "turnId": "c", "item": { "type": "contextCompaction", "id": "i" } }),
    ));
    let states: Vec<_> =
        updates(&messages, "compaction_update").iter().map(|update| update["status"].clone()).collect();
    assert_eq!(states, ["in_progress", "completed"]);
    assert_eq!(stop_reason(&client.end("c", "completed")), "end_turn");

    client.prompt("/review the parser");
    let request = client.take("review/start");
    assert_eq!(request["params"]["target"], json!({ "type": "custom", "instructions": "the parser" }));
    client.native(&json!({ "id": request["id"], "result": { "turn": { "id": "r" } } }));
    client.tell("turn/started", json!({ "turn": { "id": "another" } }));
    client.tell(
        "item/completed",
        json!({ "turnId": "r", "item": { "type": "exitedReviewMode", "id": "x", "review": "fine" } }),
    );
    let messages = client.end("r", "completed");
    assert_eq!(text(&messages, "agent_message_chunk"), "fine");
    assert_eq!(stop_reason(&messages), "end_turn");
    client.prompt("/review");
    assert_eq!(
        client.take("review/start")["params"]["target"],
        json!({ "type": "uncommittedChanges" }),
        "nothing is stuck"
    );
}

#[test]
fn pictures_and_files_become_input() {
    let mut client = Client::open(json!({}));
    let prompt = json!([
        { "type": "text", "text": "look" },
        { "type": "image", "mimeType": "image/png", "data": "AAAA" },
        { "type": "resource_link", "name": "a.rs", "uri": "file:///project/a.rs" },
        { "type": "resource", "resource": { "uri": "file:///project/b.rs", "text": "fn b() {}" } },
    ]);
    client.call("session/prompt", json!({ "sessionId": THREAD, "prompt": prompt }));
    assert_eq!(
        client.take("turn/start")["params"]["input"],
        json!([
            { "type": "text", "text": "look" },
            { "type": "image", "url": "data:image/png;base64,AAAA" },
            { "type": "text", "text": "[@a.rs](/project/a.rs)" },
            { "type": "text", "text": "[@b.rs](/project/b.rs)" },
            { "type": "text", "text": "<context ref=\"/project/b.rs\">\nfn b() {}\n</context>" },
        ])
    );
    let url = json!([{ "type": "image", "mimeType": "image/png", "data": "", "uri": "https://x/y.png" }]);
    let messages = client.call("session/prompt", json!({ "sessionId": THREAD, "prompt": url }));
    assert_eq!(answer(&messages)["error"]["code"], -32602);
}

#[test]
fn sessions_in_one_process_do_not_mix() {
    let mut client = Client::open(json!({}));
    client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
    client.respond("thread/start", opened("other"));
    assert_eq!(client.starts.len(), 1);
    client.begin("one", "t1");
    client.call(
        "session/prompt",
        json!({ "sessionId": "other", "prompt": [{ "type": "text", "text": "two" }] }),
    );
    client.respond("turn/start", json!({ "turn": { "id": "t2" } }));
    let said = json!({ "threadId": "other", "itemId": "m", "delta": "x" });
    let messages = client.tell("item/agentMessage/delta", said);
    assert_eq!(messages[0]["params"]["sessionId"], "other");
    let messages = client.tell(
        "turn/completed",
        json!({ "threadId": "other", "turn": { "id": "t2", "status": "completed" } }),
    );
    assert_eq!(messages.iter().filter(|message| message.get("result").is_some()).count(), 1);
    assert_eq!(stop_reason(&client.end("t1", "completed")), "end_turn");
}

#[test]
fn what_is_not_known_is_kept() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    let messages = client.tell("thread/somethingNew", json!({ "x": 1 }));
    let raw = &updates(&messages, "session_info_update")[0]["_meta"]["codex"]["unparsed"]["raw"];
    assert_eq!((&raw["method"], &raw["params"]["x"]), (&json!("thread/somethingNew"), &json!(1)));
    let messages = client.tell("item/agentMessage/delta", json!({ "itemId": 7 }));
    assert_eq!(updates(&messages, "session_info_update").len(), 1, "of another shape than expected");
    let messages =
        client.tell("item/completed", item(json!({ "type": "newThing", "id": "n", "status": "completed" })));
    assert_eq!(updates(&messages, "tool_call")[0]["title"], "New thing");
    let messages = client.native(&json!({ "no": "message" }));
    assert_eq!(updates(&messages, "session_info_update").len(), 1, "belongs to nobody");
    client.ask(9, "attestation/generate", json!({}));
    assert_eq!(client.replies()[0]["error"]["code"], -32601, "what is not answered would block");
    assert_eq!(stop_reason(&client.end("t1", "completed")), "end_turn");
}
