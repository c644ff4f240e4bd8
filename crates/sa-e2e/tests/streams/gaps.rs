//! Missing events are reported, with the right numbers, and the rest follows.

use anyhow::Result;
use sa_e2e::notification;
use sa_testkit::{Acp, Daemon, Event};
use serde_json::{Value, json};

/// Reads after that place: the gap, then every event up to the newest, which must follow one another.
async fn gap_and_rest(acp: &Acp, after: u64) -> Result<(Value, Vec<Event>)> {
    let mut stream = acp.events_after(after).await?;
    let first = stream.event().await?;
    assert_eq!((first.event.as_str(), &first.id), ("gap", &None), "{first:?}");
    let gap = first.json()?;
    let (oldest, newest) = (gap["oldest"].as_u64().unwrap(), gap["newest"].as_u64().unwrap());
    let mut rest = Vec::new();
    // 0: nothing is left.
    let left = if oldest == 0 { 0 } else { newest + 1 - oldest };
    for sequence in oldest..oldest + left {
        let event = stream.event().await?;
        assert_eq!(event.sequence()?, sequence);
        rest.push(event);
    }
    acp.notify("flood", r#"{"count":1,"label":"live"}"#).await?;
    let live = stream.event().await?;
    assert_eq!((live.sequence()?, &live.json()?["params"]["label"]), (newest + 1, &json!("live")));
    Ok((gap, rest))
}

#[tokio::test]
async fn a_place_before_the_log_is_a_gap() -> Result<()> {
    const LIMIT: usize = 512 * 1024;
    let daemon = Daemon::builder().puppet(&[]).limit("log-bytes", LIMIT as u64).start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    acp.call("flood", r#"{"count":4000,"bytes":1000}"#).await?;
    let (gap, rest) = gap_and_rest(&acp, 5).await?;
    assert_eq!(gap["newest"], json!(4002));
    let kept: usize = rest.iter().map(|event| event.data.len()).sum();
    // Records leave the log together with those that were read with them, so it is not exact to the byte.
    assert!((LIMIT / 4..=LIMIT).contains(&kept), "{kept} bytes are kept");
    let numbers = rest.iter().filter_map(|event| event.json().unwrap()["params"]["n"].as_u64());
    assert!(numbers.eq(gap["oldest"].as_u64().unwrap() - 1..=4000));
    Ok(())
}

#[tokio::test]
async fn the_oldest_event_that_is_left_needs_no_gap_before_it() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).limit("log-bytes", 64 * 1024).start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    acp.call("flood", r#"{"count":4000,"bytes":200}"#).await?;
    let mut stream = acp.events_after(0).await?;
    let oldest = stream.event().await?.json()?["oldest"].as_u64().unwrap();
    let mut exact = acp.events_after(oldest - 1).await?;
    assert_eq!(exact.event().await?.sequence()?, oldest);
    let mut one_before = acp.events_after(oldest - 2).await?;
    assert_eq!(one_before.event().await?.event, "gap");
    Ok(())
}

#[tokio::test]
async fn a_place_in_the_future_is_a_gap() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    let pid = acp.start("puppet").await?;
    acp.call("flood", r#"{"count":3}"#).await?;
    for place in [6, 1000, i64::MAX as u64] {
        let newest = acp.listed().await?.unwrap()["lastEventId"].as_u64().unwrap();
        let place = place.max(newest + 1);
        let (gap, rest) = gap_and_rest(&acp, place).await?;
        assert_eq!(gap, json!({"oldest": 1, "newest": newest}));
        assert_eq!(rest[0].json()?["result"], json!(pid), "everything that is left follows");
    }
    Ok(())
}

#[tokio::test]
async fn a_place_from_before_a_restart_is_distinguished() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    acp.call("flood", r#"{"count":30}"#).await?;
    acp.delete().await?.expect_status(204)?;
    // The same id, another server: its numbers continue, nothing was said yet, and the events after the cursor are gone.
    acp.post_to("puppet", notification("x", "{}")).await?.expect_status(202)?;
    let (gap, rest) = gap_and_rest(&acp, 32).await?;
    assert_eq!((gap, rest), (json!({"oldest": 0, "newest": 33}), Vec::new()));
    Ok(())
}
