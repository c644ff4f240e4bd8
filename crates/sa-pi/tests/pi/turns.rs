//! Opening, turns, failures.

use crate::client::{SESSION, end_turn, greeted, open, respond, shake_hands};
use sa_acp::testing::{answer, stop_reason, text, updates};
use sa_pi::Origin;
use serde_json::json;
use std::time::Duration;

#[test]
fn a_session_opens_when_the_extension_runs() {
    let mut client = greeted();
    client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
    let late = client.pass(Duration::from_secs(61));
    assert_eq!(answer(&late)["error"]["data"]["errorKind"], "handshake_failed");
    let mut client = open();
    assert!(client.prompt_in(SESSION, "say: hi").is_empty());
    assert_eq!(client.peer.0.last().map(|line| line["message"].clone()), Some(json!("say: hi")));
}

#[test]
fn an_answer_of_another_shape_refuses_the_session() {
    for data in [json!("none"), json!([]), json!({ "models": 1 })] {
        let mut client = greeted();
        client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
        let refused = respond(&mut client, "get_available_models", &data);
        assert!(answer(&refused)["error"].is_object(), "{refused:?}");
    }
}

#[test]
fn servers_and_unknown_sessions_are_refused() {
    let mut client = greeted();
    let server = json!({ "name": "a", "command": "/a", "args": [], "env": [] });
    let refused = client.call("session/new", json!({ "cwd": "/project", "mcpServers": [server] }));
    assert_eq!(answer(&refused)["error"]["data"]["reason"], "Pi has no support for MCP servers");
    let place = json!({ "cwd": "/project", "mcpServers": [], "sessionId": "unknown" });
    assert!(answer(&client.call("session/load", place))["error"]["message"].as_str().is_some());
    assert!(client.starts.is_empty());
}

#[test]
fn a_loaded_session_is_replayed_and_continues_in_its_file() {
    let mut client = greeted();
    client.call("session/load", json!({ "cwd": "/project", "mcpServers": [], "sessionId": SESSION }));
    assert_eq!(client.starts[0].1.origin, Origin::File("/files/a.jsonl".into()));
    let messages = json!({ "messages": [
        { "role": "user", "content": "hello" },
        { "role": "assistant", "content": [
            { "type": "thinking", "thinking": "hm" },
            { "type": "toolCall", "id": "c", "name": "bash", "arguments": { "command": "ls" } },
        ] },
        { "role": "toolResult", "toolCallId": "c", "content": [{ "type": "text", "text": "a" }], "isError": false },
    ] });
    let mut all = respond(&mut client, "get_messages", &messages);
    all.extend(shake_hands(&mut client));
    assert_eq!(text(&all, "user_message_chunk"), "hello");
    assert_eq!(text(&all, "agent_thought_chunk"), "hm");
    assert_eq!(updates(&all, "tool_call_update")[0]["status"], "completed");
    assert!(answer(&all)["result"].is_object());
}

#[test]
fn a_turn_ends_when_no_retry_follows() {
    let mut client = open();
    client.prompt_in(SESSION, "go");
    client.native(&json!({ "type": "agent_start" }));
    let failed = json!({
        "role": "assistant", "content": [], "stopReason": "error",
        "errorMessage": "429 {\"error\":{\"message\":\"slow down\"}}",
    });
    client.native(&json!({ "type": "message_end", "message": failed }));
    client.native(&json!({ "type": "agent_end", "messages": [] }));
    let retry = client.native(&json!({
        "type": "auto_retry_start", "attempt": 1, "maxAttempts": 3, "delayMs": 2000, "errorMessage": "429",
    }));
    assert_eq!(updates(&retry, "session_info_update")[0]["_meta"]["pi"]["apiRetry"]["attempt"], 1);
    assert!(respond(&mut client, "get_state", &json!({})).is_empty(), "the CLI tries again");
    client.native(&json!({ "type": "agent_start" }));
    client.native(&json!({ "type": "message_end", "message": failed }));
    client.native(&json!({ "type": "agent_end", "messages": [] }));
    let ended = respond(&mut client, "get_state", &json!({}));
    let error = &answer(&ended)["error"];
    assert_eq!(
        (&error["message"], &error["data"]["errorKind"]),
        (&json!("slow down (status 429)"), &json!("rate_limit"))
    );
}

#[test]
fn a_cancelled_turn_ends_with_the_abort_or_with_the_process() {
    let mut client = open();
    client.prompt_in(SESSION, "go");
    client.native(&json!({ "type": "agent_start" }));
    client.cancel_in(SESSION);
    assert_eq!(stop_reason(&end_turn(&mut client, "aborted")), "cancelled");
    client.prompt_in(SESSION, "again");
    client.cancel_in(SESSION);
    client.pass(Duration::from_secs(8));
    assert_eq!(client.ends.last().map(|(_, drain)| *drain), Some(Duration::ZERO));
    assert_eq!(stop_reason(&client.exit(None, Some(9), "")), "cancelled");
}

#[test]
fn a_crash_fails_the_prompt_and_the_next_one_starts_a_process() {
    let mut client = open();
    client.prompt_in(SESSION, "go");
    let crashed = client.exit(Some(7), None, "boom");
    let error = &answer(&crashed)["error"];
    assert_eq!(
        (&error["data"]["exitCode"], &error["data"]["errorKind"]),
        (&json!(7), &json!("process_exited"))
    );
    client.prompt_in(SESSION, "again");
    assert_eq!(client.starts[1].1.origin, Origin::File("/files/a.jsonl".into()));
    client.peer.0.retain(|line| line["type"] != "prompt");
    shake_hands(&mut client);
    assert!(client.peer.0.iter().any(|line| line["message"] == "again"), "{:?}", client.peer.0);
}

#[test]
fn a_summary_and_a_model_are_commands_of_their_own() {
    let mut client = open();
    client.prompt_in(SESSION, "/compact");
    client.native(&json!({ "type": "compaction_start", "reason": "manual" }));
    assert_eq!(stop_reason(&respond(&mut client, "compact", &json!({}))), "end_turn");
    let change = json!({ "sessionId": SESSION, "configId": "model", "value": "anthropic/big" });
    assert!(client.call("session/set_config_option", change).is_empty());
    let changed = respond(&mut client, "set_model", &json!({}));
    assert!(answer(&changed)["result"]["configOptions"].is_array());
    let closed = client.call("session/close", json!({ "sessionId": SESSION }));
    assert!(closed.is_empty(), "the process ends first");
    assert_eq!(answer(&client.exit(Some(0), None, ""))["result"], json!({}));
}
