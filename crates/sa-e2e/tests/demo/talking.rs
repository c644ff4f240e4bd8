//! The agent's text arrives whole, in order, and before its answer.

use crate::client::Client;
use anyhow::Result;
use sa_e2e::request;
use sa_testkit::Daemon;
use serde_json::{Value, json};

#[tokio::test]
async fn the_agent_introduces_itself() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let acp = daemon.acp("demo");
    let reply = acp.post_to("demo", request(0, "initialize", r#"{"protocolVersion":1}"#)).await?;
    let hello = reply.expect_status(200)?.json()?["result"].take();
    assert_eq!(hello["protocolVersion"], json!(1));
    let capabilities = &hello["agentCapabilities"];
    assert_eq!(
        (&capabilities["loadSession"], &capabilities["promptCapabilities"]["image"]),
        (&json!(true), &json!(true))
    );
    for name in ["list", "fork", "resume", "close", "delete"] {
        assert!(capabilities["sessionCapabilities"][name].is_object(), "{name}: {capabilities}");
    }
    let mut stream = acp.events().await?;
    let opened = acp.call("session/new", r#"{"cwd":"/project","mcpServers":[]}"#).await?;
    assert_eq!(opened["modes"]["currentModeId"], json!("bypass"));
    assert_eq!(opened["configOptions"][1]["currentValue"], json!("demo-medium"));
    assert_eq!(stream.event().await?.json()?["result"]["sessionId"], opened["sessionId"]);
    let update = stream.event().await?.json()?["params"]["update"].take();
    assert_eq!(update["sessionUpdate"], json!("available_commands_update"));
    Ok(())
}

#[tokio::test]
async fn chunks_come_in_order_and_before_the_answer() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    let turn = client.prompt(&session, "stream 500 200").await?;
    assert_eq!(turn.stop_reason(), "end_turn");
    let said = turn.said();
    assert_eq!(said.len(), 500);
    for (text, number) in said.iter().zip(1..) {
        assert!(text.starts_with(&format!("{number} ")) && text.len() == 200, "{text} at place {number}");
    }
    let chunks = turn.updates("agent_message_chunk");
    assert!(chunks.iter().all(|chunk| chunk["messageId"] == chunks[0]["messageId"]), "one message");
    assert!(turn.messages.iter().all(|message| message["params"]["sessionId"] == json!(session)));
    let usage = &turn.answer["result"]["_meta"]["sandboxAgent"]["usage"];
    assert!(usage["outputTokens"].as_u64().is_some_and(|tokens| tokens > 20_000));
    Ok(())
}

#[tokio::test]
async fn a_chunk_arrives_when_it_is_said_not_when_the_turn_ends() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    let id = client.prompt_async(&session, "say first\nhang").await?;
    client.hear("first").await?;
    client.cancel(&session).await?;
    assert_eq!(client.answer_to(id).await?["result"]["stopReason"], json!("cancelled"));
    Ok(())
}

#[tokio::test]
async fn thoughts_messages_and_plans_keep_their_order() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    let turn = client.prompt(&session, "think Hm.\nsay Grüße, 世界 🦀\nplan\ntitle A name").await?;
    let kinds = turn.kinds();
    let expected =
        [&["agent_thought_chunk", "agent_message_chunk"][..], &["plan"; 5], &["agent_message_chunk"]]
            .concat();
    assert_eq!(kinds[..8], expected, "{kinds:?}");
    assert_eq!(turn.said()[0], "Grüße, 世界 🦀");
    assert_eq!(turn.updates("session_info_update")[0]["title"], json!("A name"));
    let statuses = |plan: &Value| {
        let entries = plan["entries"].as_array().unwrap();
        entries.iter().map(|entry| entry["status"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let plans = turn.updates("plan");
    assert_eq!(statuses(plans[0]), ["pending", "pending", "pending"]);
    assert_eq!(statuses(plans[2]), ["completed", "in_progress", "pending"]);
    assert_eq!(statuses(plans[4]), ["completed", "completed", "completed"]);
    Ok(())
}

#[tokio::test]
async fn images_go_both_ways() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    // Three bytes for each four characters.
    let image = "iVBORw0KGgoA".repeat(100_000);
    let block = json!({"type": "image", "mimeType": "image/png", "data": image});
    let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": "image"}, block]});
    let turn = client.call("session/prompt", &prompt).await?;
    assert!(turn.said().concat().contains("image, image/png, 900000 bytes"), "{:?}", turn.said());
    let turn = client.prompt(&session, "image send\nimage send resource").await?;
    let content: Vec<&Value> =
        turn.updates("agent_message_chunk").iter().map(|chunk| &chunk["content"]).collect();
    assert_eq!(content[0]["type"], json!("image"));
    assert!(content[0]["data"].as_str().is_some_and(|data| !data.is_empty()), "{}", content[0]);
    assert_eq!(content[1]["type"], json!("resource"));
    Ok(())
}

#[tokio::test]
async fn a_turn_ends_for_the_reason_that_the_agent_names() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    for reason in ["end_turn", "max_tokens", "max_turn_requests", "refusal"] {
        assert_eq!(
            client.prompt(&session, &format!("stop {reason}\nsay never")).await?.stop_reason(),
            reason
        );
    }
    let turn = client.prompt(&session, "error -32000 Log in first").await?;
    assert_eq!(turn.answer["error"], json!({"code": -32000, "message": "Log in first"}));
    let turn = client.call("session/prompt", &crate::client::prompt("made up", "say no")).await?;
    assert_eq!(turn.answer["error"]["code"], json!(-32002), "an unknown session is an answer of the agent");
    Ok(())
}

#[tokio::test]
async fn modes_and_options_can_be_set() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    let turn = client.call("session/set_mode", &json!({"sessionId": session, "modeId": "plan"})).await?;
    assert!(turn.answer["result"].is_object(), "{}", turn.answer);
    let turn = client.prompt(&session, "edit a.txt\nmodel demo-large").await?;
    assert_eq!(
        turn.updates("tool_call_update").last().unwrap()["status"],
        json!("failed"),
        "plan mode changes nothing"
    );
    let option = json!({"sessionId": session, "configId": "model", "value": "demo-small"});
    let turn = client.call("session/set_config_option", &option).await?;
    assert_eq!(
        turn.answer["result"]["configOptions"][1]["currentValue"],
        json!("demo-small"),
        "{}",
        turn.answer
    );
    Ok(())
}
