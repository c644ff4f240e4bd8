//! Output by sequence: what there was, what comes, and what is gone.

use crate::api::{Api, bytes, script};
use anyhow::Result;
use sa_testkit::{Daemon, Pace};
use serde_json::{Value, json};

fn text(entries: &Value) -> String {
    let all: Vec<u8> = entries.as_array().unwrap().iter().flat_map(|entry| bytes(entry).unwrap()).collect();
    String::from_utf8(all).unwrap()
}

/// Prints a piece at a time, so that each is a separate entry.
const PIECES: &str = "for i in 1 2 3 4 5; do echo $i; sleep 0.05; done; echo end >&2";

#[tokio::test]
async fn output_is_read_by_stream_and_by_sequence() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let id = api.script(PIECES, json!({})).await?;
    api.ended(&id).await?;
    let all = api.logs(&id, "").await?;
    assert_eq!((&all["processId"], &all["stream"], all.get("gap")), (&json!(id), &json!("combined"), None));
    let entries = all["entries"].as_array().unwrap();
    assert!(entries.len() >= 2);
    for (index, entry) in entries.iter().enumerate() {
        assert_eq!(entry["sequence"], index + 1);
        let time = sa_e2e::millis(&entry["timestamp"])?;
        assert!(time > 1_600_000_000_000);
        assert_eq!(entry["timestampMs"], time);
    }
    assert_eq!(text(&all["entries"]), "1\n2\n3\n4\n5\nend\n");
    let stderr = api.logs(&id, "?stream=stderr").await?;
    assert_eq!((text(&stderr["entries"]).as_str(), &stderr["stream"]), ("end\n", &json!("stderr")));
    assert_eq!(stderr["entries"][0]["stream"], "stderr");
    assert_eq!(text(&api.logs(&id, "?stream=stdout").await?["entries"]), "1\n2\n3\n4\n5\n");
    assert_eq!(api.logs(&id, "?stream=pty").await?["entries"], json!([]));
    assert_eq!(text(&api.logs(&id, "?tail=1").await?["entries"]), "end\n");
    assert_eq!(api.logs(&id, "?tail=0").await?["entries"], json!([]));
    let last = entries.len();
    for name in ["after", "since"] {
        let rest = api.logs(&id, &format!("?{name}={}", last - 1)).await?;
        assert_eq!((&rest["entries"], &rest["hasMore"]), (&json!([entries[last - 1]]), &json!(false)));
        let page = api.logs(&id, &format!("?{name}=0&limit=1")).await?;
        assert_eq!((&page["entries"], &page["hasMore"]), (&json!([entries[0]]), &json!(true)));
    }
    assert_eq!(api.logs(&id, "?after=999999").await?["entries"], json!([]), "a number from elsewhere");
    for query in
        ["?stream=nose", "?tail=-1", "?after=x", "?after=1&tail=1", "?follow=perhaps", "?after=1&since=2"]
    {
        api.get(&format!("/{id}/logs{query}")).await?.expect_problem(400, "invalid_request")?;
    }
    Ok(())
}

