//! Turns: one after the other, cancelled, failed, sent twice.

use crate::api::{Api, ending, kinds, of_kind, said};
use anyhow::{Context, Result};
use sa_testkit::Daemon;
use serde_json::{Value, json};

#[tokio::test]
async fn a_turn_is_cancelled() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    assert_eq!(
        api.act("/s/cancel").await?.expect_status(200)?.json()?,
        json!({"withdrawn": 0}),
        "nothing runs"
    );
    let accepted = api.send("s", "say begun\nhang").await?;
    api.event("s", "messageDelta").await?;
    let cancelled = api.act("/s/cancel").await?.expect_status(200)?.json()?;
    assert_eq!(cancelled["turnId"], accepted["turnId"]);
    let events = api.turn_of("s", &accepted).await?;
    assert_eq!(ending(&events), "cancelled");
    assert!(said(&events).contains("begun"), "what was said before stays");
    let events = api.turn("s", "say again").await?;
    assert_eq!(ending(&events), "endTurn");
    Ok(())
}

#[tokio::test]
async fn an_agent_that_does_not_stop_is_started_anew() -> Result<()> {
    let daemon = Daemon::builder().config("[sessions]\ncancel-ms = 300").start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let accepted = api.send("s", "say Here I go\nignore-cancel 600000").await?;
    api.event("s", "messageDelta").await?;
    api.act("/s/cancel").await?.expect_status(200)?;
    let events = api.turn_of("s", &accepted).await?;
    assert_eq!(ending(&events), "cancelled");
    assert_eq!(of_kind(&events, "error")[0]["kind"], "timeout", "{events:#?}");
    let events = api.turn("s", "say back").await?;
    assert!(said(&events).contains("back"), "{events:#?}");
    Ok(())
}

#[tokio::test]
async fn messages_wait_for_their_turn_in_order() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let first = api.send("s", "question single").await?;
    api.asked("s", "questions").await?;
    let second = api.send("s", "say two").await?;
    let third = api.send("s", "say three").await?;
    assert_eq!((&second["queued"], &third["queued"]), (&json!(1), &json!(2)));
    assert_eq!(api.session("s").await?["queued"], 2);
    api.answer("s", json!([["Red"]])).await?;
    api.turn_of("s", &third).await?;
    let events = api.events("s").await?;
    let order: Vec<Value> =
        of_kind(&events, "turnStarted").iter().map(|turn| turn["turnId"].clone()).collect();
    assert_eq!(order, [&first, &second, &third].map(|accepted| accepted["turnId"].clone()));
    let ended: Vec<Value> = of_kind(&events, "turnEnded").iter().map(|turn| turn["turnId"].clone()).collect();
    assert_eq!(order, ended);
    Ok(())
}

#[tokio::test]
async fn cancelling_takes_back_what_waits() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let first = api.send("s", "hang").await?;
    api.event("s", "turnStarted").await?;
    let waiting = api.send("s", "say never").await?;
    let cancelled = api.act("/s/cancel").await?.expect_status(200)?.json()?;
    assert_eq!((&cancelled["turnId"], &cancelled["withdrawn"]), (&first["turnId"], &json!(1)));
    let events = api.turn_of("s", &waiting).await?;
    let withdrawn =
        json!({"turnId": waiting["turnId"], "messageId": waiting["messageId"], "by": "cancelled"});
    assert_eq!(of_kind(&events, "messageWithdrawn"), [withdrawn]);
    let events = api.turn_of("s", &first).await?;
    assert_eq!(of_kind(&events, "turnEnded")[0]["stopReason"], "cancelled");
    api.turn("s", "say after").await?;
    assert!(!said(&api.events("s").await?).contains("never"));
    Ok(())
}

