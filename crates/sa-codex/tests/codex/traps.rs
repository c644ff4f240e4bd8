//! Unexpected behavior of the app-server: turns that merge, items that never complete, interrupts that are not
//! answered, processes that are left behind, settings that are written.

use crate::client::{Client, THREAD, answer, host, opened, request, stop_reason, updates};
use serde_json::{Value, json};

fn command(client: &mut Client, id: &str) -> Vec<Value> {
    let item = json!({ "type": "commandExecution", "id": id, "command": "/bin/bash -lc 'sleep 9'", "cwd": "/project", "status": "inProgress" });
    client.tell("item/started", json!({ "turnId": "t1", "item": item }))
}

#[test]
fn cancelling_interrupts_cleans_up_and_closes_what_is_open() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    command(&mut client, "c");
    client.prompt("queued");
    let messages = client.cancel();
    assert_eq!(stop_reason(&messages), "cancelled", "what waited is over at once");
    assert_eq!(client.take("turn/interrupt")["params"], json!({ "threadId": THREAD, "turnId": "t1" }));
    assert!(!client.awaits("thread/backgroundTerminals/clean"), "not before the turn has ended");
    let messages = client.end("t1", "interrupted");
    let update = updates(&messages, "tool_call_update")[0];
    assert_eq!((&update["toolCallId"], &update["status"]), (&json!("c"), &json!("failed")));
    assert_eq!(stop_reason(&messages), "cancelled");
    assert_eq!(client.take("thread/backgroundTerminals/clean")["params"], json!({ "threadId": THREAD }));
}

#[test]
fn cancelling_when_nothing_runs_asks_nothing_of_the_cli() {
    let mut client = Client::open(json!({}));
    assert!(client.cancel().is_empty());
    assert!(!client.awaits("turn/interrupt"), "it would never be answered");
    client.begin("hi", "t1");
    client.end("t1", "completed");
    client.cancel();
    assert!(!client.awaits("turn/interrupt"));
}

#[test]
fn an_interrupt_waits_for_the_turn_to_have_an_id() {
    let mut client = Client::open(json!({}));
    client.prompt("hi");
    client.cancel();
    assert!(!client.awaits("turn/interrupt"));
    client.respond("turn/start", json!({ "turn": { "id": "t1" } }));
    assert_eq!(client.take("turn/interrupt")["params"]["turnId"], "t1");
    assert_eq!(stop_reason(&client.end("t1", "interrupted")), "cancelled");
}

#[test]
fn an_interrupt_that_came_too_early_is_sent_again() {
    let mut client = Client::open(json!({}));
    client.prompt("hi");
    client.cancel();
    client.respond("turn/start", json!({ "turn": { "id": "t1" } }));
    client.refuse("turn/interrupt", "no active turn to interrupt");
    client.tell("turn/started", json!({ "turn": { "id": "t1" } }));
    assert!(client.awaits("turn/interrupt"), "there is something to interrupt now");
    client.refuse("turn/interrupt", "no active turn to interrupt");
    assert!(!client.awaits("turn/interrupt"));
    client.wait(100);
    assert_eq!(client.take("turn/interrupt")["params"], json!({ "threadId": THREAD, "turnId": "t1" }));
    assert_eq!(stop_reason(&client.end("t1", "interrupted")), "cancelled");
    client.wait(1_000);
    assert!(!client.awaits("turn/interrupt"), "the turn is over");
}

#[test]
fn a_cancelled_turn_is_granted_nothing() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    client.cancel();
    client.written();
    let about = json!({ "turnId": "t1", "itemId": "c", "command": "ls", "cwd": "/project", "questions": [], "changes": [], "serverName": "s", "message": "m", "permissions": {} });
    for (number, (method, answer)) in [
        ("item/commandExecution/requestApproval", json!({ "decision": "cancel" })),
        ("item/fileChange/requestApproval", json!({ "decision": "cancel" })),
        ("mcpServer/elicitation/request", json!({ "action": "cancel" })),
        ("item/permissions/requestApproval", json!({ "permissions": {}, "scope": "turn" })),
        ("item/tool/requestUserInput", json!({ "answers": {} })),
    ]
    .into_iter()
    .enumerate()
    {
        let messages = client.ask(number as u64, method, about.clone());
        assert!(messages.is_empty(), "nobody is asked: {messages:?}");
        let mut reply = client.replies().remove(0);
        let reply = reply["result"].as_object_mut().unwrap();
        reply.retain(|_, value| !value.is_null());
        assert_eq!(json!(reply), answer, "{method}");
    }
}

