//! Every tool call that the recorded runs hold.

use super::{called, ended};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

/// Returns what the CLI wrote in a recorded run.
fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    rows.filter(|row| row["dir"] == "out").map(|mut row| row["line"].take()).collect()
}

/// One line per call: its title, how it ended, and what it then shows.
fn summary(call: &Value, end: &Value) -> String {
    let shown = |update: &Value| {
        let kind = |item: &Value| match item["type"].as_str().unwrap() {
            "content" => item["content"]["type"].as_str().unwrap().to_owned(),
            other => other.to_owned(),
        };
        update["content"].as_array().map(|items| items.iter().map(kind).collect::<Vec<_>>().join("+"))
    };
    let exit = &end["_meta"]["terminal_exit"]["exit_code"];
    format!(
        "{} [{}] {} -> {}{}",
        call["title"].as_str().unwrap(),
        call["kind"].as_str().unwrap_or("other"),
        shown(call).unwrap_or_default(),
        end["status"].as_str().unwrap(),
        shown(end).map(|shown| format!(" {shown}")).unwrap_or_default()
            + &if exit.is_null() { String::new() } else { format!(" exit {exit}") },
    )
}

#[test]
fn every_recorded_call_is_described() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/captures");
    let mut seen: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let mut open: HashMap<String, (String, Value)> = HashMap::new();
        for line in lines(&path) {
            for block in line["message"]["content"].as_array().into_iter().flatten() {
                let text = |key: &str| block[key].as_str().unwrap().to_owned();
                if block["type"] == "tool_use" {
                    open.insert(text("id"), (text("name"), block["input"].clone()));
                }
                let Some((name, input)) = block["tool_use_id"].as_str().and_then(|id| open.get(id)) else {
                    continue;
                };
                let end = ended(name, input, block, line.get("tool_use_result"));
                seen.entry(name.clone()).or_default().push(summary(&called(name, input), &end));
            }
        }
    }
    let mut report = String::new();
    for (name, mut calls) in seen {
        calls.sort();
        calls.dedup();
        report.push_str(&format!("{name}\n  {}\n", calls.join("\n  ")));
    }
    insta::assert_snapshot!(report);
}
