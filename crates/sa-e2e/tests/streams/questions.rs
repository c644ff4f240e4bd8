//! Open questions of the agent are shown to every new reader, once, until they are answered.

use anyhow::Result;
use sa_e2e::{error, notification, request, response};
use sa_testkit::{Acp, Daemon};
use serde_json::json;

/// Makes the agent ask; the id identifies the question.
async fn ask(acp: &Acp, id: &str) -> Result<()> {
    let params = format!(r#"{{"method":"session/request_permission","id":{id},"params":{{"z":1e+29}}}}"#);
    acp.post_async(acp.envelope("ask", &params)).await?.expect_status(202)?;
    Ok(())
}

fn question(id: &str) -> String {
    request(id, "session/request_permission", r#"{"z":1e+29}"#)
}

/// A message that is certainly new.
async fn marker(acp: &Acp) -> Result<()> {
    acp.notify("flood", r#"{"count":1,"label":"marker"}"#).await
}

#[tokio::test]
async fn a_new_reader_sees_open_questions_first_then_what_comes() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let mut early = acp.events().await?;
    ask(&acp, "\"first\"").await?;
    acp.call("flood", r#"{"count":3}"#).await?;
    ask(&acp, "2").await?;
    let ids = [early.event().await?, early.find("the second", |event| event.data == question("2")).await?]
        .map(|event| event.sequence().unwrap());

    let mut late = acp.events().await?;
    marker(&acp).await?;
    for (id, sequence) in ["\"first\"", "2"].into_iter().zip(ids) {
        let event = late.event().await?;
        assert_eq!((event.event.as_str(), event.data.as_str()), ("message", question(id).as_str()));
        assert_eq!(event.sequence()?, sequence, "under the number that it has in the log");
    }
    assert_eq!(late.event().await?.json()?["params"]["label"], json!("marker"));
    Ok(())
}

#[tokio::test]
async fn an_answered_question_is_not_shown_again() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let mut first = acp.events().await?;
    for id in ["1", "2", "3", "\"4\""] {
        ask(&acp, id).await?;
        assert_eq!(first.event().await?.data, question(id));
    }
    // By a result, by an error, and under another spelling of the id.
    acp.post(response(1, "{}")).await?.expect_status(202)?;
    acp.post(error(3, -1, "no")).await?.expect_status(202)?;
    acp.post(response(r#""\u0034""#, "{}")).await?.expect_status(202)?;
    let mut second = acp.events().await?;
    assert_eq!(second.event().await?.data, question("2"), "one is left");
    acp.post(response(2, "{}")).await?.expect_status(202)?;
    let mut third = acp.events().await?;
    marker(&acp).await?;
    third
        .find("the marker", |event| {
            event.data.contains("marker") || event.data.contains("request_permission")
        })
        .await
        .map(|event| assert_eq!(event.json().unwrap()["params"]["label"], json!("marker")))
}

#[tokio::test]
async fn a_reader_with_a_place_gets_the_log_and_no_question_twice() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let mut live = acp.events().await?;
    ask(&acp, "1").await?;
    let asked = live.event().await?.sequence()?;
    marker(&acp).await?;
    let mut before = acp.events_after(asked - 1).await?;
    assert_eq!(before.event().await?.data, question("1"));
    assert_eq!(before.event().await?.json()?["params"]["label"], json!("marker"));
    let mut after = acp.events_after(asked).await?;
    assert_eq!(after.event().await?.json()?["params"]["label"], json!("marker"), "it was seen before");
    Ok(())
}

#[tokio::test]
async fn a_question_outlives_the_log() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).limit("log-bytes", 4096).start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    ask(&acp, "1").await?;
    acp.call("flood", r#"{"count":500,"bytes":200}"#).await?;
    // An answer may come before the log has what came with it, but not before what came with the answer before.
    acp.call("flood", r#"{"count":0}"#).await?;
    let mut stream = acp.events().await?;
    assert_eq!(stream.event().await?.data, question("1"));
    acp.post(notification("x", "{}")).await?.expect_status(202)?;
    Ok(())
}

#[tokio::test]
async fn a_dead_agent_waits_for_nothing() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    ask(&acp, "1").await?;
    acp.post(request("\"x\"", "crash", "{}")).await?.expect_status(502)?;
    let pid = acp.start("puppet").await?;
    let mut stream = acp.events().await?;
    acp.call("pid", "{}").await?;
    assert_eq!(stream.event().await?.json()?["result"], json!(pid));
    Ok(())
}
