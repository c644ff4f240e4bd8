//! Amp's current build, which works with its vendor's service alone: missing parts are reported, at once and in
//! words.

use anyhow::{Context, Result};
use sa_testkit::{Daemon, Sandbox, bare_path, installed};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// No address that anybody answers at.
const NOWHERE: &str = "http://127.0.0.1:9";
/// A large program on a machine that may be busy.
const PATIENCE: Duration = Duration::from_secs(90);

/// Returns the answer to opening a session, in this environment.
async fn opening(variables: &[(&str, &str)]) -> Result<Value> {
    let sandbox = Arc::new(Sandbox::new()?);
    installed("amp", None).await?.lend_to(&sandbox)?;
    let path = bare_path(&sandbox)?;
    let mut builder = Daemon::builder().sandbox(Arc::clone(&sandbox)).arg("--require-preinstall");
    builder = builder.env("PATH", path.to_str().context("a path that is text")?).env("AMP_URL", NOWHERE);
    for (name, value) in variables {
        builder = builder.env(name, value);
    }
    let daemon = builder.start().await?;
    let acp = daemon.acp("real");
    let ask = async |method: &str, params: Value| -> Result<Value> {
        let message = acp.envelope(method, &params.to_string());
        acp.posting_to("amp", message).within(PATIENCE).send().await?.expect_status(200)?.json()
    };
    let greeted = ask("initialize", json!({"protocolVersion": 1, "clientCapabilities": {}})).await?;
    assert_eq!(greeted["result"]["agentInfo"]["name"], "amp", "{greeted}");
    let answer = ask("session/new", json!({"cwd": sandbox.home(), "mcpServers": []})).await?;
    acp.delete().await?.expect_status(204)?;
    Ok(answer["error"].clone())
}

#[tokio::test]
async fn without_a_key_amp_asks_for_one() -> Result<()> {
    let error = opening(&[]).await?;
    assert_eq!(error["code"], -32000, "{error}");
    Ok(())
}

#[tokio::test]
async fn without_its_service_amp_says_so() -> Result<()> {
    let error = opening(&[("AMP_API_KEY", "sgamp_not_a_key")]).await?;
    assert_eq!(error["data"]["errorKind"], "service_unreachable", "{error}");
    assert!(
        error["message"].as_str().is_some_and(|text| text.contains("Cannot reach Amp servers")),
        "{error}"
    );
    Ok(())
}
