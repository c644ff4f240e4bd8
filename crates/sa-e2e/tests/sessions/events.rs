//! Reading events: by pages, as streams, by several, after breaks.

use crate::api::{Api, said};
use anyhow::Result;
use sa_testkit::{Daemon, Sse};
use serde_json::{Value, json};
use std::time::Duration;

#[tokio::test]
async fn events_come_in_pages() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    api.turn("s", "stream 150").await?;
    let all = api.events("s").await?;
    let ids: Vec<u64> = all.iter().filter_map(|event| event["id"].as_u64()).collect();
    assert!(
        ids.len() > 150 && ids.iter().copied().eq(1..=ids.len() as u64),
        "from 1, without holes: {ids:?}"
    );
    let usual = api.get("/s/events").await?.expect_status(200)?.json()?;
    assert_eq!((usual["events"].as_array().unwrap().len(), &usual["hasMore"]), (100, &json!(true)));
    assert_eq!(usual["events"].as_array().unwrap(), &all[..100]);
    let page = api.get("/s/events?offset=3&limit=2").await?.expect_status(200)?.json()?;
    assert_eq!(page["events"].as_array().unwrap(), &all[3..5]);
    assert!(page.get("oldest").is_none());
    let last = ids.len();
    let end = api.get(&format!("/s/events?offset={last}")).await?.expect_status(200)?.json()?;
    assert_eq!(end, json!({"events": [], "hasMore": false, "next": last}));
    let foreign =
        api.get(&format!("/s/events?offset={}&limit=1", last + 1)).await?.expect_status(200)?.json()?;
    assert_eq!(
        (&foreign["oldest"], &foreign["events"][0]),
        (&json!(1), &all[0]),
        "an offset of another session"
    );
    let most = api.get("/s/events?limit=100000").await?.expect_status(200)?.json()?;
    assert_eq!(most["events"].as_array().unwrap().len(), last);
    for query in ["limit=0", "limit=x", "offset=-1", "offset=x"] {
        api.get(&format!("/s/events?{query}")).await?.expect_problem(400, "invalid_request")?;
    }
    Ok(())
}

#[tokio::test]
async fn a_stream_goes_on_where_it_was_cut_off() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let accepted = api.send("s", "stream 300 20 every 2").await?;
    let (mut seen, mut last) = (Vec::new(), 0);
    let over = |event: &Value| event["data"]["turnEnded"]["turnId"] == accepted["turnId"];
    // Cut again and again, after 1, 2, 4, … events, in the middle of what is being written.
    let mut patience = 1;
    'reading: loop {
        let request = daemon.http().get("/v1/sessions/s/events/sse?offset=0");
        let mut stream = Sse::open(request.header("last-event-id", &last.to_string())).await?;
        for _ in 0..patience {
            let event = stream.event().await?;
            assert_eq!(event.event, "message");
            last = event.sequence()?;
            seen.push(event.json()?);
            if over(seen.last().unwrap()) {
                break 'reading;
            }
        }
        patience *= 2;
    }
    assert_eq!(seen, api.events("s").await?[..seen.len()], "nothing is lost and nothing comes twice");
    Ok(())
}

#[tokio::test]
async fn everybody_sees_the_same() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create_with("s", json!({"permissionMode": "bypass"})).await?;
    let mut streams = Vec::new();
    for _ in 0..8 {
        streams.push(api.stream("s", 0).await?);
    }
    api.turn("s", "stream 100 50\nedit x.txt").await?;
    api.act("/s/terminate").await?.expect_status(200)?;
    let all = api.events("s").await?;
    for mut stream in streams {
        let mut seen = Vec::new();
        while let Some(event) = stream.next_event().await? {
            seen.push(event.json()?);
        }
        assert_eq!(seen, all);
    }
    Ok(())
}

#[tokio::test]
async fn the_bytes_of_an_event_are_the_same_everywhere() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    api.turn("s", "say größer \u{1f980}").await?;
    api.act("/s/terminate").await?.expect_status(200)?;
    let mut lines = Vec::new();
    let mut stream = api.stream("s", 0).await?;
    while let Some(event) = stream.next_event().await? {
        lines.push(event.data);
    }
    let page = api.get("/s/events?limit=1000").await?.expect_status(200)?.text();
    assert_eq!(
        page,
        format!("{{\"events\":[{}],\"hasMore\":false,\"next\":{}}}", lines.join(","), lines.len())
    );
    let export = api.get("/s/export").await?.expect_status(200)?.text();
    assert_eq!(export.lines().skip(1).collect::<Vec<_>>(), lines);
    Ok(())
}

