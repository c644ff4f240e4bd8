//! Lines to the CLI. A line that it cannot read ends it, so lines are made here and nowhere else.

use sa_acp::PromptPart;
use serde_json::{Value, json};

fn line(value: &Value) -> Vec<u8> {
    format!("{value}\n").into_bytes()
}

/// A prompt. A single text is sent as a string: only then does every version recognize a slash command.
pub(crate) fn prompt(mut parts: Vec<PromptPart>, uuid: &str) -> Vec<u8> {
    let content = match parts.as_mut_slice() {
        [PromptPart::Text(text)] => Value::String(std::mem::take(text)),
        _ => parts.into_iter().map(PromptPart::into_block).collect(),
    };
    let message = json!({ "role": "user", "content": content });
    let (parent, session) = (Value::Null, "");
    line(&json!({
        "type": "user", "message": message, "parent_tool_use_id": parent, "session_id": session, "uuid": uuid,
    }))
}

/// A question or an order, with what is asked.
pub(crate) fn request(id: &str, request: &Value) -> Vec<u8> {
    line(&json!({ "type": "control_request", "request_id": id, "request": request }))
}

/// The answer to a question of the CLI.
pub(crate) fn reply(id: &str, response: &Value) -> Vec<u8> {
    let response = json!({ "subtype": "success", "request_id": id, "response": response });
    line(&json!({ "type": "control_response", "response": response }))
}

/// The refusal of a question of the CLI.
pub(crate) fn refusal(id: &str, error: &str) -> Vec<u8> {
    let response = json!({ "subtype": "error", "request_id": id, "error": error });
    line(&json!({ "type": "control_response", "response": response }))
}

/// A request that says no more than what it is.
pub(crate) fn plain(subtype: &str) -> Value {
    json!({ "subtype": subtype })
}

/// The request to change settings of the process.
pub(crate) fn apply_settings(settings: Value) -> Value {
    json!({ "subtype": "apply_flag_settings", "settings": settings })
}

/// The decision that a tool may run. Older versions insist on its input. `rules` hold until the session ends.
pub(crate) fn allow(input: Value, rules: Vec<Value>) -> Value {
    let mut answer = json!({ "behavior": "allow", "updatedInput": input });
    if !rules.is_empty() {
        answer["updatedPermissions"] = Value::Array(rules);
    }
    answer
}

/// The effect of a denial on the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AfterDenial {
    /// The model continues without the tool.
    Continue,
    /// The turn ends.
    Stop,
}

/// The decision that a tool may not run.
pub(crate) fn deny(message: impl Into<String>, after: AfterDenial) -> Value {
    let mut answer = json!({ "behavior": "deny", "message": message.into() });
    if after == AfterDenial::Stop {
        answer["interrupt"] = json!(true);
    }
    answer
}
