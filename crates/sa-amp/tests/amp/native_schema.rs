//! Recorded lines of the CLI, held against the schema of its stream. When a new version says something else than the adapter
//! reads, this is where it shows.

use serde_json::{Value, json};
use std::fs;
use std::path::Path;

fn validator() -> jsonschema::Validator {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/amp/stream-json.schema.json");
    let schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
}

#[test]
fn every_recorded_line_is_as_it_is_read() {
    let validator = validator();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/captures");
    let mut lines = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        for row in fs::read_to_string(&path).unwrap().lines() {
            let row: Value = serde_json::from_str(row).unwrap();
            if row["dir"] != "<-" || row["raw"].is_string() {
                continue;
            }
            lines += 1;
            let wrong: Vec<_> = validator.iter_errors(&row["raw"]).map(|error| error.to_string()).collect();
            assert!(wrong.is_empty(), "{}: {wrong:?} in {}", path.display(), row["raw"]);
        }
    }
    assert!(lines > 90, "{lines} lines");
}

#[test]
fn a_line_that_says_something_else_is_noticed() {
    let validator = validator();
    for (line, fits) in [
        (
            json!({ "type": "result", "subtype": "success", "is_error": false, "result": "x", "session_id": "T-1" }),
            true,
        ),
        (
            json!({ "type": "result", "subtype": "success", "is_error": true, "result": "x", "session_id": "T-1" }),
            false,
        ),
        (
            json!({ "type": "assistant", "message": { "role": "assistant", "content": [{ "text": "x" }] }, "session_id": "T-1" }),
            false,
        ),
        (json!({ "type": "brand_new" }), false),
    ] {
        assert_eq!(validator.is_valid(&line), fits, "{line}");
    }
}
