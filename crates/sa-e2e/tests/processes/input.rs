//! Standard input.

use crate::api::{Api, base64};
use anyhow::Result;
use sa_testkit::Daemon;
use serde_json::json;

#[tokio::test]
async fn every_process_takes_input_which_is_base64_unless_it_says_otherwise() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let id = api.create(json!({"command": "cat"})).await?;
    let path = format!("/{id}/input");
    let taken = api.post(&path, &json!({"data": base64(b"\xff one\n")})).await?.expect_status(200)?.json()?;
    assert_eq!(taken, json!({"bytesWritten": 6}));
    api.post(&path, &json!({"data": "two\n", "encoding": "utf8"})).await?.expect_status(200)?;
    api.post(&path, &json!({"data": "three\n", "encoding": "text"})).await?.expect_status(200)?;
    let last = json!({"data": base64(b"four\n"), "encoding": "base64", "eof": true});
    api.post(&path, &last).await?.expect_status(200)?;
    assert_eq!(api.ended(&id).await?["exitCode"], 0, "its input ended");
    assert_eq!(api.text(&id).await?, "\u{fffd} one\ntwo\nthree\nfour\n");
    api.post(&path, &last).await?.expect_problem(409, "conflict")?;
    Ok(())
}

#[tokio::test]
async fn input_that_cannot_be_is_refused() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let id = api.create(json!({"command": "cat", "interactive": true})).await?;
    let path = format!("/{id}/input");
    for body in [
        json!({"data": "not base64!"}),
        json!({"data": "", "encoding": "morse"}),
        json!({}),
        json!({"data": 1}),
        json!({"text": 1}),
        json!({"text": "x", "data": "eA=="}),
        json!({"text": "x", "encoding": "utf8"}),
    ] {
        api.post(&path, &body).await?.expect_problem(400, "invalid_request")?;
    }
    let long = "x".repeat(64 * 1024 + 1);
    let body = json!({"data": long, "encoding": "utf8"});
    api.post(&path, &body).await?.expect_problem(413, "payload_too_large")?;
    Ok(())
}

#[tokio::test]
async fn text_is_taken_as_it_is_and_the_end_alone() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let id = api.create(json!({"command": "cat"})).await?;
    let path = format!("/{id}/input");
    let taken = api.post(&path, &json!({"text": "grüße\n"})).await?.expect_status(200)?.json()?;
    assert_eq!(taken, json!({"bytesWritten": 8}));
    let ended = api.post(&path, &json!({"eof": true})).await?.expect_status(200)?.json()?;
    assert_eq!(ended, json!({"bytesWritten": 0}));
    assert_eq!(api.ended(&id).await?["exitCode"], 0);
    assert_eq!(api.text(&id).await?, "grüße\n");
    Ok(())
}