#[tokio::test]
async fn following_ends_when_the_process_does() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let id = api.script(PIECES, json!({})).await?;
    let mut stream = api.follow(&id, "").await?;
    let (mut followed, mut last) = (String::new(), 0);
    let exit = loop {
        let event = stream.event().await?;
        if event.event != "log" {
            break event;
        }
        let entry = event.json()?;
        assert_eq!((event.sequence()?, &entry["sequence"]), (last + 1, &json!(last + 1)));
        last += 1;
        followed.push_str(&String::from_utf8(bytes(&entry)?)?);
    };
    assert_eq!(followed, "1\n2\n3\n4\n5\nend\n");
    assert_eq!(exit.event, "exit");
    assert_eq!(exit.json()?, json!({"exitCode": 0, "signal": null, "oomKilled": false}));
    assert_eq!(stream.next_event().await?, None, "the stream ends with the process");

    // A reader that was cut off continues where it was; one that comes late gets all of it, and the end.
    let request = |header: &str| {
        let path = format!("/v1/processes/{id}/logs/sse?lastEventId=999");
        daemon.http().get(&path).header("last-event-id", header)
    };
    let mut late = sa_testkit::Sse::open(request(&(last - 1).to_string())).await?;
    assert_eq!(late.event().await?.sequence()?, last);
    assert_eq!(late.event().await?.event, "exit");
    let mut tail = api.follow(&id, "?tail=1&stream=stdout").await?;
    assert_eq!(bytes(&tail.event().await?.json()?)?, b"5\n");
    assert_eq!(tail.event().await?.event, "exit");
    request("soon").send().await?.expect_problem(400, "invalid_request")?;
    let mut named = api.follow(&id, &format!("?lastEventId={}", last - 1)).await?;
    assert_eq!(named.event().await?.sequence()?, last);
    // The spelling of older clients.
    let old = daemon.http().get(&format!("/v1/processes/{id}/logs?follow=true&since={}", last - 1));
    assert_eq!(sa_testkit::Sse::open(old).await?.event().await?.sequence()?, last);
    Ok(())
}

/// Writes characters in pieces, each of which is a separate entry: the next one waits for a line of input.
const CUT: &str =
    r"printf 'gr\303'; read _; printf '\274\303\237e'; read _; printf '\377'; read _; printf 'end\342\202'";

#[tokio::test]
async fn output_comes_as_text_where_it_is_text() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let id = api.script(CUT, json!({})).await?;
    let shown = |entry: &Value| {
        let member = |name: &str| entry[name].as_str().unwrap().to_owned();
        (entry["sequence"].as_u64().unwrap(), member("data"), member("encoding"))
    };
    let mut stream = api.follow(&id, "?encoding=text").await?;
    let mut followed = Vec::new();
    loop {
        let event = stream.event().await?;
        if event.event == "exit" {
            break;
        }
        followed.push(shown(&event.json()?));
        if followed.len() < 4 {
            api.post(&format!("/{id}/input"), &json!({"text": "\n"})).await?.expect_status(200)?;
        }
    }
    let entry = |sequence, data: &str, encoding: &str| (sequence, data.to_owned(), encoding.to_owned());
    let expected = [
        entry(1, "gr", "utf8"),
        entry(2, "üße", "utf8"),
        entry(3, "/w==", "base64"),
        entry(4, "end", "utf8"),
        // The beginning of a character that never came.
        entry(4, "4oI=", "base64"),
    ];
    assert_eq!(followed, expected);
    let logs = api.logs(&id, "?encoding=text").await?;
    assert_eq!(logs["entries"].as_array().unwrap().iter().map(shown).collect::<Vec<_>>(), expected);
    for after in [1, 2, 3] {
        let logs = api.logs(&id, &format!("?encoding=text&after={after}")).await?;
        let entries: Vec<_> = logs["entries"].as_array().unwrap().iter().map(shown).collect();
        assert_eq!(entries, expected[after..], "after {after}, with what it began");
        let mut stream = api.follow(&id, &format!("?encoding=text&lastEventId={after}")).await?;
        assert_eq!(shown(&stream.event().await?.json()?), expected[after]);
    }
    let page = api.logs(&id, "?encoding=text&limit=1").await?;
    assert_eq!(page["entries"].as_array().unwrap().len(), 1);
    assert_eq!(api.logs(&id, "?encoding=base64").await?, api.logs(&id, "").await?);
    Ok(())
}

#[tokio::test]
async fn following_ends_when_a_background_child_holds_the_output() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let id = api.script("sleep 600 & echo done", json!({})).await?;
    let mut stream = api.follow(&id, "").await?;
    assert_eq!(bytes(&stream.event().await?.json()?)?, b"done\n");
    assert_eq!(stream.event().await?.event, "exit");
    assert_eq!(stream.next_event().await?, None);
    Ok(())
}

