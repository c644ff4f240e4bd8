//! Permissions, questions and plans.

use crate::client::{Client, SESSION, request, stop_reason, updates};
use serde_json::{Value, json};

fn ask(client: &mut Client, id: &str, tool: &str, input: Value, suggestions: Value) -> Vec<Value> {
    let request = json!({
        "subtype": "can_use_tool", "tool_name": tool, "input": input, "tool_use_id": format!("call-{id}"),
        "permission_suggestions": suggestions,
    });
    client.native(&json!({ "type": "control_request", "request_id": id, "request": request }))
}

fn running(capabilities: Value) -> Client {
    let mut client = Client::open(capabilities);
    client.prompt("work");
    client.state("running");
    client.written();
    client
}

/// The answers that the CLI got.
fn responses(client: &mut Client) -> Vec<Value> {
    let answers = client.written().into_iter().filter(|line| line["type"] == "control_response");
    answers.map(|line| line["response"]["response"].clone()).collect()
}

fn suggestions() -> Value {
    json!([
        { "type": "setMode", "mode": "acceptEdits", "destination": "session" },
        {
            "type": "addRules", "behavior": "allow", "destination": "localSettings",
            "rules": [{ "toolName": "Bash", "ruleContent": "npm test:*" }],
        },
    ])
}

#[test]
fn permission_once_changes_nothing_else() {
    let mut client = running(json!({}));
    let messages = ask(&mut client, "q", "Bash", json!({ "command": "npm test" }), suggestions());
    let asked = request(&messages, "session/request_permission");
    assert_eq!(updates(&messages, "tool_call").len(), 1, "the client knows the call");
    let messages = client.choose(&asked, "allow_once");
    assert_eq!(updates(&messages, "tool_call_update")[0]["status"], "in_progress");
    assert_eq!(
        responses(&mut client),
        [json!({ "behavior": "allow", "updatedInput": { "command": "npm test" } })]
    );
}

#[test]
fn permission_for_good_is_for_the_session_and_switches_no_mode() {
    let mut client = running(json!({}));
    let messages = ask(&mut client, "q", "Bash", json!({ "command": "npm test" }), suggestions());
    let asked = request(&messages, "session/request_permission");
    assert_eq!(asked["params"]["options"][1]["name"], "Always allow Bash(npm test:*) in this session");
    client.choose(&asked, "allow_always");
    let rule = json!({ "toolName": "Bash", "ruleContent": "npm test:*" });
    let grant = json!({ "type": "addRules", "rules": [rule], "behavior": "allow", "destination": "session" });
    assert_eq!(responses(&mut client)[0]["updatedPermissions"], json!([grant]));
}

#[test]
fn rejecting_lets_the_model_go_on_and_cancelling_does_not() {
    for (answer, interrupt) in [
        (json!({ "outcome": { "outcome": "selected", "optionId": "reject_once" } }), Value::Null),
        (json!({ "outcome": { "outcome": "selected", "optionId": "made up" } }), Value::Null),
        (json!({ "outcome": { "outcome": "cancelled" } }), json!(true)),
    ] {
        let mut client = running(json!({}));
        let messages = ask(&mut client, "q", "Bash", json!({ "command": "x" }), json!([]));
        client.answer(&request(&messages, "session/request_permission"), answer);
        let responses = responses(&mut client);
        assert_eq!((&responses[0]["behavior"], &responses[0]["interrupt"]), (&json!("deny"), &interrupt));
    }
}

#[test]
fn several_questions_can_be_open_and_are_withdrawn_one_by_one() {
    let mut client = running(json!({}));
    let first = request(
        &ask(&mut client, "a", "Bash", json!({ "command": "1" }), json!([])),
        "session/request_permission",
    );
    let second = request(
        &ask(&mut client, "b", "Bash", json!({ "command": "2" }), json!([])),
        "session/request_permission",
    );
    let messages = client.native(&json!({ "type": "control_cancel_request", "request_id": "a" }));
    assert_eq!(messages[0]["method"], "$/cancel_request");
    assert_eq!(messages[0]["params"]["requestId"], first["id"]);
    assert!(client.choose(&first, "allow_once").is_empty(), "nobody waits for it");
    client.choose(&second, "allow_once");
    assert_eq!(responses(&mut client).len(), 1);
}

#[test]
fn cancelling_the_turn_takes_its_questions_back() {
    let mut client = running(json!({}));
    ask(&mut client, "q", "Bash", json!({ "command": "x" }), json!([]));
    let messages = client.cancel();
    assert_eq!(messages[0]["method"], "$/cancel_request");
    assert_eq!(responses(&mut client)[0]["behavior"], "deny");
    client.result(json!({ "terminal_reason": "aborted_tools" }));
    assert_eq!(stop_reason(&client.state("idle")), "cancelled");
}