#[test]
fn sub_agents_stop_with_their_turn() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    client.tell("thread/started", json!({ "thread": { "id": "child", "parentThreadId": THREAD } }));
    client.tell("turn/started", json!({ "threadId": "child", "turn": { "id": "c1" } }));
    client.cancel();
    client.take("turn/interrupt");
    assert_eq!(client.take("turn/interrupt")["params"], json!({ "threadId": "child", "turnId": "c1" }));
    client.tell("turn/started", json!({ "threadId": "child", "turn": { "id": "c2" } }));
    assert_eq!(client.take("turn/interrupt")["params"]["turnId"], "c2", "one that begins meanwhile, too");
}

#[test]
fn a_prompt_that_is_refused_after_it_was_cancelled_is_cancelled() {
    let mut client = Client::open(json!({}));
    client.prompt("hi");
    client.cancel();
    assert_eq!(stop_reason(&client.refuse("turn/start", "too bad")), "cancelled");
}

#[test]
fn an_interrupt_that_is_not_heeded_is_not_waited_for() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    client.cancel();
    client.prompt("next");
    assert!(client.wait(6_000).is_empty());
    let messages = client.wait(2_000);
    assert_eq!(stop_reason(&messages), "cancelled", "before the daemon gives the process up, after 10 s");
    assert!(client.ends.is_empty(), "other sessions work in the same process");
    client.wait(8_000);
    assert_eq!(client.ends.len(), 1, "but somebody waits behind the turn");
    client.exit(Some(0), None, "");
    assert_eq!(client.starts.len(), 2);
    client.shake_hands();
    client.respond("thread/resume", opened(THREAD));
    assert_eq!(client.take("turn/start")["params"]["input"][0]["text"], "next");
}

#[test]
fn questions_are_void_when_the_turn_is_cancelled() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    command(&mut client, "c");
    let approval = json!({ "turnId": "t1", "itemId": "c", "command": "touch a", "cwd": "/project" });
    let messages = client.ask(0, "item/commandExecution/requestApproval", approval);
    let asked = request(&messages, "session/request_permission");
    client.written();
    let messages = client.cancel();
    assert_eq!(
        messages[0],
        json!({ "jsonrpc": "2.0", "method": "$/cancel_request", "params": { "requestId": asked["id"] } })
    );
    assert_eq!(client.replies()[0], json!({ "id": 0, "result": { "decision": "cancel" } }));
    assert!(client.choose(&asked, "allow_once").is_empty(), "too late");
    assert_eq!(stop_reason(&client.end("t1", "interrupted")), "cancelled");
}

#[test]
fn questions_that_the_cli_takes_back_are_withdrawn() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    command(&mut client, "c");
    let approval = json!({ "turnId": "t1", "itemId": "c", "command": "touch a", "cwd": "/project" });
    client.ask(7, "item/commandExecution/requestApproval", approval);
    let messages = client.tell("serverRequest/resolved", json!({ "requestId": 7 }));
    assert_eq!(messages[0]["method"], "$/cancel_request");
    assert_eq!(stop_reason(&client.end("t1", "completed")), "end_turn");
}

#[test]
fn commands_may_go_on_after_their_turn() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    command(&mut client, "c");
    assert_eq!(stop_reason(&client.end("t1", "completed")), "end_turn");
    client.tell(
        "item/commandExecution/outputDelta",
        json!({ "turnId": "t1", "itemId": "c", "delta": "late\n" }),
    );
    let messages = client.wait(100);
    assert_eq!(
        updates(&messages, "tool_call_update")[0]["content"][0]["content"]["text"],
        "```console\nlate\n```"
    );
    let item = json!({ "type": "commandExecution", "id": "c", "command": "x", "cwd": "/project", "status": "completed", "aggregatedOutput": "late\n", "exitCode": 0 });
    let messages = client.tell("item/completed", json!({ "turnId": "t1", "item": item }));
    let update = updates(&messages, "tool_call_update")[0];
    assert_eq!(update["status"], "completed");
    assert_eq!(update["_meta"]["terminal_exit"]["exit_code"], 0);
}

