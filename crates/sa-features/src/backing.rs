//! Configures newer agents for the model behind them, and selects the features to try with those that speak ACP
//! themselves: a handful, as their own authors are responsible for the others.

use crate::subject::Modes;
use anyhow::Result;
use sa_model::ModelServer;
use sa_testkit::{DaemonBuilder, Sandbox};
use std::fs;

/// A key that only the scripted model takes.
const KEY: &str = "sk-scripted";

pub(crate) const GEMINI: [&str; 10] = [
    "text",
    "streaming",
    "diff_create",
    "permission_once",
    "permission_always",
    "permission_reject",
    "bypass",
    "mcp_stdio",
    "cancel_text",
    "cancel_tool",
];

pub(crate) const COPILOT: [&str; 9] = [
    "text",
    "streaming",
    "reasoning",
    "title",
    "permission_once",
    "permission_always",
    "permission_reject",
    "cancel_text",
    "hanging_model",
];

pub(crate) const COPILOT_MODES: Modes = Modes {
    ask: "https://agentclientprotocol.com/protocol/session-modes#agent",
    plan: "https://agentclientprotocol.com/protocol/session-modes#plan",
    bypass: "https://agentclientprotocol.com/protocol/session-modes#autopilot",
};

/// Returns the model server plays Amp's service, too.
pub(crate) fn amp(builder: DaemonBuilder, model: &ModelServer, keyed: bool) -> DaemonBuilder {
    let builder = builder.env("AMP_URL", &model.url());
    if keyed { builder.env("AMP_API_KEY", KEY) } else { builder }
}

/// Configures OpenCode. Its providers have their addresses in its settings. One model is in the list that the
/// provider does not have. A provider with settings counts as one with credentials.
pub(crate) fn opencode(
    builder: DaemonBuilder,
    model: &ModelServer,
    sandbox: &Sandbox,
    keyed: bool,
) -> Result<DaemonBuilder> {
    if !keyed {
        return Ok(builder);
    }
    let folder = sandbox.home().join(".config/opencode");
    fs::create_dir_all(&folder)?;
    let settings = serde_json::json!({ "provider": { "anthropic": {
        "options": { "baseURL": format!("{}/v1", model.url()) },
        "models": { "no-such-model": { "name": "Not there" } },
    } } });
    fs::write(folder.join("opencode.json"), settings.to_string())?;
    Ok(builder.env("ANTHROPIC_API_KEY", KEY))
}

pub(crate) fn gemini(
    builder: DaemonBuilder,
    model: &ModelServer,
    sandbox: &Sandbox,
) -> Result<DaemonBuilder> {
    let folder = sandbox.home().join(".gemini");
    fs::create_dir_all(&folder)?;
    let settings = r#"{"security":{"auth":{"selectedType":"gemini-api-key"}},"privacy":{"usageStatisticsEnabled":false}}"#;
    fs::write(folder.join("settings.json"), settings)?;
    Ok(builder.env("GEMINI_API_KEY", KEY).env("GOOGLE_GEMINI_BASE_URL", &model.url()))
}

/// Configures Copilot, which can work without its vendor's service.
pub(crate) fn copilot(builder: DaemonBuilder, model: &ModelServer) -> DaemonBuilder {
    builder
        .env("COPILOT_OFFLINE", "true")
        .env("COPILOT_PROVIDER_TYPE", "openai")
        .env("COPILOT_PROVIDER_BASE_URL", &format!("{}/v1", model.url()))
        .env("COPILOT_PROVIDER_API_KEY", KEY)
        .env("COPILOT_MODEL", "scripted-1")
}