#[tokio::test]
async fn output_may_be_any_bytes() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let id =
        api.script(r"printf '\000\377\376\n\n'; printf '\303'; sleep 0.05; printf '\274'", json!({})).await?;
    api.ended(&id).await?;
    let logs = api.logs(&id, "").await?;
    let all: Vec<u8> =
        logs["entries"].as_array().unwrap().iter().flat_map(|entry| bytes(entry).unwrap()).collect();
    assert_eq!(all, b"\x00\xff\xfe\n\n\xc3\xbc");
    Ok(())
}

#[tokio::test]
async fn a_follower_gets_a_response_that_its_accept_header_allows() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let id = api.create(script("echo x")).await?;
    let ask = |query: &str, accept: &str| {
        daemon.http().get(&format!("/v1/processes/{id}/logs{query}")).header("accept", accept).send()
    };
    ask("", "text/event-stream").await?.expect_problem(406, "not_acceptable")?;
    ask("?follow=true", "application/json").await?.expect_problem(406, "not_acceptable")?;
    ask("?follow=false", "application/json").await?.expect_status(200)?;
    Ok(())
}

mod heavy {
    use super::*;
    use std::time::Duration;

    /// Bytes of the flood. By hand it was five gigabytes; the bound on memory is the same.
    const FLOOD: u64 = 1 << 30;

    #[tokio::test]
    async fn a_flood_costs_bounded_memory_and_the_follower_is_reported_what_was_dropped() -> Result<()> {
        let flood = std::env::var("SA_FLOOD_BYTES").map_or(FLOOD, |text| text.parse().unwrap());
        let daemon = Daemon::start().await?;
        let api = Api::of(&daemon);
        api.run(json!({"command": "true"})).await?;
        let before = daemon.rss_bytes()?;
        let text = format!("read go; head -c {flood} /dev/zero; echo end");
        let id = api.script(&text, json!({"interactive": true})).await?;
        let request = daemon.http().get(&format!("/v1/processes/{id}/logs/sse"));
        let mut stream = sa_testkit::Sse::open(request.receive_buffer(65536)).await?;
        stream.set_pace(Pace::Stalled);
        api.post(&format!("/{id}/input"), &json!({"data": "go\n", "encoding": "utf8"}))
            .await?
            .expect_status(200)?;
        let ended = sa_e2e::poll("the flood to be over", async || {
            let info = api.info(&id).await?;
            Ok((info["status"] == json!("exited")).then_some(info))
        });
        tokio::time::timeout(Duration::from_secs(120), ended).await??;
        let peak = daemon.peak_rss_bytes()?.saturating_sub(before);
        assert!(peak < 32 << 20, "{} KiB more memory for a log of 10 MiB", peak >> 10);

        stream.set_pace(Pace::Free);
        let (mut read, mut dropped) = (0, 0);
        loop {
            let event = stream.event().await?;
            let data = event.json()?;
            match event.event.as_str() {
                "log" => read += bytes(&data)?.len() as u64,
                "gap" => dropped += data["droppedBytes"].as_u64().unwrap(),
                _ => break,
            }
        }
        assert!(dropped > 0, "a reader that stalls is left behind");
        assert_eq!(read + dropped, flood + 4, "every byte is read or known to be gone");
        let gap = api.logs(&id, "").await?["gap"].clone();
        assert!(
            gap["oldest"].as_u64().unwrap() > 1 && gap["droppedBytes"].as_u64().unwrap() > flood / 2,
            "{gap}"
        );
        Ok(())
    }

    #[tokio::test]
    async fn a_follower_that_keeps_reading_loses_nothing() -> Result<()> {
        let daemon = Daemon::start().await?;
        let api = Api::of(&daemon);
        let id = api.script("read go; head -c 50000000 /dev/zero", json!({"interactive": true})).await?;
        let mut stream = api.follow(&id, "").await?;
        api.post(&format!("/{id}/input"), &json!({"data": "Cg=="})).await?.expect_status(200)?;
        let mut read = 0;
        loop {
            let event = stream.event().await?;
            match event.event.as_str() {
                "log" => read += bytes(&event.json()?)?.len(),
                "exit" => break,
                other => panic!("{other} after {read} bytes"),
            }
        }
        assert_eq!(read, 50_000_000);
        Ok(())
    }
}
