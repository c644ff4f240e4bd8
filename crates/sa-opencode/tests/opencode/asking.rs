//! Permissions, questions and plans, of the session itself and of its sub-agents.

use crate::client::{Client, SESSION, requests};
use sa_acp::testing::{answer, updates};
use serde_json::{Value, json};

const CHILD: &str = "ses_child";

fn replied(client: &mut Client, id: &str) -> Value {
    client.take(&format!("POST /permission/{id}/reply"))["body"].clone()
}

/// A session that works on a prompt.
fn working() -> Client {
    let mut client = Client::open();
    client.prompt_in(SESSION, "hello");
    client.message(SESSION, "m1");
    client
}

fn running(client: &mut Client, call: &str, tool: &str, input: Value) -> Vec<Value> {
    client.tool(SESSION, "m1", call, tool, json!({ "status": "running", "input": input }))
}

fn ask(
    client: &mut Client,
    session: &str,
    id: &str,
    call: &str,
    what: (&str, &str),
    metadata: Value,
) -> Vec<Value> {
    let (permission, pattern) = what;
    let asked = json!({
        "id": id, "permission": permission, "patterns": [pattern], "always": ["*"], "metadata": metadata,
        "tool": { "messageID": "m1", "callID": call },
    });
    client.event(session, "permission.asked", asked)
}

fn edit(client: &mut Client, session: &str, id: &str, call: &str) -> Vec<Value> {
    let patch = "--- a\n+++ b\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
    let about = json!({ "filepath": "/project/old.txt", "diff": patch });
    ask(client, session, id, call, ("edit", "old.txt"), about)
}

#[test]
fn a_change_is_shown_before_it_is_allowed() {
    let mut client = working();
    running(&mut client, "c1", "edit", json!({ "filePath": "/project/old.txt" }));
    let told = edit(&mut client, SESSION, "per_1", "c1");
    let asked = requests(&told);
    let call = &asked[0]["params"]["toolCall"];
    let diff = &call["content"][0];
    assert_eq!(
        (&diff["oldText"], &diff["newText"]),
        (&json!("one\ntwo\nthree\n"), &json!("one\n2\nthree\n"))
    );
    assert_eq!((&call["toolCallId"], &call["kind"]), (&json!("c1"), &json!("edit")));
    client.choose(asked[0], "allow_once");
    assert_eq!(replied(&mut client, "per_1"), json!({ "reply": "once" }));
    let told = edit(&mut client, SESSION, "per_2", "c2");
    client.choose(requests(&told)[0], "reject_once");
    assert_eq!(replied(&mut client, "per_2"), json!({ "reply": "reject" }));
}

#[test]
fn always_means_this_session_and_nobody_elses() {
    let mut client = working();
    client.another("ses_two", "/project");
    client.prompt_in("ses_two", "hello");
    let first = edit(&mut client, SESSION, "per_1", "c1");
    let second = edit(&mut client, SESSION, "per_2", "c2");
    let told = client.choose(requests(&first)[0], "allow_always");
    assert_eq!(
        replied(&mut client, "per_1"),
        json!({ "reply": "once" }),
        "never always, which would be all sessions"
    );
    assert_eq!(replied(&mut client, "per_2"), json!({ "reply": "once" }), "what was asked meanwhile");
    assert!(told.iter().any(|it| it["params"]["requestId"] == requests(&second)[0]["id"]), "{told:?}");
    assert!(requests(&edit(&mut client, SESSION, "per_3", "c3")).is_empty());
    assert_eq!(replied(&mut client, "per_3"), json!({ "reply": "once" }));
    assert_eq!(requests(&edit(&mut client, "ses_two", "per_4", "c4")).len(), 1);
}

#[test]
fn always_for_a_command_covers_plain_lines_of_it_alone() {
    let mut client = working();
    let shell = |client: &mut Client, id: &str, line: &str, patterns: &[&str]| {
        let asked = json!({
            "id": id, "permission": "bash", "patterns": patterns, "always": ["npm test *", "timeout *"],
            "metadata": { "command": line }, "tool": { "messageID": "m1", "callID": id },
        });
        client.event(SESSION, "permission.asked", asked)
    };
    let first = shell(&mut client, "per_0", "npm test", &["npm test"]);
    client.choose(requests(&first)[0], "allow_always");
    assert!(
        requests(&shell(&mut client, "per_1", "npm test a && npm test b", &["npm test a", "npm test b"]))
            .is_empty()
    );
    for (number, line) in
        ["npm test > x", "npm test $(rm x)", "npm test\nrm x", "npm test; rm x", "timeout 5 rm x"]
            .iter()
            .enumerate()
    {
        let asked = shell(&mut client, &format!("per_more_{number}"), line, &[line]);
        assert_eq!(requests(&asked).len(), 1, "{line}");
    }
}

