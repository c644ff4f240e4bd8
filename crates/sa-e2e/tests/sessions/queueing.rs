//! Messages that wait: seen, withdrawn, held by a restart and continued.

use crate::api::{Api, kinds, of_kind, said};
use anyhow::Result;
use sa_testkit::{Daemon, Signal, Sse};
use serde_json::{Value, json};

async fn after_a_crash(mut daemon: Daemon) -> Result<Daemon> {
    let sandbox = daemon.sandbox();
    daemon.signal(Signal::KILL);
    daemon.exited().await?;
    Daemon::builder().sandbox(sandbox).start().await
}

/// Returns a session that works, with messages that wait; what was accepted.
async fn busy(api: &Api, id: &str, waiting: &[&str]) -> Result<(Value, Vec<Value>)> {
    api.create(id).await?;
    let running = api.send(id, "hang").await?;
    api.event(id, "turnStarted").await?;
    let mut accepted = Vec::new();
    for text in waiting {
        accepted.push(api.send(id, text).await?);
    }
    Ok((running, accepted))
}

fn queue_of(accepted: &[&Value]) -> Value {
    let entry = |one: &&Value| json!({"messageId": one["messageId"], "turnId": one["turnId"]});
    json!(accepted.iter().map(entry).collect::<Vec<_>>())
}

#[tokio::test]
async fn one_message_is_withdrawn_and_the_others_stay() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    let (running, waiting) = busy(&api, "s", &["say A", "say B", "say C"]).await?;
    let session = api.session("s").await?;
    assert_eq!(session["queue"], queue_of(&[&waiting[0], &waiting[1], &waiting[2]]));
    let path = |accepted: &Value| format!("s/messages/{}", accepted["messageId"].as_str().unwrap());
    api.delete(&path(&waiting[1])).await?.expect_status(204)?;
    assert_eq!(api.session("s").await?["queue"], queue_of(&[&waiting[0], &waiting[2]]));
    let withdrawn =
        json!({"messageId": waiting[1]["messageId"], "turnId": waiting[1]["turnId"], "by": "client"});
    assert_eq!(of_kind(&api.events("s").await?, "messageWithdrawn"), [withdrawn]);
    // Twice is no mistake, and neither is a message that never was; one that has begun is.
    api.delete(&path(&waiting[1])).await?.expect_status(204)?;
    api.delete("s/messages/msg_none").await?.expect_status(204)?;
    let problem = api.delete(&path(&running)).await?.expect_problem(409, "conflict")?;
    assert_eq!(problem.document["details"]["what"], "begun");
    api.delete("none/messages/m").await?.expect_problem(404, "not_found")?;
    api.post("/s/messages", &json!({"message": "say urgent", "delivery": "interrupt"})).await?;
    api.turn_of("s", &waiting[2]).await?;
    let text = said(&api.events("s").await?);
    assert!(text.contains('A') && !text.contains('B') && text.contains('C'), "{text}");
    for done in [&running, &waiting[0]] {
        api.delete(&path(done)).await?.expect_problem(409, "conflict")?;
    }
    // Also of a session that has ended.
    api.act("/s/terminate").await?.expect_status(200)?;
    api.delete(&path(&waiting[0])).await?.expect_problem(409, "conflict")?;
    api.delete(&path(&waiting[1])).await?.expect_status(204)?;
    Ok(())
}

#[tokio::test]
async fn messages_that_wait_are_reordered_and_keep_their_order_after_a_crash() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    let (running, waiting) = busy(&api, "s", &["say A", "say B", "say C"]).await?;
    let [a, b, c] = &waiting[..] else { unreachable!("three were sent") };
    let order = |ids: &[&Value]| json!({"messageIds": ids});
    let ids = |list: &[&Value]| list.iter().map(|one| one["messageId"].clone()).collect::<Vec<_>>();
    // Messages that have begun or never were do not count; those that are not named keep their places.
    let wanted = order(&[&c["messageId"], &running["messageId"], &json!("msg_none"), &a["messageId"]]);
    let session = api.put("/s/queue", &wanted).await?.expect_status(200)?.json()?;
    assert_eq!(session["queue"], queue_of(&[c, b, a]));
    // The same order again is no change.
    api.put("/s/queue", &wanted).await?.expect_status(200)?;
    let reordered = of_kind(&api.events("s").await?, "queueReordered");
    assert_eq!(reordered, [json!({"messageIds": ids(&[c, b, a])})]);
    let twice = order(&[&a["messageId"], &a["messageId"]]);
    api.put("/s/queue", &twice).await?.expect_problem(400, "invalid_request")?;
    api.put("/none/queue", &wanted).await?.expect_problem(404, "not_found")?;
    let daemon = after_a_crash(daemon).await?;
    let api = Api::of(&daemon);
    assert_eq!(api.session("s").await?["queue"], queue_of(&[c, b, a]));
    let page = api.get("/s/messages").await?.expect_status(200)?.json()?;
    let messages = page["messages"].as_array().unwrap().iter();
    let queued: Vec<_> =
        messages.filter(|one| one["state"] == "queued").map(|one| one["id"].clone()).collect();
    assert_eq!(queued, ids(&[c, b, a]), "the transcript has the same order");
    api.act("/s/resume").await?.expect_status(200)?;
    api.turn_of("s", a).await?;
    let started = of_kind(&api.events("s").await?, "turnStarted");
    let begun: Vec<_> = started.iter().skip(1).map(|one| one["messageId"].clone()).collect();
    assert_eq!(begun, ids(&[c, b, a]));
    Ok(())
}

