//! Claude Code: a piece of text from its stream.

use super::{Stage, text};
use anyhow::Result;
use sa_claude::Core;
use sa_instructions::CLAUDE_SESSION;
use serde_json::{Value, json};

pub(crate) fn lines(count: usize) -> Result<()> {
    let mut stage = Stage::new(sa_instructions::claude())?;
    let model = json!({ "value": "default", "resolvedModel": "m", "displayName": "M", "description": "" });
    answer(&mut stage, "initialize", json!({ "commands": [], "models": [model], "account": {} }))?;
    answer(&mut stage, "get_binary_version", json!({ "version": "2.1.325" }))?;
    answer(&mut stage, "get_settings", json!({ "applied": { "model": "m" } }))?;
    stage.prompt(CLAUDE_SESSION)?;
    let state = json!({ "type": "system", "subtype": "session_state_changed", "state": "running" });
    stage.native(&state.to_string())?;
    for event in [
        json!({ "type": "message_start", "message": { "id": "message", "role": "assistant", "content": [] } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
    ] {
        stage.native(&streamed(&event).to_string())?;
    }
    let delta = json!({ "type": "text_delta", "text": text() });
    stage.repeat(count, &streamed(&json!({ "type": "content_block_delta", "index": 0, "delta": delta })))
}

fn streamed(event: &Value) -> Value {
    json!({
        "type": "stream_event", "event": event, "session_id": CLAUDE_SESSION, "parent_tool_use_id": null,
        "uuid": "0723703e-9349-4d8f-bba3-6d40ff56eb7a",
    })
}

/// The CLI answers a control request.
fn answer(stage: &mut Stage<Core>, subtype: &str, response: Value) -> Result<()> {
    let request = stage.take(|line| line["request"]["subtype"] == subtype)?;
    let response = json!({ "subtype": "success", "request_id": request["request_id"], "response": response });
    stage.native(&json!({ "type": "control_response", "response": response }).to_string())
}
