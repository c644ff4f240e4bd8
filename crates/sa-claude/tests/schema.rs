//! Recorded lines of the CLI, held against the schema of what is read of them. When a new version of the CLI, or of its
//! vendor's types, says something else than the adapter reads, this is where it shows.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use jsonschema::Validator;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

/// Lines that are passed over, whatever they say.
const UNREAD: [&str; 4] = [
    "system/thinking_tokens",
    "system/model_refusal_no_fallback",
    "system/background_tasks_changed",
    "command_lifecycle",
];

fn validators() -> HashMap<String, Validator> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/claude/stdout.schema.json");
    let schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let validator = |(name, definition): (&String, &Value)| {
        (name.clone(), jsonschema::draft202012::new(definition).unwrap())
    };
    schema["$defs"].as_object().unwrap().iter().map(validator).collect()
}

fn captures() -> Vec<PathBuf> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let folders = ["captures", "captures-2.1.325"].map(|name| fixtures.join(name));
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    files.map(|entry| entry.unwrap().path()).collect()
}

/// The name of a line's definition: its type, with its subtype where the type has several meanings.
fn kind(line: &Value) -> String {
    let name = line["type"].as_str().unwrap();
    match line["subtype"].as_str() {
        Some(subtype) if matches!(name, "system" | "result") => format!("{name}/{subtype}"),
        _ => name.to_owned(),
    }
}

/// Everything that is wrong with a line, and the kinds that it showed.
struct Findings<'a> {
    validators: &'a HashMap<String, Validator>,
    wrong: Vec<String>,
    seen: BTreeSet<String>,
}

impl Findings<'_> {
    fn check(&mut self, name: &str, value: &Value) {
        self.seen.insert(name.to_owned());
        match self.validators.get(name) {
            Some(validator) => {
                self.wrong.extend(validator.iter_errors(value).map(|error| format!("{name}: {error}")));
            }
            None if UNREAD.contains(&name) => {}
            None => self.wrong.push(format!("{name}: no such kind of line is known")),
        }
    }

    /// Looks at a recorded run: every line of the CLI, and the answers among them.
    fn replay(&mut self, text: &str) {
        let mut asked: HashMap<String, String> = HashMap::new();
        for row in text.lines().map(|row| serde_json::from_str::<Value>(row).unwrap()) {
            let line = &row["line"];
            let words = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            if row["dir"] == "in" && line["type"] == "control_request" {
                asked.insert(words(&line["request_id"]), words(&line["request"]["subtype"]));
            }
            if row["dir"] != "out" {
                continue;
            }
            self.check(&kind(line), line);
            let answer = &line["response"];
            let Some(request) = asked.get(&words(&answer["request_id"])) else { continue };
            let name = format!("answer/{request}");
            if answer["subtype"] == "success" && self.validators.contains_key(&name) {
                self.check(&name, &answer["response"]);
            }
        }
    }
}

#[test]
fn every_recorded_line_is_as_it_is_read() {
    let validators = validators();
    let mut findings = Findings { validators: &validators, wrong: Vec::new(), seen: BTreeSet::new() };
    for path in captures() {
        let before = findings.wrong.len();
        findings.replay(&fs::read_to_string(&path).unwrap());
        let file = path.file_name().unwrap().display().to_string();
        findings.wrong.iter_mut().skip(before).for_each(|wrong| wrong.insert_str(0, &format!("{file}: ")));
    }
    assert!(findings.wrong.is_empty(), "{:#?}", findings.wrong);
    // Of this one there is no recording.
    let unseen: Vec<_> = validators.keys().filter(|name| !findings.seen.contains(*name)).collect();
    assert_eq!(unseen, ["system/commands_changed"]);
}

#[test]
fn a_line_that_says_something_else_is_noticed() {
    let validators = validators();
    let state =
        |state: Value| json!({ "type": "system", "subtype": "session_state_changed", "state": state });
    let row = |line: Value| json!({ "dir": "out", "line": line }).to_string();
    for (line, wrong) in [
        (state(json!("idle")), 0),
        (state(json!(7)), 1),
        (json!({ "type": "system", "subtype": "session_state_changed" }), 1),
        (json!({ "type": "assistant", "message": { "id": "m", "content": [{ "text": "x" }] } }), 1),
        (json!({ "type": "brand_new" }), 1),
    ] {
        let mut findings = Findings { validators: &validators, wrong: Vec::new(), seen: BTreeSet::new() };
        findings.replay(&row(line.clone()));
        assert_eq!(findings.wrong.len(), wrong, "{line}: {:?}", findings.wrong);
    }
}
