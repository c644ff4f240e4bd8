//! Sessions that outlive their process.

use crate::client::{Client, SECOND, SESSION, Shelf, said, stop_reason};
use sa_demo::{Effect, Saved, Step};
use serde_json::{Value, json};

fn open(shelf: &Shelf) -> Client {
    let mut client = later(shelf);
    client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
    client
}

/// Another process.
fn later(shelf: &Shelf) -> Client {
    let mut client = Client::with_shelf(Some(shelf.clone()));
    client.initialize(json!({}));
    client
}

fn load(client: &mut Client, session: &str) -> Vec<Value> {
    client.call("session/load", json!({ "sessionId": session, "cwd": "/project", "mcpServers": [] }))
}

fn listed(client: &mut Client) -> Vec<Value> {
    client.call("session/list", json!({}))[0]["result"]["sessions"].as_array().unwrap().clone()
}

#[test]
fn a_later_process_knows_everything_but_the_mcp_servers() {
    let shelf = Shelf::default();
    let mut client = open(&shelf);
    client.prompt("say One.\nread a.txt\ntitle Kept\nmode ask\nmodel demo-large");
    let expected = load(&mut client, SESSION);
    let mut later = later(&shelf);
    assert_eq!(listed(&mut later)[0]["title"], "Kept");
    assert_eq!(later.prompt("say no")[0]["error"]["code"], -32002, "not open yet");
    let loaded = load(&mut later, SESSION);
    let without_ids = |messages: &[Value]| {
        messages
            .iter()
            .map(|message| (message["params"].clone(), message["result"].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(without_ids(&loaded), without_ids(&expected));
    let fresh = later.prompt("say Two.");
    assert_eq!(stop_reason(&fresh), "end_turn");
    let id = &fresh[0]["params"]["update"]["messageId"];
    assert!(
        !loaded.iter().any(|message| message["params"]["update"]["messageId"] == *id),
        "ids are used once"
    );
}

#[test]
fn a_crash_loses_nothing_that_was_said_before() {
    let shelf = Shelf::default();
    open(&shelf).prompt("say last words\ncrash");
    assert_eq!(said(&load(&mut later(&shelf), SESSION)), ["last words"]);
}

#[test]
fn sessions_are_stored_before_the_client_knows() {
    let mut client = later(&Shelf::default());
    client.post("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
    let (step, out) = client.poll();
    assert!(out.is_empty());
    assert!(matches!(step, Step::Effect(Effect::Save(_))));
}

#[test]
fn what_is_under_way_is_stored_when_the_input_ends() {
    let shelf = Shelf::default();
    let mut client = open(&shelf);
    client.prompt("say half\nhang");
    client.machine.input_ended(client.now);
    client.run();
    assert_eq!(said(&load(&mut later(&shelf), SESSION)), ["half"]);
}

#[test]
fn processes_see_each_others_sessions() {
    let shelf = Shelf::default();
    let (mut first, mut second) = (open(&shelf), open(&shelf));
    first.prompt("say One.");
    assert_eq!(listed(&mut second).len(), 2);
    assert_eq!(said(&load(&mut second, SESSION)), ["One."]);
    second.prompt("say Two.");
    second.call("session/close", json!({ "sessionId": SESSION }));
    first.call("session/close", json!({ "sessionId": SESSION }));
    first.call("session/delete", json!({ "sessionId": SECOND }));
    assert_eq!(load(&mut later(&shelf), SECOND)[0]["error"]["code"], -32002);
}

#[test]
fn a_session_is_found_even_while_it_is_being_stored() {
    let mut client = later(&Shelf::default());
    client.post("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
    client.post("session/close", json!({ "sessionId": SESSION }));
    client.post("session/list", json!({}));
    client.post("session/resume", json!({ "sessionId": SESSION, "cwd": "/project" }));
    client.post("session/delete", json!({ "sessionId": SESSION }));
    client.post("session/resume", json!({ "sessionId": SESSION, "cwd": "/project" }));
    let messages = client.run();
    let answers: Vec<_> = messages.iter().filter(|message| message["method"].is_null()).collect();
    assert_eq!(answers[2]["result"]["sessions"][0]["sessionId"], SESSION);
    assert!(answers[3]["result"].is_object());
    assert_eq!(answers[5]["error"]["code"], -32002);
}

#[test]
fn what_was_stored_can_be_forked_and_deleted_unopened() {
    let shelf = Shelf::default();
    open(&shelf).prompt("say One.");
    let mut later = later(&shelf);
    let forked =
        later.call("session/fork", json!({ "sessionId": SESSION, "cwd": "/fork", "mcpServers": [] }));
    assert_eq!(forked[0]["result"]["sessionId"], SECOND);
    assert_eq!(said(&load(&mut later, SECOND)), ["One."]);
    later.call("session/delete", json!({ "sessionId": SESSION }));
    assert!(shelf.lines(SESSION).is_none() && shelf.lines(SECOND).is_some());
}

#[test]
fn what_cannot_be_read_is_left_out() {
    let shelf = Shelf::default();
    open(&shelf);
    let lines = shelf.lines(SESSION).unwrap() + "{\"sessionUpdate\":\"of_the_future\"}\n{\"torn";
    assert_eq!(Saved::from_jsonl(&lines).unwrap().session_id().0.as_ref(), SESSION);
    assert!(Saved::from_jsonl("").is_err());
    assert!(Saved::from_jsonl("{}").is_err());
}
