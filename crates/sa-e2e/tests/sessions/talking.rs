//! Messages and what agents say to them.

use crate::api::{Api, ending, kinds, of_kind, said};
use anyhow::Result;
use sa_testkit::{Daemon, Sse};
use serde_json::{Value, json};

#[tokio::test]
async fn a_message_is_accepted_and_its_turn_is_reported_from_start_to_end() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let accepted = api.send("s", "think Hm.\nsay Hello!").await?;
    assert_eq!(accepted["queued"], json!(0));
    let events = api.turn_of("s", &accepted).await?;
    let message = &events[0]["data"]["message"];
    assert_eq!(events[0]["id"], accepted["eventId"]);
    assert_eq!((&message["role"], &message["id"]), (&json!("user"), &accepted["messageId"]));
    assert_eq!(message["parts"], json!([{"type": "text", "text": "think Hm.\nsay Hello!"}]));
    let started = &of_kind(&events, "turnStarted")[0];
    assert_eq!((&started["turnId"], &started["messageId"]), (&accepted["turnId"], &accepted["messageId"]));
    assert!(said(&events).contains("Hello!"), "{events:#?}");
    let reasoning =
        of_kind(&events, "message").into_iter().flat_map(|m| m["parts"].as_array().cloned().unwrap());
    assert!(reasoning.clone().any(|part| part == json!({"type": "reasoning", "text": "Hm."})), "{events:#?}");
    assert_eq!(ending(&events), "endTurn");
    for event in &events {
        assert_eq!((&event["sessionId"], &event["agent"]), (&json!("s"), &json!("demo")));
        assert!(event["timestamp"].as_str().is_some_and(|time| time.ends_with('Z')), "{event}");
        assert!(event["nativeSessionId"].is_string(), "{event}");
    }
    let session = api.when("s", "it to be idle", |session| session["state"] == json!("idle")).await?;
    assert_eq!((&session["turn"], &session["lastEventId"]), (&Value::Null, &events.last().unwrap()["id"]));
    Ok(())
}

#[tokio::test]
async fn deltas_add_up_to_the_message_that_follows() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let events = api.turn("s", "stream 20 30").await?;
    let deltas = of_kind(&events, "messageDelta");
    assert!(deltas.len() > 1, "{:?}", kinds(&events));
    let streamed: String = deltas.iter().filter_map(|delta| delta["text"].as_str()).collect();
    let message = of_kind(&events, "message").pop().unwrap();
    assert_eq!(message["id"], deltas[0]["messageId"]);
    assert_eq!(message["parts"][0]["text"], json!(streamed));
    assert_eq!(streamed.len(), 600);
    Ok(())
}

#[tokio::test]
async fn a_message_can_be_answered_with_the_stream_of_its_turn() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    api.turn("s", "say before").await?;
    let request = daemon.http().post("/v1/sessions/s/messages/stream").json(r#"{"message":"say now"}"#);
    let mut stream = Sse::open(request.header("idempotency-key", "k")).await?;
    assert_eq!(stream.headers()["x-accel-buffering"], "no");
    let mut events = Vec::new();
    while let Some(event) = stream.next_event().await? {
        assert_eq!(event.event, "message");
        let read = event.json()?;
        assert_eq!(event.sequence()?, read["id"].as_u64().unwrap());
        events.push(read);
    }
    assert_eq!(events[0]["data"]["message"]["parts"][0]["text"], "say now", "it begins with the message");
    assert_eq!(kinds(&events).last().unwrap(), "turnEnded", "and ends with its turn");
    assert!(said(&events).contains("now") && !said(&events).contains("before"), "{events:#?}");
    // The same again is the same turn, replayed.
    let request = daemon.http().post("/v1/sessions/s/messages/stream").json(r#"{"message":"say now"}"#);
    let mut again = Sse::open(request.header("idempotency-key", "k")).await?;
    for expected in &events {
        assert_eq!(&again.event().await?.json()?, expected);
    }
    assert_eq!(again.next_event().await?, None);
    Ok(())
}

#[tokio::test]
async fn a_message_may_have_parts() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let pixel =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let parts = json!([
        {"type": "text", "text": "image"},
        {"type": "image", "mimeType": "image/png", "source": {"type": "base64", "data": pixel}},
        {"type": "file", "path": "notes.txt", "mimeType": "text/plain", "source": {"type": "text", "text": "remember"}},
    ]);
    let accepted = api.post("/s/messages", &json!({"parts": parts})).await?.expect_status(202)?.json()?;
    let events = api.turn_of("s", &accepted).await?;
    assert_eq!(events[0]["data"]["message"]["parts"], parts, "the log has what was sent");
    let text = said(&events);
    assert!(text.contains("image/png") && text.contains("notes.txt"), "{text}");
    Ok(())
}

#[tokio::test]
async fn what_else_an_agent_tells_is_reported() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let events = api.turn("s", "plan\nusage\nnotice warning Careful\ntitle My work").await?;
    let plans = of_kind(&events, "plan");
    assert_eq!(plans.last().unwrap()["entries"].as_array().unwrap().len(), 3);
    assert!(
        plans.last().unwrap()["entries"]
            .as_array()
            .unwrap()
            .iter()
            .all(|entry| entry["status"] == "completed")
    );
    let notice = &of_kind(&events, "notice")[0];
    assert_eq!((&notice["severity"], &notice["title"]), (&json!("warning"), &json!("Careful")));
    assert!(!of_kind(&events, "usage").is_empty(), "{:?}", kinds(&events));
    let session = api.session("s").await?;
    assert_eq!(session["title"], "My work");
    assert!(session["usage"]["contextSize"].as_u64().is_some_and(|size| size > 0), "{session:#}");
    assert!(of_kind(&events, "turnEnded")[0]["usage"].is_object(), "{events:#?}");
    let commands = api.event("s", "commandsAvailable").await?;
    let names: Vec<&str> = commands["commands"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|command| command["name"].as_str())
        .collect();
    assert!(names.contains(&"say"), "{names:?}");
    Ok(())
}
