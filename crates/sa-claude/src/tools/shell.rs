//! What a command printed and how it ended.

use super::wording::{fenced, paragraph};
use agent_client_protocol_schema::v1::{Meta, ToolCallContent};
use serde_json::{Value, json};

/// The end of a command as its result tells it.
pub(super) struct Ran {
    output: String,
    /// `None` if the result does not say.
    exit_code: Option<i64>,
    ended: bool,
}

impl Ran {
    /// Reads a result: `text` is what the model was told, `structured` what the CLI knows.
    pub(super) fn new(text: &str, structured: &Value, failed: bool) -> Self {
        if failed {
            return match exit_code(text) {
                Some((code, output)) => {
                    Self { output: output.to_owned(), exit_code: Some(code), ended: true }
                }
                None => Self { output: text.to_owned(), exit_code: None, ended: false },
            };
        }
        let streams =
            [&structured["stdout"], &structured["stderr"]].map(|stream| stream.as_str().unwrap_or_default());
        let printed = structured["stdout"].is_string();
        let background = structured["backgroundTaskId"].is_string();
        let output = match streams {
            // A command in the background has printed nothing yet; the text says where its output goes.
            ["", ""] if printed && !background => String::new(),
            ["", ""] => text.to_owned(),
            [out, ""] => out.to_owned(),
            ["", err] => err.to_owned(),
            [out, err] => format!("{}\n{err}", out.trim_end_matches('\n')),
        };
        // Some codes other than 0 are no failure; the CLI then says what they mean, but not which it was.
        let unclear = structured["returnCodeInterpretation"].is_string() || structured["interrupted"] == true;
        let exit_code = (!unclear).then_some(0);
        Self { output, exit_code, ended: !background }
    }

    /// The output for people.
    pub(super) fn content(&self) -> Vec<ToolCallContent> {
        let output = self.output.trim_end();
        if output.is_empty() { Vec::new() } else { vec![paragraph(fenced("console", output))] }
    }

    /// The output for clients that draw terminals.
    pub(super) fn meta(&self, id: &str) -> Meta {
        let mut meta = Meta::new();
        meta.insert("terminal_output".to_owned(), json!({ "terminal_id": id, "data": self.output }));
        if self.ended {
            let exit = json!({ "terminal_id": id, "exit_code": self.exit_code, "signal": null });
            meta.insert("terminal_exit".to_owned(), exit);
        }
        meta
    }
}

/// Splits "Exit code 3\nboom" into the code and what was printed.
fn exit_code(text: &str) -> Option<(i64, &str)> {
    let rest = text.strip_prefix("Error: ").unwrap_or(text).strip_prefix("Exit code ")?;
    let (code, output) = rest.split_once('\n').unwrap_or((rest, ""));
    Some((code.trim().parse().ok()?, output))
}
