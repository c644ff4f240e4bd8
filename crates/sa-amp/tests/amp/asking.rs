//! Permissions: what the CLI's helper asks, and what it is answered.

use crate::client::{Client, Folder, THREAD, answer, host_with, request, stop_reason, updates};
use serde_json::{Value, json};

fn write(name: &str) -> Value {
    json!({ "path": format!("/project/{name}"), "content": "x\n" })
}

fn asks(client: &mut Client, call: &str, tool: &str, input: Value) -> Vec<Value> {
    client.calls_tool(call, tool, input.clone());
    client.helper(THREAD, tool, call, input)
}

#[test]
fn a_change_is_asked_about_and_done_when_it_is_allowed() {
    let mut client = Client::open();
    client.prompt("write");
    let question =
        request(&asks(&mut client, "c1", "create_file", write("new.txt")), "session/request_permission");
    insta::assert_json_snapshot!(question["params"]);
    assert_eq!(client.helped(), Value::Null, "it waits");
    let messages = client.choose(&question, "allow_once");
    assert_eq!(updates(&messages, "tool_call_update")[0]["status"], "in_progress");
    assert_eq!(client.helped(), json!({ "allow": true }));
    let messages = client.tool_result("c1", "Successfully created file", false);
    assert_eq!(updates(&messages, "tool_call_update")[0]["status"], "completed");
    assert_eq!(asks(&mut client, "c2", "create_file", write("second.txt")).len(), 1, "asked again");
}

#[test]
fn what_is_allowed_always_is_not_asked_about_again() {
    let mut client = Client::open();
    client.prompt("work");
    for (call, tool, input, again, other) in [
        (
            "c1",
            "create_file",
            write("a"),
            ("edit_file", json!({ "path": "/project/b", "old_str": "1", "new_str": "2" })),
            ("mcp__a__b", json!({})),
        ),
        (
            "c2",
            "Bash",
            json!({ "cmd": "make all" }),
            ("Bash", json!({ "cmd": "make clean" })),
            ("Bash", json!({ "cmd": "make x; rm y" })),
        ),
        ("c3", "mcp__a__b", json!({}), ("mcp__a__b", json!({ "x": 1 })), ("mcp__a__c", json!({}))),
    ] {
        let question = request(&asks(&mut client, call, tool, input), "session/request_permission");
        client.choose(&question, "allow_always");
        let messages = asks(&mut client, &format!("{call}-again"), again.0, again.1);
        assert_eq!((messages.len(), client.helped()), (1, json!({ "allow": true })), "{tool}: {messages:?}");
        if other.0 != "mcp__a__b" {
            let messages = asks(&mut client, &format!("{call}-other"), other.0, other.1);
            request(&messages, "session/request_permission");
        }
    }
}

#[test]
fn a_refusal_reaches_the_model() {
    for (outcome, words) in [("reject_once", "rejected"), ("nonsense", "not an option")] {
        let mut client = Client::open();
        client.prompt("write");
        let question =
            request(&asks(&mut client, "c1", "create_file", write("a")), "session/request_permission");
        client.choose(&question, outcome);
        let answer = client.helped();
        assert_eq!(answer["allow"], false);
        assert!(answer["reason"].as_str().unwrap().contains(words), "{answer}");
    }
}

#[test]
fn looking_needs_no_permission_and_neither_does_anything_in_bypass() {
    let mut client = Client::open();
    client.prompt("look");
    for (tool, input) in [("Read", json!({ "path": "/project/a.txt" })), ("Bash", json!({ "cmd": "ls -l" }))]
    {
        assert!(client.helper(THREAD, tool, "c1", input).is_empty());
        assert_eq!(client.helped(), json!({ "allow": true }));
    }
    client.set_mode("bypass");
    assert!(client.helper(THREAD, "Bash", "c2", json!({ "cmd": "rm -r x" })).is_empty());
    assert_eq!(client.helped(), json!({ "allow": true }));
}

