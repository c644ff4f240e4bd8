//! How sessions come to be, are found again, and go.

use crate::client::{Client, Folder, THREAD, answer, host, host_with, updates};
use sa_amp::Launch;
use serde_json::{Value, json};
use std::time::Duration;

fn new_thread() -> Launch {
    Launch::NewThread { cwd: "/project".into() }
}

fn export() -> Launch {
    Launch::Export { thread: THREAD.to_owned() }
}

fn begin(host: sa_amp::Host) -> Client {
    let mut client = Client::greeted(host);
    client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
    client
}

#[test]
fn a_new_session_is_a_new_thread_with_the_modes_of_this_version() {
    let mut client = begin(host());
    assert!(client.run_errand(&new_thread(), THREAD).is_empty(), "the modes are not known yet");
    let messages = client.run_errand(&Launch::Help, "  Set the agent mode (rush, smart) — x");
    let opened = &answer(&messages)["result"];
    assert_eq!(opened["sessionId"], THREAD);
    assert_eq!(opened["modes"]["currentModeId"], "default");
    let modes: Vec<_> = opened["configOptions"][1]["options"].as_array().unwrap().iter().collect();
    assert_eq!(modes.iter().map(|mode| &mode["value"]).collect::<Vec<_>>(), ["default", "rush", "smart"]);
    // The second one does not ask again.
    client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
    let messages = client.run_errand(&new_thread(), "T-2");
    assert_eq!(answer(&messages)["result"]["sessionId"], "T-2");
}

#[test]
fn without_credentials_nothing_is_started() {
    let mut host = host();
    host.has_key = false;
    let mut client = Client::greeted(host);
    let messages = client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
    assert_eq!(answer(&messages)["error"]["code"], -32000);
    assert!(client.starts.is_empty());
    let mut host = host_with(Folder { login: true, ..Folder::default() });
    host.has_key = false;
    assert_eq!(begin(host).starts.len(), 2, "what the CLI stored counts, too");
}

#[test]
fn a_cli_that_wants_somebody_to_log_in_is_not_waited_for() {
    let mut client = begin(host());
    let child = client.started(&new_thread());
    client.native_of(child, "No API key found. Starting login flow...");
    assert_eq!(client.ends, [(child, Duration::ZERO)]);
    let messages = client.fail_errand(&new_thread(), "");
    assert_eq!(answer(&messages)["error"]["code"], -32000);
}

#[test]
fn a_service_that_is_not_there_is_named() {
    for stderr in [
        "Error creating thread: fetch failed\n",
        "Error: Cannot reach Amp servers. Are you offline?\n\u{1b}[=0u\u{1b}[<u\u{1b}[?25h",
    ] {
        let mut client = begin(host());
        let messages = client.fail_errand(&new_thread(), stderr);
        let error = &answer(&messages)["error"];
        assert_eq!(error["data"]["errorKind"], "service_unreachable", "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(
            message.starts_with("Amp's service cannot be reached") && !message.contains('\u{1b}'),
            "{message}"
        );
        assert_eq!(error["data"]["exitCode"], 1);
    }
}

#[test]
fn a_cli_that_does_not_answer_is_ended() {
    let mut client = begin(host());
    client.run_errand(&Launch::Help, "");
    client.wait(61);
    assert_eq!(client.ends.len(), 1);
    let messages = client.fail_errand(&new_thread(), "");
    assert_eq!(answer(&messages)["error"]["data"]["errorKind"], "timeout");
}

#[test]
fn places_are_checked() {
    let mut client = Client::greeted(host());
    for cwd in ["relative", "/nowhere"] {
        let messages = client.call("session/new", json!({ "cwd": cwd, "mcpServers": [] }));
        assert_eq!(answer(&messages)["error"]["code"], -32602, "{cwd}");
    }
    for id in ["--help", "T-../x", "x"] {
        let params = json!({ "sessionId": id, "cwd": "/project", "mcpServers": [] });
        assert_eq!(answer(&client.call("session/load", params))["error"]["code"], -32002, "{id}");
    }
    assert!(client.starts.is_empty());
}