#[test]
fn commands_that_only_look_are_not_asked_about() {
    let mut client = working();
    let look = ask(&mut client, SESSION, "per_1", "c1", ("bash", "ls"), json!({ "command": "ls -la" }));
    assert!(requests(&look).is_empty());
    assert_eq!(replied(&mut client, "per_1")["reply"], "once");
    let act = ask(&mut client, SESSION, "per_2", "c2", ("bash", "rm a"), json!({ "command": "rm a" }));
    assert_eq!(requests(&act).len(), 1);
}

#[test]
fn a_command_is_judged_and_shown_as_it_is_asked_about() {
    let mut client = working();
    running(&mut client, "c1", "bash", json!({ "command": "ls" }));
    for (id, line) in [("per_1", "find . -name x '-delete'"), ("per_2", "rm -rf x")] {
        let told = ask(&mut client, SESSION, id, "c1", ("bash", line), json!({ "command": line }));
        let call = &requests(&told)[0]["params"]["toolCall"];
        assert_eq!(
            (&call["rawInput"]["command"], &call["kind"]),
            (&json!(line), &json!("execute")),
            "{call}"
        );
    }
}

#[test]
fn a_client_with_rules_is_asked_about_everything() {
    let mut client = Client::open_of(
        json!({ "cwd": "/project", "mcpServers": [], "_meta": { "sandboxAgent": { "askAll": true } } }),
    );
    client.prompt_in(SESSION, "hello");
    client.message(SESSION, "m1");
    let told = ask(&mut client, SESSION, "per_1", "c1", ("bash", "ls"), json!({ "command": "ls -la" }));
    let asked = requests(&told);
    assert_eq!(asked[0]["params"]["_meta"]["sandboxAgent"]["allowed"], true, "{told:?}");
    client.choose(asked[0], "reject_once");
    assert_eq!(replied(&mut client, "per_1")["reply"], "reject");
}

#[test]
fn tools_of_another_sessions_server_are_refused_in_every_mode() {
    let mut client = working();
    let theirs = json!({ "name": "fs", "command": "/bin/fs", "args": [], "env": [] });
    client.call("session/new", json!({ "cwd": "/project", "mcpServers": [theirs] }));
    client.answer_facts();
    client.respond("POST /session", crate::client::info("ses_two"));
    for (n, mode) in ["default", "bypass", "plan"].into_iter().enumerate() {
        client.call("session/set_mode", json!({ "sessionId": SESSION, "modeId": mode }));
        let id = format!("per_{n}");
        let told = ask(&mut client, SESSION, &id, "c1", ("fs_write", "*"), json!({}));
        assert!(requests(&told).is_empty(), "{mode}: {told:?}");
        assert_eq!(replied(&mut client, &id)["reply"], "reject", "{mode}");
    }
}

#[test]
fn in_bypass_mode_nothing_is_asked_and_changes_are_still_shown() {
    let mut client = Client::open();
    client.call("session/set_mode", json!({ "sessionId": SESSION, "modeId": "bypass" }));
    client.prompt_in(SESSION, "hello");
    client.message(SESSION, "m1");
    running(&mut client, "c1", "edit", json!({ "filePath": "/project/old.txt" }));
    let told = edit(&mut client, SESSION, "per_1", "c1");
    assert!(requests(&told).is_empty());
    assert_eq!(updates(&told, "tool_call_update")[0]["content"][0]["type"], "diff");
    assert_eq!(replied(&mut client, "per_1")["reply"], "once");
    // Another mode counts from its moment on.
    client.call("session/set_mode", json!({ "sessionId": SESSION, "modeId": "default" }));
    assert_eq!(requests(&edit(&mut client, SESSION, "per_2", "c2")).len(), 1);
}

/// The server works on a prompt in plan mode.
fn planning() -> Client {
    let mut client = Client::open();
    client.call("session/set_mode", json!({ "sessionId": SESSION, "modeId": "plan" }));
    client.prompt_in(SESSION, "hello");
    client.respond(&format!("PATCH /session/{SESSION}"), json!({}));
    client
}

/// The server asks whether its plan is good.
fn ask_plan(client: &mut Client) -> Vec<Value> {
    let question = "Plan at .opencode/plans/a.md is complete. Would you like to switch to the build agent?";
    let options = json!([{ "label": "Yes", "description": "" }, { "label": "No", "description": "" }]);
    let asked = json!({
        "id": "que_1", "tool": { "callID": "c3" },
        "questions": [{ "question": question, "header": "Build Agent", "options": options, "custom": false }],
    });
    client.event(SESSION, "question.asked", asked)
}

