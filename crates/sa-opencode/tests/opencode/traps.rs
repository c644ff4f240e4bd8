//! Ways of the server that are easily got wrong.

use crate::client::{Client, SESSION, info};
use sa_acp::testing::{answer, updates};
use serde_json::{Value, json};
use std::time::Duration;

fn message() -> String {
    format!("POST /session/{SESSION}/message")
}

/// A prompt that the server ends with this message.
fn ended(info: Value) -> Value {
    let mut client = Client::open();
    client.prompt_in(SESSION, "hello");
    client.status(SESSION, "busy");
    client.respond(&message(), json!({ "info": info, "parts": [] }));
    answer(&client.status(SESSION, "idle")).clone()
}

#[test]
fn every_way_to_end_has_its_reason() {
    let failed = |name: &str, data: Value| {
        ended(json!({ "id": "m", "role": "assistant", "error": { "name": name, "data": data } }))
    };
    let finished = |finish: &str| ended(json!({ "id": "m", "role": "assistant", "finish": finish }));
    assert_eq!(finished("stop")["result"]["stopReason"], "end_turn");
    assert_eq!(finished("length")["result"]["stopReason"], "max_tokens");
    assert_eq!(finished("content-filter")["result"]["stopReason"], "refusal");
    assert_eq!(failed("ContentFilterError", json!({}))["result"]["stopReason"], "refusal");
    assert_eq!(failed("MessageAbortedError", json!({}))["result"]["stopReason"], "cancelled");
    let wrong = failed("APIError", json!({ "message": "bad key", "statusCode": 401 }));
    assert_eq!((&wrong["error"]["code"], &wrong["error"]["message"]), (&json!(-32000), &json!("bad key")));
    for (status, kind) in
        [(400, "invalid_request"), (404, "model_not_found"), (429, "rate_limit"), (529, "server_error")]
    {
        let error = failed("APIError", json!({ "message": "no", "statusCode": status }));
        assert_eq!(error["error"]["data"]["errorKind"], kind, "{error}");
    }
}

#[test]
fn a_request_that_fails_ends_with_what_the_server_told_about_it() {
    let mut client = Client::open();
    client.prompt_in(SESSION, "hello");
    let error =
        json!({ "error": { "name": "UnknownError", "data": { "message": "Model not found: a/b." } } });
    client.event(SESSION, "session.error", error);
    client.respond_as(
        &message(),
        500,
        json!({ "name": "UnknownError", "data": { "message": "Unexpected server error." } }),
    );
    // Nothing is heard of a turn that never began.
    let told = client.pass(Duration::from_secs(2));
    let error = &answer(&told)["error"];
    assert_eq!(
        (&error["message"], &error["data"]["errorKind"]),
        (&json!("Model not found: a/b."), &json!("model_not_found"))
    );
}

#[test]
fn retries_are_told_and_do_not_go_on_for_ever() {
    let mut client = Client::open();
    client.prompt_in(SESSION, "hello");
    client.status(SESSION, "busy");
    let retry = |attempt: u64| json!({ "status": { "type": "retry", "attempt": attempt, "message": "HTTP 429: too many requests", "next": 5 } });
    let told = client.event(SESSION, "session.status", retry(1));
    assert!(told[0].to_string().contains("429"), "{told:?}");
    let failed = client.event(SESSION, "session.status", retry(5));
    assert_eq!(answer(&failed)["error"]["data"]["errorKind"], "rate_limit");
    client.respond(&format!("POST /session/{SESSION}/abort"), json!(true));
    // The session continues once the server has stopped.
    client.prompt_in(SESSION, "again");
    client.respond(&message(), json!({ "info": { "id": "m", "role": "assistant" } }));
    client.status(SESSION, "idle");
    assert_eq!(client.names(), [message()]);
}

#[test]
fn a_broken_connection_waits_for_the_end_of_the_process() {
    let mut client = Client::open();
    client.prompt_in(SESSION, "hello");
    client.status(SESSION, "busy");
    let call = client.take(&message());
    assert!(client.native(&json!({ "id": call["id"], "broken": "connection reset" })).is_empty());
    let failed = client.exit(None, Some(9), "");
    assert_eq!(answer(&failed)["error"]["data"]["signal"], 9);
    // If it does not end, nothing else is reported.
    let mut client = Client::open();
    client.prompt_in(SESSION, "hello");
    let call = client.take(&message());
    client.native(&json!({ "id": call["id"], "broken": "connection reset" }));
    client.pass(Duration::from_secs(3));
    let failed = client.pass(Duration::from_secs(2));
    assert_eq!(answer(&failed)["error"]["message"], "connection reset");
}

#[test]
fn what_is_not_known_is_kept() {
    let mut client = Client::open();
    for (line, words) in [
        (json!({ "stdout": "no JSON at all" }), "no JSON at all"),
        (
            json!({ "event": { "payload": { "type": "from.the.future", "properties": { "noise": 1 } } } }),
            "from.the.future",
        ),
        (json!({ "event": "not an event" }), "not an event"),
        (json!({ "unparsed": "too long" }), "too long"),
        (json!({ "odd": 1 }), "odd"),
    ] {
        let told = client.native(&line);
        let kept = &updates(&told, "session_info_update")[0]["_meta"]["opencode"]["unparsed"];
        assert!(kept.to_string().contains(words), "{told:?}");
    }
    let of_session = client.event(SESSION, "session.reticulated", json!({ "splines": 3 }));
    assert!(of_session[0].to_string().contains("session.reticulated"), "{of_session:?}");
    let known = client.event(SESSION, "session.diff", json!({ "diff": [] }));
    assert!(known.is_empty(), "{known:?}");
}

