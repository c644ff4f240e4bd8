//! Modes, models and the other options, from both sides.

use crate::client::{Client, SESSION, said, transcript, updates};
use serde_json::{Value, json};

fn set(client: &mut Client, config: &str, value: Value) -> Vec<Value> {
    let mut params = json!({ "sessionId": SESSION, "configId": config, "value": value });
    if value.is_boolean() {
        params["type"] = json!("boolean");
    }
    client.call("session/set_config_option", params)
}

#[test]
fn setting_an_option_answers_with_all_of_them() {
    let mut client = Client::open(json!({}));
    let messages = set(&mut client, "effort", json!("high"));
    insta::assert_snapshot!(transcript(&messages));
    set(&mut client, "model", json!("demo-large"));
    let echo = said(&client.prompt("hello")).concat();
    assert!(echo.contains("demo-large, effort high"), "{echo}");
}

#[test]
fn the_mode_follows_in_both_of_its_forms() {
    let mut client = Client::open(json!({}));
    let messages = client.call("session/set_mode", json!({ "sessionId": SESSION, "modeId": "plan" }));
    assert_eq!(updates(&messages, "current_mode_update")[0]["currentModeId"], "plan");
    assert_eq!(updates(&messages, "config_option_update")[0]["configOptions"][0]["currentValue"], "plan");
    assert_eq!(messages.last().unwrap()["result"], json!({}));

    let messages = set(&mut client, "mode", json!("ask"));
    assert_eq!(updates(&messages, "current_mode_update")[0]["currentModeId"], "ask");
    assert_eq!(messages.last().unwrap()["result"]["configOptions"][0]["currentValue"], "ask");
}

#[test]
fn the_agent_switches_by_itself() {
    let mut client = Client::open(json!({}));
    insta::assert_snapshot!(transcript(
        &client.prompt("mode ask\nmodel demo-small\neffort low\nmodel gpt\nconfig")
    ));
}

#[test]
fn switches_are_for_clients_that_know_them() {
    let mut client = Client::open(json!({}));
    assert_eq!(set(&mut client, "fast", json!(true))[0]["error"]["code"], -32602);

    let mut client = Client::open(json!({ "session": { "configOptions": { "boolean": {} } } }));
    let answer = set(&mut client, "fast", json!(true));
    let options = answer[0]["result"]["configOptions"].as_array().unwrap();
    let fast = options.iter().find(|option| option["id"] == "fast").expect("the switch");
    assert_eq!((&fast["type"], &fast["currentValue"]), (&json!("boolean"), &json!(true)));
    assert!(said(&client.prompt("config")).concat().contains("fast: on"));
    assert_eq!(set(&mut client, "fast", json!("yes"))[0]["error"]["code"], -32602);
}