fn thread() -> Value {
    json!({ "id": THREAD, "messages": [
        { "role": "user", "content": [{ "type": "text", "text": "read it" }] },
        { "role": "assistant", "content": [
            { "type": "thinking", "thinking": "hm" },
            { "type": "tool_use", "id": "c1", "name": "Read", "input": { "path": "/project/a.txt" } },
            { "type": "tool_use", "id": "c2", "name": "Bash", "input": { "cmd": "rm x" } },
        ] },
        { "role": "user", "content": [
            { "type": "tool_result", "toolUseID": "c1", "run": { "status": "done", "result": { "content": "1: one" } } },
            { "type": "tool_result", "toolUseID": "c2", "run": { "status": "rejected-by-user", "reason": "no" } },
        ] },
        { "role": "assistant", "content": [{ "type": "text", "text": "done" }, { "type": "unheard_of" }] },
    ] })
}

#[test]
fn a_thread_is_loaded_with_what_was_said_and_done() {
    let mut client = Client::greeted(host());
    client.call("session/load", json!({ "sessionId": THREAD, "cwd": "/project", "mcpServers": [] }));
    client.run_errand(&Launch::Help, "");
    let text = serde_json::to_string_pretty(&thread()).unwrap();
    let messages = client.run_errand(&export(), &text);
    insta::assert_json_snapshot!(
        messages
            .iter()
            .map(|message| &message["params"]["update"])
            .filter(|update| !update.is_null())
            .collect::<Vec<_>>()
    );
    assert!(answer(&messages).get("result").is_some());
    client.prompt("go on");
    assert!(matches!(&client.starts.last().unwrap().1, Launch::Work { thread, .. } if thread == THREAD));
}

#[test]
fn a_thread_is_resumed_without_a_word_and_one_that_is_not_there_is_not() {
    let mut client = Client::greeted(host());
    client.call("session/resume", json!({ "sessionId": THREAD, "cwd": "/project", "mcpServers": [] }));
    client.run_errand(&Launch::Help, "");
    let messages = client.run_errand(&export(), &thread().to_string());
    assert_eq!(messages.len(), 1, "{messages:?}");
    client.call("session/load", json!({ "sessionId": "T-9", "cwd": "/project", "mcpServers": [] }));
    let missing = Launch::Export { thread: "T-9".to_owned() };
    let messages = client.fail_errand(&missing, "Thread T-9 does not exist.");
    assert_eq!(answer(&messages)["error"]["code"], -32002);
}

#[test]
fn only_the_words_of_the_cli_mean_that_a_thread_is_gone() {
    let load = json!({ "sessionId": "T-9", "cwd": "/project", "mcpServers": [] });
    let (export, delete) =
        (Launch::Export { thread: "T-9".to_owned() }, Launch::Delete { thread: "T-9".to_owned() });
    for (stderr, is_gone) in [
        ("Thread T-9 does not exist.", true),
        ("Thread https://ampcode.com/threads/T-9 does not exist.", true),
        ("Error: Failed to export thread: Thread T-9 not found", true),
        ("Error: Failed to delete thread: Thread not found", true),
        ("/usr/local/bin/amp: 3: exec: node: not found", false),
        ("Error: Cannot find module 'x': the file does not exist", false),
        ("Thread T-9 not found locally and cannot fetch from server: fetch refused", false),
    ] {
        let mut client = Client::greeted(host());
        client.call("session/load", load.clone());
        client.run_errand(&Launch::Help, "");
        let messages = client.fail_errand(&export, stderr);
        assert_eq!(answer(&messages)["error"]["code"] == -32002, is_gone, "{stderr}: {messages:?}");
        client.call("session/delete", json!({ "sessionId": "T-9" }));
        let messages = client.fail_errand(&delete, stderr);
        assert_eq!(answer(&messages).get("result").is_some(), is_gone, "{stderr}: {messages:?}");
    }
}

