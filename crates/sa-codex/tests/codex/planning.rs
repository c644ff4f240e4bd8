//! Plan mode, and plans that the user approves.

use crate::asking::{command, tool_approval, unknown};
use crate::client::{Client, answer, host, request, stop_reason, text, updates};
use serde_json::{Value, json};

fn planned(client: &mut Client) -> Vec<Value> {
    client.set_mode("plan");
    client.begin("make a plan", "t1");
    let mut messages =
        client.tell("item/plan/delta", json!({ "turnId": "t1", "itemId": "t1-plan", "delta": "# Pl" }));
    let plan = json!({ "type": "plan", "id": "t1-plan", "text": "# Plan\n" });
    messages.extend(client.tell("item/completed", json!({ "turnId": "t1", "item": plan })));
    assert_eq!(text(&messages, "agent_message_chunk"), "# Plan\n");
    client.end("t1", "completed")
}

#[test]
fn a_plan_is_approved_before_it_is_carried_out() {
    let mut client = Client::open(json!({}));
    let messages = planned(&mut client);
    assert!(messages.iter().all(|message| message.get("result").is_none()), "the prompt is not over");
    let asked = request(&messages, "session/request_permission");
    insta::assert_json_snapshot!("plan_approval", asked["params"]);
    let waiting = client.prompt("behind it");
    assert!(waiting.is_empty() && !client.awaits("turn/start"));
    let messages = client.choose(&asked, "default");
    assert_eq!(updates(&messages, "current_mode_update")[0]["currentModeId"], "default");
    let turn = client.take("turn/start");
    assert_eq!(turn["params"]["input"][0]["text"], "The user approved this plan. Implement it.\n\n# Plan\n");
    assert_eq!(turn["params"]["collaborationMode"]["mode"], "default");
    client.tell("turn/started", json!({ "turn": { "id": "t2" } }));
    assert_eq!(stop_reason(&client.end("t2", "completed")), "end_turn");
    assert!(client.awaits("turn/start"), "what waited goes on");
}

#[test]
fn a_plan_can_be_turned_down_or_left() {
    let mut client = Client::open(json!({}));
    let messages = planned(&mut client);
    let messages = client.choose(&request(&messages, "session/request_permission"), "plan");
    assert_eq!(stop_reason(&messages), "end_turn");
    assert!(!client.awaits("turn/start") && updates(&messages, "current_mode_update").is_empty());

    let mut client = Client::open(json!({}));
    planned(&mut client);
    let messages = client.cancel();
    assert_eq!(messages[0]["method"], "$/cancel_request");
    assert_eq!(stop_reason(&messages), "cancelled");
    assert!(!client.awaits("turn/interrupt"), "nothing runs");

    let mut host = host();
    host.options.allow_bypass = false;
    let mut client = Client::open_with(host, json!({}));
    let messages = planned(&mut client);
    let messages = client.choose(&request(&messages, "session/request_permission"), "bypass");
    assert_eq!(stop_reason(&messages), "end_turn", "it was not offered");
}

#[test]
fn a_plan_ends_with_the_process() {
    let mut client = Client::open(json!({}));
    planned(&mut client);
    let messages = client.exit(None, Some(9), "");
    assert_eq!(messages[0]["method"], "$/cancel_request");
    let call = updates(&messages, "tool_call_update")[0];
    assert_eq!((&call["toolCallId"], &call["status"]), (&json!("t1-plan-approval"), &json!("failed")));
    assert_eq!(answer(&messages)["error"]["data"]["errorKind"], "process_exited");
}

#[test]
fn plan_mode_refuses_whatever_is_asked() {
    let mut client = Client::open(json!({}));
    client.set_mode("plan");
    client.begin("hi", "t1");
    client.written();
    client.ask(0, "item/commandExecution/requestApproval", command("ls", json!({ "type": "listFiles" })));
    client.ask(1, "item/fileChange/requestApproval", json!({ "turnId": "t1", "itemId": "p" }));
    let decisions: Vec<_> =
        client.replies().iter().map(|reply| reply["result"]["decision"].clone()).collect();
    assert_eq!(decisions, ["decline", "decline"], "what the sandbox allows is not asked about");
}

#[test]
fn without_a_sandbox_plan_mode_refuses_what_may_change_something() {
    let mut client = Client::open_without_sandbox(host());
    client.set_mode("plan");
    client.begin("hi", "t1");
    client.written();
    client.ask(0, "item/commandExecution/requestApproval", command("ls", json!({ "type": "listFiles" })));
    client.ask(1, "item/commandExecution/requestApproval", command("touch a", unknown()));
    client.ask(2, "item/fileChange/requestApproval", json!({ "turnId": "t1", "itemId": "p" }));
    client.ask(3, "mcpServer/elicitation/request", tool_approval(json!([])));
    let replies = client.replies();
    let decisions: Vec<_> = replies.iter().map(|reply| reply["result"]["decision"].as_str()).collect();
    assert_eq!(decisions, [Some("accept"), Some("decline"), Some("decline"), None]);
    assert_eq!(replies[3]["result"]["action"], "decline");
}

#[test]
fn switching_to_plan_mode_refuses_open_questions() {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    let mut connection = command("curl example.com", unknown());
    connection["networkApprovalContext"] = json!({ "host": "example.com", "protocol": "https" });
    let grant = json!({ "turnId": "t1", "itemId": "g", "permissions": { "network": { "enabled": true } } });
    let patch = json!({ "turnId": "t1", "itemId": "p" });
    let questions = [
        ("item/fileChange/requestApproval", patch, json!({ "decision": "decline" })),
        ("item/commandExecution/requestApproval", connection, json!({ "decision": "decline" })),
        (
            "mcpServer/elicitation/request",
            tool_approval(json!(null)),
            json!({ "action": "decline", "content": null }),
        ),
        ("item/permissions/requestApproval", grant, json!({ "permissions": {}, "scope": "turn" })),
    ];
    let mut asked = Vec::new();
    for (id, (method, params, _)) in (0..).zip(&questions) {
        asked.push(request(&client.ask(id, method, params.clone()), "session/request_permission"));
    }
    client.written();
    let messages = client.set_mode("plan");
    for question in &asked {
        let is_withdrawn = |it: &Value| it["params"]["requestId"] == question["id"];
        assert!(messages.iter().any(is_withdrawn), "{question}: {messages:?}");
    }
    let refusals = questions.map(|(.., refusal)| refusal);
    assert_eq!(client.replies().iter().map(|it| it["result"].clone()).collect::<Vec<_>>(), refusals);
    let ended = updates(&messages, "tool_call_update");
    assert!(ended.iter().all(|call| call["status"] == "failed"), "{ended:?}");
    assert_eq!(ended.len(), 2, "calls that were announced for a question alone");
    client.choose(&asked[0], "allow_once");
    assert!(client.replies().is_empty(), "too late");
}
