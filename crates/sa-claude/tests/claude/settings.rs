//! Mode, model, effort, thinking.

use crate::client::{Client, SESSION, answer, updates};
use serde_json::{Value, json};

fn set(client: &mut Client, option: &str, value: &str) -> Vec<Value> {
    let params = json!({ "sessionId": SESSION, "configId": option, "value": value });
    client.call("session/set_config_option", params)
}

fn set_mode(client: &mut Client, mode: &str) -> Vec<Value> {
    client.call("session/set_mode", json!({ "sessionId": SESSION, "modeId": mode }))
}

#[test]
fn a_mode_is_checked_before_the_cli_would_take_anything() {
    let mut client = Client::open(json!({}));
    assert_eq!(answer(&set_mode(&mut client, "nonsense"))["error"]["code"], -32602);
    assert!(client.written().is_empty());
    assert!(set_mode(&mut client, "plan").is_empty());
    assert_eq!(client.written()[0]["request"], json!({ "subtype": "set_permission_mode", "mode": "plan" }));
    let messages = client.respond("set_permission_mode", json!({ "mode": "plan" }));
    assert_eq!(updates(&messages, "current_mode_update")[0]["currentModeId"], "plan");
    assert_eq!(updates(&messages, "config_option_update")[0]["configOptions"][0]["currentValue"], "plan");
    assert_eq!(answer(&messages)["result"], json!({}));
    // The CLI's own report afterwards changes nothing.
    assert!(
        client.native(&json!({ "type": "system", "subtype": "status", "permissionMode": "plan" })).is_empty()
    );
}

#[test]
fn a_refused_or_unanswered_change_is_an_error_and_changes_nothing() {
    let mut client = Client::open(json!({}));
    set_mode(&mut client, "plan");
    let messages = client.refuse_order("set_permission_mode", "not today");
    assert_eq!(answer(&messages)["error"]["message"], "not today");
    set_mode(&mut client, "plan");
    let messages = client.wait(11_000);
    assert_eq!(answer(&messages)["error"]["data"]["errorKind"], "timeout");
    set(&mut client, "effort", "low");
    let messages = client.respond("apply_flag_settings", json!({}));
    assert_eq!(answer(&messages)["result"]["configOptions"][0]["currentValue"], "default");
}

#[test]
fn never_asking_has_to_be_allowed() {
    let mut client = Client::new(false);
    client.call("initialize", json!({ "protocolVersion": 1 }));
    client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
    let opened = client.shake_hands();
    let modes = opened[0]["result"]["modes"]["availableModes"].to_string();
    assert!(!modes.contains("bypassPermissions"));
    assert_eq!(answer(&set_mode(&mut client, "bypassPermissions"))["error"]["code"], -32602);
    assert!(!client.starts[0].1.allow_bypass);
}

#[test]
fn models_bring_their_efforts() {
    let mut client = Client::open(json!({}));
    let orders = |client: &mut Client| client.written().remove(0)["request"].clone();
    set(&mut client, "effort", "high");
    assert_eq!(orders(&mut client)["settings"], json!({ "effortLevel": "high" }));
    client.respond("apply_flag_settings", json!({}));
    set(&mut client, "effort", "default");
    assert_eq!(orders(&mut client)["settings"], json!({ "effortLevel": null }));
    client.respond("apply_flag_settings", json!({}));
    set(&mut client, "thinking", "off");
    assert_eq!(orders(&mut client)["max_thinking_tokens"], 0);
    client.respond("set_max_thinking_tokens", json!({}));
    set(&mut client, "model", "haiku");
    assert_eq!(orders(&mut client)["model"], "haiku");
    let messages = client.respond("set_model", json!({}));
    let options = answer(&messages)["result"]["configOptions"].as_array().unwrap().clone();
    let ids: Vec<_> = options.iter().map(|option| option["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["mode", "model", "thinking"], "this model has no effort");
    assert_eq!(answer(&set(&mut client, "effort", "high"))["error"]["code"], -32602);
    assert_eq!(answer(&set(&mut client, "model", "nonsense"))["error"]["code"], -32602);
    assert_eq!(answer(&set(&mut client, "volume", "high"))["error"]["code"], -32602);
}

#[test]
fn what_was_chosen_outlives_the_process() {
    let mut client = Client::open(json!({}));
    client.exit(Some(0), None, "");
    assert!(answer(&set_mode(&mut client, "acceptEdits"))["result"].is_object());
    set(&mut client, "model", "haiku");
    client.prompt("hello");
    let launch = &client.starts[1].1;
    assert_eq!((launch.mode.as_deref(), launch.model.as_deref()), (Some("acceptEdits"), Some("haiku")));
}

#[test]
fn the_cli_changes_mode_and_model_by_itself() {
    let mut client = Client::open(json!({}));
    client.prompt("hello");
    let init = json!({
        "type": "system", "subtype": "init", "session_id": SESSION, "model": "claude-haiku-4-5",
        "permissionMode": "acceptEdits",
    });
    let messages = client.native(&init);
    assert_eq!(updates(&messages, "current_mode_update")[0]["currentModeId"], "acceptEdits");
    let options = &updates(&messages, "config_option_update")[0]["configOptions"];
    assert_eq!(options[1]["currentValue"], "haiku");
}
