//! Output that is no message becomes an event, and the connection lives on.

use anyhow::Result;
use sa_e2e::{request, write};
use sa_testkit::{Acp, Daemon, Sse};
use serde_json::{Value, json};

/// Returns a puppet and a stream of it.
async fn puppet(daemon: &Daemon) -> Result<(Acp, Sse)> {
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let stream = acp.events().await?;
    Ok((acp, stream))
}

/// Lets the agent write the bytes; gives the data of the `unparsed` event that must come of it.
async fn unparsed(acp: &Acp, stream: &mut Sse, bytes: &[u8]) -> Result<Value> {
    acp.call("raw", &write(bytes)).await?;
    let event = stream.event().await?;
    assert_eq!(event.event, "unparsed", "{event:?}");
    let answer = stream.event().await?;
    assert_eq!(answer.event, "message", "what follows is whole: {answer:?}");
    let mut data = event.json()?;
    let reason = data["reason"].take();
    assert!(reason.as_str().is_some_and(|reason| !reason.is_empty()), "{reason}");
    Ok(data)
}

fn whole(raw: &str, bytes: usize) -> Value {
    json!({"raw": raw, "bytes": bytes, "truncated": false, "reason": null})
}

#[tokio::test]
async fn garbage_is_shown_and_skipped() -> Result<()> {
    let daemon = Daemon::start().await?;
    let (acp, mut stream) = puppet(&daemon).await?;
    let lines = [
        "Downloading model… 100%",
        "\u{1b}[31mred\u{1b}[0m\u{0}\u{7}",
        "{}",
        "[1,2]",
        "17",
        r#"{"jsonrpc":"2.0"}"#,
        r#"{"jsonrpc":"1.0","method":"x"}"#,
        r#"{"jsonrpc":"2.0","id":[],"method":"x"}"#,
        r#"{"jsonrpc":"2.0","method":"x"} {"jsonrpc":"2.0","method":"y"}"#,
        "data: x",
    ];
    for line in lines {
        assert_eq!(
            unparsed(&acp, &mut stream, format!("{line}\n").as_bytes()).await?,
            whole(line, line.len())
        );
    }
    Ok(())
}

#[tokio::test]
async fn bytes_that_are_no_text_are_shown_as_far_as_they_are() -> Result<()> {
    let daemon = Daemon::start().await?;
    let (acp, mut stream) = puppet(&daemon).await?;
    assert_eq!(
        unparsed(&acp, &mut stream, b"\xff\xfe\x00a\xc3\n").await?,
        whole("\u{fffd}\u{fffd}\u{0}a\u{fffd}", 5)
    );
    // Inside what would be a message.
    let line = b"{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":\"\xff\"}";
    let data = unparsed(&acp, &mut stream, &[line, &b"\n"[..]].concat()).await?;
    assert_eq!(data["bytes"], json!(line.len()));
    assert!(data["raw"].as_str().unwrap().ends_with("\"\u{fffd}\"}"), "{data}");
    Ok(())
}

#[tokio::test]
async fn a_character_may_lie_across_any_byte() -> Result<()> {
    let daemon = Daemon::start().await?;
    let (acp, mut stream) = puppet(&daemon).await?;
    for before in 197..=201 {
        let line = format!("{}😀{}", "x".repeat(before), "é".repeat(100));
        assert_eq!(
            unparsed(&acp, &mut stream, format!("{line}\n").as_bytes()).await?,
            whole(&line, line.len())
        );
    }
    Ok(())
}

#[tokio::test]
async fn of_a_long_line_only_the_beginning_is_shown() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).limit("unparsed-bytes", 200).start().await?;
    let (acp, mut stream) = puppet(&daemon).await?;
    let line = format!("{}😀 and more", "x".repeat(199));
    let data = unparsed(&acp, &mut stream, format!("{line}\n").as_bytes()).await?;
    assert_eq!((&data["bytes"], &data["truncated"]), (&json!(line.len()), &json!(true)));
    let raw = data["raw"].as_str().unwrap();
    assert!(raw.starts_with(&"x".repeat(199)) && !raw.contains("more"), "{raw}");
    Ok(())
}

#[tokio::test]
async fn an_overlong_line_does_not_end_the_connection() -> Result<()> {
    let daemon =
        Daemon::builder().puppet(&[]).limit("line-bytes", 4096).limit("unparsed-bytes", 64).start().await?;
    let (acp, mut stream) = puppet(&daemon).await?;
    acp.call("huge", r#"{"bytes":4096}"#).await?;
    let fits = stream.event().await?;
    assert_eq!((fits.event.as_str(), fits.data.len()), ("message", 4096));
    stream.event().await?;
    for bytes in [4097, 100_000] {
        acp.call("huge", &format!(r#"{{"bytes":{bytes}}}"#)).await?;
        let event = stream.event().await?;
        let data = event.json()?;
        assert_eq!(
            (event.event.as_str(), &data["bytes"], &data["truncated"]),
            ("unparsed", &json!(bytes), &json!(true))
        );
        assert_eq!(
            data["raw"],
            json!(r#"{"jsonrpc":"2.0","method":"huge","params":{"pad":"xxxxxxxxxxxxxxx"#.get(..64))
        );
        assert_eq!(stream.event().await?.event, "message");
    }
    // One that never ends is an event when its agent does.
    acp.notify("raw", &write("y".repeat(10_000))).await?;
    acp.notify("crash", "{}").await?;
    let data = stream.event().await?.json()?;
    assert_eq!((&data["raw"], &data["bytes"]), (&json!("y".repeat(64)), &json!(10_000)));
    assert_eq!(stream.event().await?.event, "exit");
    Ok(())
}

#[tokio::test]
async fn blank_lines_say_nothing() -> Result<()> {
    let daemon = Daemon::start().await?;
    let (acp, mut stream) = puppet(&daemon).await?;
    acp.call("raw", &write("\n\r\n   \n\t\n")).await?;
    assert_eq!(stream.event().await?.json()?["result"], Value::Null);
    Ok(())
}

#[tokio::test]
async fn an_answer_to_nothing_is_passed_on() -> Result<()> {
    let daemon = Daemon::start().await?;
    let (acp, mut stream) = puppet(&daemon).await?;
    let reply = acp.post(request(5, "duplicate_id", r#"{"x":1}"#)).await?.expect_status(200)?;
    let twice = [stream.event().await?, stream.event().await?];
    assert!(twice.iter().all(|event| event.data == reply.text()), "{twice:?}");
    Ok(())
}