#[test]
fn plan_mode_refuses_changes_until_the_plan_is_approved() {
    let mut client = planning();
    let call = client.peer.calls.last().unwrap();
    assert_eq!(call["body"]["agent"], "plan", "the one who plans does the work: {call}");
    client.message(SESSION, "m1");
    assert!(requests(&edit(&mut client, SESSION, "per_1", "c1")).is_empty());
    let refused = replied(&mut client, "per_1");
    assert!(refused["message"].as_str().unwrap().contains("Plan mode"), "{refused}");
    let touch =
        ask(&mut client, SESSION, "per_2", "c2", ("bash", "touch a"), json!({ "command": "touch a" }));
    assert!(requests(&touch).is_empty());
    assert_eq!(replied(&mut client, "per_2")["reply"], "reject");
    let told = ask_plan(&mut client);
    let request = requests(&told)[0];
    let shown = &request["params"]["toolCall"];
    assert_eq!(shown["kind"], "switch_mode");
    assert!(shown["content"].to_string().contains("# The plan"), "{shown}");
    let told = client.choose(request, "default");
    assert_eq!(updates(&told, "current_mode_update")[0]["currentModeId"], "default");
    // The rules are those of the new mode before the server continues.
    client.respond(&format!("PATCH /session/{SESSION}"), json!({}));
    assert_eq!(client.take("POST /question/que_1/reply")["body"], json!({ "answers": [["Yes"]] }));
    assert_eq!(requests(&edit(&mut client, SESSION, "per_3", "c4")).len(), 1, "asked about, as in that mode");
}

#[test]
fn a_plan_is_not_approved_without_the_rules_of_the_next_mode() {
    let rules = format!("PATCH /session/{SESSION}");
    let mut client = planning();
    client.message(SESSION, "m1");
    let told = ask_plan(&mut client);
    client.choose(requests(&told)[0], "default");
    let told = client.respond_as(&rules, 500, json!({}));
    assert_eq!(client.take("POST /question/que_1/reply")["body"], json!({ "answers": [["No"]] }));
    assert_eq!(updates(&told, "current_mode_update")[0]["currentModeId"], "plan", "{told:?}");
    client.done(SESSION);
    client.prompt_in(SESSION, "more");
    client.take(&rules);
}

#[test]
fn rules_are_sent_again_if_the_server_ended_before_it_had_them() {
    let rules = format!("PATCH /session/{SESSION}");
    let mut client = Client::open();
    client.call("session/set_mode", json!({ "sessionId": SESSION, "modeId": "plan" }));
    client.prompt_in(SESSION, "hello");
    client.take(&rules);
    client.exit(None, Some(9), "");
    client.prompt_in(SESSION, "hello");
    client.up();
    client.take(&rules);
}

#[test]
fn switching_to_plan_mode_refuses_open_questions_about_changes() {
    let mut client = working();
    let change = edit(&mut client, SESSION, "per_1", "c1");
    let fetch = ask(&mut client, SESSION, "per_2", "c2", ("webfetch", "http://a"), json!({}));
    let told = client.call("session/set_mode", json!({ "sessionId": SESSION, "modeId": "plan" }));
    assert!(told.iter().any(|it| it["params"]["requestId"] == requests(&change)[0]["id"]), "{told:?}");
    let refused = replied(&mut client, "per_1");
    assert_eq!(refused["reply"], "reject");
    assert!(refused["message"].as_str().unwrap().contains("Plan mode"), "{refused}");
    client.choose(requests(&change)[0], "allow_once");
    client.choose(requests(&fetch)[0], "allow_once");
    assert_eq!(replied(&mut client, "per_2")["reply"], "once", "this is for the user to decide in plan mode");
    assert!(!client.names().iter().any(|name| name.contains("per_1")), "too late");
}

/// A sub-agent that was sent by the call `c0`.
fn delegating() -> Client {
    let mut client = working();
    let info = json!({ "info": { "id": CHILD, "parentID": SESSION, "agent": "general" } });
    client.event(CHILD, "session.created", info);
    let state = json!({ "status": "running", "input": { "description": "Help" }, "metadata": { "sessionId": CHILD } });
    client.tool(SESSION, "m1", "c0", "task", state);
    client
}

