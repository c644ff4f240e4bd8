//! Cancelling: the prompt always ends, and only the one that was meant.

use crate::client::{Client, PERMISSION};
use anyhow::Result;
use sa_e2e::{notification, poll};
use sa_testkit::{Acp, Daemon};
use serde_json::json;

/// Waits until the agent owes so many answers.
async fn pending(acp: &Acp, count: usize) -> Result<()> {
    let owes = async || Ok((acp.listed().await?.unwrap()["pendingRequests"] == json!(count)).then_some(()));
    poll("the number of pending requests", owes).await
}

#[tokio::test]
async fn a_hanging_prompt_can_be_cancelled() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    for script in ["hang", "sleep 3600000", "stream 9 every 3600000", "permission X", "question"] {
        let acp = daemon.acp("demo");
        let waiting = client.post_prompt(&session, script);
        let cancelling = async {
            pending(&acp, 1).await?;
            acp.notify("session/cancel", &json!({"sessionId": session}).to_string()).await
        };
        let (reply, cancelled) = tokio::join!(waiting, cancelling);
        cancelled?;
        let answer = reply?.expect_status(200)?.json()?;
        assert_eq!(answer["result"]["stopReason"], json!("cancelled"), "{script}: {answer}");
    }
    Ok(())
}

#[tokio::test]
async fn what_was_open_is_closed_before_the_answer() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    let id = client.prompt_async(&session, "permission X").await?;
    let question = client.asked(PERMISSION).await?;
    client.cancel(&session).await?;
    let withdrawn = client.message().await?;
    assert_eq!(withdrawn["method"], json!("$/cancel_request"));
    assert_eq!(withdrawn["params"]["requestId"], question["id"]);
    let failed = client.message().await?;
    assert_eq!(failed["params"]["update"]["status"], json!("failed"));
    assert_eq!(client.answer_to(id).await?["result"]["stopReason"], json!("cancelled"));
    Ok(())
}

#[tokio::test]
async fn cancelling_one_session_leaves_the_other_alone() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut client, first) = Client::open(&daemon).await?;
    let second = client.new_session().await?;
    let one = client.prompt_async(&first, "say one\nhang").await?;
    client.hear("one").await?;
    let two = client.prompt_async(&second, "say two\nhang").await?;
    client.hear("two").await?;
    client.cancel(&first).await?;
    assert_eq!(client.answer_to(one).await?["result"]["stopReason"], json!("cancelled"));
    pending(&client.acp, 1).await?;
    client.cancel(&second).await?;
    assert_eq!(client.answer_to(two).await?["result"]["stopReason"], json!("cancelled"));
    Ok(())
}

#[tokio::test]
async fn one_request_can_be_cancelled_by_its_id() -> Result<()> {
    // The daemon gives requests other ids towards the agent; a client knows its own only.
    let daemon = Daemon::builder().start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    let id = client.prompt_async(&session, "say waiting\nhang").await?;
    client.hear("waiting").await?;
    let message = notification("$/cancel_request", &json!({"requestId": id}).to_string());
    client.acp.post(message).await?.expect_status(202)?;
    let answer = client.answer_to(id).await?;
    assert_eq!(answer["error"]["code"], json!(-32800), "{answer}");
    Ok(())
}

#[tokio::test]
async fn a_prompt_that_waited_long_still_gets_its_answer() -> Result<()> {
    let daemon = Daemon::builder().limit("early-answer-ms", 50).start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    let reply = client.post_prompt(&session, "sleep 400\nstop max_tokens").await?.expect_status(200)?;
    assert!(reply.text().starts_with(' '), "something came while it waited: {}", reply.text());
    assert_eq!(reply.json()?["result"]["stopReason"], json!("max_tokens"));
    Ok(())
}
