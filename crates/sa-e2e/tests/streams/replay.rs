//! Resuming after a break.

use anyhow::Result;
use futures_util::future::try_join_all;
use sa_testkit::{Acp, Daemon, Event, Sse};
use serde_json::json;

/// Reads so many events and checks that their ids follow one another.
async fn read(stream: &mut Sse, count: usize) -> Result<Vec<Event>> {
    let mut events: Vec<Event> = Vec::with_capacity(count);
    for _ in 0..count {
        let event = stream.event().await?;
        if let Some(last) = events.last() {
            assert_eq!(event.sequence()?, last.sequence()? + 1);
        }
        events.push(event);
    }
    Ok(events)
}

async fn last_event_id(acp: &Acp) -> Result<u64> {
    Ok(acp.listed().await?.unwrap()["lastEventId"].as_u64().unwrap())
}

#[tokio::test]
async fn a_replay_is_exactly_what_was_live() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let mut live = acp.events().await?;
    acp.call("flood", r#"{"count":200,"bytes":150}"#).await?;
    let seen = read(&mut live, 201).await?;
    assert_eq!(seen[0].sequence()?, 2);
    for after in [1, 2, 77, 200, 201] {
        let missed =
            seen.iter().filter(|event| event.sequence().unwrap() > after).cloned().collect::<Vec<_>>();
        let mut replayed = acp.events_after(after).await?;
        assert_eq!(read(&mut replayed, missed.len()).await?, missed, "after {after}");
        acp.call("flood", r#"{"count":1,"label":"live"}"#).await?;
        let next = replayed.event().await?;
        assert_eq!(next.json()?["params"]["label"], json!("live"), "then it is live");
    }
    Ok(())
}

#[tokio::test]
async fn after_nothing_means_from_the_beginning() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    let pid = acp.start("puppet").await?;
    let mut stream = acp.events_after(0).await?;
    let first = stream.event().await?;
    assert_eq!((first.sequence()?, first.json()?["result"].clone()), (1, json!(pid)));
    Ok(())
}

#[tokio::test]
async fn the_place_may_be_in_the_query_and_the_header_wins() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    acp.call("flood", r#"{"count":5}"#).await?;
    let path = acp.path("?lastEventId=3");
    let mut stream = Sse::open(daemon.http().get(&path)).await?;
    assert_eq!(stream.event().await?.sequence()?, 4);
    let mut stream = Sse::open(daemon.http().get(&path).header("last-event-id", "5")).await?;
    assert_eq!(stream.event().await?.sequence()?, 6);
    Ok(())
}

#[tokio::test]
async fn a_later_stream_without_a_place_shows_nothing_old() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    acp.call("flood", r#"{"count":20}"#).await?;
    acp.call("echo", r#"{"an answer":"to somebody else"}"#).await?;
    let last = last_event_id(&acp).await?;
    drop(acp.events().await?);
    let mut stream = acp.events().await?;
    acp.call("flood", r#"{"count":1,"label":"live"}"#).await?;
    let first = stream.event().await?;
    assert_eq!((first.sequence()?, &first.json()?["params"]["label"]), (last + 1, &json!("live")));
    Ok(())
}

#[tokio::test]
async fn a_reader_that_comes_back_again_and_again_misses_nothing() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let flooding = acp.post_async(acp.envelope("flood", r#"{"count":3000,"bytes":120}"#));
    flooding.await?.expect_status(202)?;
    let (mut seen, mut last) = (0, 1);
    while seen < 3000 {
        let mut stream = acp.events_after(last).await?;
        for _ in 0..170.min(3000 - seen) {
            let event = stream.event().await?;
            seen += 1;
            assert_eq!((event.sequence()?, &event.json()?["params"]["n"]), (last + 1, &json!(seen)));
            last += 1;
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_stream_that_opens_in_the_middle_of_a_flood_has_no_hole() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    acp.post_async(acp.envelope("flood", r#"{"count":4000}"#)).await?.expect_status(202)?;
    // Half of them begin with what comes next, half with all that there was.
    let mut streams = Vec::new();
    for reader in 0..12 {
        streams.push(if reader % 2 == 0 { acp.events().await? } else { acp.events_after(1).await? });
    }
    acp.notify("flood", r#"{"count":1,"label":"end"}"#).await?;
    let read = |mut stream: Sse| async move {
        let mut last = None;
        loop {
            let event = stream.event().await?;
            let sequence = event.sequence()?;
            assert!(last.is_none_or(|last| sequence == last + 1), "{last:?}, then {event:?}");
            last = Some(sequence);
            if event.data.contains("\"end\"") {
                return anyhow::Ok(());
            }
        }
    };
    try_join_all(streams.into_iter().map(read)).await?;
    Ok(())
}

#[tokio::test]
async fn the_first_reader_gets_what_was_said_before_it() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    acp.call("flood", r#"{"count":2}"#).await?;
    // One question is answered before anybody reads, the other is not.
    for id in [7, 8] {
        let ask = acp.envelope("ask", &format!(r#"{{"method":"q","id":{id}}}"#));
        acp.post_async(ask).await?.expect_status(202)?;
    }
    // The agent has asked by the time it answers this.
    acp.call("echo", "{}").await?;
    let answer = r#"{"jsonrpc":"2.0","id":7,"result":{}}"#;
    acp.post(answer).await?.expect_status(202)?;
    acp.call("echo", "{}").await?;
    let mut first = acp.events().await?;
    let seen: Vec<_> = read_any(&mut first, 4).await?;
    let shown = |event: &Event| event.json().unwrap();
    assert_eq!([&shown(&seen[0])["params"]["n"], &shown(&seen[1])["params"]["n"]], [1, 2]);
    assert_eq!((&shown(&seen[2])["method"], &shown(&seen[2])["id"]), (&json!("q"), &json!(8)));
    assert!(seen[3].data.contains("\"result\""), "the answer that nobody waited for: {}", seen[3].data);
    acp.notify("flood", r#"{"count":1,"label":"live"}"#).await?;
    assert_eq!(shown(&first.event().await?)["params"]["label"], json!("live"));
    // Later ones start with the open question, as always.
    let mut second = acp.events().await?;
    assert_eq!(shown(&second.event().await?)["id"], json!(8));
    acp.notify("flood", r#"{"count":1,"label":"more"}"#).await?;
    assert_eq!(shown(&second.event().await?)["params"]["label"], json!("more"));
    Ok(())
}

async fn read_any(stream: &mut Sse, count: usize) -> Result<Vec<Event>> {
    let mut events = Vec::with_capacity(count);
    for _ in 0..count {
        events.push(stream.event().await?);
    }
    Ok(events)
}