#[test]
fn what_a_sub_agent_wants_is_asked_on_its_session() {
    let mut client = delegating();
    client.event(CHILD, "message.updated", json!({ "info": { "id": "m2", "role": "assistant" } }));
    let state = json!({ "status": "running", "input": { "filePath": "/project/old.txt" } });
    let told = client.tool(CHILD, "m2", "c1", "edit", state);
    let call = updates(&told, "tool_call")[0];
    assert_eq!(call["_meta"]["opencode"]["parentToolUseId"], "c0", "{call}");
    let told = edit(&mut client, CHILD, "per_1", "c1");
    let request = requests(&told)[0];
    assert_eq!(request["params"]["sessionId"], SESSION);
    assert_eq!(request["params"]["toolCall"]["_meta"]["opencode"]["parentToolUseId"], "c0");
    client.choose(request, "allow_once");
    assert_eq!(replied(&mut client, "per_1")["reply"], "once");
    // Its text is for the agent that sent it.
    let said = client.part(CHILD, json!({ "id": "p", "messageID": "m2", "type": "text", "text": "below" }));
    assert!(said.is_empty(), "{said:?}");
    // A sub-agent of a sub-agent works for the same session.
    client.event("ses_deep", "session.created", json!({ "info": { "id": "ses_deep", "parentID": CHILD } }));
    assert_eq!(requests(&edit(&mut client, "ses_deep", "per_2", "c2"))[0]["params"]["sessionId"], SESSION);
}

fn color() -> Value {
    let option = |label: &str| json!({ "label": label, "description": label });
    let question =
        json!({ "question": "Which?", "header": "Color", "options": [option("Red"), option("Blue")] });
    json!({ "id": "que_1", "questions": [question], "tool": { "callID": "c1" } })
}

#[test]
fn questions_are_forms_also_those_of_sub_agents() {
    for session in [SESSION, CHILD] {
        let mut client = delegating();
        let told = client.event(session, "question.asked", color());
        let request = requests(&told)[0];
        assert_eq!(
            (&request["method"], &request["params"]["sessionId"]),
            (&json!("elicitation/create"), &json!(SESSION))
        );
        client.answer(request, json!({ "action": "accept", "content": { "question_1": "Blue" } }));
        assert_eq!(client.take("POST /question/que_1/reply")["body"], json!({ "answers": [["Blue"]] }));
    }
}

#[test]
fn a_question_can_be_declined_or_cancelled() {
    let mut client = working();
    let told = client.event(SESSION, "question.asked", color());
    client.answer(requests(&told)[0], json!({ "action": "decline" }));
    client.take("POST /question/que_1/reject");
    assert!(!client.names().iter().any(|name| name.ends_with("/abort")));
    let mut client = working();
    let told = client.event(SESSION, "question.asked", color());
    client.answer(requests(&told)[0], json!({ "action": "cancel" }));
    client.take(&format!("POST /session/{SESSION}/abort"));
}

#[test]
fn without_forms_a_question_is_a_choice() {
    let mut client = Client::open_as(json!({}));
    client.prompt_in(SESSION, "hello");
    client.message(SESSION, "m1");
    let told = client.event(SESSION, "question.asked", color());
    let request = requests(&told)[0];
    assert_eq!(request["method"], "session/request_permission");
    client.choose(request, "option_1");
    assert_eq!(client.take("POST /question/que_1/reply")["body"], json!({ "answers": [["Blue"]] }));
}

#[test]
fn questions_are_taken_back_when_somebody_else_answers_or_the_turn_is_cancelled() {
    let mut client = working();
    let told = edit(&mut client, SESSION, "per_1", "c1");
    let id = requests(&told)[0]["id"].clone();
    let reply = json!({ "requestID": "per_1", "reply": "once" });
    let back = client.event(SESSION, "permission.replied", reply);
    assert_eq!(back[0]["params"]["requestId"], id);
    let told = edit(&mut client, SESSION, "per_2", "c2");
    let id = requests(&told)[0]["id"].clone();
    let back = client.notify("session/cancel", json!({ "sessionId": SESSION }));
    assert_eq!(back[0]["params"]["requestId"], id);
    let whole =
        json!({ "info": { "id": "m1", "role": "assistant", "error": { "name": "MessageAbortedError" } } });
    client.respond(&format!("POST /session/{SESSION}/message"), whole);
    assert_eq!(answer(&client.status(SESSION, "idle"))["result"]["stopReason"], "cancelled");
}

#[test]
fn what_was_asked_while_no_events_came_is_asked_again() {
    let mut client = working();
    client.native(&json!({ "down": "closed" }));
    client.native(&json!({ "up": true }));
    let asked = json!({ "id": "per_1", "sessionID": SESSION, "permission": "edit", "patterns": ["a"], "always": ["*"] });
    let told = client.respond("GET /permission", json!([asked]));
    assert_eq!(requests(&told).len(), 1);
    let mut question = color();
    question["sessionID"] = json!(SESSION);
    assert_eq!(requests(&client.respond("GET /question", json!([question]))).len(), 1);
}
