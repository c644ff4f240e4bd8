//! Lists of sessions, ids that the daemon chooses, and messages that wait, as commands.

use crate::caller::{Caller, rows};
use anyhow::Result;
use sa_testkit::{Daemon, Signal};
use serde_json::json;

#[tokio::test]
async fn sessions_are_listed_with_filters_over_all_pages() -> Result<()> {
    let daemon = Daemon::start().await?;
    let caller = Caller::of(&daemon);
    let api = async |words: &[&str]| caller.output(&[&["sessions"], words].concat()).await;
    let first = api(&["create", "--agent", "demo", "--idempotency-key", "k"]).await?;
    assert_eq!(api(&["create", "--agent", "demo", "--idempotency-key", "k"]).await?, first);
    api(&["create", "tagged", "--agent", "demo", "--metadata", r#"{"team":"a"}"#]).await?;
    api(&["terminate", "tagged"]).await?;
    let ids = async |words: &[&str]| {
        let list = api(&[&["list"], words].concat()).await?;
        anyhow::Ok(rows(&list).into_iter().map(|row| row[0].to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(ids(&[]).await?, ["tagged", first.trim()]);
    assert_eq!(ids(&["--state", "ended", "--state", "running"]).await?, ["tagged"]);
    assert_eq!(ids(&["--metadata", "team:a", "--agent", "demo"]).await?, ["tagged"]);
    assert_eq!(ids(&["--limit", "1"]).await?, ["tagged"]);
    let json = caller.json(&["sessions", "list", "--limit", "1", "--choices", "--json"]).await?;
    assert_eq!(json["hasMore"], true);
    assert!(json["sessions"][0]["choices"].is_object(), "{json:#}");
    for usage in [&["--state", "busy"], &["--metadata", "x"]] {
        let refused = caller.run(&[&["sessions", "list"], &usage[..]].concat()).await?;
        assert_eq!(refused.status.code(), Some(64), "{refused}");
    }
    Ok(())
}

#[tokio::test]
async fn waiting_messages_are_withdrawn_and_resumed() -> Result<()> {
    let mut daemon = Daemon::start().await?;
    let caller = Caller::of(&daemon);
    caller.output(&["sessions", "create", "s", "--agent", "demo"]).await?;
    for text in ["hang", "say A", "say B"] {
        caller.output(&["sessions", "send", "s", text]).await?;
    }
    let session = caller.json(&["sessions", "get", "s", "--json"]).await?;
    let message = session["queue"].as_array().unwrap().last().unwrap()["messageId"].as_str().unwrap();
    caller.output(&["sessions", "withdraw", "s", message]).await?;
    let sandbox = daemon.sandbox();
    daemon.signal(Signal::KILL);
    daemon.exited().await?;
    let daemon = Daemon::builder().sandbox(sandbox).start().await?;
    let caller = Caller::of(&daemon);
    assert!(caller.output(&["sessions", "get", "s"]).await?.contains("1, held"));
    caller.output(&["sessions", "resume", "s"]).await?;
    sa_e2e::poll("the message", async || {
        let session = caller.json(&["sessions", "get", "s", "--json"]).await?;
        Ok((session["queued"] == json!(0) && session["state"] == "idle").then_some(()))
    })
    .await?;
    caller.output(&["sessions", "terminate", "s"]).await?;
    let shown = caller.run(&["sessions", "follow", "s"]).await?;
    assert!(shown.stdout.contains('A') && !shown.stdout.contains('B'), "{shown}");
    for note in ["a queued message was withdrawn", "until the session is resumed", "queued messages continue"]
    {
        assert!(shown.stderr.contains(note), "{note}: {shown}");
    }
    Ok(())
}
