//! Events selected by their types, on pages and on streams.

use crate::api::{Api, kinds};
use anyhow::{Context, Result};
use sa_testkit::{Daemon, Sse};
use serde_json::{Value, json};

async fn page(api: &Api, query: &str) -> Result<Value> {
    api.get(&format!("/s/events?{query}")).await?.expect_status(200)?.json()
}

fn events(page: &Value) -> Vec<Value> {
    page["events"].as_array().cloned().unwrap_or_default()
}

fn of_types(all: &[Value], types: &[&str]) -> Vec<Value> {
    let wanted = |event: &&Value| types.contains(&event["type"].as_str().unwrap_or_default());
    all.iter().filter(wanted).cloned().collect()
}

#[tokio::test]
async fn pages_have_the_types_that_are_asked_for() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    for _ in 0..3 {
        api.turn("s", "stream 120\nsay done").await?;
    }
    let all = api.events("s").await?;
    for event in &all {
        assert_eq!(
            Some(event["type"].as_str().context("a type")?),
            kinds(std::slice::from_ref(event)).first().map(String::as_str)
        );
    }
    let turns = of_types(&all, &["turnStarted", "turnEnded"]);
    assert_eq!(turns.len(), 6);
    for query in
        ["types=turnStarted,turnEnded", "types=turnEnded&types=turnStarted", "types=turnEnded,%20turnStarted"]
    {
        let found = page(&api, query).await?;
        assert_eq!((events(&found), &found["hasMore"]), (turns.clone(), &json!(false)), "{query}");
        assert_eq!(found["next"], all.last().unwrap()["id"], "everything was looked at");
    }
    // The limit counts what is returned, and no page is empty.
    let (mut after, mut found) = (json!(0), Vec::new());
    for more in [true, true, true, true, true, false] {
        let one = page(&api, &format!("types=turnStarted,turnEnded&limit=1&after={after}")).await?;
        assert_eq!((events(&one).len(), &one["hasMore"]), (1, &json!(more)), "{one:#}");
        found.extend(events(&one));
        after = one["next"].clone();
    }
    assert_eq!(found, turns);
    let without: Vec<Value> = all.iter().filter(|event| event["type"] != "messageDelta").cloned().collect();
    assert_eq!(events(&page(&api, "deltas=false&limit=1000").await?), without);
    assert_eq!(events(&page(&api, "deltas=true&limit=1000").await?), all);
    assert_eq!(events(&page(&api, "after=2&offset=2&limit=1").await?), all[2..3]);
    Ok(())
}

#[tokio::test]
async fn what_cannot_be_meant_is_refused() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let long = "x".repeat(5000);
    let cases = [
        (
            "types=message,nonsense",
            "unknown event type 'nonsense'; known are: started, message, messageDelta",
        ),
        ("types=", "unknown event type ''"),
        (&format!("types={long}"), "unknown event type 'xxxx"),
        ("deltas=no", "query parameter 'deltas': expected true or false, got 'no'"),
        ("types=messageDelta&deltas=false", "names messageDelta, which deltas=false leaves out"),
        ("after=1&offset=2", "'after' and 'offset'"),
        ("after=-1", "query parameter 'after'"),
    ];
    for (query, expected) in cases {
        for path in ["events", "events/sse"] {
            let request = daemon.http().get(&format!("/v1/sessions/s/{path}?{query}"));
            let refused = request.send().await?.expect_problem(400, "invalid_request")?;
            let detail = refused.document["detail"].as_str().unwrap();
            assert!(detail.contains(expected) && detail.len() < 1000, "{path}?{query}: {detail}");
        }
    }
    let request = daemon.http().get("/v1/sessions/s/events/sse?after=1&lastEventId=2");
    request.send().await?.expect_problem(400, "invalid_request")?;
    let request = daemon.http().post("/v1/sessions/s/messages/stream?types=nonsense");
    let body = json!({"message": "say hi"}).to_string();
    request.json(body).send().await?.expect_problem(400, "invalid_request")?;
    assert_eq!(api.session("s").await?["queued"], 0, "nothing was sent");
    Ok(())
}

#[tokio::test]
async fn streams_have_the_types_that_are_asked_for_and_resume() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let open =
        async |query: &str| Sse::open(daemon.http().get(&format!("/v1/sessions/s/events/sse?{query}"))).await;
    let mut live = open("types=turnStarted,turnEnded").await?;
    for _ in 0..2 {
        api.turn("s", "stream 50").await?;
    }
    api.act("/s/terminate").await?.expect_status(200)?;
    let all = api.events("s").await?;
    let turns = of_types(&all, &["turnStarted", "turnEnded"]);
    let mut seen = Vec::new();
    while let Some(event) = live.next_event().await? {
        assert_eq!(event.sequence()?, event.json()?["id"].as_u64().unwrap());
        seen.push(event.json()?);
    }
    assert_eq!(seen, turns, "and the stream ends with the session");
    let cursor = turns[1]["id"].as_u64().unwrap();
    for name in ["after", "lastEventId", "offset"] {
        let mut rest = open(&format!("types=turnStarted,turnEnded&{name}={cursor}")).await?;
        assert_eq!(rest.event().await?.json()?, turns[2], "{name}");
    }
    let mut whole = open("deltas=false").await?;
    let mut count = 0;
    while let Some(event) = whole.next_event().await? {
        assert_ne!(event.json()?["type"], "messageDelta");
        count += 1;
    }
    assert_eq!(count, all.iter().filter(|event| event["type"] != "messageDelta").count());
    Ok(())
}

#[tokio::test]
async fn the_stream_of_a_message_ends_with_its_turn_whatever_is_selected() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    for (query, expected) in [
        ("types=message", vec!["message", "message"]),
        ("types=message,turnEnded&deltas=false", vec!["message", "message", "turnEnded"]),
    ] {
        let request = daemon.http().post(&format!("/v1/sessions/s/messages/stream?{query}"));
        let mut stream = Sse::open(request.json(json!({"message": "stream 20"}).to_string())).await?;
        let mut found = Vec::new();
        while let Some(event) = stream.next_event().await? {
            found.push(event.json()?["type"].as_str().unwrap().to_owned());
        }
        assert_eq!(found, expected, "{query}");
    }
    Ok(())
}
