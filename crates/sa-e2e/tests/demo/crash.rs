//! An agent that ends in the middle of a prompt, and what can be had back.

use crate::client::{Client, said_by};
use anyhow::Result;
use sa_e2e::request;
use sa_testkit::{Daemon, Signal};
use serde_json::json;

#[tokio::test]
async fn a_crash_in_the_middle_of_a_prompt_is_reported_with_the_last_words() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    let reply =
        client.post_prompt(&session, "say before\nstderr something is wrong\ncrash 42\nsay never").await?;
    let problem = reply.expect_problem(502, "agent_process_exited")?;
    let exit = &problem.document["details"];
    assert_eq!((&exit["code"], &exit["signal"]), (&json!(42), &json!(null)));
    let tail = exit["stderrTail"].as_str().unwrap();
    assert!(tail.contains("something is wrong") && tail.contains("42"), "{tail}");
    client.hear("before").await?;
    let fact = client.fact().await?;
    assert_eq!((fact.event.as_str(), &fact.json()?), ("exit", exit));
    let reply = client.post_prompt(&session, "say anything").await?;
    reply.expect_problem(502, "agent_process_exited")?;
    Ok(())
}

#[tokio::test]
async fn an_abort_is_reported_as_a_signal() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    let problem = client.post_prompt(&session, "abort").await?.expect_problem(502, "agent_process_exited")?;
    assert_eq!(problem.document["details"]["signal"], json!(6), "{}", problem.document);
    Ok(())
}

#[tokio::test]
async fn after_a_crash_the_next_bootstrap_goes_on_where_it_was() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    client.prompt(&session, "say One.\ntitle Kept").await?;
    let first = client.acp.listed().await?.unwrap();
    client.post_prompt(&session, "say Two.\ncrash").await?.expect_problem(502, "agent_process_exited")?;
    client.fact().await?;

    // The old stream continues with the new agent, so the client keeps it.
    let hello = request("\"again\"", "initialize", r#"{"protocolVersion":1}"#);
    client.acp.post_to("demo", hello).await?.expect_status(200)?;
    assert_eq!(client.message().await?["id"], json!("again"));
    let second = client.acp.listed().await?.unwrap();
    assert_eq!(second["status"], json!("running"));
    assert_ne!(first["pid"], second["pid"]);
    let refused = client.prompt(&session, "say no").await?;
    assert_eq!(refused.answer["error"]["code"], json!(-32002), "the new agent has not opened it");
    let list = client.call("session/list", &json!({})).await?.answer;
    assert_eq!(list["result"]["sessions"][0]["title"], json!("Kept"));
    let params = json!({"sessionId": session, "cwd": "/project", "mcpServers": []});
    let loaded = client.call("session/load", &params).await?;
    assert_eq!(loaded.said(), ["One.", "Two."], "also what was said right before the crash");
    assert_eq!(client.prompt(&session, "say Three.").await?.said(), ["Three."]);
    Ok(())
}

#[tokio::test]
async fn sessions_outlive_the_daemon() -> Result<()> {
    let mut daemon = Daemon::builder().start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    client.prompt(&session, "say One.").await?;
    let file = daemon.sandbox().data_home().join(format!("sandbox-agent/state/demo/{session}.jsonl"));
    assert!(file.is_file(), "{}", file.display());
    // Stopped in the middle of a turn, and then killed in another.
    client.prompt_async(&session, "say Two.\nhang").await?;
    client.hear("Two.").await?;
    assert!(daemon.stop().await?.status.success());

    let mut again = Daemon::builder().sandbox(daemon.sandbox()).start().await?;
    let mut client = Client::start(&again, "another", json!({})).await?;
    let params = json!({"sessionId": session, "cwd": "/project", "mcpServers": []});
    let loaded = client.call("session/load", &params).await?;
    assert_eq!(loaded.said(), ["One.", "Two."]);
    client.prompt(&session, "say Three.").await?;
    again.signal(Signal::KILL);
    again.exited().await?;

    let last = Daemon::builder().sandbox(daemon.sandbox()).start().await?;
    let mut client = Client::start(&last, "demo", json!({})).await?;
    assert_eq!(client.call("session/load", &params).await?.said(), ["One.", "Two.", "Three."]);
    Ok(())
}

#[tokio::test]
async fn sessions_are_kept_where_the_data_is() -> Result<()> {
    let sandbox = std::sync::Arc::new(sa_testkit::Sandbox::new()?);
    let data = sandbox.path("elsewhere");
    let builder = Daemon::builder().sandbox(std::sync::Arc::clone(&sandbox));
    let daemon = builder.arg("--data-dir").arg(data.to_str().unwrap()).start().await?;
    let (_client, session) = Client::open(&daemon).await?;
    assert!(data.join(format!("state/demo/{session}.jsonl")).is_file());
    assert!(std::fs::read_dir(sandbox.data_home())?.next().is_none(), "and nowhere else");
    Ok(())
}

#[tokio::test]
async fn a_crash_in_one_server_is_no_matter_of_another() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (mut client, session) = Client::open(&daemon).await?;
    let mut other = Client::start(&daemon, "other", json!({})).await?;
    let theirs = other.new_session().await?;
    let id = other.prompt_async(&theirs, "say still here\nsleep 200\nsay here again").await?;
    client.post_prompt(&session, "crash").await?.expect_problem(502, "agent_process_exited")?;
    let mut said = Vec::new();
    loop {
        let message = other.message().await?;
        said.extend(said_by(&message).map(str::to_owned));
        if message["id"] == id {
            break;
        }
    }
    assert_eq!(said, ["still here", "I slept for 200 ms.", "here again"]);
    Ok(())
}
