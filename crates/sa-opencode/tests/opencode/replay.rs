//! Recorded conversations with the real server, played to the machine. The output, to both sides, is in the snapshots.

use crate::client::{Client, host, name};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

fn play(recording: &str) -> String {
    let mut client = Client::new(host());
    let mut log = String::new();
    for line in recording.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let at = Duration::from_secs_f64(line["at"].as_f64().unwrap());
        let passed = client.pass_until(at);
        tell(&mut log, "time passes", &passed, &[]);
        let before = client.names().len();
        let (what, messages) = if !line["client"].is_null() {
            let method = line["client"]["method"].as_str().unwrap_or("an answer").to_owned();
            (format!("client: {method}"), client.line(&line["client"]))
        } else if let Some(to) = line["answer"].as_str() {
            (format!("answer: {to}"), client.respond_as(to, status(&line), line["body"].clone()))
        } else if line["event"].is_object() {
            let kind = line["event"]["payload"]["type"].as_str().unwrap_or("?").to_owned();
            let mut bare = line.clone();
            bare.as_object_mut().unwrap().remove("at");
            (format!("event: {kind}"), client.native(&bare))
        } else {
            ("up".to_owned(), client.native(&serde_json::json!({ "up": true })))
        };
        let asked: Vec<_> =
            client.peer.calls.iter().skip(before.min(client.peer.calls.len())).map(name).collect();
        tell(&mut log, &what, &messages, &asked);
    }
    log
}

fn status(line: &Value) -> u16 {
    u16::try_from(line["status"].as_u64().unwrap()).unwrap()
}

fn tell(log: &mut String, what: &str, messages: &[Value], asked: &[String]) {
    if messages.is_empty() && asked.is_empty() {
        return;
    }
    writeln!(log, "{what}").unwrap();
    for message in messages {
        let mut message = message.clone();
        message.as_object_mut().unwrap().remove("jsonrpc");
        // Long lists that other tests look at.
        for place in ["/result/configOptions", "/result/modes", "/params/update/configOptions"] {
            if let Some(value) = message.pointer_mut(place) {
                *value = Value::from("…");
            }
        }
        writeln!(log, "  → {}", sorted(&message)).unwrap();
    }
    for call in asked {
        writeln!(log, "  ⇒ {call}").unwrap();
    }
}

/// A value with its fields in the order of their names: how the library orders them depends on who else uses it.
fn sorted(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields: BTreeMap<_, _> = fields.iter().collect();
            let fields: Vec<_> = fields
                .iter()
                .map(|(name, value)| format!("{}:{}", Value::from(name.as_str()), sorted(value)))
                .collect();
            format!("{{{}}}", fields.join(","))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(sorted).collect::<Vec<_>>().join(",")),
        other => other.to_string(),
    }
}

#[test]
fn talking() {
    insta::assert_snapshot!(play(include_str!("../fixtures/talking.jsonl")));
}

#[test]
fn tools() {
    insta::assert_snapshot!(play(include_str!("../fixtures/tools.jsonl")));
}

#[test]
fn asking() {
    insta::assert_snapshot!(play(include_str!("../fixtures/asking.jsonl")));
}
