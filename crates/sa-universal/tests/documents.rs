//! The page about universal events: each example on it is what it says it is.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use sa_api::sessions::{
    CrashKind, CutOff, EventData, EventType, MessagePart, PermissionReply, QuestionOutcome, QuestionReply,
    QuestionRequest, ResolvedBy, StopReason, ToolContent, UniversalEvent, WithdrawnBy,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const PAGE: &str = include_str!("../../../docs/universal-events.md");
const SCHEMA: &str = include_str!("../../../schemas/universal/universal.schema.json");

/// The examples, each with the name of its type.
fn examples() -> Vec<(&'static str, Value)> {
    let blocks = PAGE.split("```json ").skip(1).map(|block| {
        let (name, rest) = block.split_once('\n').unwrap();
        let text = rest.split("```").next().unwrap();
        (name, serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}")))
    });
    blocks.collect()
}

fn reads_as<T: DeserializeOwned + Serialize>(example: &Value) {
    let value: T =
        serde_json::from_value(example.clone()).unwrap_or_else(|error| panic!("{error} in {example:#}"));
    assert_eq!(serde_json::to_value(&value).unwrap(), *example, "a member is not known");
}

#[test]
fn every_example_reads_as_the_type_that_it_shows() {
    for (name, example) in examples() {
        match name {
            "UniversalEvent" => reads_as::<UniversalEvent>(&example),
            "EventData" => reads_as::<EventData>(&example),
            "MessagePart" => reads_as::<MessagePart>(&example),
            "ToolContent" => reads_as::<ToolContent>(&example),
            "QuestionRequest" => reads_as::<QuestionRequest>(&example),
            "QuestionReply" => reads_as::<QuestionReply>(&example),
            "PermissionReply" => reads_as::<PermissionReply>(&example),
            other => panic!("{other} is not checked"),
        }
    }
}

#[test]
fn every_example_is_valid() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    for (name, example) in examples() {
        let root = json!({ "$ref": format!("#/$defs/{name}"), "$defs": schema["$defs"] });
        let errors: Vec<_> = jsonschema::validator_for(&root)
            .unwrap()
            .iter_errors(&example)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "not a {name}: {errors:?}\n{example:#}");
    }
    let event = &examples()[0].1;
    assert!(jsonschema::is_valid(&schema, event), "the root of the schema is an event");
    assert!(!jsonschema::is_valid(&schema, &json!({ "id": 1 })));
}

#[test]
fn every_kind_has_an_example() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let shown = |wanted: &str, name: fn(&Value) -> String| -> BTreeSet<String> {
        examples().iter().filter(|(kind, _)| *kind == wanted).map(|(_, example)| name(example)).collect()
    };
    let variants = |kind: &str| schema["$defs"][kind]["oneOf"].as_array().unwrap().clone();
    let events = variants("EventData")
        .iter()
        .map(|variant| variant["required"][0].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        shown("EventData", |example| example.as_object().unwrap().keys().next().unwrap().clone()),
        events
    );
    for kind in ["MessagePart", "ToolContent"] {
        let variants = variants(kind);
        let name = |variant: &Value| variant["properties"]["type"]["const"].as_str().unwrap().to_owned();
        let shown = shown(kind, |example| example["type"].as_str().unwrap().to_owned());
        assert_eq!(shown, variants.iter().map(name).collect(), "{kind}");
    }
}

/// The values in the table below a heading.
fn listed(heading: &str) -> Vec<String> {
    let section = PAGE.split(&format!("\n### {heading}\n")).nth(1).expect(heading);
    let table = section.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    let rows = table.take_while(|line| line.starts_with("| `"));
    rows.map(|row| row.split('`').nth(1).unwrap().to_owned()).collect()
}

/// The values of an enumeration, in the order of the contract.
fn values<T: schemars::JsonSchema>() -> Vec<String> {
    let schema = schemars::schema_for!(T).to_value();
    let all = schema["oneOf"].as_array().or(schema["enum"].as_array()).unwrap().clone();
    let name = |value: &Value| value.as_str().or(value["const"].as_str()).unwrap().to_owned();
    all.iter().map(name).collect()
}

#[test]
fn the_tables_list_every_value() {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let types: Vec<&str> = EventType::ALL.iter().map(|one| one.name()).collect();
    let tables = [
        ("`type`", words(&types)),
        ("`stopReason` of `turnEnded`", values::<StopReason>()),
        ("`reason` of `turnEnded`", words(CutOff::WORDS)),
        ("`by` of `messageWithdrawn`", values::<WithdrawnBy>()),
        ("`outcome` of `questionResolved`", values::<QuestionOutcome>()),
        ("`by` of `questionResolved` and `permissionResolved`", values::<ResolvedBy>()),
        ("`kind` of `error`", words(CrashKind::WORDS)),
    ];
    for (heading, expected) in tables {
        assert_eq!(listed(heading), expected, "{heading}");
    }
}
