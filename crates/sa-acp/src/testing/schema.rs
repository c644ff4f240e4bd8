//! Checks messages against the JSON Schema of ACP, by method.

use jsonschema::Validator;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

const SCHEMA: &str = include_str!("../../../../schemas/acp/v1/schema.unstable.json");

/// The side that handles a message of a method.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    Agent,
    Client,
    /// Both.
    Protocol,
}

struct Schema {
    definitions: Value,
    validators: RefCell<HashMap<String, Rc<Validator>>>,
}

thread_local! {
    static LOADED: Schema = Schema {
        definitions: serde_json::from_str::<Value>(SCHEMA).unwrap()["$defs"].take(),
        validators: RefCell::default(),
    };
}

/// Fails unless `value` is what `method` takes (`Request`, `Notification`) or gives (`Response`).
pub fn check(side: Side, method: &str, suffix: &str, value: &Value) {
    LOADED.with(|schema| {
        let side = format!("{side:?}").to_lowercase();
        let definitions = schema.definitions.as_object().unwrap();
        let definition = definitions.iter().find(|(name, definition)| {
            definition["x-method"] == method
                && definition["x-side"] == side.as_str()
                && name.ends_with(suffix)
        });
        let (name, _) =
            definition.unwrap_or_else(|| panic!("ACP knows no {suffix} of {method} for the {side}"));
        validate(schema, name, value);
    });
}

/// Fails unless `value` is an error object.
pub fn check_error(value: &Value) {
    LOADED.with(|schema| validate(schema, "Error", value));
}

fn validate(schema: &Schema, name: &str, value: &Value) {
    let validator = Rc::clone(schema.validators.borrow_mut().entry(name.to_owned()).or_insert_with(|| {
        let root = json!({ "$ref": format!("#/$defs/{name}"), "$defs": schema.definitions });
        Rc::new(jsonschema::validator_for(&root).unwrap())
    }));
    let errors: Vec<_> = validator.iter_errors(value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "not a {name}: {errors:?}\n{value:#}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "not a SessionNotification")]
    fn a_wrong_update_is_noticed() {
        let update =
            json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "words": "hi" } });
        check(Side::Client, "session/update", "Notification", &json!({ "sessionId": "s", "update": update }));
    }

    #[test]
    #[should_panic(expected = "ACP knows no Notification")]
    fn a_method_that_does_not_exist_is_noticed() {
        check(Side::Client, "session/updates", "Notification", &json!({}));
    }
}
