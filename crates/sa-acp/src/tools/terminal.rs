//! The output of a command and its end, for people and for clients that draw terminals.

use crate::text::wording::{fenced, paragraph};
use agent_client_protocol_schema::v1::{Meta, SessionUpdate, ToolCallContent};
use serde_json::json;

/// The member of `_meta` that holds the output, and of the capabilities of clients that want it there.
pub(crate) const OUTPUT: &str = "terminal_output";

/// The output for people.
pub fn printed(output: &str) -> Vec<ToolCallContent> {
    let output = output.trim_end();
    if output.is_empty() { Vec::new() } else { vec![paragraph(fenced("console", output))] }
}

/// Returns the output and the exit of the command of the call `id` for clients that draw terminals; without a code if that is
/// not known.
pub fn terminal_meta(id: &str, output: &str, code: Option<i64>) -> Meta {
    let exit = json!({ "terminal_id": id, "exit_code": code, "signal": null });
    let output = json!({ "terminal_id": id, "data": output });
    Meta::from_iter([(OUTPUT.to_owned(), output), ("terminal_exit".to_owned(), exit)])
}

/// The update for a client that draws no terminals, if that is another one: the output is in the content, and a second copy
/// would double every event of a command.
pub(crate) fn without_output(update: &SessionUpdate) -> Option<SessionUpdate> {
    let SessionUpdate::ToolCallUpdate(update) = update else { return None };
    let meta = update.meta.as_ref().filter(|meta| meta.contains_key(OUTPUT))?;
    let rest: Meta = meta
        .iter()
        .filter(|(name, _)| *name != OUTPUT)
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let mut update = update.clone();
    update.meta = Some(rest).filter(|rest| !rest.is_empty());
    Some(SessionUpdate::ToolCallUpdate(update))
}
