//! Questions that the agent takes back, and those that it asks again.

use crate::api::{Api, ending, of_kind};
use crate::script::{Script, cancel, end_turn, permission};
use anyhow::Result;
use sa_testkit::Signal;
use serde_json::{Value, json};

fn question(request: &str) -> Value {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    json!({
        "id": request,
        "method": "elicitation/create",
        "params": {"sessionId": "$session", "mode": "form", "message": "Who?", "requestedSchema": schema},
    })
}

/// Modes whose choice makes the agent do something else.
fn modes() -> Value {
    json!({"currentModeId": "m0", "availableModes": [{"id": "m0", "name": "0"}, {"id": "m1", "name": "1"}]})
}

#[tokio::test]
async fn what_the_agent_takes_back_is_closed_where_it_was_asked() -> Result<()> {
    let opened = |native: &str| json!({"result": {"sessionId": native, "modes": modes()}});
    let script = Script::new(&json!({
        "session/new": [opened("a"), opened("b")],
        "session/prompt": [
            {"hold": true, "first": [permission("q1", "t1"), permission("q2", "t2")]},
            {"hold": true, "first": [question("q3")]},
        ],
        // The change of mode in one session takes back what another has asked.
        "session/set_mode": [
            {"first": [cancel("q3"), cancel("q4"), cancel("q2")]},
            {"first": [cancel("q1")], "then": [end_turn()]},
        ],
    }))?;
    let daemon = script.daemon("").start().await?;
    let api = Api::of(&daemon);
    for id in ["a", "b"] {
        api.create_with(id, json!({"agent": "scripted"})).await?;
    }
    api.send("a", "go").await?;
    api.when("a", "permissions", |session| session["permissions"].as_array().unwrap().len() == 2).await?;
    let turn = api.send("b", "go").await?;
    let asked = api.asked("b", "questions").await?;

    api.patch("a", json!({"agentMode": "m1"})).await?.expect_status(200)?;
    let b = api.when("b", "the end of the question", |session| session["questions"] == json!([])).await?;
    assert_eq!(b["state"], "running", "nobody is waited for");
    let resolved = of_kind(&api.events("b").await?, "questionResolved");
    assert_eq!(resolved, [json!({"id": asked["id"], "outcome": "cancelled", "by": "withdrawn"})]);
    let path = format!("/b/questions/{}/reject", asked["id"].as_str().unwrap());
    let late = api.act(&path).await?.expect_problem(409, "conflict")?;
    assert_eq!(late.document["details"]["resolved"]["by"], "withdrawn", "{late:?}");
    let a = api
        .when("a", "one permission", |session| session["permissions"].as_array().unwrap().len() == 1)
        .await?;
    assert_eq!((&a["state"], &a["permissions"][0]["toolCallId"]), (&json!("requiresAction"), &json!("t1")));

    api.patch("b", json!({"agentMode": "m1"})).await?.expect_status(200)?;
    api.turn_of("b", &turn).await?;
    api.when("a", "no permission", |session| session["permissions"] == json!([])).await?;
    let resolved = of_kind(&api.events("a").await?, "permissionResolved");
    assert!(resolved.iter().all(|resolved| resolved["by"] == "withdrawn" && resolved["reply"].is_null()));
    for request in ["q1", "q2", "q3"] {
        let answers = script.hears(&format!("answer {request}"), 1).await?;
        assert_eq!((answers.len(), &answers[0]["error"]["code"]), (1, &json!(-32800)), "{request}");
    }
    Ok(())
}

#[tokio::test]
async fn an_agent_that_waits_for_nobody_any_more_is_silent_once() -> Result<()> {
    let script = Script::new(&json!({
        "session/new": [{"result": {"sessionId": "a", "modes": modes()}}],
        "session/prompt": [{"hold": true, "first": [permission("q1", "t1")]}],
        "session/set_mode": [{"first": [cancel("q1")]}],
    }))?;
    let daemon = script.daemon("[sessions]\nsilence-ms = 200\ncancel-ms = 900").start().await?;
    let api = Api::of(&daemon);
    api.create_with("a", json!({"agent": "scripted"})).await?;
    let turn = api.send("a", "go").await?;
    api.asked("a", "permissions").await?;
    api.patch("a", json!({"agentMode": "m1"})).await?.expect_status(200)?;
    let events = api.turn_of("a", &turn).await?;
    let errors = of_kind(&events, "error");
    let silent = errors.iter().filter(|error| error["message"].as_str().unwrap().contains("said nothing"));
    assert_eq!((silent.count(), errors.len()), (1, 2), "it is silent, and does not stop: {errors:#?}");
    assert_eq!(ending(&events), "error");
    Ok(())
}

#[tokio::test]
async fn what_is_asked_again_after_a_restart_keeps_its_id() -> Result<()> {
    let script = Script::new(&json!({
        "session/prompt": [
            {"hold": true, "first": [permission("q1", "t1"), permission("q2", "t2")]},
            {"hold": true, "first": [permission("q3", "t3"), permission("q4", "t1")]},
            {"hold": true, "first": [permission("q5", "t2")]},
        ],
        "answer q4": [{"then": [end_turn()]}],
    }))?;
    let mut daemon = script.daemon("").start().await?;
    let api = Api::of(&daemon);
    api.create_with("s", json!({"agent": "scripted"})).await?;
    api.send("s", "go").await?;
    let both = |session: &Value| session["permissions"].as_array().unwrap().len() == 2;
    let before = api.when("s", "two permissions", both).await?["permissions"].clone();
    daemon.signal(Signal::KILL);
    daemon.exited().await?;

    let daemon = script.daemon("").start().await?;
    let api = Api::of(&daemon);
    assert_eq!(api.session("s").await?["permissions"], json!([]));
    let events = api.events("s").await?;
    let resolved = of_kind(&events, "permissionResolved");
    let expected = [0, 1].map(|at: usize| json!({"id": before[at]["id"], "by": "daemonRestarted"}));
    assert_eq!(resolved, expected, "nobody waits for an answer");
    assert_eq!(of_kind(&events, "turnEnded")[0]["reason"], "daemonRestarted");
    let path = format!("/s/permissions/{}/reply", before[0]["id"].as_str().unwrap());
    let gone = api.post(&path, &json!({"reply": "once"})).await?.expect_problem(409, "conflict")?;
    assert_eq!(gone.document["details"]["resolved"]["by"], "daemonRestarted");

    let turn = api.send("s", "continue").await?;
    let again = api.when("s", "two permissions", both).await?["permissions"].clone();
    assert_eq!(again[1]["id"], before[0]["id"], "the same is asked");
    assert!([0, 1].iter().all(|&at: &usize| again[0]["id"] != before[at]["id"]), "another call asks");
    api.post(&path, &json!({"reply": "once"})).await?.expect_status(204)?;
    api.turn_of("s", &turn).await?;
    assert_eq!(script.heard("answer q4")[0]["result"]["outcome"]["optionId"], "yes");
    let late = api.post(&path, &json!({"reply": "reject"})).await?.expect_problem(409, "conflict")?;
    assert_eq!(late.document["details"]["resolved"]["reply"], "once", "{late:?}");

    // A request in a later turn is another one.
    api.send("s", "more").await?;
    assert_ne!(api.asked("s", "permissions").await?["id"], before[1]["id"]);
    Ok(())
}
