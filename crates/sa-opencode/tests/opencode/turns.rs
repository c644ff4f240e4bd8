//! Prompts and what comes of them.

use crate::client::{Client, SESSION};
use sa_acp::testing::{answer, updates};
use serde_json::{Value, json};
use std::time::Duration;

fn message() -> String {
    format!("POST /session/{SESSION}/message")
}

fn text(messages: &[Value]) -> String {
    let chunks = updates(messages, "agent_message_chunk");
    chunks.iter().filter_map(|update| update["content"]["text"].as_str()).collect()
}

#[test]
fn what_was_streamed_is_not_told_again() {
    let mut client = Client::open();
    client.prompt_in(SESSION, "hello");
    let mut told = client.message(SESSION, "m1");
    let part = |text: &str| json!({ "id": "p1", "messageID": "m1", "type": "text", "text": text });
    told.extend(client.part(SESSION, part("")));
    let delta = json!({ "messageID": "m1", "partID": "p1", "field": "text", "delta": "Hel" });
    told.extend(client.event(SESSION, "message.part.delta", delta));
    told.extend(client.part(SESSION, part("Hello.")));
    let whole = json!({ "info": { "id": "m1", "role": "assistant" }, "parts": [part("Hello.")] });
    told.extend(client.respond(&message(), whole));
    told.extend(client.status(SESSION, "idle"));
    assert_eq!(text(&told), "Hello.", "{told:?}");
    // Nor when it comes late, in the midst of the next turn.
    client.prompt_in(SESSION, "more");
    let mut late =
        client.event(SESSION, "message.updated", json!({ "info": { "id": "m1", "role": "assistant" } }));
    late.extend(client.part(SESSION, part("Hello.")));
    assert_eq!(text(&late), "", "{late:?}");
}

#[test]
fn an_answer_that_overtakes_its_events_waits_for_them() {
    let mut client = Client::open();
    client.prompt_in(SESSION, "hello");
    client.status(SESSION, "busy");
    let part = json!({ "id": "p1", "messageID": "m1", "type": "text", "text": "Hello." });
    let info =
        json!({ "id": "m1", "role": "assistant", "tokens": { "input": 10, "output": 5 }, "cost": 0.5 });
    assert!(client.respond(&message(), json!({ "info": info, "parts": [part] })).is_empty());
    // They do not come at all: the answer has their content.
    let told = client.pass(Duration::from_secs(2));
    assert_eq!(text(&told), "Hello.");
    let answer = &answer(&told)["result"];
    assert_eq!(
        (&answer["stopReason"], &answer["_meta"]["sandboxAgent"]["usage"]["totalTokens"]),
        (&json!("end_turn"), &json!(15))
    );
    let usage = updates(&told, "usage_update");
    assert_eq!(usage[0]["cost"], json!({ "amount": 0.5, "currency": "USD" }));
}

#[test]
fn prompts_wait_for_each_other() {
    let mut client = Client::open();
    client.prompt_in(SESSION, "one");
    client.prompt_in(SESSION, "two");
    assert_eq!(client.names(), [message()]);
    client.status(SESSION, "busy");
    let done = client.done(SESSION);
    assert_eq!(answer(&done)["id"], 3);
    assert_eq!(client.names(), [message()]);
    // The end of the first is not taken for the end of the second.
    client.status(SESSION, "idle");
    client.status(SESSION, "busy");
    assert_eq!(answer(&client.done(SESSION))["id"], 4);
}

#[test]
fn sessions_of_one_directory_and_of_two_work_at_once() {
    let mut client = Client::open();
    client.another("ses_two", "/project");
    client.another("ses_three", "/other");
    let all = [SESSION, "ses_two", "ses_three"];
    for session in all {
        client.prompt_in(session, "hello");
        client.message(session, &format!("m_{session}"));
    }
    assert_eq!(client.starts.len(), 1, "one process for all of them");
    assert_eq!(client.names().len(), 3, "{:?}", client.names());
    let cwd = client.peer.calls[2]["path"].as_str().unwrap();
    assert!(cwd.ends_with("?directory=/other"), "{cwd}");
    for session in all {
        let part = json!({ "id": "p", "messageID": format!("m_{session}"), "type": "text", "text": session });
        let told = client.part(session, part);
        assert_eq!(told[0]["params"]["sessionId"], session);
        assert_eq!(text(&told), session);
    }
    for session in all.iter().rev() {
        assert_eq!(answer(&client.done(session))["result"]["stopReason"], "end_turn");
    }
}

