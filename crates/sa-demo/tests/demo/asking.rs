//! Permissions, questions, and requests of any kind.

use crate::client::{Client, SECOND, request, said, stop_reason, transcript, updates};
use serde_json::{Value, json};

const PERMISSION: &str = "session/request_permission";

fn select(option: &str) -> Value {
    json!({ "outcome": { "outcome": "selected", "optionId": option } })
}

#[test]
fn permission_is_asked_and_told() {
    let mut client = Client::open(json!({}));
    let mut messages = client.prompt("permission Launch the rocket");
    let asked = request(&messages, PERMISSION).clone();
    messages.extend(client.answer(&asked, select("allow_once")));
    insta::assert_snapshot!(transcript(&messages));

    let messages = client.prompt("permission Launch the rocket");
    let messages = client.answer(request(&messages, PERMISSION), select("reject_once"));
    assert_eq!(said(&messages), ["Permission for \"Launch the rocket\": reject_once."]);
    assert_eq!(updates(&messages, "tool_call_update")[0]["status"], "failed");
}

#[test]
fn always_holds_for_the_session_and_the_subject() {
    for (option, status) in [("allow_always", "completed"), ("reject_always", "failed")] {
        let mut client = Client::open(json!({}));
        let messages = client.prompt("permission A");
        client.answer(request(&messages, PERMISSION), select(option));
        let again = client.prompt("permission A");
        assert_eq!(updates(&again, "tool_call_update")[0]["status"], status);
        assert_eq!(stop_reason(&again), "end_turn");
        request(&client.prompt("permission B"), PERMISSION);
        client.call("session/new", json!({ "cwd": "/", "mcpServers": [] }));
        request(&client.prompt_in(SECOND, "permission A"), PERMISSION);
    }
}

#[test]
fn an_answer_that_is_none_counts_as_a_rejection() {
    let mut client = Client::open(json!({}));
    let messages = client.prompt("permission X");
    let messages =
        client.answer(request(&messages, PERMISSION), json!({ "outcome": { "outcome": "cancelled" } }));
    assert_eq!(said(&messages), ["Permission for \"X\": cancelled."]);
    assert_eq!(stop_reason(&messages), "end_turn");
    let messages = client.prompt("permission X");
    let messages = client.answer(request(&messages, PERMISSION), select("maybe"));
    assert_eq!(said(&messages), ["Permission for \"X\": there is no option maybe."]);
    let messages = client.prompt("permission X");
    let messages = client.refuse(request(&messages, PERMISSION), "nobody here");
    assert_eq!(said(&messages), ["Permission for \"X\": the client could not ask: nobody here."]);
    let messages = client.prompt("permission X");
    let messages = client.answer(request(&messages, PERMISSION), json!([]));
    assert_eq!(updates(&messages, "tool_call_update")[0]["status"], "failed");
}

#[test]
fn ask_mode_asks_before_edits_and_commands() {
    let mut client = Client::open(json!({}));
    client.prompt("mode ask");
    let mut messages = client.prompt("edit a.txt");
    let asked = request(&messages, PERMISSION).clone();
    messages.extend(client.answer(&asked, select("allow_always")));
    insta::assert_snapshot!(transcript(&messages));
    assert_eq!(stop_reason(&client.prompt("edit b.txt")), "end_turn", "remembered");

    let messages = client.prompt("run make");
    let messages = client.answer(request(&messages, PERMISSION), select("reject_once"));
    assert_eq!(updates(&messages, "tool_call_update")[0]["status"], "failed");
    assert_eq!(stop_reason(&client.prompt("read a.txt")), "end_turn", "reading needs no permission");
}

