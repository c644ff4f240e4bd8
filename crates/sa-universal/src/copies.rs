//! Copies of one text within a tool call: agents report what a command printed for people, for programs and for terminals.

use crate::json::Object;
use crate::printed;
use sa_api::sessions::ToolContent;
use serde_json::Value;

/// Members of a tool's output that hold all of its text.
const TEXTS: [&str; 7] =
    ["output", "stdout", "text", "result", "aggregatedOutput", "aggregated_output", "formatted_output"];

/// Removes from a call's output and metadata what its content says.
pub(crate) fn remove(content: &[ToolContent], output: &mut Option<Value>, metadata: &mut Object) {
    let Some(shown) = printed::shown(content).filter(|shown| !shown.trim().is_empty()) else { return };
    let is_copy =
        |value: &Value| value.as_str().is_some_and(|text| printed::bare(text).trim_end() == shown.trim_end());
    match output {
        Some(text @ Value::String(_)) if is_copy(text) => *output = None,
        Some(Value::Object(members)) => {
            members.retain(|name, value| !TEXTS.contains(&name.as_str()) || !is_copy(value));
            if members.is_empty() {
                *output = None;
            }
        }
        Some(Value::Array(blocks)) => {
            if let [block] = blocks.as_slice()
                && block["type"] == "text"
                && is_copy(&block["text"])
            {
                *output = None;
            }
        }
        _ => {}
    }
    if let Some(terminal) = terminal(metadata)
        && terminal.get("data").is_some_and(is_copy)
    {
        terminal.remove("data");
    }
}

pub(crate) fn terminal(metadata: &mut Object) -> Option<&mut Object> {
    metadata.get_mut("_meta")?.get_mut("terminal_output")?.as_object_mut()
}
