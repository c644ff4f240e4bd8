//! Codex: a piece of text from its app-server.

use super::{PROJECT, Stage, text};
use anyhow::Result;
use sa_codex::Core;
use serde_json::{Value, json};

const THREAD: &str = "01a1e071-c248-7450-81a4-6a67caebab65";
const TURN: &str = "01a1e070-2d29-7060-82dd-0efa42d4b079";

pub(crate) fn lines(count: usize) -> Result<()> {
    let mut stage = Stage::new(sa_instructions::codex())?;
    answer(&mut stage, "initialize", json!({ "userAgent": "sandbox-agent/0.166.0 (Debian 12; x86_64)" }))?;
    answer(
        &mut stage,
        "account/read",
        json!({ "account": { "type": "apiKey" }, "requiresOpenaiAuth": true }),
    )?;
    let model = json!({ "id": "m", "displayName": "M", "isDefault": true, "supportedReasoningEfforts": [] });
    answer(&mut stage, "model/list", json!({ "data": [model] }))?;
    answer(&mut stage, "command/exec", json!({ "exitCode": 0, "stdout": "", "stderr": "" }))?;
    let thread = json!({ "id": THREAD, "cwd": PROJECT, "turns": [] });
    answer(&mut stage, "thread/start", json!({ "thread": thread, "model": "m", "reasoningEffort": null }))?;
    stage.prompt(THREAD)?;
    answer(&mut stage, "turn/start", json!({ "turn": { "id": TURN, "status": "inProgress" } }))?;
    let item = json!({ "type": "agentMessage", "id": "item", "text": "" });
    for (method, params) in [
        ("turn/started", json!({ "threadId": THREAD, "turn": { "id": TURN } })),
        ("item/started", json!({ "threadId": THREAD, "turnId": TURN, "item": item })),
    ] {
        stage.native(&json!({ "method": method, "params": params }).to_string())?;
    }
    let params = json!({ "threadId": THREAD, "turnId": TURN, "itemId": "item", "delta": text() });
    stage.repeat(
        count,
        &json!({ "method": "item/agentMessage/delta", "params": params, "emittedAtMs": 1_794_766_810_502u64 }),
    )
}

/// The app-server answers a request.
fn answer(stage: &mut Stage<Core>, method: &str, result: Value) -> Result<()> {
    let request = stage.take(|line| line["method"] == method)?;
    stage.native(&json!({ "id": request["id"], "result": result }).to_string())
}
