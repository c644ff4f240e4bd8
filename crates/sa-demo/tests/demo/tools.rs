//! Tool calls, alone and with a client that does the work.

use crate::client::{Client, request, said, stop_reason, transcript, updates};
use serde_json::{Value, json};

#[test]
fn without_files_and_terminals_everything_is_invented() {
    let mut client = Client::open(json!({}));
    insta::assert_snapshot!(transcript(&client.prompt("read a.txt\nedit /b.txt\nrun cargo test --all")));
}

#[test]
fn tools_of_every_kind() {
    let mut client = Client::open(json!({}));
    insta::assert_snapshot!(transcript(
        &client.prompt("tool search Look for it\ntool fetch\nfail edit\nfail my-tool")
    ));
    assert!(said(&client.prompt("tool nonsense")).concat().starts_with("Usage"));
}

#[test]
fn the_client_reads_files() {
    let mut client = Client::open(json!({ "fs": { "readTextFile": true } }));
    let mut messages = client.prompt("read notes.txt");
    let asked = request(&messages, "fs/read_text_file").clone();
    messages.extend(client.answer(&asked, json!({ "content": "one\ntwo\n" })));
    insta::assert_snapshot!(transcript(&messages));

    let messages = client.prompt("read missing.txt");
    let messages = client.refuse(request(&messages, "fs/read_text_file"), "no such file");
    assert_eq!(updates(&messages, "tool_call_update")[0]["status"], "failed");
    assert_eq!(stop_reason(&messages), "end_turn");

    let messages = client.prompt("read odd.txt");
    let messages = client.answer(request(&messages, "fs/read_text_file"), json!({ "nonsense": 1 }));
    assert_eq!(updates(&messages, "tool_call_update")[0]["status"], "failed");
}

#[test]
fn the_client_writes_files() {
    let mut client = Client::open(json!({ "fs": { "readTextFile": true, "writeTextFile": true } }));
    let mut messages = client.prompt("edit notes.txt");
    let asked = request(&messages, "fs/read_text_file").clone();
    messages.extend(client.answer(&asked, json!({ "content": "one\n" })));
    let asked = request(&messages, "fs/write_text_file").clone();
    messages.extend(client.answer(&asked, json!({})));
    insta::assert_snapshot!(transcript(&messages));

    let messages = client.prompt("edit new.txt");
    let messages = client.refuse(request(&messages, "fs/read_text_file"), "no such file");
    let asked = request(&messages, "fs/write_text_file");
    assert_eq!(asked["params"]["content"], "This line was added by the demo agent.\n");
    let messages = client.refuse(asked, "read-only");
    assert_eq!(updates(&messages, "tool_call_update")[0]["status"], "failed");
    assert_eq!(said(&messages), ["I could not write it: read-only"]);
}

/// Answers the requests of a run until the command has ended.
fn run(client: &mut Client, exit: Value) -> Vec<Value> {
    let mut messages = client.prompt("run make check");
    let asked = request(&messages, "terminal/create").clone();
    messages.extend(client.answer(&asked, json!({ "terminalId": "t1" })));
    let asked = request(&messages, "terminal/wait_for_exit").clone();
    messages.extend(client.answer(&asked, exit.clone()));
    let asked = request(&messages, "terminal/output").clone();
    messages
        .extend(client.answer(&asked, json!({ "output": "ok\n", "truncated": false, "exitStatus": exit })));
    let asked = request(&messages, "terminal/release").clone();
    messages.extend(client.answer(&asked, json!({})));
    messages
}

#[test]
fn the_client_runs_commands() {
    let mut client = Client::open(json!({ "terminal": true }));
    insta::assert_snapshot!(transcript(&run(&mut client, json!({ "exitCode": 0 }))));
    let failed = run(&mut client, json!({ "exitCode": null, "signal": "SIGKILL" }));
    assert_eq!(updates(&failed, "tool_call_update").last().unwrap()["status"], "failed");
    assert!(said(&failed).concat().contains("SIGKILL"));
    let messages = client.prompt("run true");
    let messages = client.refuse(request(&messages, "terminal/create"), "not today");
    assert_eq!(said(&messages), ["I could not run it: not today"]);
}

#[test]
fn plan_mode_changes_nothing() {
    let mut client = Client::open(json!({ "fs": { "writeTextFile": true }, "terminal": true }));
    client.prompt("mode plan");
    insta::assert_snapshot!(transcript(&client.prompt("edit a.txt\nrun make\nread a.txt")));
}
