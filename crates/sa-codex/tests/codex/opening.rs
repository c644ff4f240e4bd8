//! How sessions are opened: the handshake with the app-server, credentials, versions, histories.

use crate::client::{Client, THREAD, answer, host, opened, stop_reason, text, updates};
use sa_acp::Ended;
use serde_json::{Value, json};

fn place() -> Value {
    json!({ "cwd": "/project", "mcpServers": [] })
}

fn known(id: &str) -> Value {
    json!({ "sessionId": id, "cwd": "/project", "mcpServers": [] })
}

#[test]
fn a_new_session_tells_its_modes_and_options() {
    let mut client = Client::greeted(host(), json!({}));
    assert!(client.starts.is_empty(), "nothing is started before it is needed");
    client.call("session/new", place());
    assert!(client.starts[0].1.ephemeral, "the key is not stored");
    client.shake_hands();
    let start = client.peer.open.iter().find(|request| request["method"] == "thread/start").unwrap();
    insta::assert_json_snapshot!("thread_start", start["params"]);
    let messages = client.respond("thread/start", opened(THREAD));
    insta::assert_json_snapshot!("new_session", answer(&messages)["result"]);
}

#[test]
fn commands_are_what_the_cli_can_do_and_its_skills() {
    let mut client = Client::greeted(host(), json!({}));
    client.call("session/new", place());
    client.shake_hands();
    client.respond("thread/start", opened(THREAD));
    let skill =
        json!({ "name": "greet", "description": "Greets\npolitely", "path": "/s/SKILL.md", "enabled": true });
    let off = json!({ "name": "off", "description": "", "path": "/o/SKILL.md", "enabled": false });
    let messages =
        client.respond("skills/list", json!({ "data": [{ "cwd": "/project", "skills": [skill, off] }] }));
    let commands = &updates(&messages, "available_commands_update")[0]["availableCommands"];
    let names: Vec<_> =
        commands.as_array().unwrap().iter().map(|command| command["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["compact", "review", "greet"]);
    client.prompt("/greet Bob");
    let input = client.take("turn/start")["params"]["input"].clone();
    assert_eq!(
        input,
        json!([
            { "type": "skill", "name": "greet", "path": "/s/SKILL.md" },
            { "type": "text", "text": "/greet Bob" },
        ])
    );
}

#[test]
fn without_credentials_a_session_asks_for_them() {
    let mut host = host();
    host.options.api_key = None;
    let mut client = Client::greeted(host, json!({}));
    client.call("session/new", place());
    assert!(!client.starts[0].1.ephemeral, "the CLI's own login counts");
    client.respond("initialize", json!({ "userAgent": "x/0.166.0 (y)" }));
    client.respond("account/read", json!({ "account": null, "requiresOpenaiAuth": true }));
    client.respond("model/list", json!({ "data": [] }));
    let messages = client.respond("command/exec", json!({ "exitCode": 0 }));
    assert_eq!(answer(&messages)["error"]["code"], -32000);
    // Somebody logs in, in a terminal; the next process looks for that.
    client.call("authenticate", json!({ "methodId": "codex-login" }));
    assert_eq!(client.ends.len(), 1);
    client.exit(Some(0), None, "");
    assert_eq!(client.starts.len(), 2);
    let messages = client.shake_hands();
    assert_eq!(answer(&messages)["result"], json!({}));
    client.call("session/new", place());
    let messages = client.respond("thread/start", opened(THREAD));
    assert_eq!(answer(&messages)["result"]["sessionId"], THREAD);
}

#[test]
fn a_key_that_the_cli_does_not_take_is_told() {
    let mut client = Client::greeted(host(), json!({}));
    client.call("session/new", place());
    client.respond("initialize", json!({ "userAgent": "x/0.166.0 (y)" }));
    assert!(!client.awaits("account/login/start"), "nothing else is answered meanwhile");
    client.respond("model/list", json!({ "data": [] }));
    let login = client.peer.open.iter().find(|request| request["method"] == "account/login/start").unwrap();
    assert_eq!(login["params"], json!({ "type": "apiKey", "apiKey": "sk-fake" }));
    let messages = client.refuse("account/login/start", "API key login is disabled");
    assert_eq!(answer(&messages)["error"]["code"], -32000);
    assert_eq!(client.ends.len(), 1);
}

#[test]
fn versions_that_are_too_old_are_refused() {
    let mut client = Client::greeted(host(), json!({}));
    client.call("session/new", place());
    let messages = client.respond("initialize", json!({ "userAgent": "x/0.101.0 (y)" }));
    let error = &answer(&messages)["error"];
    assert_eq!(error["data"]["errorKind"], "version_too_old");
    assert_eq!(error["message"], "Codex 0.144.0 or newer is needed; this is 0.101.0");
}

#[test]
fn a_program_that_is_missing_or_mute_fails_the_session() {
    let mut client = Client::greeted(host(), json!({}));
    client.call("session/new", place());
    let messages = client.ended(&Ended { not_started: Some("no such file".to_owned()), ..Ended::default() });
    assert_eq!(answer(&messages)["error"]["data"]["errorKind"], "spawn_failed");
    client.call("session/new", place());
    assert_eq!(client.starts.len(), 2, "the next request tries again");
    let messages = client.exit(Some(1), None, "\u{1b}[31mError\u{1b}[0m: model_providers is reserved\n");
    assert_eq!(
        answer(&messages)["error"]["message"],
        "Codex ended with exit code 1: Error: model_providers is reserved"
    );
    client.call("session/new", place());
    let messages = client.wait(61_000);
    assert_eq!(answer(&messages)["error"]["data"]["errorKind"], "handshake_failed");
}

#[test]
fn loading_tells_what_was_said_and_resuming_does_not() {
    let turns = json!([{ "id": "t1", "status": "completed", "items": [
        { "type": "userMessage", "id": "u", "content": [{ "type": "text", "text": "before" }] },
        { "type": "reasoning", "id": "r", "summary": ["a", "b"], "content": [] },
        {
            "type": "commandExecution", "id": "c", "command": "/bin/bash -lc 'exit 3'", "cwd": "/project",
            "status": "failed", "commandActions": [], "aggregatedOutput": "oops\n", "exitCode": 3,
        },
        {
            "type": "fileChange", "id": "f", "status": "completed",
            "changes": [{ "path": "/project/a.txt", "kind": { "type": "update" }, "diff": "@@ -1 +1 @@\n-x\n+y\n" }],
        },
        { "type": "newThing", "id": "n" },
        { "type": "agentMessage", "id": "m", "text": "indeed" },
    ] }]);
    let mut thread = opened(THREAD);
    thread["thread"]["turns"] = turns;
    let mut client = Client::greeted(host(), json!({}));
    client.call("session/load", known(THREAD));
    client.shake_hands();
    let mut messages = client.respond("thread/resume", thread.clone());
    assert!(messages.iter().all(|message| message.get("result").is_none()), "the commands come first");
    messages.extend(client.respond("skills/list", json!({ "data": [] })));
    assert_eq!(text(&messages, "user_message_chunk"), "before");
    assert_eq!(text(&messages, "agent_thought_chunk"), "a\n\nb");
    assert_eq!(text(&messages, "agent_message_chunk"), "indeed");
    assert_eq!(updates(&messages, "tool_call").len(), 3);
    assert_eq!(updates(&messages, "tool_call_update")[0]["status"], "failed");
    let diff = &updates(&messages, "tool_call")[1]["content"][0];
    assert_eq!((&diff["oldText"], &diff["newText"]), (&json!("x\n"), &json!("y\n")), "not the file of today");
    assert!(messages.last().unwrap().get("result").is_some(), "the answer comes last");

    let mut client = Client::greeted(host(), json!({}));
    client.call("session/resume", known(THREAD));
    client.shake_hands();
    assert!(client.respond("thread/resume", thread).is_empty());
    let messages = client.respond("skills/list", json!({ "data": [] }));
    assert_eq!((messages.len(), messages[1].get("result").is_some()), (2, true), "{messages:?}");
}

#[test]
fn an_open_session_can_be_loaded_again_but_not_twice_at_once() {
    let mut client = Client::open(json!({}));
    client.call("session/load", known(THREAD));
    let busy = client.call("session/load", known(THREAD));
    assert_eq!(answer(&busy)["error"]["data"]["errorKind"], "busy");
    let item = json!({ "type": "agentMessage", "id": "m", "text": "said" });
    let turn = json!({ "id": "t1", "items": [item] });
    let messages = client.respond("thread/read", json!({ "thread": { "id": THREAD, "turns": [turn] } }));
    assert_eq!(text(&messages, "agent_message_chunk"), "said");
    let mut other = known(THREAD);
    other["mcpServers"] = json!([{ "name": "x", "command": "/x", "args": [], "env": [] }]);
    let messages = client.call("session/load", other);
    assert_eq!(answer(&messages)["error"]["data"]["errorKind"], "busy");
}

#[test]
fn a_session_that_waits_for_the_app_server_is_not_opened_twice() {
    let mut client = Client::greeted(host(), json!({}));
    assert!(client.call("session/load", known(THREAD)).is_empty());
    let busy = client.call("session/load", known(THREAD));
    assert_eq!(answer(&busy)["error"]["data"]["errorKind"], "busy");
    client.shake_hands();
    client.respond("thread/resume", opened(THREAD));
    assert!(!client.awaits("thread/resume"));
    let messages = client.respond("skills/list", json!({ "data": [] }));
    assert!(answer(&messages)["result"].is_object(), "{messages:?}");
}

#[test]
fn unknown_sessions_are_not_found() {
    let mut client = Client::open(json!({}));
    for method in ["session/load", "session/resume", "session/fork"] {
        client.call(method, known("nope"));
        let native = if method == "session/fork" { "thread/fork" } else { "thread/resume" };
        let messages = client.refuse(native, "no rollout found for thread id nope");
        assert_eq!(answer(&messages)["error"]["code"], -32002, "{method}");
    }
    let prompt = json!({ "sessionId": "nope", "prompt": [{ "type": "text", "text": "x" }] });
    assert_eq!(answer(&client.call("session/prompt", prompt))["error"]["code"], -32002);
    assert_eq!(
        answer(&client.call("session/close", json!({ "sessionId": "nope" })))["error"]["code"],
        -32002
    );
    client.call("session/delete", json!({ "sessionId": "nope" }));
    let messages = client.refuse("thread/delete", "no rollout found for thread id nope");
    assert_eq!(answer(&messages)["result"], json!({}), "it is gone, as was wanted");
}

#[test]
fn ids_that_cannot_be_a_threads_are_not_found() {
    let mut client = Client::open(json!({}));
    for reason in
        ["invalid session id: invalid length", "invalid thread id: invalid length", "thread not found: nope"]
    {
        client.call("session/load", known("nope"));
        let messages = client.refuse("thread/resume", reason);
        assert_eq!(answer(&messages)["error"]["code"], -32002, "{reason}");
    }
}

#[test]
fn a_thread_is_not_lost_because_something_else_is_not_found() {
    let reason = "failed to load configuration: Model provider `x` not found";
    let mut client = Client::open(json!({}));
    client.call("session/load", known("t9"));
    let messages = client.refuse("thread/resume", reason);
    assert_eq!(answer(&messages)["error"]["data"]["errorKind"], "open_failed");
    client.call("session/delete", json!({ "sessionId": "t9" }));
    client.refuse("thread/delete", reason);
    let messages = client.refuse("thread/archive", reason);
    assert_eq!(answer(&messages)["error"]["data"]["errorKind"], "delete_failed");
}

#[test]
fn what_copies_were_made_of_is_put_away_instead_of_deleted() {
    let mut client = Client::open(json!({}));
    client.call("session/delete", json!({ "sessionId": THREAD }));
    client.respond("thread/unsubscribe", json!({ "status": "unsubscribed" }));
    client.tell("thread/closed", json!({}));
    client.refuse("thread/delete", "cannot delete thread: forked history still references it");
    let messages = client.respond("thread/archive", json!({}));
    assert_eq!(answer(&messages)["result"], json!({}));
    let messages = client.prompt("x");
    assert_eq!(answer(&messages)["error"]["code"], -32002);
}

#[test]
fn the_list_has_what_is_stored_and_what_is_open() {
    let mut client = Client::open(json!({}));
    client.call("session/list", json!({}));
    let stored = json!({ "id": "t2", "preview": "first words\nmore", "name": null, "cwd": "/project", "updatedAt": 1_794_767_121 });
    let messages = client.respond("thread/list", json!({ "data": [stored], "nextCursor": "more" }));
    let result = &answer(&messages)["result"];
    assert_eq!(result["nextCursor"], "more");
    assert_eq!(result["sessions"][0]["sessionId"], THREAD, "nothing is stored of it yet");
    assert_eq!(result["sessions"][1]["title"], "first words…");
    assert_eq!(result["sessions"][1]["updatedAt"], "2026-11-15T18:25:21.000Z");
    client.call("session/list", json!({ "cursor": "more" }));
    let messages = client.respond("thread/list", json!({ "data": [] }));
    assert_eq!(answer(&messages)["result"]["sessions"], json!([]));
}

#[test]
fn places_that_are_no_directories_are_refused() {
    let mut client = Client::greeted(host(), json!({}));
    for cwd in ["relative", "/elsewhere"] {
        let messages = client.call("session/new", json!({ "cwd": cwd, "mcpServers": [] }));
        assert_eq!(answer(&messages)["error"]["code"], -32602);
    }
    let sse = json!({ "type": "sse", "name": "x", "url": "http://x", "headers": [] });
    let messages = client.call("session/new", json!({ "cwd": "/project", "mcpServers": [sse] }));
    assert_eq!(answer(&messages)["error"]["code"], -32602);
    assert!(client.starts.is_empty());
}

#[test]
fn mcp_servers_whose_names_become_the_same_are_refused() {
    let mut client = Client::greeted(host(), json!({}));
    let server = |name: &str| json!({ "name": name, "command": "/bin/s", "args": [], "env": [] });
    let servers = [server("my db"), server("web"), server("my_db")];
    let refused = client.call("session/new", json!({ "cwd": "/project", "mcpServers": servers }));
    let error = &answer(&refused)["error"];
    assert_eq!(error["code"], -32602, "{error}");
    assert!(error["data"]["reason"].as_str().unwrap().contains("`my db` and `my_db`"), "{error}");
    assert!(client.starts.is_empty());
}

#[test]
fn the_first_prompt_waits_for_mcp_servers() {
    let mut client = Client::greeted(host(), json!({}));
    let stdio = json!({ "name": "my server", "command": "/bin/s", "args": ["-x"], "env": [{ "name": "A", "value": "1" }] });
    let http = json!({ "type": "http", "name": "web", "url": "http://h/mcp", "headers": [{ "name": "K", "value": "v" }] });
    client.call("session/new", json!({ "cwd": "/project", "mcpServers": [stdio, http] }));
    client.shake_hands();
    let config = &client.peer.open.iter().find(|request| request["method"] == "thread/start").unwrap()["params"]
        ["config"];
    assert_eq!(
        config["mcp_servers"],
        json!({
            "my_server": { "command": "/bin/s", "args": ["-x"], "env": { "A": "1" }, "startup_timeout_sec": 28 },
            "web": { "url": "http://h/mcp", "http_headers": { "K": "v" }, "startup_timeout_sec": 28 },
        })
    );
    client.respond("thread/start", opened(THREAD));
    client.prompt("hello");
    let status = |name: &str, status: &str| json!({ "name": name, "status": status, "error": "why" });
    client.tell("mcpServer/startupStatus/updated", status("my_server", "starting"));
    client.tell("mcpServer/startupStatus/updated", status("my_server", "ready"));
    assert!(!client.awaits("turn/start"));
    let messages = client.tell("mcpServer/startupStatus/updated", status("web", "failed"));
    assert!(client.awaits("turn/start"));
    let remark = &updates(&messages, "session_info_update")[0]["_meta"]["codex"]["mcp"];
    assert_eq!(remark["unavailable"][0]["name"], "web");
}

#[test]
fn the_first_prompt_does_not_wait_for_ever() {
    let mut client = Client::greeted(host(), json!({ "session": { "notices": {} } }));
    let stdio = json!({ "name": "slow", "command": "/bin/s", "args": [], "env": [] });
    client.call("session/new", json!({ "cwd": "/project", "mcpServers": [stdio] }));
    client.shake_hands();
    client.respond("thread/start", opened(THREAD));
    client.prompt("hello");
    let messages = client.wait(1_000);
    assert_eq!(updates(&messages, "notice")[0]["title"], "Waiting for MCP server 'slow'");
    assert!(updates(&client.wait(28_000), "notice").is_empty(), "once");
    assert!(!client.awaits("turn/start"));
    let messages = client.wait(2_000);
    let notice = updates(&messages, "notice")[0];
    assert_eq!(notice["title"], "MCP server 'slow' is not available");
    assert!(notice["description"].as_str().unwrap().starts_with("not ready after 30 s"), "{notice}");
    client.respond("turn/start", json!({ "turn": { "id": "t1" } }));
    assert_eq!(stop_reason(&client.end("t1", "completed")), "end_turn");
}

#[test]
fn what_is_not_understood_before_there_is_a_session_is_told_to_the_first() {
    let mut client = Client::greeted(host(), json!({}));
    client.call("session/new", place());
    assert!(client.native(&json!({ "method": "from/theFuture", "params": {} })).is_empty());
    client.shake_hands();
    let messages = client.respond("thread/start", opened(THREAD));
    let kept = &updates(&messages, "session_info_update")[0]["_meta"]["codex"]["unparsed"];
    assert_eq!(kept["raw"]["method"], "from/theFuture");
    assert_eq!(messages[0]["result"]["sessionId"], THREAD, "after the session is known");
}

#[test]
fn a_thread_that_another_process_holds_is_tried_again() {
    let resume = json!({ "sessionId": "t9", "cwd": "/project", "mcpServers": [] });
    let busy = "thread t9 already has an active writer";
    let mut client = Client::open(json!({}));
    client.call("session/resume", resume.clone());
    assert!(client.refuse("thread/resume", busy).is_empty(), "it will be free soon");
    assert!(!client.awaits("thread/resume"), "not at once");
    let messages = client.call("session/resume", resume.clone());
    assert_eq!(answer(&messages)["error"]["data"]["errorKind"], "busy", "it is being opened");
    client.wait(100);
    client.respond("thread/resume", opened("t9"));
    let messages = client.respond("skills/list", json!({ "data": [] }));
    assert!(answer(&messages)["result"].is_object(), "{messages:?}");

    client.call("session/resume", json!({ "sessionId": "t8", "cwd": "/project", "mcpServers": [] }));
    let mut attempts = 0;
    let messages = loop {
        attempts += 1;
        let messages = client.refuse("thread/resume", busy);
        if !messages.is_empty() {
            break messages;
        }
        client.wait(100);
    };
    assert_eq!(
        answer(&messages)["error"]["data"]["errorKind"],
        "busy",
        "and not -32002: the session is there"
    );
    assert!((45..=52).contains(&attempts), "{attempts}");
}
