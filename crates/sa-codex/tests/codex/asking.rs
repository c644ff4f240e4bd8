//! Permissions, questions and forms.

use crate::client::{Client, THREAD, request, stop_reason, updates};
use serde_json::{Value, json};

pub(crate) fn command(words: &str, action: Value) -> Value {
    json!({
        "turnId": "t1", "itemId": "c", "command": format!("/bin/bash -lc '{words}'"), "cwd": "/project",
        "commandActions": [action], "proposedExecpolicyAmendment": ["touch"],
    })
}

fn started(client: &mut Client, item: Value) -> Vec<Value> {
    client.tell("item/started", json!({ "turnId": "t1", "item": item }))
}

fn running(words: &str) -> Value {
    json!({ "type": "commandExecution", "id": "c", "command": format!("/bin/bash -lc '{words}'"), "cwd": "/project", "status": "inProgress" })
}

pub(crate) fn unknown() -> Value {
    json!({ "type": "unknown", "command": "x" })
}

/// Returns the reply to the app-server when the client chooses that option about a command.
fn decided(option: Option<&str>) -> Value {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    started(&mut client, running("touch a"));
    let messages = client.ask(0, "item/commandExecution/requestApproval", command("touch a", unknown()));
    let asked = request(&messages, "session/request_permission");
    assert_eq!(asked["params"]["toolCall"]["title"], "touch a");
    client.written();
    match option {
        Some(option) => client.choose(&asked, option),
        None => client.answer(&asked, json!({ "outcome": { "outcome": "cancelled" } })),
    };
    client.replies()[0].clone()
}

#[test]
fn commands_are_allowed_once_always_or_not() {
    for (option, decision) in [
        (Some("allow_once"), "accept"),
        (Some("allow_always"), "acceptForSession"),
        (Some("reject_once"), "decline"),
        (Some("no option at all"), "decline"),
        (None, "cancel"),
    ] {
        assert_eq!(decided(option), json!({ "id": 0, "result": { "decision": decision } }), "{option:?}");
    }
}

#[test]
fn an_error_of_the_client_is_no_permission() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    let messages = client.ask(0, "item/commandExecution/requestApproval", command("touch a", unknown()));
    let asked = request(&messages, "session/request_permission");
    assert_eq!(updates(&messages, "tool_call").len(), 1, "it is told of although it has not started");
    client.written();
    let error = json!({ "jsonrpc": "2.0", "id": asked["id"], "error": { "code": -32601, "message": "no" } });
    client.line(&error);
    assert_eq!(client.replies()[0]["result"]["decision"], "decline");
}

#[test]
fn commands_that_only_look_are_not_asked_about() {
    let read = || json!({ "type": "read", "command": "cat a.txt", "path": "a.txt" });
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    client.written();
    let messages = client.ask(0, "item/commandExecution/requestApproval", command("cat a.txt", read()));
    assert!(messages.is_empty());
    assert_eq!(client.replies()[0]["result"]["decision"], "accept");
    // The CLI takes it for a read, and it is more than that.
    let messages = client.ask(1, "item/commandExecution/requestApproval", command("cat a.txt > b", read()));
    request(&messages, "session/request_permission");
    let mut escalated = command("cat a.txt", read());
    escalated["reason"] = json!("needs the network");
    let messages = client.ask(2, "item/commandExecution/requestApproval", escalated);
    request(&messages, "session/request_permission");
}

#[test]
fn changes_are_asked_about_with_the_file_before_and_after() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    let change = json!({ "path": "/project/a.txt", "kind": { "type": "update", "move_path": null }, "diff": "@@ -1,2 +1,2 @@\n one\n-two\n+deux\n" });
    started(
        &mut client,
        json!({ "type": "fileChange", "id": "p", "changes": [change], "status": "inProgress" }),
    );
    let approval =
        json!({ "turnId": "t1", "itemId": "p", "reason": "outside of the workspace", "grantRoot": null });
    let messages = client.ask(0, "item/fileChange/requestApproval", approval);
    let asked = request(&messages, "session/request_permission");
    insta::assert_json_snapshot!("patch_approval", asked["params"]);
    client.written();
    let messages = client.choose(&asked, "allow_always");
    assert_eq!(updates(&messages, "tool_call_update")[0]["status"], "in_progress");
    assert_eq!(client.replies()[0]["result"]["decision"], "acceptForSession");
}

