//! Sessions: how they begin, continue and end.

use crate::client::{Client, SESSION, host, info, providers, requests};
use sa_acp::testing::{answer, updates};
use serde_json::{Value, json};
use std::time::Duration;

fn greeted() -> Client {
    let mut client = Client::new(host());
    client.call("initialize", json!({ "protocolVersion": 1 }));
    client
}

#[test]
fn nothing_is_started_before_it_is_needed() {
    let mut client = greeted();
    assert!(client.starts.is_empty());
    client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
    assert_eq!(client.starts.len(), 1);
    assert!(client.peer.calls.is_empty(), "nothing is asked before it listens: {:?}", client.names());
}

#[test]
fn the_vendors_own_service_is_not_used_unasked() {
    let mut client = greeted();
    let opened = {
        client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
        client.up();
        client.answer_facts();
        client.respond("POST /session", info(SESSION))
    };
    let options = answer(&opened)["result"]["configOptions"].to_string();
    assert!(options.contains(r#""currentValue":"anthropic/big""#), "{options}");
    client.prompt_in(SESSION, "hello");
    let call = client.take(&format!("POST /session/{SESSION}/message"));
    assert_eq!(call["body"]["model"], json!({ "providerID": "anthropic", "modelID": "big" }));
    assert_eq!(call["body"]["agent"], "build");
    assert!(call["body"]["variant"].is_null(), "the model has its own effort: {call}");
}

#[test]
fn without_credentials_they_are_asked_for() {
    let mut client = greeted();
    client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
    client.up();
    let mut hosted = providers();
    hosted["providers"].as_array_mut().unwrap().truncate(1);
    client.respond("GET /config/providers", hosted.clone());
    for to in ["GET /agent", "GET /command"] {
        client.respond(to, json!([]));
    }
    let refused = client.respond("GET /config", json!({}));
    assert_eq!(answer(&refused)["error"]["code"], -32000, "{refused:?}");
    // With a key for it, the vendor's own service was asked for.
    client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
    hosted["providers"][0]["key"] = json!("sk-zen");
    client.respond("GET /config/providers", hosted);
    for to in ["GET /agent", "GET /command"] {
        client.respond(to, json!([]));
    }
    client.respond("GET /config", json!({}));
    let opened = client.respond("POST /session", info(SESSION));
    assert!(answer(&opened)["result"].to_string().contains("opencode/free"), "{opened:?}");
}

#[test]
fn a_session_that_is_loaded_is_told_again() {
    let mut client = greeted();
    client.call("session/load", json!({ "sessionId": SESSION, "cwd": "/project", "mcpServers": [] }));
    client.up();
    client.answer_facts();
    client.respond(&format!("GET /session/{SESSION}"), info(SESSION));
    let text = |id: &str, text: &str| json!({ "id": id, "type": "text", "text": text });
    let tool = json!({
        "id": "p3", "type": "tool", "tool": "read", "callID": "c",
        "state": { "status": "completed", "input": { "filePath": "/project/a.txt" }, "output": "milk" },
    });
    let hidden = json!({ "id": "p4", "type": "text", "text": "made up", "synthetic": true });
    let history = json!([
        { "info": { "id": "m1", "role": "user" }, "parts": [text("p1", "what is there?"), hidden] },
        { "info": { "id": "m2", "role": "assistant" }, "parts": [text("p2", "I look."), tool] },
        { "info": { "id": "m3", "role": "assistant", "summary": true }, "parts": [text("p5", "in short")] },
    ]);
    let told = client.respond(&format!("GET /session/{SESSION}/message"), history);
    assert_eq!(updates(&told, "user_message_chunk").len(), 1, "{told:?}");
    assert_eq!(updates(&told, "agent_message_chunk").len(), 1, "{told:?}");
    assert_eq!(updates(&told, "tool_call_update")[0]["status"], "completed");
    let position = |fits: fn(&Value) -> bool| told.iter().position(fits);
    assert!(
        position(|it| it["method"].is_null()) > position(|it| it["params"]["update"]["toolCallId"] == "c")
    );
}

#[test]
fn an_unknown_session_is_not_found() {
    let mut client = greeted();
    client.call("session/resume", json!({ "sessionId": "ses_no", "cwd": "/project", "mcpServers": [] }));
    client.up();
    client.answer_facts();
    let refused = client.respond_as("GET /session/ses_no", 404, json!({ "name": "NotFoundError" }));
    assert_eq!(answer(&refused)["error"]["code"], -32002, "{refused:?}");
}

#[test]
fn a_directory_has_to_be_one() {
    let mut client = greeted();
    for cwd in ["project", "/nowhere"] {
        let refused = client.call("session/new", json!({ "cwd": cwd, "mcpServers": [] }));
        assert_eq!(answer(&refused)["error"]["code"], -32602, "{refused:?}");
    }
}

#[test]
fn after_its_process_ended_a_session_goes_on_in_another() {
    let mut client = Client::open();
    client.prompt_in(SESSION, "hello");
    client.message(SESSION, "m1");
    let failed = client.exit(None, Some(9), "it hurts\n");
    assert_eq!(answer(&failed)["error"]["data"]["signal"], 9, "{failed:?}");
    client.prompt_in(SESSION, "again");
    assert_eq!(client.starts.len(), 2);
    assert_ne!(client.starts[0].1.endpoint, client.starts[1].1.endpoint);
    client.up();
    client.respond(&format!("PATCH /session/{SESSION}"), json!({}));
    assert_eq!(client.names(), [format!("POST /session/{SESSION}/message")]);
    client.status(SESSION, "busy");
    let done = client.done(SESSION);
    assert_eq!(answer(&done)["result"]["stopReason"], "end_turn");
}

#[test]
fn a_port_that_was_taken_meanwhile_is_no_reason_to_give_up() {
    let mut client = greeted();
    client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
    let taken = "Error: Failed to start server. Is port 1 in use?\n";
    assert!(client.exit(Some(1), None, taken).is_empty());
    assert!(client.exit(Some(1), None, taken).is_empty());
    let failed = client.exit(Some(1), None, taken);
    assert_eq!(answer(&failed)["error"]["data"]["errorKind"], "process_exited", "{failed:?}");
    assert_eq!(client.starts.len(), 3);
}

#[test]
fn a_server_that_does_not_start_is_ended() {
    let mut client = greeted();
    client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
    let failed = client.pass(Duration::from_secs(61));
    assert_eq!(answer(&failed)["error"]["data"]["errorKind"], "handshake_failed", "{failed:?}");
    assert_eq!(client.ends.len(), 1);
}

#[test]
fn an_old_version_is_refused() {
    let mut client = greeted();
    client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
    client.native(&json!({ "up": true }));
    let refused = client.respond("GET /global/health", json!({ "healthy": true, "version": "1.1.53" }));
    assert_eq!(answer(&refused)["error"]["data"]["errorKind"], "version_too_old", "{refused:?}");
}

#[test]
fn mcp_servers_are_told_and_the_first_prompt_waits_for_them() {
    let mut client = greeted();
    let stdio = json!({ "name": "files", "command": "/bin/files", "args": ["-v"], "env": [{ "name": "A", "value": "1" }] });
    let web = json!({ "type": "http", "name": "web", "url": "http://127.0.0.1/mcp", "headers": [] });
    client.call("session/new", json!({ "cwd": "/project", "mcpServers": [stdio, web] }));
    client.up();
    client.answer_facts();
    client.respond("POST /session", info(SESSION));
    client.prompt_in(SESSION, "hello");
    let first = client.take("POST /mcp");
    assert_eq!(first["body"]["config"]["command"], json!(["/bin/files", "-v"]), "{first}");
    assert_eq!(first["body"]["config"]["environment"], json!({ "A": "1" }));
    client
        .native(&json!({ "id": first["id"], "status": 200, "body": { "files": { "status": "connected" } } }));
    assert!(!client.names().contains(&format!("POST /session/{SESSION}/message")), "it waits for the other");
    let failed = json!({ "web": { "status": "failed", "error": "refused" } });
    let told = client.respond("POST /mcp", failed);
    assert!(told[0].to_string().contains("unavailable"), "{told:?}");
    assert!(client.names().contains(&format!("POST /session/{SESSION}/message")), "{:?}", client.names());
    // They may have brought commands.
    client.respond("GET /command", json!([]));
    // Another session of the directory has nothing to do with them.
    client.another("ses_two", "/project");
    client.prompt_in("ses_two", "hello");
    let rules = client.take("PATCH /session/ses_two")["body"]["permission"].clone();
    let denied = json!({ "permission": "files_*", "pattern": "*", "action": "deny" });
    assert!(rules.as_array().unwrap().contains(&denied), "{rules}");
    // With its session, nobody wants them any more.
    client.notify("session/cancel", json!({ "sessionId": SESSION }));
    client.status(SESSION, "busy");
    client.done(SESSION);
    client.call("session/close", json!({ "sessionId": SESSION }));
    assert!(client.names().contains(&"POST /mcp/files/disconnect".to_owned()), "{:?}", client.names());
}

#[test]
fn a_session_is_closed_and_deleted() {
    let mut client = Client::open();
    client.prompt_in(SESSION, "hello");
    assert!(requests(&client.call("session/delete", json!({ "sessionId": SESSION }))).is_empty());
    client.status(SESSION, "busy");
    client.done(SESSION);
    client.respond(&format!("GET /session/{SESSION}"), info(SESSION));
    let deleted = client.respond(&format!("DELETE /session/{SESSION}"), json!(true));
    assert_eq!(answer(&deleted)["result"], json!({}));
    let refused = client.prompt_in(SESSION, "hello?");
    assert_eq!(answer(&refused)["error"]["code"], -32002);
}

#[test]
fn sessions_are_listed_in_pages() {
    let mut client = greeted();
    client.call("session/list", json!({}));
    client.up();
    let many = (0..51).map(|number| {
        let mut info = info(&format!("ses_{number}"));
        (info["title"], info["time"]["updated"]) = (json!(format!("Number {number}")), json!(1000 - number));
        info
    });
    let listed = client.respond("GET /experimental/session", json!(many.collect::<Vec<_>>()));
    let result = &answer(&listed)["result"];
    assert_eq!(result["sessions"].as_array().unwrap().len(), 50);
    assert_eq!(result["nextCursor"], "951");
    client.call("session/list", json!({ "cursor": "951" }));
    let call = client.take("GET /experimental/session");
    assert!(call["path"].as_str().unwrap().contains("cursor=951"), "{call}");
}
