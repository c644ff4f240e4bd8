//! An agent that misbehaves: the daemon passes on messages, reports other output, and continues.

use crate::client::{Client, said_by};
use anyhow::{Context, Result};
use sa_e2e::gone;
use sa_testkit::Daemon;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Events until the answer to that request: facts, and what was said.
async fn until_answer(client: &mut Client, id: u64) -> Result<(Vec<Value>, Vec<String>)> {
    let (mut facts, mut said) = (Vec::new(), Vec::new());
    loop {
        let event = client.stream.event().await?;
        let data = event.json()?;
        if event.event != "message" {
            assert_eq!(event.event, "unparsed");
            facts.push(data);
        } else if data["id"] == id {
            assert_eq!(data["result"]["stopReason"], json!("end_turn"), "{data}");
            return Ok((facts, said));
        } else {
            said.extend(said_by(&data).map(str::to_owned));
        }
    }
}

#[tokio::test]
async fn garbage_is_reported_and_harms_nobody() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    let script = "say a\ngarbage\nsay b\ngarbage json\ngarbage empty\ngarbage utf8\ngarbage response\nsay c";
    let id = client.prompt_async(&session, script).await?;
    let (facts, said) = until_answer(&mut client, id).await?;
    assert_eq!(said, ["a", "b", "c"]);
    let raw: Vec<&str> = facts.iter().map(|fact| fact["raw"].as_str().unwrap()).collect();
    assert_eq!(raw[..2], ["This line is no JSON.", r#"{"hello":"world"}"#]);
    assert!(raw[2].contains("this line is no UTF-8") && raw.len() == 3, "{raw:?}");
    assert!(
        facts.iter().all(|fact| fact["truncated"] == json!(false) && fact["reason"].is_string()),
        "{facts:?}"
    );
    Ok(())
}

#[tokio::test]
async fn a_line_that_is_too_long_is_cut_and_the_next_is_fine() -> Result<()> {
    let daemon = Daemon::builder().limit("line-bytes", 100_000).limit("unparsed-bytes", 1000).start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    let id = client.prompt_async(&session, "garbage long 5000000\nbig 100000\nbig 100001\nsay after").await?;
    let (facts, said) = until_answer(&mut client, id).await?;
    let sizes: Vec<_> =
        facts.iter().map(|fact| (fact["bytes"].as_u64(), fact["truncated"].as_bool())).collect();
    assert_eq!(sizes, [(Some(5_000_000), Some(true)), (Some(100_001), Some(true))]);
    assert!(facts.iter().all(|fact| fact["raw"].as_str().is_some_and(|raw| raw.len() <= 1000)));
    assert_eq!((said.len(), said[1].as_str()), (2, "after"), "the line of exactly the limit came through");
    Ok(())
}

#[tokio::test]
async fn half_a_line_at_the_end_is_reported_too() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    let problem =
        client.post_prompt(&session, "garbage nolf").await?.expect_problem(502, "agent_process_exited")?;
    assert_eq!(problem.document["details"]["code"], json!(0));
    let fact = client.fact().await?;
    assert_eq!(
        (fact.event.as_str(), &fact.json()?["raw"]),
        ("unparsed", &json!(r#"{"jsonrpc":"2.0","method":"session/upd"#))
    );
    assert_eq!(client.fact().await?.event, "exit");
    Ok(())
}

#[tokio::test]
async fn an_agent_that_closes_its_output_is_ended() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    let pid = u32::try_from(client.acp.listed().await?.unwrap()["pid"].as_u64().unwrap())?;
    let reply = client.post_prompt(&session, "say last\nclose-stdout\nhang").await?;
    reply.expect_problem(502, "agent_process_exited")?;
    client.hear("last").await?;
    assert_eq!(client.fact().await?.event, "exit");
    gone(&[pid], Duration::from_secs(3)).await
}

#[tokio::test]
async fn an_agent_that_does_not_listen_can_be_deleted() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    let pid = u32::try_from(client.acp.listed().await?.unwrap()["pid"].as_u64().unwrap())?;
    client.prompt_async(&session, "deaf\nsay deaf\nhang").await?;
    client.hear("deaf").await?;
    client.cancel(&session).await.context("it is taken, though nobody hears it")?;
    let started = Instant::now();
    client.acp.delete().await?.expect_status(204)?;
    assert!(started.elapsed() < Duration::from_secs(4), "DELETE took {:?}", started.elapsed());
    gone(&[pid], Duration::ZERO).await
}

#[tokio::test]
async fn a_silent_agent_is_given_up_and_its_answer_comes_late() -> Result<()> {
    let daemon = Daemon::builder().limit("silence-ms", 1500).start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    let reply = client.post_prompt(&session, "silent 4000\nsay back").await?;
    reply.expect_problem(504, "timeout")?;
    client.hear("back").await?;
    let answer = client.answer_to(2).await?;
    assert_eq!(answer["result"]["stopReason"], json!("end_turn"), "the second request of this client");
    Ok(())
}

mod heavy {
    use super::*;

    #[tokio::test]
    async fn a_flood_arrives_whole_and_in_order() -> Result<()> {
        const COUNT: usize = 20_000;
        let daemon = Daemon::builder().start().await?;
        let (mut client, session) = Client::open(&daemon).await?;
        let id = client.prompt_async(&session, &format!("flood {COUNT} 300\nsay dry")).await?;
        let mut expected = 1;
        let mut last = None;
        loop {
            let event = client.stream.event().await?;
            assert_eq!(event.event, "message", "{}", event.data);
            let sequence = event.sequence()?;
            assert!(last.is_none_or(|last| sequence == last + 1), "{last:?} was followed by {sequence}");
            last = Some(sequence);
            let message = event.json()?;
            if message["id"] == id {
                break;
            }
            if let Some(number) =
                said_by(&message).and_then(|text| text.split(' ').next()?.parse::<usize>().ok())
            {
                assert_eq!(number, expected);
                expected += 1;
            }
        }
        assert_eq!(expected, COUNT + 1);
        Ok(())
    }

    #[tokio::test]
    async fn a_flood_can_be_cancelled() -> Result<()> {
        let daemon = Daemon::builder().start().await?;
        let (mut client, session) = Client::open(&daemon).await?;
        let id = client.prompt_async(&session, "flood 1000000000000").await?;
        for _ in 0..1000 {
            client.message().await?;
        }
        client.cancel(&session).await?;
        assert_eq!(client.answer_to(id).await?["result"]["stopReason"], json!("cancelled"));
        assert_eq!(client.prompt(&session, "say dry").await?.said(), ["dry"]);
        Ok(())
    }

    #[tokio::test]
    async fn a_message_of_many_mebibytes_passes() -> Result<()> {
        const SIZE: usize = 20 << 20;
        let daemon = Daemon::builder().start().await?;
        let (mut client, session) = Client::open(&daemon).await?;
        client.prompt_async(&session, &format!("big {SIZE}")).await?;
        let event = client.stream.event().await?;
        assert_eq!(event.data.len(), SIZE);
        let text = event.json()?["params"]["update"]["content"]["text"].as_str().map(str::len);
        assert!(text.is_some_and(|length| length > SIZE - 1000), "{text:?}");
        Ok(())
    }
}
