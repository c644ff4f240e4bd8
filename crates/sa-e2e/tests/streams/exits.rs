//! The end of an agent, on its streams.

use anyhow::Result;
use sa_e2e::{notification, poll, request, write};
use sa_testkit::{Daemon, Signal, Sse};
use serde_json::{Value, json};

async fn exit(stream: &mut Sse) -> Result<(u64, Value)> {
    let event = stream.event().await?;
    assert_eq!(event.event, "exit", "{event:?}");
    Ok((event.sequence()?, event.json()?))
}

#[tokio::test]
async fn an_exit_is_reported_with_code_and_last_words() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let mut stream = acp.events().await?;
    acp.post(notification("crash", r#"{"code":9,"stderr":"it was\nnot me"}"#)).await?.expect_status(202)?;
    let (sequence, data) = exit(&mut stream).await?;
    assert_eq!((sequence, data), (2, json!({"code": 9, "signal": null, "stderrTail": "it was\nnot me"})));
    // It is part of the log.
    let mut replayed = acp.events_after(1).await?;
    assert_eq!(exit(&mut replayed).await?.0, 2);
    Ok(())
}

#[tokio::test]
async fn a_signal_is_reported_as_such() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let mut stream = acp.events().await?;
    for signal in [9, 6, 15] {
        acp.notify("signal", &format!(r#"{{"sig":{signal}}}"#)).await?;
        let (_, data) = exit(&mut stream).await?;
        assert_eq!(data, json!({"code": null, "signal": signal, "stderrTail": ""}));
        acp.start("puppet").await?;
        stream.event().await?;
    }
    Ok(())
}

#[tokio::test]
async fn of_a_long_complaint_the_end_is_kept() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let mut stream = acp.events().await?;
    acp.call("stderr", r#"{"text":"0123456789abcde\n","repeat":20000}"#).await?;
    acp.notify("crash", r#"{"stderr":"the cause: ✗"}"#).await?;
    stream.event().await?;
    let (_, data) = exit(&mut stream).await?;
    let tail = data["stderrTail"].as_str().unwrap();
    assert!(tail.ends_with("abcde\nthe cause: ✗"), "{}", tail.len());
    assert!((32 * 1024..=64 * 1024).contains(&tail.len()), "{} bytes of standard error are kept", tail.len());
    Ok(())
}

#[tokio::test]
async fn what_was_written_last_is_not_lost() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let mut stream = acp.events().await?;
    // A part of a line, then the end: the part is shown before the exit.
    acp.notify("raw", &write("half a li")).await?;
    acp.notify("crash", "{}").await?;
    let part = stream.event().await?;
    assert_eq!((part.event.as_str(), &part.json()?["raw"]), ("unparsed", &json!("half a li")));
    exit(&mut stream).await?;
    // The same with a whole message that only lacks its line feed, here even the answer that a POST waits for.
    acp.start("puppet").await?;
    let answer = r#"{"jsonrpc":"2.0","id":"last","result":1e+29}"#;
    acp.notify("raw", &write(answer)).await?;
    let waiting = acp.posting(request("\"last\"", "crash", "{}")).send();
    assert_eq!(waiting.await?.expect_status(200)?.text(), answer);
    // And with a flood that was still in the pipe.
    acp.start("puppet").await?;
    let last = acp.listed().await?.unwrap()["lastEventId"].as_u64().unwrap();
    let mut stream = acp.events_after(last).await?;
    acp.notify("raw", &write(format!("{}\n", notification("x", "1")).repeat(1000))).await?;
    acp.notify("crash", "{}").await?;
    for _ in 0..1000 {
        assert_eq!(stream.event().await?.data, notification("x", "1"));
    }
    exit(&mut stream).await?;
    Ok(())
}

#[tokio::test]
async fn a_stream_goes_on_with_the_next_run() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    let first = acp.start("puppet").await?;
    let mut stream = acp.events().await?;
    acp.notify("crash", "{}").await?;
    let (ended, _) = exit(&mut stream).await?;
    let second = acp.start("puppet").await?;
    assert_ne!(first, second);
    let event = stream.event().await?;
    assert_eq!((event.sequence()?, event.json()?["result"].clone()), (ended + 1, json!(second)));
    Ok(())
}

#[tokio::test]
async fn delete_ends_the_streams_in_good_order() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let mut stream = acp.events().await?;
    acp.post_async(request(1, "never", "{}")).await?.expect_status(202)?;
    acp.delete().await?.expect_status(204)?;
    let failed = stream.event().await?.json()?;
    assert_eq!((&failed["id"], failed["error"].is_object()), (&json!(1), true), "{failed}");
    exit(&mut stream).await?;
    assert_eq!(stream.next_event().await?, None, "the proper end, not a cut");
    Ok(())
}

#[tokio::test]
async fn an_agent_that_somebody_else_kills_is_noticed() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    let pid = acp.start("puppet").await?;
    let mut stream = acp.events().await?;
    daemon.sandbox().command("kill").args(["-KILL", &pid.to_string()]).status()?;
    let (_, data) = exit(&mut stream).await?;
    assert_eq!(data["signal"], json!(Signal::KILL.as_raw()));
    poll(
        "the listing",
        async || Ok((acp.listed().await?.unwrap()["status"] == json!("exited")).then_some(())),
    )
    .await
}
