//! Sessions on the move.

use crate::api::{Api, of_kind, said};
use anyhow::Result;
use sa_testkit::Daemon;
use serde_json::{Value, json};

const LINES: &str = "application/x-ndjson";

async fn import(daemon: &Daemon, query: &str, lines: String) -> Result<sa_testkit::Reply> {
    let request = daemon.http().post(&format!("/v1/sessions/import{query}"));
    request.header("content-type", LINES).body(lines).send().await
}

#[tokio::test]
async fn a_session_is_taken_from_one_daemon_to_another() -> Result<()> {
    let first = Daemon::builder().start().await?;
    let api = Api::of(&first);
    let body = json!({"title": "Moving", "permissionMode": "bypass", "env": {"A": "hidden value"}});
    api.create_with("s", body).await?;
    api.turn("s", "say something to keep\nedit a.txt").await?;
    let export = api.get("/s/export").await?.expect_status(200)?;
    assert_eq!(export.header("content-type"), LINES);
    let lines = export.text();
    let head: Value = serde_json::from_str(lines.lines().next().unwrap())?;
    assert_eq!(head["sessionId"], "s");
    assert!(!lines.contains("hidden value"), "secrets stay");

    let second = Daemon::builder().start().await?;
    let there = Api::of(&second);
    let session = import(&second, "", lines.clone()).await?.expect_status(200)?.json()?;
    assert_eq!((&session["sessionId"], &session["title"]), (&json!("s"), &json!("Moving")));
    assert_eq!(there.events("s").await?, api.events("s").await?);
    import(&second, "", lines.clone()).await?.expect_problem(409, "conflict")?;
    let renamed = import(&second, "?sessionId=t", lines).await?.expect_status(200)?.json()?;
    assert_eq!(renamed["sessionId"], "t");
    assert!(there.events("t").await?.iter().all(|event| event["sessionId"] == json!("t")));
    // Its agent's own history stayed behind: the conversation is given to it anew.
    let events = there.turn("s", "say and on it goes").await?;
    assert!(said(&events).contains("and on it goes"), "{events:#?}");
    assert_eq!(of_kind(&events, "continuity")[0]["kind"], "replayed", "{events:#?}");
    Ok(())
}

#[tokio::test]
async fn what_is_no_export_is_refused_and_leaves_nothing() -> Result<()> {
    let daemon = Daemon::builder().limit("body-bytes", 100_000).start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    api.turn("s", "say hi").await?;
    let good = api.get("/s/export").await?.expect_status(200)?.text();
    let lines: Vec<&str> = good.lines().collect();
    let hole = [&lines[..1], &lines[2..]].concat();
    let mut hole_later = lines.clone();
    hole_later.remove(3);
    let bad = [
        String::new(),
        "not json\n".to_owned(),
        "{}\n".to_owned(),
        lines[1..].join("\n"),
        hole_later.join("\n"),
        format!("{}\nnot json", lines.join("\n")),
    ];
    for text in bad {
        import(&daemon, "?sessionId=t", text).await?.expect_problem(400, "invalid_request")?;
    }
    let long = format!("{}\n{}", lines[0], "x".repeat(100_001));
    import(&daemon, "?sessionId=t", long).await?.expect_problem(413, "payload_too_large")?;
    import(&daemon, "?sessionId=-", good.clone()).await?.expect_problem(400, "invalid_request")?;
    let typed = daemon.http().post("/v1/sessions/import").json(good.clone()).send().await?;
    typed.expect_problem(415, "unsupported_media_type")?;
    api.get("/t").await?.expect_problem(404, "not_found")?;
    // An export that begins later, as one of a session whose oldest events are gone does, is whole.
    let session = import(&daemon, "?sessionId=t", hole.join("\n")).await?.expect_status(200)?.json()?;
    assert_eq!(session["oldestEventId"], 2);
    Ok(())
}
