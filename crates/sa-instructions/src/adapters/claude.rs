//! Claude Code: a piece of text from its stream.

use super::{PROJECT, Stage, text};
use agent_client_protocol_schema::v1::{Error, ListSessionsResponse, SessionUpdate};
use anyhow::Result;
use sa_claude::{Core, Disk, Host, Limits};
use serde_json::{Value, json};
use std::io;
use std::path::Path;

const SESSION: &str = "00000000-0000-4000-8000-000000000001";

#[derive(Debug)]
struct Files;

impl Disk for Files {
    fn is_directory(&self, path: &Path) -> bool {
        path.starts_with(PROJECT)
    }

    fn list(&self, _: Option<&Path>, _: Option<&str>) -> Result<ListSessionsResponse, Error> {
        Ok(ListSessionsResponse::new(Vec::new()))
    }

    fn read(&self, _: &str, _: &Path) -> Result<Option<Vec<SessionUpdate>>, Error> {
        Ok(None)
    }

    fn mode(&self, _: &str, _: &Path) -> Option<String> {
        None
    }

    fn conversation(&self, _: &str) -> Option<String> {
        None
    }

    fn moved(&self, _: &str, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn delete(&self, _: &str) -> Result<(), Error> {
        Ok(())
    }
}

pub(crate) fn lines(count: usize) -> Result<()> {
    let mut stage = Stage::new(Host {
        new_id: Box::new(|| SESSION.to_owned()),
        disk: Box::new(Files),
        plans: "/plans".into(),
        allow_bypass: false,
        is_root: false,
        any_model: false,
        token: None,
        limits: Limits::USUAL,
    })?;
    let model = json!({ "value": "default", "resolvedModel": "m", "displayName": "M", "description": "" });
    answer(&mut stage, "initialize", json!({ "commands": [], "models": [model], "account": {} }))?;
    answer(&mut stage, "get_binary_version", json!({ "version": "2.1.325" }))?;
    answer(&mut stage, "get_settings", json!({ "applied": { "model": "m" } }))?;
    stage.prompt(SESSION)?;
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
        "type": "stream_event", "event": event, "session_id": SESSION, "parent_tool_use_id": null,
        "uuid": "0723703e-9349-4d8f-bba3-6d40ff56eb7a",
    })
}

/// The CLI answers a control request.
fn answer(stage: &mut Stage<Core>, subtype: &str, response: Value) -> Result<()> {
    let request = stage.take(|line| line["request"]["subtype"] == subtype)?;
    let response = json!({ "subtype": "success", "request_id": request["request_id"], "response": response });
    stage.native(&json!({ "type": "control_response", "response": response }).to_string())
}
