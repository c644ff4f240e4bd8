//! How sessions are opened, and why they are not.

use crate::client::{Client, SESSION, STORED, answer, initialized, updates};
use sa_claude::Conversation;
use serde_json::{Value, json};

fn asked(servers: Value) -> Client {
    let mut client = Client::greeted(json!({}));
    client.call("session/new", json!({ "cwd": "/project", "mcpServers": servers }));
    client
}

#[test]
fn a_new_session_tells_its_modes_options_and_commands() {
    let mut client = asked(json!([]));
    let messages = client.shake_hands();
    insta::assert_json_snapshot!(messages);
    assert_eq!(client.starts[0].1.conversation, Conversation::New { id: SESSION.to_owned() });
}

#[test]
fn without_credentials_none_is_opened() {
    let mut client = asked(json!([]));
    let mut answers = initialized();
    answers["account"] = json!({ "tokenSource": "none", "apiProvider": "firstParty" });
    client.respond("get_settings", json!({}));
    client.respond("get_binary_version", json!({ "version": "2.1.197" }));
    let messages = client.respond("initialize", answers);
    assert_eq!(answer(&messages)["error"]["code"], -32000);
    assert_eq!(client.ends.len(), 1, "the process is not kept");
}

#[test]
fn an_old_cli_is_refused_by_name() {
    for answers in [true, false] {
        let mut client = asked(json!([]));
        client.respond("initialize", initialized());
        client.respond("get_settings", json!({}));
        let messages = match answers {
            true => client.respond("get_binary_version", json!({ "version": "2.0.14" })),
            false => client.wait(5_000),
        };
        let error = &answer(&messages)["error"];
        assert_eq!(error["data"]["errorKind"], "version_too_old");
        assert!(error["message"].as_str().unwrap().contains("2.1.113"), "{error}");
    }
}

#[test]
fn a_cli_that_does_not_get_ready_is_given_up() {
    let mut client = asked(json!([]));
    assert!(client.wait(59_000).is_empty());
    let messages = client.wait(2_000);
    assert!(answer(&messages)["error"]["message"].as_str().unwrap().contains("ready"), "{messages:?}");
    assert_eq!(client.ends.len(), 1);
}

#[test]
fn a_cli_that_cannot_start_is_told() {
    let mut client = asked(json!([]));
    let messages = client.fail_to_start("program not found: claude");
    let error = &answer(&messages)["error"];
    assert_eq!(error["data"]["errorKind"], "spawn_failed");
    assert!(error["message"].as_str().unwrap().contains("program not found: claude"));
}

#[test]
fn a_session_needs_a_directory_that_exists() {
    for cwd in ["project", "/elsewhere"] {
        let mut client = Client::greeted(json!({}));
        let messages = client.call("session/new", json!({ "cwd": cwd, "mcpServers": [] }));
        assert_eq!(answer(&messages)["error"]["code"], -32602);
        assert!(client.starts.is_empty());
    }
}

#[test]
fn loading_tells_the_history_before_the_answer_and_keeps_the_mode() {
    let mut client = Client::greeted(json!({}));
    client.call("session/load", json!({ "sessionId": STORED, "cwd": "/project", "mcpServers": [] }));
    let launch = &client.starts[0].1;
    assert_eq!(launch.conversation, Conversation::Resumed { id: STORED.to_owned() });
    assert_eq!(launch.mode.as_deref(), Some("plan"));
    let messages = client.shake_hands();
    let kinds: Vec<_> =
        messages.iter().map(|message| message["params"]["update"]["sessionUpdate"].as_str()).collect();
    let expected =
        [Some("user_message_chunk"), Some("agent_message_chunk"), None, Some("available_commands_update")];
    assert_eq!(kinds, expected);
    assert_eq!(messages[2]["result"]["modes"]["currentModeId"], "plan");
}