#[test]
fn a_client_with_rules_is_asked_about_everything() {
    let mut client = Client::open_asking_all();
    client.prompt("look");
    for (call, tool, input) in
        [("c1", "Read", json!({ "path": "/project/a.txt" })), ("c2", "Bash", json!({ "cmd": "cat secret" }))]
    {
        let question = request(&asks(&mut client, call, tool, input), "session/request_permission");
        assert_eq!(question["params"]["_meta"]["sandboxAgent"]["allowed"], true, "{question}");
        client.choose(&question, "reject_once");
        assert_eq!(client.helped()["allow"], false);
    }
    let question = request(&asks(&mut client, "c3", "create_file", write("a")), "session/request_permission");
    assert_eq!(question["params"].get("_meta"), None, "{question}");
    client.choose(&question, "allow_always");
    let question = request(&asks(&mut client, "c4", "create_file", write("b")), "session/request_permission");
    assert_eq!(question["params"]["_meta"]["sandboxAgent"]["allowed"], true, "{question}");
}

#[test]
fn plan_mode_refuses_every_change() {
    let mut client = Client::open();
    client.set_mode("plan");
    client.prompt("plan");
    for (tool, input) in
        [("create_file", write("a")), ("Bash", json!({ "cmd": "touch a" })), ("mcp__a__b", json!({}))]
    {
        let messages = client.helper(THREAD, tool, tool, input);
        assert!(updates(&messages, "tool_call_update").iter().any(|update| update["status"] == "failed"));
        assert_eq!(client.helped()["allow"], false, "{tool}");
    }
    assert!(client.helper(THREAD, "Read", "c", json!({ "path": "/project/a.txt" })).is_empty());
    assert_eq!(client.helped()["allow"], true);
}

#[test]
fn rules_of_the_project_cannot_pierce_plan_mode() {
    let folder = Folder { rules: Some("/project/.amp/settings.json".into()), ..Folder::default() };
    let mut client = Client::open_with(host_with(folder), THREAD, json!([]));
    client.set_mode("plan");
    let messages = client.prompt("plan");
    let error = &answer(&messages)["error"];
    assert_eq!(error["data"]["errorKind"], "project_rules");
    assert!(error["message"].as_str().unwrap().contains("/project/.amp/settings.json"));
    client.set_mode("default");
    let messages = client.prompt("work");
    assert_eq!(
        messages[0]["params"]["update"]["_meta"]["amp"]["projectRules"],
        "/project/.amp/settings.json"
    );
    assert_eq!(stop_reason(&client.says("Done.")), "end_turn");
}

#[test]
fn a_change_of_mode_decides_what_is_open() {
    let mut client = Client::open();
    client.prompt("write");
    asks(&mut client, "c1", "create_file", write("a"));
    let messages = client.set_mode("bypass");
    request(&messages, "$/cancel_request");
    assert_eq!(client.helped(), json!({ "allow": true }));
}

#[test]
fn a_question_ends_with_its_turn_or_with_who_asked() {
    let mut client = Client::open();
    client.prompt("write");
    let question = request(&asks(&mut client, "c1", "create_file", write("a")), "session/request_permission");
    request(&client.cancel_in(THREAD), "$/cancel_request");
    assert_eq!(client.helped()["allow"], false);
    assert!(client.choose(&question, "allow_once").is_empty(), "a late answer does no harm");
    client.helper(THREAD, "create_file", "c2", write("b"));
    assert_eq!(client.helped()["allow"], false, "the turn is over");
    let mut client = Client::open();
    client.prompt("write");
    asks(&mut client, "c1", "create_file", write("a"));
    request(&client.leaves(), "$/cancel_request");
}

#[test]
fn what_a_sub_agent_wants_is_asked_about_and_names_its_call() {
    let mut client = Client::open();
    client.prompt("delegate");
    client.calls_tool("task", "Task", json!({ "prompt": "x", "description": "Help" }));
    let messages = client.helper(THREAD, "create_file", "inner", write("a"));
    let call = updates(&messages, "tool_call")[0];
    assert_eq!(call["_meta"]["amp"]["parentToolUseId"], "task");
    client.choose(&request(&messages, "session/request_permission"), "allow_once");
    client.tool_result("task", "done", false);
    let messages = client.says("Done.");
    let update = updates(&messages, "tool_call_update")[0];
    assert_eq!((&update["toolCallId"], &update["status"]), (&json!("inner"), &json!("completed")));
}

#[test]
fn whoever_asks_for_another_session_is_refused() {
    let mut client = Client::open();
    client.prompt("hello");
    client.helper("T-other", "create_file", "c1", write("a"));
    assert_eq!(client.helped()["allow"], false);
    client.ask_as_helper(sa_acp::HelperId(99), b"no JSON");
    assert_eq!(client.answers.last().unwrap().1["allow"], false);
}
