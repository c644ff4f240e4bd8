//! Amp: a message of the model. The CLI does not stream pieces of text.

use super::{Stage, now, text};
use anyhow::Result;
use sa_acp::{ChildId, Ended};
use sa_amp::Core;
use serde_json::json;

const THREAD: &str = "T-01a1e094-6888-77d3-a355-1560a145d899";

pub(crate) fn lines(count: usize) -> Result<()> {
    let mut stage = Stage::new(sa_instructions::amp())?;
    // The CLI was started for its help text and for a new thread.
    let outputs = ["-m, --mode <value>\n  Set the agent mode (rush, smart)\n", THREAD];
    for (child, output) in stage.started.clone().into_iter().zip(outputs) {
        run(&mut stage, child, output)?;
    }
    stage.prompt(THREAD)?;
    let usage = json!({ "input_tokens": 100, "output_tokens": 20, "max_tokens": 300_000 });
    let content = json!([{ "type": "text", "text": text() }]);
    let message =
        json!({ "role": "assistant", "content": content, "stop_reason": "tool_use", "usage": usage });
    stage.repeat(
        count,
        &json!({ "type": "assistant", "message": message, "parent_tool_use_id": null, "session_id": THREAD }),
    )
}

/// A process prints something and exits.
fn run(stage: &mut Stage<Core>, child: ChildId, output: &str) -> Result<()> {
    output.lines().for_each(|line| stage.machine.native(now(), child, line.as_bytes()));
    stage.machine.ended(now(), child, &Ended { code: Some(0), ..Ended::default() });
    stage.settle()
}
