//! OpenCode: a piece of text among its server's events.

use super::{PROJECT, Stage, text};
use anyhow::Result;
use sa_opencode::Core;
use serde_json::{Value, json};

const SESSION: &str = "ses_e1d5f96beffeKXI1mukY54OrNq";

pub(crate) fn lines(count: usize) -> Result<()> {
    let mut stage = Stage::new(sa_instructions::opencode())?;
    stage.native(&json!({ "up": true }).to_string())?;
    answer(&mut stage, "/global/health", json!({ "healthy": true, "version": "1.18.34" }))?;
    let models = json!({ "big": { "id": "big", "name": "Big", "limit": { "context": 1000 } } });
    let provider = json!({ "id": "anthropic", "name": "Anthropic", "key": "key", "models": models });
    let providers = json!({ "providers": [provider], "default": { "anthropic": "big" } });
    answer(&mut stage, "/config/providers", providers)?;
    answer(&mut stage, "/agent", json!([{ "name": "build", "mode": "primary", "permission": [] }]))?;
    answer(&mut stage, "/command", json!([]))?;
    answer(&mut stage, "/config", json!({}))?;
    let info =
        json!({ "id": SESSION, "directory": PROJECT, "title": "", "cost": 0, "time": { "updated": 1 } });
    answer(&mut stage, "/session", info)?;
    stage.prompt(SESSION)?;
    let part = json!({ "id": "part", "messageID": "message", "type": "text", "text": "" });
    for (kind, properties) in [
        ("session.status", json!({ "sessionID": SESSION, "status": { "type": "busy" } })),
        (
            "message.updated",
            json!({ "sessionID": SESSION, "info": { "id": "message", "role": "assistant" } }),
        ),
        ("message.part.updated", json!({ "sessionID": SESSION, "part": part })),
    ] {
        stage.native(&event(kind, &properties).to_string())?;
    }
    let delta = json!({
        "sessionID": SESSION, "messageID": "message", "partID": "part", "field": "text", "delta": text(),
    });
    stage.repeat(count, &event("message.part.delta", &delta))
}

fn event(kind: &str, properties: &Value) -> Value {
    let payload = json!({ "id": "evt_1e2a08010001C58r3uNkJIsJ6E", "type": kind, "properties": properties });
    json!({ "event": { "directory": PROJECT, "project": "global", "payload": payload } })
}

/// The server answers a request for that path.
fn answer(stage: &mut Stage<Core>, path: &str, body: Value) -> Result<()> {
    let is = |line: &Value| line["path"].as_str().is_some_and(|asked| asked.split('?').next() == Some(path));
    let request = stage.take(is)?;
    stage.native(&json!({ "id": request["id"], "status": 200, "body": body }).to_string())
}
