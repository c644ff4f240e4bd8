//! MCP servers of the client.

use crate::mcp::WebServer;
use crate::script::{Step, script};
use crate::stage::Stage;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

/// Has the agent call the tool of a server, and checks that the server was really asked.
async fn greet(stage: &Stage, server: Value) -> Result<()> {
    let session = stage.session_with(&json!([server])).await?;
    session.set_mode(stage.subject.modes.bypass).await?;
    let script = script().greet_by_mcp("suite", "Ada").then().step(Step::SayResult);
    let turn = session.turn(&stage.text(&script)?).await?;
    ensure!(turn.text().contains("Welcome, Ada"), "said: {:?}", turn.text());
    let tools = turn.tools();
    let tool = tools.first().context("a tool call")?;
    ensure!(tool.status() == "completed", "{tool:?}");
    ensure!(tool.text().contains("Welcome, Ada"), "the result is shown: {tool:?}");
    ensure!(tool.title().contains("greet"), "the title says what is called: {tool:?}");
    Ok(())
}

/// Returns the suite's own program as a server on standard streams.
fn stdio(arguments: &[&str]) -> Result<Value> {
    let own = std::env::current_exe()?;
    let folder = own.parent().and_then(|deps| deps.parent()).context("the folder of binaries")?;
    let env = json!([{ "name": "GREETING", "value": "Welcome" }]);
    Ok(json!({ "name": "suite", "command": folder.join("sa-features"), "args": arguments, "env": env }))
}

fn web(kind: &str, url: &str) -> Value {
    let headers = json!([{ "name": "X-Suite-Secret", "value": "sesame" }]);
    json!({ "type": kind, "name": "suite", "url": url, "headers": headers })
}

pub(crate) async fn mcp_stdio(stage: &Stage) -> Result<()> {
    greet(stage, stdio(&["mcp"])?).await
}

pub(crate) async fn mcp_http(stage: &Stage) -> Result<()> {
    let server = WebServer::start("Welcome", "sesame").await?;
    greet(stage, web("http", &server.url("/mcp"))).await
}

pub(crate) async fn mcp_sse(stage: &Stage) -> Result<()> {
    let server = WebServer::start("Welcome", "sesame").await?;
    greet(stage, web("sse", &server.url("/sse"))).await
}

pub(crate) async fn mcp_slow(stage: &Stage) -> Result<()> {
    // Longer than agents wait for a server by themselves.
    greet(stage, stdio(&["mcp", "7000"])?).await
}