#[test]
fn switching_to_plan_mode_refuses_open_questions_about_changes() {
    type Switch = fn(&mut Client) -> Vec<Value>;
    let by_client: Switch = |client| {
        client.call("session/set_mode", json!({ "sessionId": SESSION, "modeId": "plan" }));
        client.respond("set_permission_mode", json!({ "mode": "plan" }))
    };
    let by_cli: Switch =
        |client| client.native(&json!({ "type": "system", "subtype": "status", "permissionMode": "plan" }));
    for switch in [by_client, by_cli] {
        let mut client = running(json!({}));
        let edit = ask(&mut client, "a", "Write", json!({ "file_path": "/project/a" }), json!([]));
        let edit = request(&edit, "session/request_permission");
        let fetch = ask(&mut client, "b", "WebFetch", json!({ "url": "https://example.com" }), json!([]));
        let fetch = request(&fetch, "session/request_permission");
        let messages = switch(&mut client);
        let withdrawn = request(&messages, "$/cancel_request");
        assert_eq!(withdrawn["params"]["requestId"], edit["id"]);
        assert_eq!(responses(&mut client)[0]["behavior"], "deny");
        client.choose(&edit, "allow_once");
        assert!(responses(&mut client).is_empty(), "the old dialog allows nothing");
        client.choose(&fetch, "allow_once");
        assert_eq!(responses(&mut client)[0]["behavior"], "allow", "reading is still up to the user");
    }
}

#[test]
fn plan_mode_changes_nothing() {
    let mut client = running(json!({}));
    client.native(&json!({ "type": "system", "subtype": "status", "permissionMode": "plan" }));
    client.written();
    assert!(
        !ask(&mut client, "q", "Write", json!({ "file_path": "/project/a" }), json!([]))
            .iter()
            .any(|message| { message["method"] == "session/request_permission" })
    );
    assert_eq!(responses(&mut client)[0]["behavior"], "deny");
    let hook = |tool: &str, input: Value, mode: &str| {
        let input = json!({ "tool_name": tool, "tool_input": input, "permission_mode": mode });
        let request = json!({ "subtype": "hook_callback", "callback_id": "before-tool", "input": input });
        json!({ "type": "control_request", "request_id": "h", "request": request })
    };
    for (tool, input, refused) in [
        ("Write", json!({ "file_path": "/project/a" }), true),
        ("Write", json!({ "file_path": "/home/user/.claude/plans/a.md" }), false),
        ("Write", json!({ "file_path": "/home/user/.claude/plans/../settings.json" }), true),
        ("Bash", json!({ "command": "rm -rf ." }), true),
        ("Bash", json!({ "command": "find . '-delete'" }), true),
        ("Bash", json!({ "command": "git log | head" }), true),
        ("Bash", json!({ "command": "cat a | head" }), false),
        ("Read", json!({ "file_path": "/project/a" }), false),
        ("mcp__x__y", json!({}), true),
    ] {
        // A sub-agent may have another mode of its own.
        for mode in ["plan", "acceptEdits"] {
            client.native(&hook(tool, input.clone(), mode));
            let responses = responses(&mut client);
            let decision = &responses[0]["hookSpecificOutput"]["permissionDecision"];
            assert_eq!(*decision == "deny", refused, "{tool} {input} {mode}");
        }
    }
}

#[test]
fn an_approved_plan_is_carried_out_at_once() {
    let mut client = running(json!({}));
    client.native(&json!({ "type": "system", "subtype": "status", "permissionMode": "plan" }));
    let messages = ask(&mut client, "q", "ExitPlanMode", json!({ "plan": "# Do it" }), json!([]));
    client.choose(&request(&messages, "session/request_permission"), "default");
    client.written();
    // The CLI may use a tool before it reports its new mode.
    let input = json!({ "tool_name": "Write", "tool_input": { "file_path": "/project/a" }, "permission_mode": "default" });
    let request = json!({ "subtype": "hook_callback", "callback_id": "before-tool", "input": input });
    client.native(&json!({ "type": "control_request", "request_id": "h", "request": request }));
    assert_ne!(responses(&mut client)[0]["hookSpecificOutput"]["permissionDecision"], "deny");
}

