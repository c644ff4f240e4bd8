//! Recorded lines of the CLI, held against the schema of what is read of them. When a new version of the CLI, or of its vendor's
//! types, says something else than the adapter reads, this is where it shows.

use jsonschema::Validator;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;

fn validators() -> HashMap<String, Validator> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/amp/stream.schema.json");
    let schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let validator = |(name, definition): (&String, &Value)| {
        (name.clone(), jsonschema::draft202012::new(definition).unwrap())
    };
    schema["$defs"].as_object().unwrap().iter().map(validator).collect()
}

/// The name of a line's definition: its type, with its subtype where the type has several meanings.
fn kind(line: &Value) -> String {
    let name = line["type"].as_str().unwrap();
    line["subtype"].as_str().map_or_else(|| name.to_owned(), |subtype| format!("{name}/{subtype}"))
}

/// Returns the errors of a line.
fn wrong(validators: &HashMap<String, Validator>, line: &Value) -> Vec<String> {
    match validators.get(&kind(line)) {
        Some(validator) => validator.iter_errors(line).map(|error| error.to_string()).collect(),
        None => vec![format!("no such kind of line is known: {}", kind(line))],
    }
}

#[test]
fn every_recorded_line_is_as_it_is_read() {
    let validators = validators();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/captures");
    let mut seen = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        for row in fs::read_to_string(&path).unwrap().lines() {
            let row: Value = serde_json::from_str(row).unwrap();
            if row["dir"] == "<-" && row["raw"].is_object() {
                let wrong = wrong(&validators, &row["raw"]);
                assert!(wrong.is_empty(), "{}: {wrong:?} in {}", path.display(), row["raw"]);
                seen.insert(kind(&row["raw"]));
            }
        }
    }
    // Of this one there is no recording.
    let unseen: Vec<_> = validators.keys().filter(|name| !seen.contains(*name)).collect();
    assert_eq!(unseen, ["result/error_max_turns"]);
}

#[test]
fn a_line_that_says_something_else_is_noticed() {
    let validators = validators();
    for (line, count) in [
        (json!({ "type": "result", "subtype": "success", "is_error": false }), 0),
        (json!({ "type": "result", "subtype": "success", "is_error": "no" }), 1),
        (json!({ "type": "assistant" }), 1),
        (json!({ "type": "assistant", "message": { "content": [{ "text": "x" }] } }), 1),
        (json!({ "type": "brand_new" }), 1),
    ] {
        assert_eq!(wrong(&validators, &line).len(), count, "{line}");
    }
}
