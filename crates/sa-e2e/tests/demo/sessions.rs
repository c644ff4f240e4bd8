//! Sessions: several at once, listed, loaded, forked, resumed.

use crate::client::{Client, said_by};
use anyhow::Result;
use sa_testkit::Daemon;
use serde_json::{Value, json};
use std::collections::HashMap;

fn place(session: &str) -> Value {
    json!({"sessionId": session, "cwd": "/project", "mcpServers": []})
}

#[tokio::test]
async fn loading_replays_before_the_answer() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    client.prompt(&session, "say One.\nstream 3\nread a.txt").await?;
    client.call("session/close", &json!({"sessionId": session})).await?;
    let refused = client.prompt(&session, "say no").await?;
    assert_eq!(refused.answer["error"]["code"], json!(-32002), "a closed session takes no prompts");
    let loaded = client.call("session/load", &place(&session)).await?;
    assert!(loaded.answer["result"]["modes"].is_object(), "{}", loaded.answer);
    let kinds = loaded.kinds();
    let expected = [
        "user_message_chunk",
        "agent_message_chunk",
        "agent_message_chunk",
        "tool_call",
        "agent_message_chunk",
        "available_commands_update",
    ];
    assert_eq!(kinds, expected, "the conversation, folded, and the commands");
    assert_eq!(loaded.said()[..2], ["One.", "1 2 3 "]);
    assert_eq!(client.prompt(&session, "say Two.").await?.said(), ["Two."]);
    assert_eq!(client.call("session/load", &place(&session)).await?.said().last(), Some(&"Two."));
    Ok(())
}

#[tokio::test]
async fn sessions_are_listed_forked_resumed_and_deleted() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut client, first) = Client::open(&daemon).await?;
    client.prompt(&first, "say One.\ntitle Original").await?;
    let forked = client.call("session/fork", &place(&first)).await?.answer;
    let fork = forked["result"]["sessionId"].as_str().unwrap().to_owned();
    assert_ne!(fork, first);
    client.commands_of(&fork).await?;
    client.prompt(&fork, "say Two.").await?;
    let titles = async |client: &mut Client| {
        let list = client.call("session/list", &json!({})).await?.answer;
        let sessions = list["result"]["sessions"].as_array().unwrap().clone();
        let title = |one: &Value| (one["sessionId"].as_str().unwrap().to_owned(), one["title"].clone());
        anyhow::Ok(sessions.iter().map(title).collect::<HashMap<_, _>>())
    };
    let listed = titles(&mut client).await?;
    assert_eq!((&listed[&first], &listed[&fork]), (&json!("Original"), &json!("Original (fork)")));

    let resumed = client.call("session/resume", &place(&fork)).await?;
    assert!(resumed.answer["result"].is_object() && resumed.said().is_empty(), "{}", resumed.answer);
    let loaded = client.call("session/load", &place(&fork)).await?;
    assert_eq!(loaded.said(), ["One.", "Two."]);

    assert_eq!(client.call("session/delete", &json!({"sessionId": fork})).await?.answer["result"], json!({}));
    assert_eq!(titles(&mut client).await?.into_keys().collect::<Vec<_>>(), [first]);
    let gone = client.call("session/load", &place(&fork)).await?.answer;
    assert_eq!(gone["error"]["code"], json!(-32002));
    Ok(())
}

#[tokio::test]
async fn sessions_of_one_server_run_side_by_side() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut client, first) = Client::open(&daemon).await?;
    let second = client.new_session().await?;
    let (one, two) = (
        client.prompt_async(&first, "stream 40 every 5").await?,
        client.prompt_async(&second, "stream 40 every 5\nstop max_tokens").await?,
    );
    let mut said: HashMap<String, Vec<String>> = HashMap::new();
    let mut order = Vec::new();
    let mut reasons = HashMap::new();
    while reasons.len() < 2 {
        let message = client.message().await?;
        if let Some(text) = said_by(&message) {
            let session = message["params"]["sessionId"].as_str().unwrap().to_owned();
            order.push(session == first);
            said.entry(session).or_default().push(text.to_owned());
        } else if let Some(id) = message["id"].as_u64() {
            reasons.insert(id, message["result"]["stopReason"].clone());
        }
    }
    assert_eq!((&reasons[&one], &reasons[&two]), (&json!("end_turn"), &json!("max_tokens")));
    let expected: Vec<String> = (1..=40).map(|n| format!("{n} ")).collect();
    assert_eq!((&said[&first], &said[&second]), (&expected, &expected), "each in its order");
    let changes = order.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!(changes > 4, "they took turns {changes} times");
    Ok(())
}

#[tokio::test]
async fn prompts_of_one_session_wait_for_each_other() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    let one = client.prompt_async(&session, "sleep 100\nsay one").await?;
    let two = client.prompt_async(&session, "say two").await?;
    client.hear("one").await?;
    assert!(client.answer_to(one).await?["result"].is_object());
    client.hear("two").await?;
    assert!(client.answer_to(two).await?["result"].is_object());
    Ok(())
}

#[tokio::test]
async fn servers_of_one_daemon_know_each_others_sessions() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut one, session) = Client::open(&daemon).await?;
    one.prompt(&session, "say One.").await?;
    let mut other = Client::start(&daemon, "other", json!({})).await?;
    let loaded = other.call("session/load", &place(&session)).await?;
    assert_eq!(loaded.said(), ["One."]);
    assert_ne!(one.acp.listed().await?.unwrap()["pid"], other.acp.listed().await?.unwrap()["pid"]);
    Ok(())
}