#[tokio::test]
async fn events_that_are_no_longer_kept_are_a_gap() -> Result<()> {
    let daemon = Daemon::builder().config("[sessions]\nevents = 50").start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    api.turn("s", "stream 300").await?;
    let session = api.session("s").await?;
    let oldest = session["oldestEventId"].as_u64().unwrap();
    assert!(oldest > 1, "{session:#}");
    let mut stream = api.stream("s", 0).await?;
    let gap = stream.event().await?;
    assert_eq!(gap.event, "gap");
    let gap = gap.json()?;
    assert_eq!(gap["newest"], session["lastEventId"]);
    let next = stream.event().await?;
    assert_eq!(next.sequence()?, gap["oldest"].as_u64().unwrap(), "it goes on with the oldest there is");
    let page = api.get("/s/events?offset=0&limit=1").await?.expect_status(200)?.json()?;
    assert_eq!((&page["oldest"], &page["events"][0]["id"]), (&gap["oldest"], &gap["oldest"]));
    let mut foreign = api.stream("s", 1_000_000).await?;
    assert_eq!(foreign.event().await?.event, "gap", "an offset beyond the newest");
    Ok(())
}

#[tokio::test]
async fn a_quiet_stream_lives() -> Result<()> {
    let daemon = Daemon::builder().limit("heartbeat-ms", 50).start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let last = api.session("s").await?["lastEventId"].as_u64().unwrap();
    let mut stream = api.stream("s", last).await?;
    assert_eq!(stream.headers()["x-accel-buffering"], "no");
    stream.wait_for_comments(3).await?;
    api.send("s", "say hi").await?;
    assert_eq!(stream.event().await?.sequence()?, last + 1);
    let quiet = daemon.http().get("/v1/sessions/s/events/sse").header("accept", "application/json");
    quiet.send().await?.expect_problem(406, "not_acceptable")?;
    let bad = daemon.http().get("/v1/sessions/s/events/sse").header("last-event-id", "x");
    bad.send().await?.expect_problem(400, "invalid_request")?;
    Ok(())
}

#[tokio::test]
async fn streams_end_when_the_daemon_does() -> Result<()> {
    let mut daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let mut stream = api.stream("s", 0).await?;
    stream.event().await?;
    let stopped = daemon.stop().await?;
    assert!(stopped.status.success() && stopped.elapsed < Duration::from_secs(5), "{stopped:?}");
    while stream.next_event().await?.is_some() {}
    Ok(())
}

#[tokio::test]
async fn all_sessions_together_are_bounded_while_they_live() -> Result<()> {
    let daemon = Daemon::builder().config("[sessions]\ntotal-bytes = 600000").start().await?;
    let api = Api::of(&daemon);
    // Letters in no order: equal ones would need no room.
    let mut state = 1_u64;
    let mut letter = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'a' + ((state >> 33) % 26) as u8)
    };
    let words: String = (0..60_000).map(|_| letter()).collect();
    for id in ["idle", "busy"] {
        api.create(id).await?;
        for _ in 0..6 {
            api.turn(id, &format!("say {words}")).await?;
        }
    }
    let idle = api
        .when("idle", "its oldest events to go", |session| session["oldestEventId"].as_u64() > Some(1))
        .await?;
    let mut stream = api.stream("idle", 0).await?;
    let gap = stream.event().await?;
    assert_eq!(gap.event, "gap");
    let oldest = gap.json()?["oldest"].clone();
    assert!(oldest.as_u64() >= idle["oldestEventId"].as_u64(), "{oldest}");
    assert_eq!(stream.event().await?.json()?["id"], oldest);
    let export = api.get("/idle/export").await?.expect_status(200)?.text();
    assert!(export.lines().count() > 1);
    assert!(said(&api.turn("idle", "say still here").await?).contains("still here"));
    Ok(())
}
