//! Modes, models and efforts.

use crate::client::{Client, THREAD, answer, host, opened, updates};
use serde_json::{Value, json};

/// Returns the parameters of the next turn.
fn turn(client: &mut Client) -> Value {
    client.prompt("hello");
    let params = client.take("turn/start")["params"].clone();
    client.tell("turn/started", json!({ "turn": { "id": "t" } }));
    client.end("t", "completed");
    params
}

fn set(client: &mut Client, option: &str, value: &str) -> Vec<Value> {
    let params = json!({ "sessionId": THREAD, "configId": option, "value": value });
    client.call("session/set_config_option", params)
}

#[test]
fn each_mode_has_its_policy_and_sandbox() {
    let mut client = Client::open(json!({}));
    for (mode, policy, sandbox, collaboration) in [
        ("default", "untrusted", "dangerFullAccess", "default"),
        ("auto", "on-request", "workspaceWrite", "default"),
        ("read-only", "on-request", "readOnly", "default"),
        ("plan", "on-request", "readOnly", "plan"),
        ("bypass", "never", "dangerFullAccess", "default"),
    ] {
        let messages = client.set_mode(mode);
        assert_eq!(answer(&messages)["result"], json!({}));
        let params = turn(&mut client);
        let found = (
            &params["approvalPolicy"],
            &params["sandboxPolicy"]["type"],
            &params["collaborationMode"]["mode"],
        );
        assert_eq!(found, (&json!(policy), &json!(sandbox), &json!(collaboration)), "{mode}");
    }
    assert_eq!(answer(&client.set_mode("bogus"))["error"]["code"], -32602);
}

#[test]
fn a_change_of_mode_is_told_in_both_forms() {
    let mut client = Client::open(json!({}));
    let messages = set(&mut client, "mode", "plan");
    assert_eq!(updates(&messages, "current_mode_update")[0]["currentModeId"], "plan");
    assert_eq!(updates(&messages, "config_option_update")[0]["configOptions"][0]["currentValue"], "plan");
    assert_eq!(answer(&messages)["result"]["configOptions"][0]["currentValue"], "plan");
}

#[test]
fn modes_that_are_not_allowed_or_do_not_work_are_not_offered() {
    let mut host = host();
    host.options.allow_bypass = false;
    let mut client = Client::open_without_sandbox(host);
    for mode in ["bypass", "auto", "read-only"] {
        assert_eq!(answer(&client.set_mode(mode))["error"]["code"], -32602, "{mode}");
    }
    client.set_mode("plan");
    let params = turn(&mut client);
    assert_eq!(params["approvalPolicy"], "untrusted", "without a sandbox each command is looked at");
    assert_eq!(params["collaborationMode"]["mode"], "plan");
}

#[test]
fn the_sandbox_is_tried_and_not_taken_for_granted() {
    let offered = |answer_with: &dyn Fn(&mut Client)| {
        let mut client = Client::greeted(host(), json!({}));
        client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
        client.respond("initialize", json!({ "userAgent": "x/0.166.0 (y)" }));
        client.respond("model/list", json!({ "data": [] }));
        client.respond("account/login/start", json!({ "type": "apiKey" }));
        let tried = client.peer.open.iter().find(|request| request["method"] == "command/exec").unwrap();
        assert_eq!(tried["params"]["sandboxPolicy"], json!({ "type": "readOnly" }));
        assert!(!client.awaits("thread/start"), "which modes there are is known first");
        answer_with(&mut client);
        let messages = client.respond("thread/start", opened(THREAD));
        let modes = answer(&messages)["result"]["modes"]["availableModes"].as_array().unwrap().clone();
        modes.iter().any(|mode| mode["id"] == "auto")
    };
    assert!(offered(&|client| drop(client.respond("command/exec", json!({ "exitCode": 0 })))));
    assert!(!offered(&|client| drop(client.respond("command/exec", json!({ "exitCode": 101 })))));
    assert!(!offered(&|client| drop(client.refuse("command/exec", "unknown variant"))));
    assert!(!offered(&|client| drop(client.wait(10_500))), "nor waited for long");
}

#[test]
fn models_and_efforts_are_checked_and_go_out_with_the_next_turn() {
    let mut client = Client::open(json!({}));
    let params = turn(&mut client);
    assert_eq!((&params["model"], params.get("effort")), (&json!("gpt-6.1-sol"), None));
    set(&mut client, "reasoning_effort", "high");
    let params = turn(&mut client);
    assert_eq!((&params["effort"], &params["summary"]), (&json!("high"), &json!("auto")));
    assert_eq!(params["collaborationMode"]["settings"]["reasoning_effort"], "high");
    for (option, value) in
        [("reasoning_effort", "bogus"), ("model", "bogus"), ("model", "secret"), ("bogus", "x")]
    {
        assert_eq!(answer(&set(&mut client, option, value))["error"]["code"], -32602, "{option} {value}");
    }
    let messages = set(&mut client, "model", "gpt-5.5");
    let options = answer(&messages)["result"]["configOptions"].as_array().unwrap().clone();
    assert!(options.iter().all(|option| option["id"] != "reasoning_effort"), "this model has no efforts");
    let params = turn(&mut client);
    assert_eq!((&params["model"], params.get("effort")), (&json!("gpt-5.5"), None), "it is left behind");
    let messages = client.call("session/set_model", json!({ "sessionId": THREAD, "modelId": "gpt-6.1-sol" }));
    assert_eq!(answer(&messages)["result"], json!({}));
}

#[test]
fn behind_a_gateway_there_may_be_other_models() {
    let mut host = host();
    host.options.any_model = true;
    let mut client = Client::open_with(host, json!({}));
    set(&mut client, "model", "my-own");
    assert_eq!(turn(&mut client)["model"], "my-own");
}

#[test]
fn further_directories_can_be_written_in_the_sandbox() {
    let mut client = Client::greeted(host(), json!({}));
    let params = json!({ "cwd": "/project", "mcpServers": [], "additionalDirectories": ["/project/more"] });
    client.call("session/new", params);
    client.shake_hands();
    client.respond("thread/start", crate::client::opened(THREAD));
    client.set_mode("auto");
    assert_eq!(turn(&mut client)["sandboxPolicy"]["writableRoots"], json!(["/project/more"]));
}