#[tokio::test]
async fn the_stream_of_a_message_ends_when_it_is_withdrawn() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    busy(&api, "s", &[]).await?;
    let request = daemon.http().post("/v1/sessions/s/messages/stream").json(r#"{"message":"say never"}"#);
    let mut stream = Sse::open(request).await?;
    let message = stream.event().await?.json()?["data"]["message"]["id"].clone();
    api.delete(&format!("s/messages/{}", message.as_str().unwrap())).await?.expect_status(204)?;
    let mut events = Vec::new();
    while let Some(event) = stream.next_event().await? {
        events.push(event.json()?);
    }
    assert_eq!(kinds(&events), ["messageWithdrawn"]);
    Ok(())
}

#[tokio::test]
async fn a_restart_holds_the_queue_until_the_session_is_resumed() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (_, waiting) = busy(&Api::of(&daemon), "s", &["say A", "say B"]).await?;
    let daemon = after_a_crash(daemon).await?;
    let api = Api::of(&daemon);
    let session = api.session("s").await?;
    assert_eq!(
        (&session["queueHeld"], &session["state"]),
        (&json!(true), &json!("interrupted")),
        "{session:#}"
    );
    assert_eq!(session["queue"], queue_of(&[&waiting[0], &waiting[1]]));
    let events = api.events("s").await?;
    assert_eq!(kinds(&events).last().unwrap(), "queueHeld", "{:?}", kinds(&events));
    let ids = json!([waiting[0]["messageId"], waiting[1]["messageId"]]);
    assert_eq!(of_kind(&events, "queueHeld")[0]["messageIds"], ids);
    // Each daemon says it again.
    let daemon = after_a_crash(daemon).await?;
    let api = Api::of(&daemon);
    assert_eq!(of_kind(&api.events("s").await?, "queueHeld").len(), 2);
    let resumed = api.act("/s/resume").await?.expect_status(200)?.json()?;
    assert_eq!(resumed["queueHeld"], false, "{resumed:#}");
    api.turn_of("s", &waiting[1]).await?;
    let text = said(&api.events("s").await?);
    assert!(text.contains('A') && text.contains('B'), "{text}");
    assert_eq!(of_kind(&api.events("s").await?, "queueReleased"), [json!({"messageIds": ids})]);
    let before = api.session("s").await?["lastEventId"].clone();
    let again = api.act("/s/resume").await?.expect_status(200)?.json()?;
    assert_eq!((&again["state"], &again["lastEventId"]), (&json!("idle"), &before), "nothing to resume");
    Ok(())
}

#[tokio::test]
async fn a_held_queue_ends_with_a_message_or_when_it_is_empty() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    let (_, talked) = busy(&api, "talked", &["say A"]).await?;
    let (_, emptied) = busy(&api, "emptied", &["say A"]).await?;
    busy(&api, "cancelled", &["say A"]).await?;
    let daemon = after_a_crash(daemon).await?;
    let api = Api::of(&daemon);
    api.turn("talked", "say B").await?;
    let events = api.events("talked").await?;
    assert_eq!(of_kind(&events, "queueReleased")[0]["messageIds"], json!([talked[0]["messageId"]]));
    assert!(said(&events).contains('A') && said(&events).contains('B'), "{}", said(&events));
    let message = emptied[0]["messageId"].as_str().unwrap();
    api.delete(&format!("emptied/messages/{message}")).await?.expect_status(204)?;
    api.act("/cancelled/cancel").await?.expect_status(200)?;
    for id in ["emptied", "cancelled"] {
        let session = api.session(id).await?;
        assert_eq!(
            (&session["queueHeld"], &session["queued"]),
            (&json!(false), &json!(0)),
            "{id}: {session:#}"
        );
    }
    Ok(())
}

#[tokio::test]
async fn an_interrupted_session_is_resumed_without_a_message() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    Api::of(&daemon).create("s").await?;
    Api::of(&daemon).turn("s", "say hi").await?;
    let daemon = after_a_crash(daemon).await?;
    let api = Api::of(&daemon);
    let resumed = api.act("/s/resume").await?.expect_status(200)?.json()?;
    assert_eq!((&resumed["state"], &resumed["healthy"]), (&json!("idle"), &json!(true)), "{resumed:#}");
    assert_eq!(of_kind(&api.events("s").await?, "continuity")[0]["kind"], "native");
    api.act("/s/terminate").await?.expect_status(200)?;
    let problem = api.act("/s/resume").await?.expect_problem(409, "conflict")?;
    assert_eq!(problem.document["details"]["what"], "ended");
    let broken = Daemon::builder().agent("broken", "sh -c 'exit 3'").start().await?;
    let api = Api::of(&broken);
    api.post("/s", &json!({"agent": "broken"})).await?.expect_status(201)?;
    let resumed = api.act("/s/resume").await?.expect_status(200)?.json()?;
    assert_eq!(resumed["healthy"], false, "{resumed:#}");
    assert_eq!(resumed["error"]["processExited"]["exit"]["code"], 3);
    Ok(())
}
