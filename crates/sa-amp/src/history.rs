//! The history of a thread, from the CLI's export.

use super::tools;
use agent_client_protocol_schema::v1::{
    ContentBlock, ContentChunk, SessionUpdate, TextContent, ToolCallStatus, ToolCallUpdate,
};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;

/// Returns the updates of a thread. Unknown blocks are ignored.
pub(super) fn updates(thread: &Value, cwd: &Path) -> Vec<SessionUpdate> {
    let mut updates = Vec::new();
    let mut calls: HashMap<&str, (&str, &Value)> = HashMap::new();
    for message in thread["messages"].as_array().into_iter().flatten() {
        let is_user = message["role"] == "user";
        for block in message["content"].as_array().into_iter().flatten() {
            match block["type"].as_str() {
                Some("text") if is_user => {
                    updates.extend(chunk(&block["text"]).map(SessionUpdate::UserMessageChunk));
                }
                Some("text") => updates.extend(chunk(&block["text"]).map(SessionUpdate::AgentMessageChunk)),
                Some("thinking") => {
                    updates.extend(chunk(&block["thinking"]).map(SessionUpdate::AgentThoughtChunk));
                }
                Some("tool_use") => {
                    let (Some(id), Some(name)) = (block["id"].as_str(), block["name"].as_str()) else {
                        continue;
                    };
                    calls.insert(id, (name, &block["input"]));
                    let call = tools::call(name, &block["input"], cwd, None).into_call(id.to_owned());
                    updates.push(SessionUpdate::ToolCall(call));
                }
                Some("tool_result") => {
                    let Some(id) = block["toolUseID"].as_str() else { continue };
                    let Some((name, _)) = calls.remove(id) else { continue };
                    updates.push(SessionUpdate::ToolCallUpdate(result(id, name, &block["run"])));
                }
                _ => {}
            }
        }
    }
    updates
}

fn chunk(text: &Value) -> Option<ContentChunk> {
    let text = text.as_str().filter(|text| !text.is_empty())?;
    Some(ContentChunk::new(ContentBlock::Text(TextContent::new(text))))
}

fn result(id: &str, name: &str, run: &Value) -> ToolCallUpdate {
    let done = run["status"] == "done";
    let words = |value: &Value| value["message"].as_str().or(value.as_str()).map(str::to_owned);
    let outcome = match run.get("result").filter(|_| done) {
        Some(result) => tools::outcome(id, name, result, ToolCallStatus::Completed),
        None => {
            let reason = words(&run["error"]).or_else(|| words(&run["reason"]));
            let reason = reason.unwrap_or_else(|| run["status"].as_str().unwrap_or("unknown").to_owned());
            tools::outcome(id, name, &json!(reason), ToolCallStatus::Failed)
        }
    };
    outcome.into_update(id.to_owned())
}