#[test]
fn a_question_about_a_call_with_odd_input_is_asked() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    started(
        &mut client,
        json!({ "type": "mcpToolCall", "id": "m", "server": "tiny", "tool": "note", "arguments": ["a"], "status": "inProgress" }),
    );
    let approval = json!({ "turnId": "t1", "itemId": "m", "grantRoot": "/project/out" });
    let messages = client.ask(0, "item/fileChange/requestApproval", approval);
    let asked = request(&messages, "session/request_permission");
    assert_eq!(asked["params"]["toolCall"]["rawInput"], json!({ "grantRoot": "/project/out" }));
}

pub(crate) fn tool_approval(persist: Value) -> Value {
    json!({
        "turnId": "t1", "serverName": "tiny", "mode": "form", "message": "Allow the tiny MCP server to run tool \"note\"?",
        "requestedSchema": { "type": "object", "properties": {} },
        "_meta": { "codex_approval_kind": "mcp_tool_call", "persist": persist },
    })
}

#[test]
fn tools_of_servers_are_asked_about_at_their_call() {
    let call = |id: &str| json!({ "type": "mcpToolCall", "id": id, "server": "tiny", "tool": "note", "arguments": {}, "status": "inProgress" });
    for (option, answer) in [
        (Some("allow_once"), json!({ "action": "accept", "content": {} })),
        (
            Some("allow_always"),
            json!({ "action": "accept", "content": {}, "_meta": { "persist": "session" } }),
        ),
        (
            Some("allow_forever"),
            json!({ "action": "accept", "content": {}, "_meta": { "persist": "always" } }),
        ),
        (Some("reject_once"), json!({ "action": "decline", "content": null })),
        (None, json!({ "action": "cancel", "content": null })),
    ] {
        let mut client = Client::open(json!({ "elicitation": { "form": {} } }));
        client.begin("hi", "t1");
        started(&mut client, call("z-first"));
        started(&mut client, call("a-second"));
        let messages =
            client.ask(3, "mcpServer/elicitation/request", tool_approval(json!(["session", "always"])));
        let asked = request(&messages, "session/request_permission");
        assert_eq!(asked["params"]["toolCall"]["toolCallId"], "a-second", "the latest of that server");
        client.written();
        match option {
            Some(option) => client.choose(&asked, option),
            None => client.answer(&asked, json!({ "outcome": { "outcome": "cancelled" } })),
        };
        assert_eq!(client.replies()[0]["result"], answer, "{option:?}");
    }
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    let messages = client.ask(3, "mcpServer/elicitation/request", tool_approval(json!(null)));
    let asked = request(&messages, "session/request_permission");
    let options = asked["params"]["options"].as_array().unwrap();
    assert_eq!(options.len(), 2, "what cannot last is not offered");
}