#[test]
fn a_cancelled_turn_is_answered_even_if_the_server_does_not_heed_it() {
    let mut client = Client::open();
    client.prompt_in(SESSION, "hello");
    client.message(SESSION, "m1");
    client.tool(
        SESSION,
        "m1",
        "c1",
        "bash",
        json!({ "status": "running", "input": { "command": "sleep 9" } }),
    );
    client.notify("session/cancel", json!({ "sessionId": SESSION }));
    client.take(&format!("POST /session/{SESSION}/abort"));
    let told = client.pass(Duration::from_secs(11));
    assert_eq!(answer(&told)["result"]["stopReason"], "cancelled");
    assert_eq!(updates(&told, "tool_call_update")[0]["status"], "failed");
    // A prompt behind it gets another process.
    client.prompt_in(SESSION, "again");
    client.pass(Duration::from_secs(11));
    client.pass(Duration::from_secs(1));
    assert_eq!(client.ends.len(), 1);
}

#[test]
fn commands_are_called_and_what_looks_like_one_is_a_prompt() {
    let mut client = Client::open();
    client.prompt_in(SESSION, "/init the docs");
    let call = client.take(&format!("POST /session/{SESSION}/command"));
    assert_eq!((&call["body"]["command"], &call["body"]["arguments"]), (&json!("init"), &json!("the docs")));
    assert_eq!(call["body"]["model"], "anthropic/big");
    let mut client = Client::open();
    client.prompt_in(SESSION, "/etc/hosts is broken");
    let call = client.take(&message());
    assert_eq!(call["body"]["parts"][0]["text"], "/etc/hosts is broken");
}

#[test]
fn pictures_and_files_go_with_a_prompt() {
    let mut client = Client::open();
    let resource = json!({ "uri": "file:///project/a.txt", "text": "milk" });
    let prompt = json!([
        { "type": "text", "text": "look" },
        { "type": "image", "mimeType": "image/png", "data": "AAAA" },
        { "type": "resource", "resource": resource },
    ]);
    client.call("session/prompt", json!({ "sessionId": SESSION, "prompt": prompt }));
    let parts = client.take(&message())["body"]["parts"].clone();
    assert_eq!(parts[1]["url"], "data:image/png;base64,AAAA", "{parts}");
    assert!(parts.to_string().contains("milk"), "{parts}");
}

#[test]
fn compaction_is_told() {
    let mut client = Client::open();
    client.prompt_in(SESSION, "/compact");
    client.status(SESSION, "busy");
    let begun =
        client.part(SESSION, json!({ "id": "p", "messageID": "u", "type": "compaction", "auto": false }));
    assert_eq!(updates(&begun, "compaction_update")[0]["status"], "in_progress");
    client.event(
        SESSION,
        "message.updated",
        json!({ "info": { "id": "s", "role": "assistant", "summary": true } }),
    );
    let summary =
        client.part(SESSION, json!({ "id": "q", "messageID": "s", "type": "text", "text": "in short" }));
    assert!(summary.is_empty(), "a summary is nothing that is said: {summary:?}");
    let ended = client.event(SESSION, "session.compacted", json!({}));
    assert_eq!(updates(&ended, "compaction_update")[0]["status"], "completed");
    client.respond(&format!("POST /session/{SESSION}/summarize"), json!(true));
    assert_eq!(answer(&client.status(SESSION, "idle"))["result"]["stopReason"], "end_turn");
}

#[test]
fn things_to_do_are_a_plan_and_titles_are_told() {
    let mut client = Client::open();
    client.prompt_in(SESSION, "hello");
    let todo =
        |content: &str, status: &str| json!({ "content": content, "status": status, "priority": "high" });
    let todos = json!({ "todos": [todo("a", "in_progress"), todo("b", "pending"), todo("c", "cancelled")] });
    let told = client.event(SESSION, "todo.updated", todos);
    let entries = &updates(&told, "plan")[0]["entries"];
    assert_eq!(entries.as_array().unwrap().len(), 2, "{entries}");
    assert_eq!((&entries[0]["status"], &entries[0]["priority"]), (&json!("in_progress"), &json!("high")));
    let info = json!({ "info": { "id": SESSION, "title": "About milk" } });
    let told = client.event(SESSION, "session.updated", info);
    assert_eq!(updates(&told, "session_info_update")[0]["title"], "About milk");
}

#[test]
fn settings_go_out_with_the_next_prompt() {
    let mut client = Client::open();
    let set = |client: &mut Client, option: &str, value: &str| {
        client.call(
            "session/set_config_option",
            json!({ "sessionId": SESSION, "configId": option, "value": value }),
        )
    };
    assert!(answer(&set(&mut client, "effort", "low"))["result"].is_object());
    let changed = set(&mut client, "model", "small");
    assert!(answer(&changed)["result"].to_string().contains("anthropic/small"), "{changed:?}");
    for (option, value) in [("model", "none"), ("effort", "huge"), ("agent", "general"), ("color", "red")] {
        assert_eq!(answer(&set(&mut client, option, value))["error"]["code"], -32602, "{option} {value}");
    }
    client.prompt_in(SESSION, "hello");
    let call = client.take(&message());
    assert_eq!(call["body"]["model"]["modelID"], "small");
    assert!(call["body"]["variant"].is_null(), "this model has no such effort: {call}");
}
