//! The tour: what newcomers see first.

use crate::client::{Client, request, said, stop_reason, updates};
use serde_json::{Value, json};

const PERMISSION: &str = "session/request_permission";
const QUESTION: &str = "elicitation/create";

/// Lets time pass until the agent asks or the turn ends. Returns what it wrote and the seconds that it took.
fn play(client: &mut Client, mut messages: Vec<Value>) -> (Vec<Value>, f64) {
    let mut steps = 0_u32;
    while !messages.iter().any(|message| message.get("id").is_some()) {
        assert!(steps < 10_000, "the tour does not end");
        messages.extend(client.wait(10));
        steps += 1;
    }
    (messages, f64::from(steps) / 100.0)
}

fn select(option: &str) -> Value {
    json!({ "outcome": { "outcome": "selected", "optionId": option } })
}

fn open(mode: &str) -> Client {
    let mut client = Client::open(json!({ "elicitation": { "form": {} } }));
    client.prompt(&format!("mode {mode}"));
    client
}

#[test]
fn the_tour_shows_everything_in_about_forty_seconds() {
    let mut client = open("ask");
    let first = client.prompt("/tour Fix the failing retry test");
    let (mut messages, mut seconds) = play(&mut client, first);
    let asked = request(&messages, QUESTION).clone();
    let answer = json!({ "action": "accept", "content": { "limit": "5 seconds" } });
    let second = client.answer(&asked, answer);
    let (more, time) = play(&mut client, second);
    let edit = request(&more, PERMISSION).clone();
    let diff = &edit["params"]["toolCall"]["content"][0];
    assert_eq!(diff["path"], "/project/src/retry.ts");
    assert!(diff["newText"].as_str().unwrap().contains("maxMs = 5_000"), "{diff}");
    messages.extend(more);
    seconds += time;
    let third = client.answer(&edit, select("allow_once"));
    let (more, time) = play(&mut client, third);
    messages.extend(more);
    seconds += time;

    assert_eq!(stop_reason(&messages), "end_turn");
    assert!((20.0..=40.0).contains(&seconds), "{seconds} s without the time of the reader");
    let kinds: Vec<_> = updates(&messages, "tool_call").iter().map(|call| call["kind"].clone()).collect();
    assert_eq!(kinds, ["search", "read", "execute", "edit", "execute"]);
    let outcomes: Vec<_> = updates(&messages, "tool_call_update")
        .iter()
        .filter_map(|change| change["status"].as_str())
        .filter(|status| *status != "in_progress")
        .map(str::to_owned)
        .collect();
    assert_eq!(outcomes, ["completed", "completed", "failed", "completed", "completed"]);
    let plans = updates(&messages, "plan");
    assert!(
        plans.last().unwrap()["entries"].as_array().unwrap().iter().all(|step| step["status"] == "completed")
    );
    assert!(!updates(&messages, "agent_thought_chunk").is_empty());
    assert!(said(&messages).concat().contains("nothing on your disk has changed"));
}

#[test]
fn a_rejected_edit_ends_the_tour() {
    let mut client = open("ask");
    let first = client.prompt("tour");
    let (messages, _) = play(&mut client, first);
    let second = client.answer(request(&messages, QUESTION), json!({ "action": "decline" }));
    let (messages, _) = play(&mut client, second);
    let third = client.answer(request(&messages, PERMISSION), select("reject_once"));
    let (messages, _) = play(&mut client, third);
    assert_eq!(stop_reason(&messages), "end_turn");
    assert!(updates(&messages, "tool_call").is_empty(), "no tests are run");
    assert!(said(&messages).concat().contains("I left the file as it is."));
}

#[test]
fn without_forms_and_permissions_the_tour_needs_nobody() {
    let mut client = Client::open(json!({}));
    client.prompt("mode bypass");
    let first = client.prompt("tour");
    let (messages, _) = play(&mut client, first);
    assert_eq!(stop_reason(&messages), "end_turn");
    assert_eq!(updates(&messages, "tool_call").len(), 5);
}

#[test]
fn in_plan_mode_the_tour_changes_nothing_before_the_plan_is_agreed_to() {
    for (option, kinds) in [("allow_once", vec!["edit"]), ("reject_once", vec![])] {
        let mut client = open("ask");
        client.prompt("mode plan");
        let first = client.prompt("tour");
        let (messages, _) = play(&mut client, first);
        let calls = updates(&messages, "tool_call");
        let before: Vec<_> = calls.iter().map(|call| call["kind"].clone()).collect();
        assert_eq!(before, ["search", "read", "switch_mode"], "nothing ran");
        let asked = request(&messages, PERMISSION);
        let shown = asked["params"]["toolCall"]["content"][0].to_string();
        assert!(shown.contains("Double the delay after each failure"), "{shown}");
        let second = client.answer(asked, select(option));
        let (messages, _) = play(&mut client, second);
        let calls = updates(&messages, "tool_call");
        let after: Vec<_> = calls.iter().map(|call| call["kind"].as_str().unwrap()).collect();
        assert_eq!(after, kinds);
        let asks = messages.iter().any(|message| message["method"] == PERMISSION);
        assert_eq!(asks, option == "allow_once", "the mode before `plan` asks for the edit");
    }
}
