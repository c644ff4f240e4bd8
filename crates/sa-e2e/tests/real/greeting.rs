//! Each answers the first words of its protocol, with an empty home and a key that nobody would accept.

use anyhow::{Context, Result, bail, ensure};
use sa_testkit::{Daemon, Sandbox, bare_path, installed, until_some};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

/// No address that anybody answers at.
const NOWHERE: &str = "http://127.0.0.1:9";
/// Their first start unpacks hundreds of megabytes, on a machine that may be busy.
const PATIENCE: Duration = Duration::from_secs(90);

/// A program that speaks in lines of JSON. Killed when dropped.
struct Talk {
    child: Child,
    lines: Receiver<Value>,
}

impl Talk {
    fn start(mut command: Command) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().with_context(|| format!("starting {command:?}"))?;
        let output = BufReader::new(child.stdout.take().context("its output")?);
        let (sender, lines) = sync_channel(64);
        std::thread::spawn(move || {
            let spoken = output.lines().map_while(Result::ok);
            spoken.filter_map(|line| serde_json::from_str(&line).ok()).try_for_each(|line| sender.send(line))
        });
        Ok(Self { child, lines })
    }

    /// Says something and waits for the line that fits.
    async fn ask(&mut self, message: Value, fits: impl Fn(&Value) -> bool) -> Result<Value> {
        let input = self.child.stdin.as_mut().context("its input")?;
        writeln!(input, "{message}")?;
        input.flush()?;
        until_some("its answer", || self.lines.try_iter().find(&fits)).await
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // Failing means that it has ended already.
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

#[tokio::test]
async fn claude_answers_an_initialize_request() -> Result<()> {
    for version in [None, Some("2.1.197")] {
        let sandbox = Sandbox::new()?;
        let mut command = installed("claude", version).await?.command(&sandbox)?;
        command.args(["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]);
        command.env("ANTHROPIC_API_KEY", "sk-ant-not-a-key").env("ANTHROPIC_BASE_URL", NOWHERE);
        command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1").env("DISABLE_AUTOUPDATER", "1");
        let mut talk = Talk::start(command)?;
        let asked =
            json!({"type": "control_request", "request_id": "r1", "request": {"subtype": "initialize"}});
        let answer = talk.ask(asked, |line| line["type"] == "control_response").await?;
        let answer = &answer["response"];
        assert_eq!(
            (&answer["request_id"], &answer["subtype"]),
            (&json!("r1"), &json!("success")),
            "{answer}"
        );
        assert!(answer["response"]["commands"].is_array(), "{answer}");
        assert!(answer["response"]["models"].is_array(), "{answer}");
    }
    Ok(())
}

#[tokio::test]
async fn codex_answers_an_initialize_request() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let codex = installed("codex", None).await?;
    let mut command = codex.command(&sandbox)?;
    let home = sandbox.path("codex-home");
    std::fs::create_dir_all(&home)?;
    command.arg("app-server").env("CODEX_HOME", &home).env("OPENAI_API_KEY", "sk-not-a-key");
    let mut talk = Talk::start(command)?;
    let client = json!({"name": "sandbox-agent", "title": null, "version": "0"});
    let asked = json!({"id": 1, "method": "initialize", "params": {"clientInfo": client}});
    let answer = talk.ask(asked, |line| line["id"] == 1).await?;
    let agent = answer["result"]["userAgent"].as_str().with_context(|| answer.to_string())?;
    assert!(agent.contains(&codex.version), "{agent} of {}", codex.version);
    // The helpers that it cannot run tools without came with it.
    let folder = codex.program.parent().and_then(|bin| bin.parent()).context("its folder")?;
    for file in ["bin/codex-code-mode-host", "codex-path/rg", "codex-resources/bwrap"] {
        ensure!(folder.join(file).is_file(), "{file} is missing");
    }
    Ok(())
}

#[tokio::test]
async fn opencode_greets_and_opens_a_session_through_the_daemon() -> Result<()> {
    let sandbox = Arc::new(Sandbox::new()?);
    let opencode = installed("opencode", None).await?;
    opencode.lend_to(&sandbox)?;
    let path = bare_path(&sandbox)?;
    let mut builder = Daemon::builder().sandbox(Arc::clone(&sandbox)).arg("--require-preinstall");
    builder = builder.env("PATH", path.to_str().context("a path that is text")?);
    for (name, value) in [
        ("ANTHROPIC_API_KEY", "sk-ant-not-a-key"),
        ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
        ("OPENCODE_PURE", "1"),
    ] {
        builder = builder.env(name, value);
    }
    let daemon = builder.start().await?;
    let acp = daemon.acp("real");
    let ask = async |method: &str, params: Value| -> Result<Value> {
        let message = acp.envelope(method, &params.to_string());
        let reply = acp.posting_to("opencode", message).within(PATIENCE).send().await?.expect_status(200)?;
        match reply.json()?.get("result") {
            Some(result) => Ok(result.clone()),
            None => bail!("{method}: {}", reply.text()),
        }
    };
    let greeted = ask("initialize", json!({"protocolVersion": 1, "clientCapabilities": {}})).await?;
    assert_eq!(greeted["protocolVersion"], json!(1), "{greeted}");
    let session = ask("session/new", json!({"cwd": sandbox.home(), "mcpServers": []})).await?;
    assert!(session["sessionId"].as_str().is_some_and(|id| !id.is_empty()), "{session}");
    let listed = acp.listed().await?.context("its entry")?;
    assert_eq!((&listed["agentVersion"], &listed["status"]), (&json!(opencode.version), &json!("running")));
    acp.delete().await?.expect_status(204)?;

    let models = daemon.http().get("/v1/agents/opencode/models").within(PATIENCE).send().await?;
    let models = models.expect_status(200)?.json()?;
    assert!(models["models"].as_array().is_some_and(|models| !models.is_empty()), "{models}");
    Ok(())
}
