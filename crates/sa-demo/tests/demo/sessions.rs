//! Sessions: listing, loading, resuming, forking, closing, deleting.

use crate::client::{Client, SESSION, said, stop_reason, transcript, updates};
use serde_json::{Value, json};

fn load(client: &mut Client, session: &str) -> Vec<Value> {
    client.call("session/load", json!({ "sessionId": session, "cwd": "/project", "mcpServers": [] }))
}

#[test]
fn loading_replays_the_conversation_before_the_answer() {
    let mut client = Client::open(json!({}));
    client.prompt("think Hm.\nsay One.\nstream 3\nread a.txt\nplan\nusage\nmode ask\nfail x");
    client.prompt("flood 3\nbig 1000");
    let messages = load(&mut client, SESSION);
    let answer = messages.iter().position(|message| message["result"].is_object()).unwrap();
    let (replayed, rest) = messages.split_at(answer);
    assert!(replayed.iter().all(|message| message["method"] == "session/update"));
    assert_eq!(rest[0]["result"]["modes"]["currentModeId"], "ask");
    assert_eq!((updates(replayed, "available_commands_update").len(), rest.len()), (1, 1));
    insta::assert_snapshot!(transcript(replayed));
}

#[test]
fn loading_can_be_repeated_and_the_conversation_goes_on() {
    let mut client = Client::open(json!({}));
    client.prompt("say One.");
    let first = transcript(&load(&mut client, SESSION)[..2]);
    assert_eq!(transcript(&load(&mut client, SESSION)[..2]), first);
    client.prompt("say Two.");
    assert_eq!(said(&load(&mut client, SESSION)), ["One.", "Two."]);
}

#[test]
fn resuming_replays_nothing() {
    let mut client = Client::open(json!({}));
    client.prompt("say One.");
    client.call("session/close", json!({ "sessionId": SESSION }));
    assert_eq!(client.prompt("say no")[0]["error"]["code"], -32002);
    let messages = client.call("session/resume", json!({ "sessionId": SESSION, "cwd": "/else" }));
    assert!(said(&messages).is_empty());
    let answer = messages.last().unwrap();
    assert_eq!(answer["result"]["modes"]["currentModeId"], "bypass");
    assert_eq!(said(&client.prompt("cwd")), ["/else"]);
}

#[test]
fn a_closed_session_can_be_loaded_but_not_closed_again() {
    let mut client = Client::open(json!({}));
    client.prompt("say One.");
    let close = json!({ "sessionId": SESSION });
    assert_eq!(client.call("session/close", close.clone())[0]["result"], json!({}));
    assert_eq!(client.call("session/close", close)[0]["error"]["code"], -32002);
    assert_eq!(said(&load(&mut client, SESSION)), ["One."]);
    assert_eq!(stop_reason(&client.prompt("say Two.")), "end_turn");
}

#[test]
fn a_fork_goes_its_own_way() {
    let mut client = Client::open(json!({}));
    client.prompt("say One.\ntitle Original\nmode plan");
    let messages =
        client.call("session/fork", json!({ "sessionId": SESSION, "cwd": "/fork", "mcpServers": [] }));
    let fork = messages[0]["result"]["sessionId"].as_str().unwrap().to_owned();
    assert_ne!(fork, SESSION);
    assert_eq!(messages[0]["result"]["modes"]["currentModeId"], "plan");
    client.prompt_in(&fork, "say Two.");
    client.prompt("say Three.");
    assert_eq!(said(&load(&mut client, &fork)), ["One.", "The mode is plan now.", "Two."]);
    assert_eq!(said(&load(&mut client, SESSION)), ["One.", "The mode is plan now.", "Three."]);
    let list = client.call("session/list", json!({ "cwd": "/fork" }));
    assert!(list[0]["result"]["sessions"].as_array().unwrap().is_empty(), "loaded with another directory");
    let list = client.call("session/list", json!({}));
    let titles: Vec<_> =
        list[0]["result"]["sessions"].as_array().unwrap().iter().map(|one| &one["title"]).collect();
    assert_eq!(titles, ["Original (fork)", "Original"]);
}

#[test]
fn sessions_are_listed_in_pages_newest_first() {
    let mut client = Client::new();
    client.initialize(json!({}));
    for number in 1..=45 {
        let cwd = if number % 2 == 0 { "/even" } else { "/odd" };
        client.wait(1);
        client.call("session/new", json!({ "cwd": cwd, "mcpServers": [] }));
    }
    let mut seen = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let page = client.call("session/list", json!({ "cursor": cursor }));
        let page = &page[0]["result"];
        let sessions = page["sessions"].as_array().unwrap();
        assert!(sessions.len() <= 20);
        seen.extend(sessions.iter().map(|session| session["sessionId"].as_str().unwrap().to_owned()));
        match page.get("nextCursor") {
            Some(next) => cursor = next.clone(),
            None => break,
        }
        // Deleting what was shown must not disturb what follows.
        client.call("session/delete", json!({ "sessionId": seen.last().unwrap() }));
    }
    assert_eq!(seen, (1..=45).rev().map(|number| format!("session-{number:03}")).collect::<Vec<_>>());
    let even = client.call("session/list", json!({ "cwd": "/even" }));
    assert!(
        even[0]["result"]["sessions"].as_array().unwrap().iter().all(|session| session["cwd"] == "/even")
    );
}

#[test]
fn deleting_is_for_good_and_can_be_repeated() {
    let mut client = Client::open(json!({}));
    for _ in 0..2 {
        assert_eq!(client.call("session/delete", json!({ "sessionId": SESSION }))[0]["result"], json!({}));
    }
    assert_eq!(load(&mut client, SESSION)[0]["error"]["code"], -32002);
    assert!(client.call("session/list", json!({}))[0]["result"]["sessions"].as_array().unwrap().is_empty());
}

#[test]
fn the_first_prompt_names_the_session() {
    let mut client = Client::open(json!({}));
    let messages = client.prompt(&format!("say {}\nsay more", "é".repeat(100)));
    let title = updates(&messages, "session_info_update")[0]["title"].as_str().unwrap().to_owned();
    assert_eq!(title, format!("say {}", "é".repeat(56)));
    assert!(updates(&client.prompt("say again"), "session_info_update").is_empty());
    let list = client.call("session/list", json!({}));
    assert_eq!(list[0]["result"]["sessions"][0]["title"], title);
    assert_eq!(list[0]["result"]["sessions"][0]["updatedAt"], "2027-01-15T08:00:00.000Z");
}

#[test]
fn history_is_bounded() {
    let mut client = Client::open(json!({}));
    client.prompt("say the beginning");
    for _ in 0..8 {
        client.prompt("stream 1 1000000");
    }
    let replayed = load(&mut client, SESSION);
    let bytes: usize = said(&replayed).iter().map(String::len).sum();
    assert!((3_000_000..=4 << 20).contains(&bytes), "{bytes}");
    assert!(!said(&replayed).contains(&"the beginning".to_owned()));
}