#[test]
fn the_question_says_which_tool_of_a_server_is_meant() {
    let call = |tool: &str, path: &str| json!({ "type": "mcpToolCall", "id": tool, "server": "tiny", "tool": tool, "arguments": { "path": path }, "status": "inProgress" });
    let approval = |tool: &str, path: &str| {
        json!({
            "turnId": "t1", "serverName": "tiny", "mode": "form",
            "message": format!("Allow the tiny MCP server to run tool \"{tool}\"?"),
            "_meta": { "codex_approval_kind": "mcp_tool_call", "tool_params": { "path": path } },
        })
    };
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    started(&mut client, call("write_note", "/etc/passwd"));
    started(&mut client, call("read_note", "/srv/ok"));
    for (n, tool, path, id) in [
        (0, "write_note", "/etc/passwd", "write_note"),
        (1, "read_note", "/srv/ok", "read_note"),
        (2, "read_note", "/etc/shadow", "approval-2"),
        (3, "drop_note", "/srv/ok", "approval-3"),
    ] {
        let messages = client.ask(n, "mcpServer/elicitation/request", approval(tool, path));
        let asked = &request(&messages, "session/request_permission")["params"]["toolCall"];
        let known = updates(&messages, "tool_call");
        let shown = if id.starts_with("approval") { known[0] } else { asked };
        assert_eq!(asked["toolCallId"], id, "{asked}");
        if id.starts_with("approval") {
            assert_eq!(
                (&asked["name"], &asked["rawInput"]["path"]),
                (&json!(format!("mcp__tiny__{tool}")), &json!(path))
            );
        }
        assert_ne!(shown["rawInput"]["path"], if path == "/srv/ok" { "/etc/passwd" } else { "/srv/ok" });
    }
}

#[test]
fn a_question_about_a_part_of_a_command_shows_that_part() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    started(&mut client, running("npm install"));
    let mut network = command("npm install", unknown());
    network["networkApprovalContext"] = json!({ "host": "evil.test", "protocol": "https" });
    let messages = client.ask(0, "item/commandExecution/requestApproval", network);
    let asked = request(&messages, "session/request_permission");
    let call = &asked["params"]["toolCall"];
    assert_eq!(
        (&call["name"], &call["kind"], &call["rawInput"]["url"]),
        (&json!("network"), &json!("fetch"), &json!("https://evil.test"))
    );
    assert!(!call.to_string().contains("npm") && call["toolCallId"] != "c", "{call}");
    let told = client.choose(&asked, "allow_once");
    assert_eq!(updates(&told, "tool_call_update")[0]["status"], "completed");
    let mut part = command("rm -rf x", unknown());
    part["approvalId"] = json!("a1");
    let messages = client.ask(1, "item/commandExecution/requestApproval", part);
    let call = &request(&messages, "session/request_permission")["params"]["toolCall"];
    assert_eq!((&call["rawInput"]["command"], &call["title"]), (&json!("rm -rf x"), &json!("rm -rf x")));
    assert_ne!(call["toolCallId"], "c");
}

#[test]
fn a_client_with_rules_is_asked_about_everything() {
    let read = json!({ "type": "read", "command": "cat a.txt", "path": "a.txt" });
    let mut client = Client::open_asking_all();
    client.begin("hi", "t1");
    client.written();
    let messages = client.ask(0, "item/commandExecution/requestApproval", command("cat a.txt", read));
    let asked = request(&messages, "session/request_permission");
    assert_eq!(asked["params"]["_meta"]["sandboxAgent"]["allowed"], true, "{asked}");
    client.choose(&asked, "reject_once");
    assert_eq!(client.replies()[0]["result"]["decision"], "decline");
    let messages = client.ask(1, "item/commandExecution/requestApproval", command("touch a", unknown()));
    let asked = request(&messages, "session/request_permission");
    assert_eq!(asked["params"].get("_meta"), None, "{asked}");
}

