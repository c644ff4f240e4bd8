//! The description of the demo agent is true.

use crate::scene::Asking;
use anyhow::Result;
use sa_testkit::{Acp, Daemon};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const CLIENT: &str = r#"{"protocolVersion":1,"clientCapabilities":{"elicitation":{"form":{}}}}"#;
const SCRIPT: &str = r"think Let me see.
stream 3
plan
read notes.txt
edit notes.txt
run ls
permission Deploy
question single";

/// Everything the agent says in a turn until it is answered; its questions are answered as a polite client does.
async fn turn(acp: &Acp, session: &str, script: &str) -> Result<Vec<Value>> {
    let mut stream = acp.events().await?;
    let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": script}]});
    let message =
        json!({"jsonrpc": "2.0", "id": "turn", "method": "session/prompt", "params": prompt}).to_string();
    acp.post_async(message).await?.expect_status(202)?;
    let mut said = Vec::new();
    loop {
        let message = stream.event().await?.json()?;
        let result = match message["method"].as_str() {
            Some("session/request_permission") => {
                Some(json!({"outcome": {"outcome": "selected", "optionId": "allow_once"}}))
            }
            Some("elicitation/create") => Some(json!({"action": "accept", "content": {"question_1": "Red"}})),
            _ => None,
        };
        if let Some(result) = result {
            let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string();
            acp.post(answer).await?.expect_status(202)?;
        }
        let ended = message["id"] == "turn";
        said.push(message);
        if ended {
            return Ok(said);
        }
    }
}

/// Returns the facts that the messages of a turn show.
fn shown(said: &[Value]) -> BTreeSet<&'static str> {
    let mut shown = BTreeSet::new();
    let mut chunks = Vec::new();
    for message in said {
        match message["method"].as_str() {
            Some("session/request_permission") => drop(shown.insert("permissions")),
            Some("elicitation/create") => drop(shown.insert("questions")),
            _ => {}
        }
        let update = &message["params"]["update"];
        match update["sessionUpdate"].as_str() {
            Some("agent_message_chunk") => chunks.push(update["messageId"].clone()),
            Some("agent_thought_chunk") => drop(shown.insert("reasoning")),
            // Pending is what a tool call is that does not say.
            Some("tool_call") if matches!(update["status"].as_str(), None | Some("pending")) => {
                shown.extend(["toolCalls", "itemStarted"]);
                if update["kind"] == "execute" {
                    shown.insert("commandExecution");
                }
            }
            Some("tool_call_update") if update["status"] == "in_progress" => drop(shown.insert("status")),
            Some("tool_call_update")
                if update["status"] == "completed" && update["rawOutput"] != Value::Null =>
            {
                shown.insert("toolResults");
            }
            _ => {}
        }
        let content = update["content"].as_array().into_iter().flatten();
        if content.into_iter().any(|part| part["type"] == "diff") {
            shown.insert("fileChanges");
        }
        if message["error"]["code"].is_i64() {
            shown.insert("errorEvents");
        }
    }
    if !chunks.is_empty() {
        shown.insert("textMessages");
    }
    if chunks.windows(2).any(|pair| pair[0] == pair[1] && pair[0] != Value::Null) {
        shown.insert("streamingDeltas");
    }
    shown
}

#[tokio::test]
async fn the_demo_agent_does_what_is_said_of_it() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let acp = daemon.acp("one");
    let greeted =
        acp.post_to("demo", acp.envelope("initialize", CLIENT)).await?.expect_status(200)?.json()?;
    let session = acp.call("session/new", r#"{"cwd":"/","mcpServers":[]}"#).await?;
    let id = session["sessionId"].as_str().unwrap();
    let mut seen = shown(&turn(&acp, id, SCRIPT).await?);
    seen.extend(shown(&turn(&acp, id, "error -32050 No luck").await?));

    let can = &greeted["result"]["agentCapabilities"];
    if can["promptCapabilities"]["image"] == true {
        seen.insert("images");
    }
    if can["promptCapabilities"]["embeddedContext"] == true {
        seen.insert("fileAttachments");
    }
    if can["loadSession"] == true {
        seen.insert("sessionLifecycle");
    }
    let modes = session["modes"]["availableModes"].as_array().unwrap();
    if modes.iter().any(|mode| mode["id"] == "plan") {
        seen.insert("planMode");
    }
    let second = acp.call("session/new", r#"{"cwd":"/","mcpServers":[]}"#).await?;
    if second["sessionId"] != session["sessionId"] {
        seen.insert("sharedProcess");
    }
    let claimed = daemon.agent("demo").await?["capabilities"].as_object().unwrap().clone();
    let claimed: BTreeSet<&str> =
        claimed.iter().filter(|(_, can)| **can == json!(true)).map(|(name, _)| name.as_str()).collect();
    assert_eq!(claimed, seen, "only MCP servers are beyond it: it lists them and calls none");
    assert!(!claimed.contains("mcpTools"));
    Ok(())
}
