//! The output of a command and its end.

use agent_client_protocol_schema::v1::{Meta, ToolCallContent};
use sa_acp::{printed, terminal_meta};
use serde_json::Value;

/// A command that came to its end.
pub(super) struct Ran {
    output: String,
    /// `None` if the result does not say.
    exit_code: Option<i64>,
}

impl Ran {
    /// Reads the result of a command that failed, as the model got it; `None` for one that was not allowed to run.
    pub(super) fn failed(text: &str) -> Option<Self> {
        let (code, output) = exit_code(text)?;
        Some(Self { output: output.to_owned(), exit_code: Some(code) })
    }

    /// Reads a result: `text` as the model got it, `structured` as the CLI has it. `None` for a command that continues in
    /// the background, or that gave a picture.
    pub(super) fn completed(text: &str, structured: &Value) -> Option<Self> {
        if structured["backgroundTaskId"].is_string() || structured["isImage"] == true {
            return None;
        }
        let stream = |name: &str| structured[name].as_str();
        let output = match (stream("stdout"), stream("stderr").unwrap_or_default()) {
            (None, _) => text.to_owned(),
            (Some(out), "") => out.to_owned(),
            (Some(""), err) => err.to_owned(),
            (Some(out), err) => format!("{}\n{err}", out.trim_end_matches('\n')),
        };
        // Some codes other than 0 are no failure; the CLI then says what they mean, but not which it was.
        let unclear = structured["returnCodeInterpretation"].is_string() || structured["interrupted"] == true;
        Some(Self { output, exit_code: (!unclear).then_some(0) })
    }

    /// The output for people.
    pub(super) fn content(&self) -> Vec<ToolCallContent> {
        printed(&self.output)
    }

    /// The output for clients that draw terminals.
    pub(super) fn meta(&self, id: &str) -> Meta {
        terminal_meta(id, &self.output, self.exit_code)
    }
}

/// Splits "Exit code 3\nboom" into the code and what was printed.
fn exit_code(text: &str) -> Option<(i64, &str)> {
    let rest = text.strip_prefix("Error: ").unwrap_or(text).strip_prefix("Exit code ")?;
    let (code, output) = rest.split_once('\n').unwrap_or((rest, ""));
    Some((code.trim().parse().ok()?, output))
}