#[test]
fn forms_of_servers_are_passed_on() {
    let form = json!({
        "turnId": "t1", "serverName": "tiny", "mode": "form", "message": "Your name?", "_meta": null,
        "requestedSchema": { "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] },
    });
    let mut client = Client::open(json!({ "elicitation": { "form": {} } }));
    client.begin("hi", "t1");
    let messages = client.ask(0, "mcpServer/elicitation/request", form.clone());
    let asked = request(&messages, "elicitation/create");
    assert_eq!(asked["params"]["message"], "tiny: Your name?");
    client.written();
    client.answer(&asked, json!({ "action": "accept", "content": { "name": "Bob" } }));
    assert_eq!(client.replies()[0]["result"], json!({ "action": "accept", "content": { "name": "Bob" } }));

    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    client.written();
    assert!(client.ask(0, "mcpServer/elicitation/request", form).is_empty());
    assert_eq!(client.replies()[0]["result"]["action"], "decline");
}

#[test]
fn more_than_the_sandbox_allows_can_be_granted() {
    let wanted = json!({ "fileSystem": { "write": ["/srv"] } });
    let approval = json!({ "turnId": "t1", "itemId": "g", "permissions": wanted, "reason": "to install" });
    for (option, answer) in [
        ("allow_once", json!({ "permissions": wanted, "scope": "turn" })),
        ("allow_always", json!({ "permissions": wanted, "scope": "session" })),
        ("reject_once", json!({ "permissions": {}, "scope": "turn" })),
    ] {
        let mut client = Client::open(json!({}));
        client.begin("hi", "t1");
        let messages = client.ask(0, "item/permissions/requestApproval", approval.clone());
        client.written();
        client.choose(&request(&messages, "session/request_permission"), option);
        assert_eq!(client.replies()[0]["result"], answer);
    }
}

fn questions() -> Value {
    let option = |label: &str| json!({ "label": label, "description": format!("choose {label}") });
    json!({ "turnId": "t1", "itemId": "q", "isBlocking": false, "questions": [
        { "id": "a", "header": "Color", "question": "Which color?", "isOther": true, "options": [option("red"), option("green")] },
        { "id": "b", "header": "Name", "question": "What name?", "isOther": false, "options": null },
        { "id": "s", "header": "Key", "question": "What key?", "isSecret": true, "options": null },
    ] })
}

#[test]
fn questions_are_a_form_for_clients_that_show_forms() {
    let mut client = Client::open(json!({ "elicitation": { "form": {} } }));
    client.begin("hi", "t1");
    let messages = client.ask(0, "item/tool/requestUserInput", questions());
    let asked = request(&messages, "elicitation/create");
    insta::assert_json_snapshot!("question_form", asked["params"]);
    client.written();
    let content = json!({ "question_1": "red", "question_1_custom": "or rather pink", "question_2": "Bob" });
    let messages = client.answer(&asked, json!({ "action": "accept", "content": content }));
    assert_eq!(updates(&messages, "tool_call_update")[0]["status"], "completed");
    let answers = json!({ "a": { "answers": ["red", "or rather pink"] }, "b": { "answers": ["Bob"] } });
    assert_eq!(client.replies()[0], json!({ "id": 0, "result": { "answers": answers } }));
}

#[test]
fn questions_can_be_declined_or_cancelled() {
    for (action, interrupts) in [("decline", false), ("cancel", true)] {
        let mut client = Client::open(json!({ "elicitation": { "form": {} } }));
        client.begin("hi", "t1");
        let messages = client.ask(0, "item/tool/requestUserInput", questions());
        client.written();
        let messages = client.answer(&request(&messages, "elicitation/create"), json!({ "action": action }));
        assert_eq!(updates(&messages, "tool_call_update")[0]["status"], "failed");
        assert_eq!(client.awaits("turn/interrupt"), interrupts);
        assert_eq!(client.replies()[0]["result"], json!({ "answers": {} }));
    }
}

#[test]
fn a_question_ends_with_its_turn_or_the_process() {
    let open = || {
        let mut client = Client::open(json!({ "elicitation": { "form": {} } }));
        client.begin("hi", "t1");
        client.ask(3, "item/tool/requestUserInput", questions());
        client
    };
    let mut client = open();
    client.cancel();
    for messages in [client.end("t1", "interrupted"), open().exit(None, Some(9), "")] {
        assert_eq!(updates(&messages, "tool_call_update")[0]["status"], "failed", "{messages:?}");
    }
}

#[test]
fn without_forms_questions_are_choices_one_by_one() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    let messages = client.ask(0, "item/tool/requestUserInput", questions());
    let first = request(&messages, "session/request_permission");
    assert_eq!(first["params"]["toolCall"]["title"], "Which color?");
    let messages = client.choose(&first, "option_1");
    let second = request(&messages, "session/request_permission");
    client.written();
    client.choose(&second, "skip");
    assert_eq!(client.replies()[0]["result"], json!({ "answers": { "a": { "answers": ["green"] } } }));
}

