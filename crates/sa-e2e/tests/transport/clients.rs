//! Several clients at one server, and clients that go away.

use anyhow::Result;
use futures_util::future::{join_all, try_join_all};
use sa_e2e::{poll, request, response};
use sa_testkit::{Acp, Daemon};
use serde_json::{Value, json};
use std::collections::HashSet;

/// Waits until so many requests are unanswered.
pub(crate) async fn pending(acp: &Acp, count: u64) -> Result<()> {
    poll("the pending requests", async || {
        Ok((acp.listed().await?.unwrap()["pendingRequests"] == json!(count)).then_some(()))
    })
    .await
}

#[tokio::test]
async fn equal_ids_at_once_do_not_meet() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let held = |name: &str| request(7, "hold", &format!(r#"{{"name":"{name}","z":1e+29}}"#));
    let release = request("\"r\"", "release", r#"{"names":["c","a","b"]}"#);
    let messages = [held("a"), held("b"), held("c"), release];
    let mut replies = try_join_all(messages.map(|message| acp.posting(message).send())).await?.into_iter();
    for name in ["a", "b", "c"] {
        let reply = replies.next().unwrap().expect_status(200)?;
        assert_eq!(reply.text(), response(7, &format!(r#"{{"name":"{name}","z":1e+29}}"#)));
    }
    let seen = acp.call("ids", "{}").await?;
    let distinct: HashSet<String> = seen.as_array().unwrap().iter().map(Value::to_string).collect();
    assert_eq!(distinct.len(), seen.as_array().unwrap().len(), "the agent saw an id twice: {seen}");
    assert!(distinct.contains("7"), "one of them keeps its id: {seen}");
    Ok(())
}

#[tokio::test]
async fn many_clients_that_all_begin_with_zero() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let replies = join_all((0..50).map(|client| {
        let acp = acp.clone();
        async move {
            for turn in 0..4 {
                let params = format!(r#"{{"ms":{},"client":{client},"turn":{turn}}}"#, (client * 7) % 20);
                let reply = acp.post(request(turn, "delay", &params)).await?.expect_status(200)?;
                anyhow::ensure!(reply.text() == response(turn, &params), "{}", reply.text());
            }
            anyhow::Ok(())
        }
    }));
    for reply in replies.await {
        reply?;
    }
    pending(&acp, 0).await
}

#[tokio::test]
async fn ids_of_different_kinds_are_different_ids() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let ids = ["1", "\"1\"", "1.0", "\"1.0\"", "\"\\u0031\""];
    let holds = ids.map(|id| acp.posting(request(id, "hold", &format!(r#"{{"name":{id:?}}}"#))).send());
    let releasing = async {
        pending(&acp, 5).await?;
        acp.call("release", "{}").await
    };
    let (replies, released) = tokio::join!(join_all(holds), releasing);
    assert_eq!(released?, json!({"released": 5}));
    for (id, reply) in ids.into_iter().zip(replies) {
        assert_eq!(reply?.expect_status(200)?.text(), response(id, &format!(r#"{{"name":{id:?}}}"#)));
    }
    Ok(())
}

#[tokio::test]
async fn a_client_that_hangs_up_changes_nothing_for_the_agent() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    let pid = acp.start("puppet").await?;
    let mut stream = acp.events().await?;
    let turn = r#"{"name":"turn","z":1e+29}"#;
    let connection = acp.posting(request(11, "hold", turn)).send_and_never_read().await?;
    pending(&acp, 1).await?;
    drop(connection);
    acp.call("release", r#"{"names":["turn"]}"#).await?;
    assert_eq!(stream.event().await?.data, response(11, turn), "the answer is on the stream");
    pending(&acp, 0).await?;
    assert_eq!(acp.call("pid", "{}").await?, json!(pid));
    Ok(())
}

#[tokio::test]
async fn an_answer_that_nobody_took_waits_in_the_log() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let last = acp.listed().await?.unwrap()["lastEventId"].as_u64().unwrap();
    let connection = acp.posting(request(11, "hold", r#"{"name":"turn"}"#)).send_and_never_read().await?;
    pending(&acp, 1).await?;
    drop(connection);
    acp.call("release", r#"{"names":["turn"]}"#).await?;
    let mut stream = acp.events_after(last).await?;
    assert_eq!(stream.event().await?.data, response(11, r#"{"name":"turn"}"#));
    Ok(())
}

#[tokio::test]
async fn what_led_to_an_answer_is_on_the_stream_before_it() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let mut stream = acp.events().await?;
    let reply = acp.post(request(1, "flood", r#"{"count":500}"#)).await?.expect_status(200)?;
    // When the POST is answered, everything before the answer can be read.
    let last = acp.listed().await?.unwrap()["lastEventId"].as_u64().unwrap();
    for n in 1..=500 {
        assert_eq!(stream.event().await?.json()?["params"]["n"], json!(n));
    }
    let answer = stream.event().await?;
    assert_eq!((answer.data.as_bytes(), answer.sequence()?), (&reply.body[..], last));
    Ok(())
}