#[test]
fn a_session_that_does_not_exist_is_not_found() {
    let mut client = Client::greeted(json!({}));
    let place = |id: &str| json!({ "sessionId": id, "cwd": "/project", "mcpServers": [] });
    assert_eq!(answer(&client.call("session/load", place(SESSION)))["error"]["code"], -32002);
    assert_eq!(answer(&client.call("session/resume", place("../escape")))["error"]["code"], -32002);
    assert!(client.starts.is_empty());
    client.call("session/resume", place(SESSION));
    client.native(&json!({
        "type": "result", "subtype": "error_during_execution", "is_error": true,
        "errors": ["No conversation found with session ID: x"],
    }));
    let messages = client.exit(Some(1), None, "");
    assert_eq!(answer(&messages)["error"]["code"], -32002);
}

#[test]
fn forking_starts_a_copy_under_a_new_id() {
    let mut client = Client::greeted(json!({}));
    client.call("session/fork", json!({ "sessionId": STORED, "cwd": "/project", "mcpServers": [] }));
    let expected = Conversation::Forked { from: STORED.to_owned(), id: SESSION.to_owned() };
    assert_eq!(client.starts[0].1.conversation, expected);
    let messages = client.shake_hands();
    assert_eq!(messages[0]["result"]["sessionId"], SESSION);
}

#[test]
fn a_session_that_is_open_keeps_its_process_when_it_is_resumed() {
    let mut client = Client::open(json!({}));
    let params = json!({ "sessionId": SESSION, "cwd": "/project", "mcpServers": [] });
    let messages = client.call("session/resume", params);
    assert!(messages[0]["result"].is_object());
    assert_eq!(client.starts.len(), 1);
    // In another place it needs another process, and never two at a time.
    let params = json!({ "sessionId": SESSION, "cwd": "/project/sub", "mcpServers": [] });
    assert!(client.call("session/resume", params).is_empty());
    assert_eq!((client.starts.len(), client.ends.len()), (1, 1));
    client.exit(Some(0), None, "");
    assert_eq!(client.starts.len(), 2);
    assert!(client.shake_hands()[0]["result"].is_object());
}

#[test]
fn the_first_prompt_waits_for_slow_mcp_servers() {
    let servers = json!([{ "name": "slow", "command": "/bin/slow", "args": ["x"], "env": [{ "name": "A", "value": "b" }] }]);
    let mut client = asked(servers);
    client.respond("initialize", initialized());
    client.respond("get_binary_version", json!({ "version": "2.1.197" }));
    let opened = client.respond("get_settings", json!({}));
    assert_eq!(opened[0]["result"]["sessionId"], SESSION, "the session is there at once");
    let set =
        client.written().into_iter().find(|line| line["request"]["subtype"] == "mcp_set_servers").unwrap();
    let server = json!({ "type": "stdio", "command": "/bin/slow", "args": ["x"], "env": { "A": "b" } });
    assert_eq!(set["request"]["servers"], json!({ "slow": server }));
    client.prompt("use it");
    client.respond("mcp_set_servers", json!({}));
    client.respond("mcp_status", json!({ "mcpServers": [{ "name": "slow", "status": "pending" }] }));
    client.wait(1_000);
    assert!(!client.written().iter().any(|line| line["type"] == "user"), "it waits");
    client.respond("mcp_status", json!({ "mcpServers": [{ "name": "slow", "status": "connected" }] }));
    assert!(client.written().iter().any(|line| line["type"] == "user"));
}

#[test]
fn servers_that_never_answer_hold_the_prompt_for_a_while_only() {
    let mut client =
        asked(json!([{ "type": "http", "name": "web", "url": "http://127.0.0.1:1/", "headers": [] }]));
    client.shake_hands();
    client.prompt("use it");
    client.written();
    let messages = client.wait(31_000);
    assert!(client.written().iter().any(|line| line["type"] == "user"));
    let told = updates(&messages, "session_info_update");
    assert!(!told[0]["_meta"]["claudeCode"]["mcp"].is_null(), "and it is told: {told:?}");
}
