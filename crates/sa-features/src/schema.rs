//! Checks what agents say against the JSON Schema of ACP, by method.

use anyhow::{Context, Result, anyhow, bail};
use jsonschema::Validator;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

const SCHEMA: &str = include_str!("../../../schemas/acp/v1/schema.unstable.json");

static DEFINITIONS: LazyLock<Value> = LazyLock::new(|| {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap_or_default();
    schema["$defs"].clone()
});

static VALIDATORS: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);

/// Checks that a request or notification of the agent is one that ACP has. Methods that begin with `_` are free.
pub(crate) fn check_message(message: &Value) -> Result<()> {
    let method = message["method"].as_str().context("a method")?;
    if method.starts_with('_') {
        return Ok(());
    }
    let (side, suffix) = match (method, message.get("id")) {
        ("$/cancel_request", _) => ("protocol", "Notification"),
        (_, None) => ("client", "Notification"),
        (_, Some(_)) => ("client", "Request"),
    };
    check(side, method, suffix, &message["params"])
}

/// Checks that an answer of the agent is one that ACP has for its method.
pub(crate) fn check_answer(method: &str, answer: &Value) -> Result<()> {
    match answer.get("error") {
        Some(error) => validate("Error", error),
        None => check("agent", method, "Response", &answer["result"]),
    }
}

fn check(side: &str, method: &str, suffix: &str, value: &Value) -> Result<()> {
    let definitions = DEFINITIONS.as_object().context("the definitions of ACP")?;
    let name = definitions.iter().find(|(name, definition)| {
        definition["x-method"] == method && definition["x-side"] == side && name.ends_with(suffix)
    });
    match name {
        Some((name, _)) => validate(name, value),
        None => bail!("ACP knows no {suffix} of {method} for the {side}: {value}"),
    }
}

fn validate(name: &str, value: &Value) -> Result<()> {
    let validator = validator(name)?;
    let errors: Vec<_> = validator.iter_errors(value).map(|error| error.to_string()).collect();
    if errors.is_empty() { Ok(()) } else { bail!("not a {name}: {errors:?}\n{value:#}") }
}

fn validator(name: &str) -> Result<Arc<Validator>> {
    let mut known = VALIDATORS.lock();
    if let Some(validator) = known.get(name) {
        return Ok(Arc::clone(validator));
    }
    let root = json!({ "$ref": format!("#/$defs/{name}"), "$defs": *DEFINITIONS });
    let validator = jsonschema::validator_for(&root).map_err(|error| anyhow!("{name}: {error}"))?;
    let validator = Arc::new(validator);
    known.insert(name.to_owned(), Arc::clone(&validator));
    Ok(validator)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn update(content: Value) -> Value {
        let update = json!({ "sessionUpdate": "agent_message_chunk", "content": content });
        json!({ "method": "session/update", "params": { "sessionId": "s", "update": update } })
    }

    #[test]
    fn what_is_no_acp_is_noticed() {
        assert!(check_message(&update(json!({ "type": "text", "text": "hi" }))).is_ok());
        assert!(check_message(&update(json!({ "type": "text", "words": "hi" }))).is_err());
        assert!(check_message(&json!({ "method": "session/updates", "params": {} })).is_err());
        assert!(check_answer("session/prompt", &json!({ "result": { "stopReason": "end_turn" } })).is_ok());
        assert!(check_answer("session/prompt", &json!({ "result": { "stopReason": 3 } })).is_err());
        assert!(check_answer("session/prompt", &json!({ "error": { "code": 1, "message": "m" } })).is_ok());
    }
}