#[test]
fn a_command_that_was_cut_off_has_failed_though_it_is_called_completed() {
    let mut client = Client::open();
    client.prompt_in(SESSION, "hello");
    client.message(SESSION, "m1");
    let input = json!({ "command": "sleep 9" });
    client.tool(
        SESSION,
        "m1",
        "c1",
        "bash",
        json!({ "status": "running", "input": input, "metadata": { "output": "a" } }),
    );
    let printed = client.pass(Duration::from_millis(200));
    assert!(updates(&printed, "tool_call_update")[0]["content"].to_string().contains('a'), "{printed:?}");
    let metadata = json!({ "exit": null, "output": "User aborted the command" });
    let state = json!({ "status": "completed", "input": input, "output": "a", "metadata": metadata });
    let told = client.tool(SESSION, "m1", "c1", "bash", state.clone());
    assert_eq!(updates(&told, "tool_call_update")[0]["status"], "failed");
    // Sent twice, reported once.
    assert!(client.tool(SESSION, "m1", "c1", "bash", state).is_empty());
}

#[test]
fn answers_to_what_nobody_waits_for_do_no_harm() {
    let mut client = Client::open();
    assert!(client.native(&json!({ "id": 999, "status": 200, "body": null })).is_empty());
    assert!(client.native(&json!({ "id": 999, "broken": "late" })).is_empty());
    assert!(client.status("ses_unknown", "busy").is_empty());
}

#[test]
fn an_abort_that_overtook_its_prompt_is_sent_again() {
    let abort = format!("POST /session/{SESSION}/abort");
    let mut client = Client::open();
    client.prompt_in(SESSION, "hello");
    client.cancel_in(SESSION);
    client.respond(&abort, json!(true));
    assert_eq!(client.names(), [message()], "once is enough if it has an effect");
    client.status(SESSION, "busy");
    client.respond(&abort, json!(true));
    client.pass(Duration::from_millis(500));
    client.respond(&abort, json!(true));
    client.respond(&message(), json!({ "info": { "id": "m", "role": "assistant" } }));
    let messages = client.status(SESSION, "idle");
    assert_eq!(answer(&messages)["result"]["stopReason"], "cancelled", "{messages:?}");
    client.pass(Duration::from_secs(1));
    assert!(client.names().is_empty(), "{:?}", client.names());
}

#[test]
fn a_prompt_does_not_overtake_the_abort_of_the_one_before() {
    let abort = format!("POST /session/{SESSION}/abort");
    let mut client = Client::open();
    client.prompt_in(SESSION, "hello");
    client.status(SESSION, "busy");
    client.cancel_in(SESSION);
    client.prompt_in(SESSION, "next");
    client.respond(&message(), json!({ "info": { "id": "m", "role": "assistant" } }));
    client.status(SESSION, "idle");
    assert_eq!(client.names(), [abort.as_str()], "an abort names no prompt");
    client.respond(&abort, json!(true));
    assert_eq!(client.names(), [message()]);
}

#[test]
fn a_cancelled_turn_is_granted_nothing() {
    let mut client = Client::open();
    client.call("session/set_mode", json!({ "sessionId": SESSION, "modeId": "bypass" }));
    client.prompt_in(SESSION, "hello");
    client.status(SESSION, "busy");
    client.cancel_in(SESSION);
    client.peer.calls.clear();
    let asked =
        json!({ "id": "per_1", "permission": "bash", "patterns": ["touch f"], "metadata": {}, "always": [] });
    assert!(client.event(SESSION, "permission.asked", asked).is_empty());
    assert_eq!(client.take("POST /permission/per_1/reply")["body"]["reply"], "reject");
    assert!(client.event(SESSION, "question.asked", json!({ "id": "que_1", "questions": [] })).is_empty());
    client.take("POST /question/que_1/reject");
}

#[test]
fn a_prompt_that_is_aborted_before_it_begins_is_over_soon() {
    let mut client = Client::open();
    client.prompt_in(SESSION, "hello");
    client.cancel_in(SESSION);
    client.respond(&format!("POST /session/{SESSION}/abort"), json!(true));
    assert!(client.respond(&message(), json!({ "info": { "id": "m", "role": "user" } })).is_empty());
    let messages = client.pass(Duration::from_millis(100));
    assert_eq!(answer(&messages)["result"]["stopReason"], "cancelled", "{messages:?}");
}

#[test]
fn the_messages_that_a_fork_copies_are_not_said_again() {
    const FORK: &str = "ses_fork";
    let mut client = Client::open();
    client.call("session/fork", json!({ "sessionId": SESSION, "cwd": "/project", "mcpServers": [] }));
    client.answer_facts();
    client.respond(&format!("POST /session/{SESSION}/fork"), info(FORK));
    client.prompt_in(FORK, "go on");
    client.status(FORK, "busy");
    // The server's events about the copies are late.
    let copy = json!({ "info": { "id": "m1", "role": "assistant", "finish": "stop", "cost": 0.5 } });
    let mut messages = client.event(FORK, "message.updated", copy);
    messages
        .extend(client.part(FORK, json!({ "id": "p1", "messageID": "m1", "type": "text", "text": "Old." })));
    assert!(messages.is_empty(), "{messages:?}");
    client.message(FORK, "m2");
    let said = client.part(FORK, json!({ "id": "p2", "messageID": "m2", "type": "text", "text": "New." }));
    assert_eq!(updates(&said, "agent_message_chunk")[0]["content"]["text"], "New.");
}
