//! Modes, and what a process is started with.

use crate::client::{Client, THREAD, answer, host, updates};
use sa_amp::Launch;
use serde_json::{Value, json};

fn work(client: &Client) -> (Option<String>, bool, Value) {
    match &client.starts.last().unwrap().1 {
        Launch::Work { agent_mode, bypass, settings, .. } => {
            (agent_mode.clone(), *bypass, serde_json::from_str(settings).unwrap())
        }
        other => panic!("no work: {other:?}"),
    }
}

#[test]
fn a_mode_is_told_in_both_forms_and_counts_from_the_next_prompt() {
    let mut client = Client::open();
    client.prompt("one");
    assert_eq!(
        work(&client).2["amp.permissions"][0],
        json!({ "tool": "*", "action": "delegate", "to": "/helper" })
    );
    client.says("One.");
    let messages = client.set_mode("bypass");
    assert_eq!(updates(&messages, "current_mode_update")[0]["currentModeId"], "bypass");
    assert_eq!(updates(&messages, "config_option_update").len(), 1);
    assert!(client.prompt("two").is_empty());
    assert_eq!(client.ends.len(), 1, "the process cannot change its ways");
    client.exit(Some(0), None, "");
    assert_eq!(work(&client), (None, true, json!({})));
    client.says("Two.");
    assert_eq!(answer(&client.set_mode("nonsense"))["error"]["code"], -32602);
}

#[test]
fn the_agent_mode_is_one_of_those_that_this_version_has() {
    let mut client = Client::open();
    let set = |client: &mut Client, value: &str| {
        client.call(
            "session/set_config_option",
            json!({ "sessionId": THREAD, "configId": "agent_mode", "value": value }),
        )
    };
    let messages = set(&mut client, "rush");
    assert_eq!(answer(&messages)["result"]["configOptions"][1]["currentValue"], "rush");
    client.prompt("one");
    assert_eq!(work(&client).0.as_deref(), Some("rush"));
    assert_eq!(answer(&set(&mut client, "free"))["error"]["code"], -32602);
    set(&mut client, "default");
    client.says("One.");
    client.prompt("two");
    client.exit(Some(0), None, "");
    assert_eq!(work(&client).0, None);
}

#[test]
fn never_asking_has_to_be_allowed() {
    let mut host = host();
    host.allow_bypass = false;
    let mut client = Client::open_with(host, THREAD, json!([]));
    assert_eq!(answer(&client.set_mode("bypass"))["error"]["code"], -32602);
}

#[test]
fn servers_of_the_client_are_in_the_settings_not_on_the_command_line() {
    let servers = json!([
        { "name": "one", "command": "/bin/server", "args": ["-x"], "env": [{ "name": "KEY", "value": "secret" }] },
        { "type": "http", "name": "two", "url": "http://127.0.0.1:1/", "headers": [{ "name": "a", "value": "b" }] },
    ]);
    let mut client = Client::open_with(host(), THREAD, servers);
    client.prompt("one");
    let (_, _, settings) = work(&client);
    assert_eq!(
        settings["amp.mcpServers"],
        json!({
            "one": { "command": "/bin/server", "args": ["-x"], "env": { "KEY": "secret" } },
            "two": { "url": "http://127.0.0.1:1/", "headers": { "a": "b" } },
        })
    );
    let launch = &client.starts.last().unwrap().1;
    let arguments = launch.arguments(std::path::Path::new("/settings"));
    assert!(!arguments.iter().any(|word| word.to_string_lossy().contains("secret")));
}