#[test]
fn a_plan_is_approved_with_the_mode_to_go_on_in() {
    let mut client = running(json!({}));
    let messages = ask(&mut client, "q", "ExitPlanMode", json!({ "plan": "# Do it" }), json!([]));
    let asked = request(&messages, "session/request_permission");
    let options: Vec<_> =
        asked["params"]["options"].as_array().unwrap().iter().map(|option| &option["optionId"]).collect();
    assert_eq!(options, ["acceptEdits", "default", "bypassPermissions", "plan"]);
    assert_eq!(asked["params"]["toolCall"]["kind"], "switch_mode");
    client.choose(&asked, "acceptEdits");
    let grant = json!({ "type": "setMode", "mode": "acceptEdits", "destination": "session" });
    assert_eq!(responses(&mut client)[0]["updatedPermissions"], json!([grant]));
    let messages = ask(&mut client, "r", "ExitPlanMode", json!({ "plan": "# Do it" }), json!([]));
    client.choose(&request(&messages, "session/request_permission"), "plan");
    assert_eq!(responses(&mut client)[0]["behavior"], "deny");
}

fn questions() -> Value {
    json!({ "questions": [
        { "question": "Which color?", "header": "Color", "multiSelect": false, "options": [
            { "label": "Red", "description": "warm" }, { "label": "Blue", "description": "cold" } ] },
        { "question": "Which toppings?", "header": "Toppings", "multiSelect": true, "options": [
            { "label": "Cheese", "description": "" }, { "label": "Olives", "description": "" } ] },
    ] })
}

#[test]
fn questions_are_a_form_for_clients_that_show_forms() {
    let mut client = running(json!({ "elicitation": { "form": {} } }));
    let messages = ask(&mut client, "q", "AskUserQuestion", questions(), json!([]));
    let asked = request(&messages, "elicitation/create");
    insta::assert_json_snapshot!(asked["params"]);
    let content =
        json!({ "question_1": "Blue", "question_2": ["Cheese", "Olives"], "question_2_custom": "Ham" });
    client.answer(&asked, json!({ "action": "accept", "content": content }));
    let answers = json!({ "Which color?": "Blue", "Which toppings?": "Cheese, Olives, Ham" });
    assert_eq!(responses(&mut client)[0]["updatedInput"]["answers"], answers);
    for (action, interrupt) in [("decline", Value::Null), ("cancel", json!(true))] {
        let messages = ask(&mut client, action, "AskUserQuestion", questions(), json!([]));
        client.answer(&request(&messages, "elicitation/create"), json!({ "action": action }));
        let responses = responses(&mut client);
        assert_eq!((&responses[0]["behavior"], &responses[0]["interrupt"]), (&json!("deny"), &interrupt));
    }
}

#[test]
fn questions_are_choices_for_clients_that_show_no_forms() {
    let mut client = running(json!({}));
    let messages = ask(&mut client, "q", "AskUserQuestion", questions(), json!([]));
    let first = request(&messages, "session/request_permission");
    assert_eq!(first["params"]["toolCall"]["title"], "Which color?");
    let second = request(&client.choose(&first, "option_1"), "session/request_permission");
    assert_eq!(second["params"]["toolCall"]["title"], "Which toppings?");
    client.choose(&second, "skip");
    assert_eq!(responses(&mut client)[0]["updatedInput"]["answers"], json!({ "Which color?": "Blue" }));
}

#[test]
fn forms_of_mcp_servers_are_passed_on_or_declined() {
    let form = json!({
        "subtype": "elicitation", "mcp_server_name": "shop", "message": "Your size?", "mode": "form",
        "requested_schema": { "type": "object", "properties": { "size": { "type": "string" } } },
    });
    let line = json!({ "type": "control_request", "request_id": "e", "request": form });
    let mut client = running(json!({ "elicitation": { "form": {} } }));
    let asked = request(&client.native(&line), "elicitation/create");
    assert_eq!(asked["params"]["message"], "shop: Your size?");
    client.answer(&asked, json!({ "action": "accept", "content": { "size": "M" } }));
    assert_eq!(responses(&mut client), [json!({ "action": "accept", "content": { "size": "M" } })]);
    let mut client = running(json!({}));
    assert!(client.native(&line).is_empty());
    assert_eq!(responses(&mut client), [json!({ "action": "decline" })]);
}

#[test]
fn requests_of_the_cli_that_are_not_known_are_refused() {
    // Of any shape: the CLI would wait for an answer, and its turn with it.
    for request in
        [json!({ "subtype": "new_thing" }), json!({}), json!("can_use_tool"), json!(null), json!([7])]
    {
        let mut client = running(json!({}));
        client.native(&json!({ "type": "control_request", "request_id": "x", "request": request }));
        let answer = &client.written()[0]["response"];
        assert_eq!((&answer["subtype"], &answer["request_id"]), (&json!("error"), &json!("x")), "{request}");
    }
}