/// A turn in plan mode that ends with a plan.
#[test]
fn changes_in_the_project_are_allowed_for_the_whole_session() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    let change = |client: &mut Client, id: &str, path: &str| {
        let change = json!({ "path": path, "kind": { "type": "add" }, "diff": "x\n" });
        started(
            client,
            json!({ "type": "fileChange", "id": id, "changes": [change], "status": "inProgress" }),
        );
        client.written();
        client.ask(
            0,
            "item/fileChange/requestApproval",
            json!({ "turnId": "t1", "itemId": id, "reason": null }),
        )
    };
    let messages = change(&mut client, "p1", "/project/one");
    client.choose(&request(&messages, "session/request_permission"), "allow_always");
    assert!(change(&mut client, "p2", "/project/two").is_empty());
    assert_eq!(client.replies()[0]["result"]["decision"], "accept");
    for path in ["/etc/passwd", "/project/../etc/passwd", "/projects"] {
        request(&change(&mut client, path, path), "session/request_permission");
    }
}

#[test]
fn questions_of_sub_agents_reach_the_client() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    let agent = |kind: &str, id: &str| json!({ "type": "subAgentActivity", "id": id, "kind": kind, "agentThreadId": "sub", "agentPath": "/main/look" });
    let mut messages = started(&mut client, agent("started", "spawn"));
    messages
        .extend(client.tell("item/completed", json!({ "turnId": "t1", "item": agent("started", "spawn") })));
    assert_eq!(updates(&messages, "tool_call")[0]["title"], "Agent look");
    assert!(updates(&messages, "tool_call_update").is_empty(), "it is on its way");
    let mut approval = command("touch a", unknown());
    approval["threadId"] = json!("sub");
    let mut run = json!({ "threadId": "sub", "turnId": "s1", "item": running("touch a") });
    let messages = client.tell("item/started", run.clone());
    assert_eq!(updates(&messages, "tool_call")[0]["_meta"]["codex"]["parentToolUseId"], "spawn");
    let messages = client.ask(5, "item/commandExecution/requestApproval", approval);
    let asked = request(&messages, "session/request_permission");
    assert_eq!(asked["params"]["sessionId"], THREAD);
    client.written();
    client.choose(&asked, "allow_once");
    assert_eq!(client.replies()[0]["id"], 5);
    run["item"]["status"] = json!("completed");
    run["item"]["exitCode"] = json!(0);
    let messages = client.tell("item/completed", run);
    assert_eq!(updates(&messages, "tool_call_update")[0]["status"], "completed");
    let said = json!({ "threadId": "sub", "turnId": "s1", "itemId": "m", "delta": "for the agent above" });
    assert!(client.tell("item/agentMessage/delta", said).is_empty());
    let over = json!({ "threadId": "sub", "turn": { "id": "s1", "status": "completed" } });
    let messages = client.tell("turn/completed", over);
    assert_eq!(messages.len(), 1, "not the session's turn: {messages:?}");
    assert_eq!(updates(&messages, "tool_call_update")[0]["toolCallId"], "spawn");
    assert_eq!(updates(&messages, "tool_call_update")[0]["status"], "completed");
    // Newer versions report it, too.
    let done = json!({ "turnId": "t1", "item": agent("completed", "spawn-done") });
    assert!(client.tell("item/completed", done).is_empty(), "it was told before");
    assert_eq!(stop_reason(&client.end("t1", "completed")), "end_turn");
}
