//! Checks what is sent to agents and clients against the JSON Schema of ACP.

use jsonschema::Validator;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

static DEFINITIONS: LazyLock<Value> = LazyLock::new(|| {
    let text = include_str!("../../../../schemas/acp/v1/schema.json");
    serde_json::from_str::<Value>(text).unwrap()["$defs"].take()
});

static VALIDATORS: LazyLock<Mutex<HashMap<String, &'static Validator>>> = LazyLock::new(Mutex::default);

/// Returns the reasons `value` is not what ACP calls `name`; none if it is.
pub(crate) fn errors(name: &str, value: &Value) -> Vec<String> {
    let known = VALIDATORS.lock().unwrap().get(name).copied();
    let validator = known.unwrap_or_else(|| {
        let root = json!({ "$ref": format!("#/$defs/{name}"), "$defs": *DEFINITIONS });
        let validator: &'static Validator = Box::leak(Box::new(jsonschema::validator_for(&root).unwrap()));
        VALIDATORS.lock().unwrap().insert(name.to_owned(), validator);
        validator
    });
    validator.iter_errors(value).map(|error| error.to_string()).collect()
}

/// Fails unless `value` is what ACP calls `name`.
#[track_caller]
pub(crate) fn check(name: &str, value: &Value) {
    let errors = errors(name, value);
    assert!(errors.is_empty(), "not a {name}: {errors:?}\n{value:#}");
}

#[test]
#[should_panic(expected = "not a SessionUpdate")]
fn a_wrong_update_is_noticed() {
    check("SessionUpdate", &json!({ "sessionUpdate": "plan", "entries": [{ "content": "no status" }] }));
}
