//! How sessions are opened, and why they are not.

use crate::client::{CLEARED, Client, SESSION, STORED, answer, initialized, updates};
use sa_claude::{NativeConversation, Token};
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
    assert_eq!(client.starts[0].1.conversation, NativeConversation::New { id: SESSION.to_owned() });
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
    assert_eq!(launch.conversation, NativeConversation::Resumed { id: STORED.to_owned() });
    assert_eq!(launch.mode.as_deref(), Some("plan"));
    let messages = client.shake_hands();
    let kinds: Vec<_> =
        messages.iter().map(|message| message["params"]["update"]["sessionUpdate"].as_str()).collect();
    let expected =
        [Some("user_message_chunk"), Some("agent_message_chunk"), Some("available_commands_update"), None];
    assert_eq!(kinds, expected, "nothing follows the answer");
    assert_eq!(messages[3]["result"]["modes"]["currentModeId"], "plan");
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
    let expected = NativeConversation::Forked { from: STORED.to_owned(), id: SESSION.to_owned() };
    assert_eq!(client.starts[0].1.conversation, expected);
    let messages = client.shake_hands();
    assert_eq!(messages[0]["result"]["sessionId"], SESSION);
}

#[test]
fn a_session_that_is_open_keeps_its_process_when_it_is_resumed() {
    let mut client = Client::open(json!({}));
    let params = json!({ "sessionId": SESSION, "cwd": "/project", "mcpServers": [] });
    let messages = client.call("session/resume", params);
    assert!(answer(&messages)["result"].is_object());
    assert_eq!(client.starts.len(), 1);
    // In another place it needs another process, and never two at a time.
    let params = json!({ "sessionId": SESSION, "cwd": "/project/sub", "mcpServers": [] });
    assert!(client.call("session/resume", params).is_empty());
    assert_eq!((client.starts.len(), client.ends.len()), (1, 1));
    client.exit(Some(0), None, "");
    assert_eq!(client.starts.len(), 2);
    assert!(answer(&client.shake_hands())["result"].is_object());
}

#[test]
fn a_cleared_session_goes_on_where_it_was_cleared() {
    let mut client = Client::open(json!({}));
    client.prompt("/clear");
    client.native(&json!({ "type": "system", "subtype": "init", "session_id": STORED }));
    assert_eq!(*client.moves.lock().unwrap(), [(SESSION.to_owned(), STORED.to_owned())]);
    client.native(&json!({ "type": "system", "subtype": "init", "session_id": STORED }));
    assert_eq!(client.moves.lock().unwrap().len(), 1, "it is noted once");
    // Another process of the agent.
    for (method, replayed) in [("session/load", 2), ("session/resume", 0)] {
        let mut later = Client::greeted(json!({}));
        later.call(method, json!({ "sessionId": CLEARED, "cwd": "/project", "mcpServers": [] }));
        assert_eq!(later.starts[0].1.conversation, NativeConversation::Resumed { id: STORED.to_owned() });
        let messages = later.shake_hands();
        assert_eq!(messages.len(), replayed + 2, "{messages:?}");
        assert!(
            messages
                .iter()
                .all(|message| message["params"]["sessionId"] == CLEARED || message["id"].is_number())
        );
    }
}

#[test]
fn opening_a_session_can_be_cancelled() {
    let mut client = asked(json!([]));
    let messages = client.notify("$/cancel_request", json!({ "requestId": 2 }));
    assert_eq!(answer(&messages)["error"]["code"], -32800, "{messages:?}");
    assert_eq!(client.ends.len(), 1, "the process is not kept");
    assert!(client.exit(Some(0), None, "").is_empty());
    assert!(client.notify("$/cancel_request", json!({ "requestId": 2 })).is_empty());
}

fn token() -> Token {
    let value = |name: &str| (name == "ANTHROPIC_API_KEY").then(|| "sk-mine".to_owned());
    Token::new(["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"], value)
}

/// A client with a credential of its own; the CLI says which settings are in force.
fn with_token(effective: Value) -> (Client, Vec<Value>) {
    let mut client = Client::with_token(true, Some(token()));
    client.greet(json!({}));
    client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
    client.respond("initialize", initialized());
    client.respond("get_binary_version", json!({ "version": "2.1.197" }));
    let set = client.peer.orders.iter().find(|(_, order)| order["subtype"] == "apply_flag_settings").unwrap();
    let env = json!({ "ANTHROPIC_API_KEY": "sk-mine", "ANTHROPIC_AUTH_TOKEN": "" });
    assert_eq!(set.1["settings"], json!({ "apiKeyHelper": "", "env": env }));
    let mut messages = client.respond("apply_flag_settings", Value::Null);
    messages.extend(client.respond("get_settings", json!({ "applied": {}, "effective": effective })));
    (client, messages)
}