#[test]
fn threads_of_a_directory_are_listed() {
    for (cwd, title) in [("/project", "One"), ("/else where", "Two")] {
        let mut client = Client::greeted(host());
        client.call("session/list", json!({ "cwd": cwd }));
        let list = json!([
            { "id": "T-1", "title": "One", "updated": "2026-01-01T00:00:00.000Z", "tree": "file:///project" },
            { "id": "T-2", "title": "Two", "updated": "2026-01-01T00:00:00.000Z", "tree": "file:///else%20where" },
            { "id": "T-3", "title": null, "updated": null, "tree": null },
        ]);
        let messages = client.run_errand(&Launch::List, &list.to_string());
        let sessions = answer(&messages)["result"]["sessions"].as_array().unwrap();
        assert_eq!(sessions.len(), 1);
        assert_eq!((&sessions[0]["title"], &sessions[0]["cwd"]), (&json!(title), &json!(cwd)));
    }
}

#[test]
fn a_thread_without_a_title_has_what_it_was_called_after() {
    let mut client = Client::open();
    client.prompt("Tidy up");
    client.says("Done.");
    client.call("session/list", json!({}));
    let list = json!([{ "id": THREAD, "title": null, "updated": null, "tree": "file:///project" }]);
    let messages = client.run_errand(&Launch::List, &list.to_string());
    assert_eq!(answer(&messages)["result"]["sessions"][0]["title"], "Tidy up");
}

#[test]
fn an_open_session_is_listed_before_the_service_has_its_thread() {
    let mut client = Client::open();
    client.prompt("Tidy up");
    client.says("Done.");
    // The thread is missing, or has no workspace yet.
    for list in [json!([]), json!([{ "id": THREAD, "title": null, "updated": null, "tree": null }])] {
        for (cwd, expected) in [(None, 1), (Some("/project"), 1), (Some("/elsewhere"), 0)] {
            client.call("session/list", json!({ "cwd": cwd }));
            let messages = client.run_errand(&Launch::List, &list.to_string());
            let sessions = answer(&messages)["result"]["sessions"].as_array().unwrap();
            assert_eq!(sessions.len(), expected, "{list} in {cwd:?}");
            assert!(sessions.iter().all(|info| info["title"] == "Tidy up" && info["cwd"] == "/project"));
        }
    }
}

#[test]
fn a_closed_session_takes_no_prompts_and_a_deleted_one_is_deleted_where_it_is_stored() {
    let mut client = Client::open();
    client.prompt("hello");
    let messages = client.call("session/delete", json!({ "sessionId": THREAD }));
    assert_eq!(answer(&messages)["result"]["stopReason"], "cancelled", "the prompt is answered first");
    let messages = client.prompt("too late");
    assert_eq!(answer(&messages)["error"]["code"], -32002);
    assert!(client.exit(Some(0), None, "").is_empty());
    let delete = Launch::Delete { thread: THREAD.to_owned() };
    let messages = client.run_errand(&delete, "deleted");
    assert!(answer(&messages).get("result").is_some());
    let messages = client.call("session/close", json!({ "sessionId": THREAD }));
    assert_eq!(answer(&messages)["error"]["code"], -32002);
}

#[test]
fn loading_an_open_session_keeps_its_process_where_it_is() {
    let mut client = Client::open();
    client.prompt("hello");
    client.says("Hi.");
    client.call("session/load", json!({ "sessionId": THREAD, "cwd": "/project", "mcpServers": [] }));
    let messages = client.run_errand(&export(), &thread().to_string());
    assert_eq!(updates(&messages, "user_message_chunk").len(), 1);
    assert!(client.ends.is_empty());
    client.call("session/load", json!({ "sessionId": THREAD, "cwd": "/project/sub", "mcpServers": [] }));
    client.run_errand(&export(), &thread().to_string());
    assert_eq!(client.ends.len(), 1, "it moves");
}
