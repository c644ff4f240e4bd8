//! Changes of files: what the CLI calls a diff is the whole file where one is added or deleted, and hunks elsewhere.

use crate::client::{Client, updates};
use serde_json::{Value, json};

/// Returns the call of a change of one file.
fn told(path: &str, kind: Value, diff: &str) -> Value {
    let mut client = Client::open(json!({}));
    client.begin("hi", "t1");
    let change = json!({ "path": path, "kind": kind, "diff": diff });
    let item = json!({ "type": "fileChange", "id": "p", "changes": [change], "status": "inProgress" });
    let messages = client.tell("item/started", json!({ "turnId": "t1", "item": item }));
    updates(&messages, "tool_call")[0].clone()
}

fn diff(call: &Value) -> (&Value, &Value, &Value) {
    let diff = &call["content"][0];
    (&diff["path"], &diff["oldText"], &diff["newText"])
}

#[test]
fn a_file_that_is_added_or_deleted_is_told_whole() {
    let call = told("/project/new.txt", json!({ "type": "add" }), "one\n");
    assert_eq!((&call["title"], &call["kind"]), (&json!("Create new.txt"), &json!("edit")));
    assert_eq!(diff(&call), (&json!("/project/new.txt"), &Value::Null, &json!("one\n")));
    let call = told("/project/old.txt", json!({ "type": "delete" }), "one\n");
    assert_eq!((&call["title"], &call["kind"]), (&json!("Delete old.txt"), &json!("delete")));
    assert_eq!(diff(&call), (&json!("/project/old.txt"), &json!("one\n"), &json!("")));
}

#[test]
fn hunks_are_told_as_the_file_before_and_after() {
    let update = || json!({ "type": "update", "move_path": null });
    let (one, two) = ("one\ntwo\n", "one\ndeux\n");
    // On disk is the file before the change, then the file after it, then none that fits.
    let call = told("/project/a.txt", update(), "@@ -1,2 +1,2 @@\n one\n-two\n+deux\n");
    assert_eq!(diff(&call), (&json!("/project/a.txt"), &json!(one), &json!(two)));
    let call = told("/project/a.txt", update(), "@@ -1,2 +1,2 @@\n one\n-deux\n+two\n");
    assert_eq!(diff(&call), (&json!("/project/a.txt"), &json!(two), &json!(one)));
    let call = told("/project/gone.txt", update(), "@@ -7,1 +7,1 @@\n-seven\n+sept\n");
    assert_eq!(diff(&call), (&json!("/project/gone.txt"), &json!("seven\n"), &json!("sept\n")));
}

#[test]
fn a_file_that_moves_is_told_at_both_places() {
    let kind = json!({ "type": "update", "move_path": "/project/b.txt" });
    let call = told("/project/a.txt", kind, "@@ -1,2 +1,2 @@\n one\n-two\n+deux\n");
    assert_eq!((&call["title"], &call["kind"]), (&json!("Move a.txt to b.txt"), &json!("move")));
    assert_eq!(diff(&call), (&json!("/project/b.txt"), &json!("one\ntwo\n"), &json!("one\ndeux\n")));
    let places: Vec<_> = call["locations"].as_array().unwrap().iter().map(|place| &place["path"]).collect();
    assert_eq!(places, ["/project/a.txt", "/project/b.txt"]);
}
