//! The rules that "always" adds when a person allows a tool.

use serde_json::{Value, json};

/// The rules to hand back with a permission that holds for the rest of the session.
///
/// The CLI's own suggestions are not passed on as they are: some would switch the whole session to another mode, others would
/// write into the settings of the user's project. Only their rules that allow something are taken, for this session. Where
/// none are left, `tool` itself is allowed, unless it runs commands: no one command stands for all. Empty, then: "always"
/// cannot be had.
pub(crate) fn rules_for_always(suggestions: &Value, tool: &str) -> Vec<Value> {
    let suggested = suggestions.as_array().map(Vec::as_slice).unwrap_or_default();
    let rules: Vec<Value> = suggested.iter().filter_map(session_rules).collect();
    if rules.is_empty() && !matches!(tool, "Bash" | "PowerShell") {
        return vec![add_rules(&[json!({ "toolName": tool })])];
    }
    rules
}

fn session_rules(suggestion: &Value) -> Option<Value> {
    let allows = suggestion["type"] == "addRules" && suggestion["behavior"] == "allow";
    let rules = suggestion["rules"].as_array().filter(|rules| allows && !rules.is_empty())?;
    Some(add_rules(rules))
}

fn add_rules(rules: &[Value]) -> Value {
    json!({ "type": "addRules", "rules": rules, "behavior": "allow", "destination": "session" })
}
