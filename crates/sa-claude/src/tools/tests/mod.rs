//! Every kind of tool, as a client sees it. Every update made here is checked against ACP's JSON Schema.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod calls;
mod captures;
mod lists;
mod results;
mod robustness;

use super::{call, result};
use agent_client_protocol_schema::v1::{SessionUpdate, ToolCallId};
use jsonschema::Validator;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

const CWD: &str = "/project";

static UPDATE: LazyLock<Validator> = LazyLock::new(|| {
    let schema = include_str!("../../../../../schemas/acp/v1/schema.json");
    let definitions = serde_json::from_str::<Value>(schema).unwrap()["$defs"].take();
    jsonschema::validator_for(&json!({ "$ref": "#/$defs/SessionUpdate", "$defs": definitions })).unwrap()
});

/// The update as it goes over the wire, checked.
pub(crate) fn checked(update: &SessionUpdate) -> Value {
    let value = serde_json::to_value(update).unwrap();
    let errors: Vec<_> = UPDATE.iter_errors(&value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "not an update: {errors:?}\n{value:#}");
    value
}

/// A call as a client first hears of it.
fn called(name: &str, input: &Value) -> Value {
    let described = call(name, input, Path::new(CWD));
    checked(&SessionUpdate::ToolCall(described.into_call(ToolCallId::new("toolu_1"))))
}

/// Returns what a client hears of its end.
fn ended(name: &str, input: &Value, block: &Value, structured: Option<&Value>) -> Value {
    let outcome = result(name, input, block, structured, Path::new(CWD));
    checked(&SessionUpdate::ToolCallUpdate(outcome.into_update(ToolCallId::new("toolu_1"))))
}

/// A result that went well.
fn success(content: impl Into<Value>) -> Value {
    json!({ "type": "tool_result", "tool_use_id": "toolu_1", "content": content.into() })
}

/// One that did not.
fn failure(content: impl Into<Value>) -> Value {
    let mut block = success(content);
    block["is_error"] = json!(true);
    block
}

/// Updates without what is the same in all of them, one after the other.
fn report(updates: impl IntoIterator<Item = Value>) -> String {
    let mut report = String::new();
    for update in updates {
        let same = |key: &str| matches!(key, "sessionUpdate" | "toolCallId" | "rawInput");
        let members = update.as_object().unwrap().iter().filter(|(key, _)| !same(key));
        let update: BTreeMap<_, _> = members.collect();
        report.push_str(&serde_json::to_string_pretty(&update).unwrap());
        report.push('\n');
    }
    report
}