#[test]
fn a_token_comes_before_the_settings_of_the_cli() {
    let ours = json!({ "ANTHROPIC_API_KEY": "sk-mine", "ANTHROPIC_AUTH_TOKEN": "" });
    let (client, messages) = with_token(json!({ "env": ours, "apiKeyHelper": "" }));
    assert_eq!(messages[0]["result"]["sessionId"], SESSION);
    let arguments: Vec<_> = client.starts[0].1.arguments();
    let line: String = arguments.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    assert!(line.contains("--settings") && !line.contains("sk-mine"), "{line}");
}

#[test]
fn a_token_that_would_not_be_used_is_refused() {
    let theirs = json!({ "ANTHROPIC_API_KEY": "sk-theirs", "ANTHROPIC_AUTH_TOKEN": "" });
    for effective in [json!({ "env": theirs }), Value::Null] {
        let (client, messages) = with_token(effective);
        let error = &answer(&messages)["error"];
        assert_eq!(error["code"], -32000, "{messages:?}");
        assert!(!error.to_string().contains("sk-"), "{error}");
        assert_eq!(client.ends.len(), 1, "the process is not kept");
    }
    let mut client = Client::with_token(true, Some(token()));
    client.greet(json!({}));
    client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
    let messages = client.refuse_order("apply_flag_settings", "no such request");
    assert_eq!(answer(&messages)["error"]["code"], -32000);
}

#[test]
fn a_setting_does_not_wait_for_slow_mcp_servers() {
    let mut client = asked(json!([{ "name": "slow", "command": "/bin/slow", "args": [], "env": [] }]));
    client.shake_hands();
    // The CLI answers nothing before it has reached the server.
    let set = json!({ "sessionId": SESSION, "configId": "mode", "value": "plan" });
    let messages = client.call("session/set_config_option", set);
    assert_eq!(answer(&messages)["result"]["configOptions"][0]["currentValue"], "plan");
    assert_eq!(client.peer.orders.last().unwrap().1["mode"], "plan", "the CLI gets it before the prompt");
    client.prompt("plan it");
    client.wait(15_000);
    client.respond("mcp_set_servers", json!({}));
    assert!(client.respond("set_permission_mode", json!({ "mode": "plan" })).is_empty());
    client.respond("mcp_status", json!({ "mcpServers": [{ "name": "slow", "status": "connected" }] }));
    assert!(client.written().iter().any(|line| line["type"] == "user"));
    // A setting that the CLI refuses later is reported.
    let mut client = asked(json!([{ "name": "slow", "command": "/bin/slow", "args": [], "env": [] }]));
    client.shake_hands();
    client.call("session/set_mode", json!({ "sessionId": SESSION, "modeId": "plan" }));
    client.respond("mcp_set_servers", json!({}));
    let messages = client.refuse_order("set_permission_mode", "not today");
    assert!(messages[0].to_string().contains("not today"), "{messages:?}");
}

#[test]
fn slow_and_failing_mcp_servers_are_notices() {
    let mut client = Client::greeted(json!({ "session": { "notices": {} } }));
    let server = |name: &str| json!({ "name": name, "command": "/bin/x", "args": [], "env": [] });
    let servers = json!([server("quick"), server("broken"), server("slow")]);
    client.call("session/new", json!({ "cwd": "/project", "mcpServers": servers }));
    client.shake_hands();
    assert!(client.wait(5_000).is_empty(), "nobody waits");
    client.prompt("use it");
    let messages = client.wait(1_000);
    let waits = updates(&messages, "notice");
    assert_eq!(waits[0]["title"], "Waiting for MCP servers 'broken', 'quick', 'slow'");
    assert_eq!((waits.len(), &waits[0]["severity"]), (1, &json!("info")));
    client.respond("mcp_set_servers", json!({}));
    let status = |slow: &str| {
        json!({ "mcpServers": [
            { "name": "quick", "status": "connected" },
            { "name": "broken", "status": "failed", "error": "spawn ENOENT" },
            { "name": "slow", "status": slow },
        ] })
    };
    assert!(client.respond("mcp_status", status("pending")).is_empty());
    client.wait(200);
    let messages = client.respond("mcp_status", status("needs-auth"));
    let told: Vec<_> = updates(&messages, "notice")
        .into_iter()
        .map(|notice| format!("{}: {}", notice["title"], notice["description"]))
        .collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("'broken'") && told[0].contains("spawn ENOENT"), "{told:?}");
    assert!(told[1].contains("'slow'") && told[1].contains("needs-auth"), "{told:?}");
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
    let missing = &told[0]["_meta"]["claudeCode"]["mcp"]["unavailable"][0];
    assert_eq!(missing["name"], "web", "a client without notices learns it, too: {told:?}");
    assert!(missing["error"].as_str().unwrap().contains("30 s"), "{missing}");
}
