//! `sandbox-agent acp <agent>`: the demo agent for an editor, without a daemon.

use crate::running::Running;
use anyhow::{Context, Result};
use sa_e2e::{notification, request};
use sa_testkit::{Sandbox, daemon_path};
use serde_json::{Value, json};

struct Agent {
    process: Running,
    session: String,
    ids: u64,
}

impl Agent {
    /// Greets it and opens or loads a session.
    async fn start(sandbox: &Sandbox, arguments: &[&str], load: Option<&str>) -> Result<Self> {
        let mut command = sandbox.command(daemon_path()?);
        command.args(["acp", "demo"]).args(arguments);
        let mut agent = Self { process: Running::start(command)?, session: String::new(), ids: 0 };
        let hello = agent.call("initialize", json!({"protocolVersion": 1})).await?;
        assert_eq!(hello.answer["result"]["agentInfo"]["name"], json!("demo"));
        let mut params = json!({"cwd": "/", "mcpServers": []});
        agent.session = match load {
            Some(session) => session.to_owned(),
            None => {
                let opened = agent.call("session/new", params).await?.answer;
                opened["result"]["sessionId"].as_str().context("a session")?.to_owned()
            }
        };
        if load.is_some() {
            params = json!({"cwd": "/", "mcpServers": [], "sessionId": agent.session});
            let loaded = agent.call("session/load", params).await?;
            assert!(loaded.answer["result"].is_object(), "{}", loaded.answer);
            assert_eq!(loaded.said, ["hello"], "the history comes before the answer");
        }
        Ok(agent)
    }

    async fn call(&mut self, method: &str, params: Value) -> Result<Called> {
        self.ids += 1;
        self.process.write(&request(self.ids, method, &params.to_string()))?;
        let mut said = Vec::new();
        loop {
            let message = self.process.json().await?;
            if message["id"] == json!(self.ids) {
                return Ok(Called { said, answer: message });
            }
            let update = &message["params"]["update"];
            if update["sessionUpdate"] == json!("agent_message_chunk") {
                said.push(update["content"]["text"].as_str().context("text")?.to_owned());
            }
        }
    }

    async fn prompt(&mut self, script: &str) -> Result<Called> {
        let prompt = json!({"sessionId": self.session, "prompt": [{"type": "text", "text": script}]});
        self.call("session/prompt", prompt).await
    }
}

struct Called {
    said: Vec<String>,
    answer: Value,
}

#[tokio::test]
async fn a_conversation_that_ends_with_the_input() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let mut agent = Agent::start(&sandbox, &[], None).await?;
    let turn = agent.prompt("say hello\nstream 3").await?;
    assert_eq!(turn.said, ["hello", "1 ", "2 ", "3 "]);
    assert_eq!(turn.answer["result"]["stopReason"], json!("end_turn"));
    agent.process.end_input();
    assert_eq!(agent.process.end().await?.code(), Some(0));
    assert!(sandbox.data_home().join("sandbox-agent/state/demo").is_dir(), "another process can load it");
    Ok(())
}

#[tokio::test]
async fn it_ends_with_its_input_also_in_the_middle_of_a_turn() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let mut agent = Agent::start(&sandbox, &[], None).await?;
    let prompt =
        json!({"sessionId": agent.session, "prompt": [{"type": "text", "text": "say waiting\nhang"}]});
    agent.process.write(&request("\"prompt\"", "session/prompt", &prompt.to_string()))?;
    loop {
        if agent.process.line().await?.contains("waiting") {
            break;
        }
    }
    agent.process.write(&notification("_nothing", "{}"))?;
    agent.process.end_input();
    let pid = agent.process.pid();
    sa_testkit::until("it to end", || !sa_testkit::is_alive(pid)).await?;
    Ok(())
}

#[tokio::test]
async fn a_crash_has_its_own_exit_code() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let mut agent = Agent::start(&sandbox, &[], None).await?;
    agent.prompt("say something first").await?;
    let prompt = json!({"sessionId": agent.session, "prompt": [{"type": "text", "text": "crash 42"}]});
    agent.process.write(&request(99, "session/prompt", &prompt.to_string()))?;
    assert!(agent.process.complaint().await?.contains("42"));
    assert_eq!(agent.process.end().await?.code(), Some(42));
    Ok(())
}

#[tokio::test]
async fn sessions_outlive_the_process_where_they_may() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let folder = sandbox.path("state");
    let flag = ["--state-dir", folder.to_str().unwrap()];
    let mut first = Agent::start(&sandbox, &flag, None).await?;
    first.prompt("say hello").await?;
    first.process.end_input();
    assert_eq!(first.process.end().await?.code(), Some(0));
    assert!(folder.join(format!("{}.jsonl", first.session)).is_file());
    let mut second = Agent::start(&sandbox, &flag, Some(&first.session)).await?;
    assert_eq!(second.prompt("say again").await?.said, ["again"]);
    Ok(())
}

#[tokio::test]
async fn an_agent_that_is_not_built_in_is_bad_usage() -> Result<()> {
    let sandbox = Sandbox::new()?;
    for words in [&["acp", "nobody"][..], &["acp", "puppet"], &["acp"], &["acp", "demo", "--loud"]] {
        let ended = sandbox.run(words).await?;
        assert_eq!(ended.status.code(), Some(64), "{ended}");
        assert!(ended.stdout.is_empty(), "{ended}");
    }
    let ended = sandbox.run(["acp", "nobody"]).await?;
    assert!(ended.stderr.contains("nobody") && ended.stderr.contains("demo"), "{ended}");
    Ok(())
}