#[test]
fn output_is_gathered_and_told_in_time() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    command(&mut client, "c");
    for number in 0..1000 {
        let delta = json!({ "turnId": "t1", "itemId": "c", "delta": format!("{number}\n") });
        assert!(client.tell("item/commandExecution/outputDelta", delta).is_empty());
    }
    assert_eq!(updates(&client.wait(100), "tool_call_update").len(), 1);
    assert!(client.wait(100).is_empty(), "nothing new");
    let mut told = 0;
    for number in 0..300 {
        let delta =
            json!({ "turnId": "t1", "itemId": "c", "delta": format!("{number}: {}\n", "x".repeat(75)) });
        client.tell("item/commandExecution/outputDelta", delta);
        told += client.wait(100).iter().map(|message| message.to_string().len()).sum::<usize>();
    }
    assert!(told < 80_000, "half a minute of output costs {told} bytes");
    for _ in 0..40 {
        let delta = json!({ "turnId": "t1", "itemId": "c", "delta": "é".repeat(20_000) });
        client.tell("item/commandExecution/outputDelta", delta);
    }
    let messages = client.wait(1_000);
    let shown = updates(&messages, "tool_call_update")[0]["content"][0]["content"]["text"].as_str().unwrap();
    assert!(shown.chars().count() < 2_100, "only the end of it");
}

#[test]
fn calls_without_an_item_before_are_told_all_the_same() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    let item = json!({ "type": "commandExecution", "id": "c", "command": "x", "cwd": "/project", "status": "declined", "aggregatedOutput": null, "exitCode": null });
    let messages = client.tell("item/completed", json!({ "turnId": "t1", "item": item }));
    assert_eq!(updates(&messages, "tool_call").len(), 1);
    assert_eq!(updates(&messages, "tool_call_update")[0]["status"], "failed");
    // A patch that is refused in a read-only sandbox has no item at all, and its question none either.
    let messages = client.ask(
        0,
        "item/fileChange/requestApproval",
        json!({ "turnId": "t1", "itemId": "p", "reason": "why" }),
    );
    let asked = request(&messages, "session/request_permission");
    assert_eq!(asked["params"]["toolCall"]["toolCallId"], "p");
    assert_eq!(stop_reason(&client.end("t1", "completed")), "end_turn");
}

#[test]
fn a_failed_turn_leaves_nothing_open() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    command(&mut client, "c");
    let messages = client.end("t1", "failed");
    assert_eq!(updates(&messages, "tool_call_update")[0]["status"], "failed");
    assert!(answer(&messages)["error"].is_object());
}

#[test]
fn trust_is_given_to_the_thread_and_not_noted_in_the_users_settings() {
    let mut client = Client::greeted(host(), json!({}));
    client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
    client.shake_hands();
    let params = client.take("thread/start")["params"].clone();
    assert_eq!(params["config"]["projects"], json!({ "/project": { "trust_level": "trusted" } }));
}

#[test]
fn a_crash_fails_the_prompt_and_the_next_goes_on() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    command(&mut client, "c");
    let messages = client.exit(None, Some(9), "it hurts\n");
    assert_eq!(updates(&messages, "tool_call_update")[0]["status"], "failed");
    let error = &answer(&messages)["error"];
    assert_eq!(error["message"], "Codex ended with signal 9: it hurts");
    assert_eq!(error["data"]["errorKind"], "process_exited");
    assert_eq!(client.starts.len(), 1, "nothing is started before it is needed");
    client.prompt("again");
    assert_eq!(client.starts.len(), 2);
    client.shake_hands();
    let resume =
        client.peer.open.iter().find(|request| request["method"] == "thread/resume").unwrap().clone();
    assert_eq!(resume["params"]["threadId"], THREAD);
    client.respond("thread/resume", opened(THREAD));
    client.respond("turn/start", json!({ "turn": { "id": "t2" } }));
    assert_eq!(stop_reason(&client.end("t2", "completed")), "end_turn");
}

#[test]
fn a_thread_that_was_never_stored_is_begun_again_under_the_same_session() {
    let mut client = Client::open(json!({}));
    client.exit(Some(1), None, "");
    client.prompt("first");
    client.shake_hands();
    client.respond("thread/start", opened("another"));
    assert_eq!(client.take("turn/start")["params"]["threadId"], "another");
    let started = json!({ "threadId": "another", "turn": { "id": "t1", "status": "completed" } });
    client.tell("turn/started", started.clone());
    let said = json!({ "threadId": "another", "itemId": "m", "delta": "x" });
    assert_eq!(client.tell("item/agentMessage/delta", said)[0]["params"]["sessionId"], THREAD);
    assert_eq!(stop_reason(&client.tell("turn/completed", started)), "end_turn");
}

#[test]
fn a_thread_that_is_gone_after_a_crash_is_begun_again_too() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    client.exit(None, Some(9), "");
    client.prompt("again");
    client.shake_hands();
    client.refuse("thread/resume", "no rollout found for thread id x");
    client.respond("thread/start", opened("another"));
    assert!(client.awaits("turn/start"));
}

