//! Results of tool calls.

use super::changes::diffs;
use super::kind;
use crate::native::message::{Part, State};
use agent_client_protocol_schema::v1::{
    ContentBlock, Diff, ImageContent, ToolCallContent, ToolCallStatus, ToolKind,
};
use sa_acp::{Disk, Outcome, absolute, paragraph, printed, terminal_meta};
use serde_json::json;
use std::path::Path;

/// The content of a call that the client got before its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    Nothing,
    /// The change or the plan.
    Content,
}

/// Returns the result of a call as the client sees it.
pub(crate) fn outcome(part: &Part, shown: Shown, cwd: &Path, disk: &dyn Disk) -> Outcome {
    let state = &part.state;
    let status = status(part);
    let is_edit = kind(&part.tool) == ToolKind::Edit;
    let mut content = match (part.tool.as_str(), &state.error) {
        (_, Some(error)) => vec![paragraph(error.clone())],
        ("bash", None) => printed(state.output.as_deref().unwrap_or_default()),
        // The diffs that were reported before stay.
        _ if is_edit && shown == Shown::Content => Vec::new(),
        _ if is_edit => changed(part, cwd, disk),
        ("plan_exit", None) if shown == Shown::Content => Vec::new(),
        _ => said(state),
    };
    content.extend(state.attachments.iter().filter_map(picture));
    let meta = (part.tool == "bash").then(|| {
        let printed = state.output.as_deref().unwrap_or_default();
        terminal_meta(&part.call, printed, state.metadata["exit"].as_i64())
    });
    let mut output = json!({ "error": state.error, "metadata": state.metadata });
    if part.tool != "bash" {
        output["output"] = json!(state.output);
    } else if let Some(metadata) = output["metadata"].as_object_mut() {
        // The output of a command is in the content.
        metadata.remove("output");
    }
    Outcome { meta, ..Outcome::new(status, content, output) }
}

fn status(part: &Part) -> ToolCallStatus {
    let state = &part.state;
    match state.status.as_str() {
        "completed" if part.tool == "bash" => {
            // A command that was cut off has no code.
            let is_fine = state.metadata["exit"].as_i64() == Some(0);
            if is_fine { ToolCallStatus::Completed } else { ToolCallStatus::Failed }
        }
        "completed" if part.tool == "invalid" => ToolCallStatus::Failed,
        "completed" => ToolCallStatus::Completed,
        _ => ToolCallStatus::Failed,
    }
}

fn said(state: &State) -> Vec<ToolCallContent> {
    let words = state.output.as_deref().map(str::trim_end).filter(|words| !words.is_empty());
    words.map(paragraph).into_iter().collect()
}

/// The change of a call that nobody was asked about.
fn changed(part: &Part, cwd: &Path, disk: &dyn Disk) -> Vec<ToolCallContent> {
    let state = &part.state;
    let told = diffs(&state.metadata, cwd, disk);
    if !told.is_empty() {
        return told;
    }
    let path = state.input["filePath"].as_str();
    let text = state.input["content"].as_str();
    match path.zip(text) {
        // The file before is not known.
        Some((path, text)) => vec![ToolCallContent::Diff(Diff::new(absolute(path, cwd), text))],
        None => said(state),
    }
}

/// A picture that came of a call.
fn picture(file: &Part) -> Option<ToolCallContent> {
    let (kind, data) = file.url.strip_prefix("data:")?.split_once(";base64,")?;
    kind.starts_with("image/").then(|| ContentBlock::Image(ImageContent::new(data, kind)).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sa_acp::NoDisk;
    use serde_json::Value;

    fn ran(tool: &str, state: Value) -> Outcome {
        let part = json!({ "type": "tool", "tool": tool, "callID": "c", "state": state });
        outcome(&serde_json::from_value(part).unwrap_or_default(), Shown::Nothing, Path::new("/p"), &NoDisk)
    }

    #[test]
    fn a_command_of_another_code_than_nought_has_failed() {
        let bash = |exit: Value| {
            ran("bash", json!({ "status": "completed", "output": "x", "metadata": { "exit": exit } })).status
        };
        assert_eq!(bash(json!(0)), ToolCallStatus::Completed);
        assert_eq!(bash(json!(3)), ToolCallStatus::Failed);
        assert_eq!(bash(Value::Null), ToolCallStatus::Failed);
    }

    #[test]
    fn an_error_is_shown_as_one() {
        let outcome = ran("read", json!({ "status": "error", "error": "File not found: /p/x" }));
        assert_eq!(outcome.status, ToolCallStatus::Failed);
        assert_eq!(outcome.content, [paragraph("File not found: /p/x")]);
    }
}
