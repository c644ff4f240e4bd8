//! MCP servers that are configured for the directory: the agent calls their tools.

use super::scene::Scene;
use crate::mcp::WebServer;
use crate::script::{Step, script};
use crate::subject::Subject;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

/// A variable of the session, from which a header is made.
const VARIABLE: &str = "SUITE_SECRET";

pub(super) async fn arrive(subject: &'static Subject) -> Result<()> {
    let scene = Scene::set(subject).await?;
    let web = WebServer::start("Hello", "sesame").await?;
    let mut off = stdio("Nobody")?;
    off["enabled"] = json!(false);
    let servers = [
        ("suite", stdio("Welcome")?),
        (
            "web",
            json!({ "type": "remote", "url": web.url("/mcp"), "envHeaders": { "X-Suite-Secret": VARIABLE } }),
        ),
        ("replaced", stdio("Go away")?),
        ("slumbering", off),
    ];
    for (name, server) in &servers {
        scene.configure(("mcp", "mcpName"), name, server).await?;
    }
    let more = json!({
        "permissionMode": "bypass",
        "env": { VARIABLE: "sesame" },
        "mcp": { "replaced": stdio("Come in")? },
    });
    scene.make("guest", more).await?;
    let greetings =
        [("suite", "Ada", "Welcome, Ada"), ("web", "Bob", "Hello, Bob"), ("replaced", "Eve", "Come in, Eve")];
    let mut calls = script();
    for (server, who, _) in greetings {
        calls = calls.greet_by_mcp(server, who).then().step(Step::SayResult);
    }
    let events = scene.turn("guest", &calls).await?;
    let told: String = events.iter().map(Value::to_string).collect();
    for (server, _, greeting) in greetings {
        ensure!(told.contains(greeting), "{server} greets: {told}");
    }
    ensure!(scene.told("slumbering").is_empty(), "what is off stays off");
    Ok(())
}

/// Servers that are slow or do not work at all are named, with the reason, before the turn begins without them.
pub(super) async fn are_missed(subject: &'static Subject) -> Result<()> {
    let scene = Scene::set(subject).await?;
    let mut slow = stdio("Hello")?;
    slow["args"] = json!(["mcp", "2500"]);
    let broken = json!({ "type": "local", "command": "/bin/false" });
    let more = json!({ "permissionMode": "bypass", "mcp": { "sluggish": slow, "broken": broken } });
    scene.make("guest", more).await?;
    let calls = script().greet_by_mcp("sluggish", "Ada").then().step(Step::SayResult);
    let events = scene.turn("guest", &calls).await?;
    let told: String = events.iter().map(Value::to_string).collect();
    ensure!(told.contains("Hello, Ada"), "the slow one was waited for: {told}");
    let waiting = scene.event("guest", |event| notice(event).contains("Waiting for MCP server")).await?;
    ensure!(notice(&waiting).contains("'sluggish'"), "{waiting}");
    let lost = scene.event("guest", |event| notice(event).contains("is not available")).await?;
    ensure!(notice(&lost).contains("'broken'"), "{lost}");
    Ok(())
}

/// Returns the words of a notice, if the event is one.
fn notice(event: &Value) -> String {
    event["data"].get("notice").map(Value::to_string).unwrap_or_default()
}

/// Returns the suite's own program as a server on standard streams.
pub(super) fn stdio(greeting: &str) -> Result<Value> {
    let own = std::env::current_exe()?;
    let folder = own.parent().and_then(|deps| deps.parent()).context("the folder of binaries")?;
    let program = folder.join("sa-features");
    Ok(json!({ "type": "local", "command": program, "args": ["mcp"], "env": { "GREETING": greeting } }))
}
