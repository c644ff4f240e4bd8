//! Tokens of a vendor's program on the scripted model, whose figures are known.

use crate::model::Model;
use anyhow::{Context, Result};
use sa_testkit::{Daemon, Sandbox, bare_path, installed};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// A large program on a machine that may be busy.
const PATIENCE: Duration = Duration::from_secs(90);

#[tokio::test]
async fn usage_has_the_tokens_that_the_model_counted_for_claude() -> Result<()> {
    let sandbox = Arc::new(Sandbox::new()?);
    installed("claude", None).await?.lend_to(&sandbox)?;
    let model = Model::start(&sandbox)?;
    let path = bare_path(&sandbox)?;
    let builder = Daemon::builder().sandbox(Arc::clone(&sandbox)).arg("--require-preinstall");
    let builder = builder.env("PATH", path.to_str().context("a path that is text")?);
    let builder = builder.env("ANTHROPIC_BASE_URL", &model.url).env("ANTHROPIC_API_KEY", "sk-ant-scripted");
    let daemon = builder.start().await?;
    let http = daemon.http();
    let created = json!({"agent": "claude", "cwd": sandbox.home()});
    http.post("/v1/sessions/s")
        .json(created.to_string())
        .within(PATIENCE)
        .send()
        .await?
        .expect_status(201)?;
    let text = "usage: input=1000 output=50 cache_read=300 cache_write=20\nsay: That was dear.";
    for _ in 0..2 {
        let message = json!({ "message": text });
        let reply = http.post("/v1/sessions/s/messages/stream").json(message.to_string()).within(PATIENCE);
        let events = reply.send().await?.expect_status(200)?.text();
        assert!(events.contains("endTurn"), "{events}");
    }
    let report: Value = http.get("/v1/usage?groupBy=agent,model").send().await?.expect_status(200)?.json()?;
    let group = &report["groups"][0];
    let usage = &group["usage"];
    let tokens = ["turns", "inputTokens", "outputTokens", "cachedReadTokens", "cachedWriteTokens"];
    assert_eq!(tokens.map(|name| usage[name].as_u64()), [2, 2000, 100, 600, 40].map(Some), "{report:#}");
    assert_eq!(group["agent"], "claude");
    assert!(group["model"].is_string(), "{report:#}");
    let session: Value = http.get("/v1/sessions/s").send().await?.expect_status(200)?.json()?;
    assert_eq!(usage["costs"][0], session["usage"]["cost"], "{report:#}");
    Ok(())
}
