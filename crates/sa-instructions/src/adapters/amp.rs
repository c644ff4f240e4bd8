//! Amp: a message of the model. The CLI does not stream pieces of text.

use super::{Folder, PROJECT, Stage, now, text};
use anyhow::Result;
use sa_acp::{ChildId, Driven, Ended};
use sa_amp::{Disk, Host, Limits, Machine};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

const THREAD: &str = "T-01a1e094-6888-77d3-a355-1560a145d899";

impl Disk for Folder {
    fn is_directory(&self, path: &Path) -> bool {
        path.starts_with(PROJECT)
    }

    fn read(&self, _: &Path) -> Option<String> {
        None
    }

    fn has_login(&self) -> bool {
        false
    }

    fn settings(&self) -> Result<Map<String, Value>, String> {
        Ok(Map::new())
    }

    fn project_rules(&self, _: &Path) -> Option<PathBuf> {
        None
    }
}

pub(crate) fn lines(count: usize) -> Result<()> {
    let mut stage = Stage::new(Machine::new(Host {
        disk: Box::new(Folder),
        has_key: true,
        helper: "/helper".into(),
        allow_bypass: false,
        limits: Limits::default(),
    }))?;
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
fn run(stage: &mut Stage<Machine>, child: ChildId, output: &str) -> Result<()> {
    output.lines().for_each(|line| stage.machine.native(now(), child, line.as_bytes()));
    stage.machine.ended(now(), child, &Ended { code: Some(0), ..Ended::default() });
    stage.settle()
}