#[test]
fn leaving_plan_mode_needs_consent() {
    let mut client = Client::open(json!({}));
    assert_eq!(said(&client.prompt("leave-plan")), ["I am not in plan mode."]);
    client.prompt("mode plan");
    let messages = client.prompt("leave-plan");
    client.answer(request(&messages, PERMISSION), select("reject_once"));
    assert!(said(&client.prompt("config")).concat().contains("mode: plan"));
    let mut messages = client.prompt("leave-plan");
    let asked = request(&messages, PERMISSION).clone();
    messages.extend(client.answer(&asked, select("allow_once")));
    insta::assert_snapshot!(transcript(&messages));
    assert!(said(&client.prompt("config")).concat().contains("mode: bypass"));
}

fn asker() -> Client {
    Client::open(json!({ "elicitation": { "form": {}, "url": {} } }))
}

#[test]
fn questions_are_forms() {
    for (script, content) in [
        ("question", json!({ "question_1": "Blue" })),
        ("question multi", json!({ "question_2": ["Apple", "Cherry"], "question_2_custom": "Plum" })),
        ("question text", json!({ "question_3": "Grace" })),
        (
            "question form",
            json!({ "question_1_custom": "Teal", "question_3": "Grace", "question_4": 7, "question_5": false }),
        ),
    ] {
        let mut client = asker();
        let mut messages = client.prompt(script);
        let asked = request(&messages, "elicitation/create").clone();
        messages.extend(client.answer(&asked, json!({ "action": "accept", "content": content })));
        insta::assert_snapshot!(script.replace(' ', "_"), transcript(&messages));
    }
}

#[test]
fn questions_need_not_be_answered() {
    let mut client = asker();
    for (answer, told) in [
        (json!({ "action": "decline" }), "The question was declined."),
        (json!({ "action": "cancel" }), "The question was cancelled."),
        (json!({ "action": "accept" }), "Which color do you like? no answer"),
        (json!({ "action": "_later" }), "The answer is of a kind I do not know."),
    ] {
        let messages = client.prompt("question");
        let messages = client.answer(request(&messages, "elicitation/create"), answer);
        assert_eq!(said(&messages), [told]);
        assert_eq!(stop_reason(&messages), "end_turn");
    }
    let messages = client.prompt("question");
    let messages = client.refuse(request(&messages, "elicitation/create"), "no screen");
    assert_eq!(said(&messages), ["The client could not ask: no screen"]);
}

#[test]
fn an_address_is_visited_and_told_to_be_done() {
    let mut client = asker();
    let mut messages = client.prompt("question url");
    let asked = request(&messages, "elicitation/create").clone();
    messages.extend(client.answer(&asked, json!({ "action": "accept" })));
    insta::assert_snapshot!(transcript(&messages));
    let mut client = Client::open(json!({ "elicitation": { "form": {} } }));
    assert_eq!(said(&client.prompt("question url")), ["The client opens no addresses."]);
}

#[test]
fn without_forms_a_question_is_a_choice() {
    let mut client = Client::open(json!({ "elicitation": {} }));
    let mut messages = client.prompt("question");
    let asked = request(&messages, PERMISSION).clone();
    messages.extend(client.answer(&asked, select("Green")));
    insta::assert_snapshot!(transcript(&messages));
    for script in ["question multi", "question text", "question form"] {
        let messages = client.prompt(script);
        let messages = client.answer(request(&messages, PERMISSION), select("skip"));
        assert_eq!(said(&messages), ["The question was declined."]);
    }
}

#[test]
fn anything_can_be_asked_and_told() {
    let mut client = Client::open(json!({}));
    let mut messages =
        client.prompt("ext _demo/hello {\"to\":\"$SESSION\"}\next _demo/bare\nask _demo/sum [1, 2]");
    let asked = request(&messages, "_demo/sum").clone();
    messages.extend(client.answer(&asked, json!({ "sum": 3 })));
    insta::assert_snapshot!(transcript(&messages));
    let messages = client.prompt("ask _demo/nothing");
    assert!(messages.last().unwrap().get("params").is_none());
    let messages = client.refuse(messages.last().unwrap(), "what?");
    assert_eq!(said(&messages), ["_demo/nothing failed: -32603 what?"]);
}