#[test]
fn a_thread_that_another_process_holds_fails_the_prompt_and_not_the_session() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    client.exit(None, Some(9), "");
    client.prompt("again");
    client.shake_hands();
    let messages = client.refuse("thread/resume", "thread already has an active writer");
    assert!(answer(&messages)["error"]["message"].as_str().unwrap().contains("active writer"));
    client.prompt("once more");
    client.respond("thread/resume", opened(THREAD));
    assert!(client.awaits("turn/start"));
}

#[test]
fn a_process_that_dies_at_its_start_is_not_started_for_ever() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    client.prompt("queued");
    client.exit(None, Some(9), "");
    assert_eq!(client.starts.len(), 2, "something waits");
    let messages = client.exit(Some(1), None, "broken");
    assert_eq!(answer(&messages)["error"]["message"], "Codex ended with exit code 1: broken");
    assert_eq!(client.starts.len(), 2);
}

#[test]
fn a_home_that_several_processes_set_up_at_once_is_tried_again() {
    let words = "Error: failed to initialize sqlite state runtime under /home/user/.codex: failed to initialize state runtime at /home/user/.codex";
    let mut client = Client::greeted(host(), json!({}));
    client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
    for start in 1..5 {
        assert_eq!(client.starts.len(), start);
        assert!(client.exit(Some(1), None, words).is_empty(), "the client need not know");
    }
    let messages = client.exit(Some(1), None, words);
    assert!(
        answer(&messages)["error"]["message"].as_str().unwrap().contains("state runtime"),
        "{messages:?}"
    );
    assert_eq!(client.starts.len(), 5);
    client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
    client.exit(Some(1), None, words);
    client.shake_hands();
    client.respond("thread/start", opened(THREAD));
}

#[test]
fn closing_cancels_what_runs_and_lets_go_of_the_thread() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    assert!(client.call("session/close", json!({ "sessionId": THREAD })).is_empty());
    assert!(client.awaits("turn/interrupt") && !client.awaits("thread/unsubscribe"));
    assert_eq!(stop_reason(&client.end("t1", "interrupted")), "cancelled");
    assert!(
        client.respond("thread/unsubscribe", json!({ "status": "unsubscribed" })).is_empty(),
        "it is still loaded"
    );
    let messages = client.tell("thread/closed", json!({}));
    assert_eq!(answer(&messages)["result"], json!({}));
    assert_eq!(answer(&client.prompt("x"))["error"]["code"], -32002);
}

#[test]
fn closing_waits_for_a_thread_to_be_unloaded_only_where_that_happens() {
    let mut client = Client::open(json!({}));
    client.call("session/close", json!({ "sessionId": THREAD }));
    assert!(client.respond("thread/unsubscribe", json!({ "status": "unsubscribed" })).is_empty());
    assert!(client.wait(1_400).is_empty());
    assert_eq!(answer(&client.wait(200))["result"], json!({}), "for a limited time");

    for (version, status) in [("0.153.0", "unsubscribed"), ("0.166.0", "notLoaded")] {
        let mut client = Client::greeted(host(), json!({}));
        client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
        client.shake_hands_as(version);
        client.respond("thread/start", opened(THREAD));
        client.call("session/close", json!({ "sessionId": THREAD }));
        let messages = client.respond("thread/unsubscribe", json!({ "status": status }));
        assert_eq!(answer(&messages)["result"], json!({}), "{version}");
    }
}

#[test]
fn a_thread_that_is_unloaded_by_itself_is_taken_up_again() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    client.end("t1", "completed");
    client.tell("thread/closed", json!({}));
    client.prompt("next");
    client.respond("thread/resume", opened(THREAD));
    assert!(client.awaits("turn/start"));
}

#[test]
fn closing_does_not_wait_for_ever() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    client.call("session/close", json!({ "sessionId": THREAD }));
    let messages = client.wait(10_500);
    assert!(messages.iter().any(|message| message["result"]["stopReason"] == "cancelled"));
    let messages = client.wait(10_500);
    assert_eq!(answer(&messages)["result"], json!({}), "neither for the turn nor for the thread");
}

#[test]
fn words_of_old_versions_are_passed_over() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    for method in
        ["codex/event/agent_message_delta", "configWarning", "deprecationNotice", "turn/diff/updated"]
    {
        assert!(client.tell(method, json!({ "summary": "bubblewrap" })).is_empty(), "{method}");
    }
}