#[tokio::test]
async fn a_message_may_interrupt() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let hanging = api.send("s", "hang").await?;
    api.event("s", "turnStarted").await?;
    let waiting = api.send("s", "say later").await?;
    let body = json!({"message": "say urgent", "delivery": "interrupt"});
    let urgent = api.post("/s/messages", &body).await?.expect_status(202)?.json()?;
    assert_eq!(urgent["queued"], 1, "only the turn that is being cancelled is before it");
    api.turn_of("s", &waiting).await?;
    let events = api.events("s").await?;
    let ended: Vec<(Value, Value)> = of_kind(&events, "turnEnded")
        .iter()
        .map(|turn| (turn["turnId"].clone(), turn["stopReason"].clone()))
        .collect();
    let expected = [(&hanging, "cancelled"), (&urgent, "endTurn"), (&waiting, "endTurn")];
    assert_eq!(ended, expected.map(|(accepted, reason)| (accepted["turnId"].clone(), json!(reason))));
    Ok(())
}

#[tokio::test]
async fn the_same_message_under_the_same_key_is_accepted_once() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let post = async |text: &str, key: &str| {
        let request = daemon.http().post("/v1/sessions/s/messages").header("idempotency-key", key);
        request.json(json!({"message": text}).to_string()).send().await
    };
    let first = post("say once", "a").await?.expect_status(202)?.json()?;
    api.turn_of("s", &first).await?;
    let again = post("say once", "a").await?.expect_status(202)?.json()?;
    assert_eq!(first, again);
    let problem = post("say twice", "a").await?.expect_problem(409, "conflict")?;
    assert_eq!(problem.document["details"]["what"], "keyReused");
    let other = post("say once", "b").await?.expect_status(202)?.json()?;
    assert_ne!(first["turnId"], other["turnId"]);
    api.turn_of("s", &other).await?;
    assert_eq!(of_kind(&api.events("s").await?, "turnStarted").len(), 2);
    post("say", &"x".repeat(256)).await?.expect_problem(400, "invalid_request")?;
    Ok(())
}

#[tokio::test]
async fn a_turn_that_fails_says_why_and_the_session_goes_on() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let events = api.turn("s", "error -32001 out of luck").await?;
    let error = &of_kind(&events, "error")[0];
    assert_eq!(error["kind"], "promptFailed", "{error:#}");
    assert!(error["message"].as_str().unwrap().contains("out of luck"), "{error:#}");
    assert_eq!(ending(&events), "error");
    for (word, reason) in
        [("max_tokens", "maxTokens"), ("max_turn_requests", "maxTurnRequests"), ("refusal", "refusal")]
    {
        assert_eq!(ending(&api.turn("s", &format!("stop {word}")).await?), reason);
    }
    Ok(())
}

#[tokio::test]
async fn an_agent_that_crashes_is_started_again_by_the_next_message() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    api.turn("s", "say remember me").await?;
    let events = api.turn("s", "say last words\ncrash 7").await?;
    let error = &of_kind(&events, "error")[0];
    assert_eq!((&error["kind"], &error["exit"]["code"]), (&json!("agentExited"), &json!(7)), "{events:#?}");
    assert!(said(&events).contains("last words"), "{events:#?}");
    assert_eq!(ending(&events), "error");
    let session = api.when("s", "it to be interrupted", |session| session["state"] == "interrupted").await?;
    let native = session["nativeSessionId"].as_str().context("an id")?.to_owned();
    let events = api.turn("s", "say I am back").await?;
    assert!(said(&events).contains("I am back"), "{:?}", kinds(&events));
    assert_eq!(of_kind(&events, "continuity")[0]["kind"], "native", "{events:#?}");
    assert_eq!(api.session("s").await?["nativeSessionId"], json!(native));
    Ok(())
}

#[tokio::test]
async fn a_queue_has_an_end() -> Result<()> {
    let daemon = Daemon::builder().config("[sessions]\nqueue = 2").start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    api.send("s", "hang").await?;
    api.event("s", "turnStarted").await?;
    api.send("s", "say 1").await?;
    api.send("s", "say 2").await?;
    let refused = api.post("/s/messages", &json!({"message": "say 3"})).await?;
    refused.expect_problem(429, "too_many_requests")?;
    Ok(())
}
