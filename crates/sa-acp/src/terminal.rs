//! What a command printed and how it ended, for people and for clients that draw terminals.

use super::wording::{fenced, paragraph};
use agent_client_protocol_schema::v1::{Meta, ToolCallContent};
use serde_json::json;

/// The output for people.
pub fn printed(output: &str) -> Vec<ToolCallContent> {
    let output = output.trim_end();
    if output.is_empty() { Vec::new() } else { vec![paragraph(fenced("console", output))] }
}

/// The output, or a piece of it, of the call `id` for clients that draw terminals.
pub fn terminal_output(id: &str, data: &str) -> Meta {
    Meta::from_iter([("terminal_output".to_owned(), json!({ "terminal_id": id, "data": data }))])
}

/// How the command of the call `id` ended; without a code if that is not known.
pub fn terminal_exit(id: &str, code: Option<i64>) -> Meta {
    let exit = json!({ "terminal_id": id, "exit_code": code, "signal": null });
    Meta::from_iter([("terminal_exit".to_owned(), exit)])
}
