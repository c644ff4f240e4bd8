//! Agents that do not keep to the protocol: nothing breaks, nothing is lost.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use sa_api::sessions::EventData;
use sa_universal::testing::{Projector, parts_of, permission, to_opened};
use sa_universal::{Form, PromptCapabilities, Reducer, prompt, question, stop_reason};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::schema::errors;

const KINDS: [&str; 15] = [
    "user_message_chunk",
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
    "available_commands_update",
    "current_mode_update",
    "config_option_update",
    "session_info_update",
    "usage_update",
    "notice",
    "compaction_update",
    "compaction_summary_chunk",
    "future_update",
];

const KEYS: [&str; 34] = [
    "_meta",
    "annotations",
    "availableCommands",
    "category",
    "configOptions",
    "content",
    "cost",
    "currentModeId",
    "currentValue",
    "data",
    "description",
    "entries",
    "hint",
    "id",
    "input",
    "kind",
    "line",
    "locations",
    "messageId",
    "mimeType",
    "name",
    "options",
    "path",
    "priority",
    "rawInput",
    "resource",
    "size",
    "status",
    "text",
    "title",
    "toolCallId",
    "uri",
    "value",
    "x-other",
];

/// Any value, with members that the protocol knows, and words that occur nowhere else.
fn value() -> impl Strategy<Value = Value> {
    static MARKS: AtomicU64 = AtomicU64::new(0);
    let mark =
        any::<u8>().prop_map(|_| Value::String(format!("mark{}.", MARKS.fetch_add(1, Ordering::Relaxed))));
    let word = select(vec![
        "text",
        "image",
        "resource",
        "resource_link",
        "diff",
        "terminal",
        "content",
        "select",
        "high",
        "pending",
    ]);
    let leaf = prop_oneof![
        4 => mark,
        1 => word.prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<f64>().prop_map(|number| json!(number)),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Null),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let typed = select(vec![
            "text",
            "image",
            "audio",
            "resource",
            "resource_link",
            "diff",
            "terminal",
            "content",
            "select",
        ]);
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            members(inner.clone()),
            (typed, members(inner)).prop_map(|(kind, mut object)| {
                object["type"] = kind.into();
                object
            }),
        ]
    })
}

fn members(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    let keys = select(KEYS.to_vec()).prop_map(str::to_owned);
    btree_map(keys, inner, 0..6).prop_map(|members| Value::Object(members.into_iter().collect()))
}

fn update() -> impl Strategy<Value = Value> {
    (select(KINDS.to_vec()), members(value())).prop_map(|(kind, mut update)| {
        update["sessionUpdate"] = kind.into();
        update
    })
}

fn raw(value: &Value) -> Box<RawValue> {
    to_raw_value(value).unwrap()
}

/// The words that occur only in a value. Those of tracing and the time of an update are of no interest.
fn marks(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) if text.starts_with("mark") => vec![text.clone()],
        Value::Array(values) => values.iter().flat_map(marks).collect(),
        Value::Object(members) => members.values().flat_map(marks).collect(),
        _ => Vec::new(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_word_of_an_update_is_in_its_events(update in update()) {
        let mut reducer = Reducer::new("run");
        let mut events = reducer.update(&raw(&json!({ "sessionId": "s", "update": update })));
        events.extend(reducer.end_turn());
        let text = serde_json::to_string(&events).unwrap();
        for mark in marks(&update) {
            prop_assert!(text.contains(&mark), "{} is lost\n{:#}\n{}", mark, update, text);
        }
    }

    #[test]
    fn every_word_survives_the_way_to_acp_and_back(updates in vec(update(), 1..4)) {
        let mut reducer = Reducer::new("run");
        let mut events = Vec::new();
        for update in &updates {
            events.extend(reducer.update(&raw(&json!({ "sessionId": "s", "update": update }))));
        }
        events.extend(reducer.end_turn());
        let (mut projector, mut again) = (Projector::default(), Reducer::new("again"));
        let mut returned: Vec<EventData> = Vec::new();
        for update in events.iter().flat_map(|event| projector.updates(event)).collect::<Vec<_>>() {
            prop_assert_eq!(errors("SessionUpdate", &update), Vec::<String>::new(), "{:#}", update);
            returned.extend(again.update(&raw(&json!({ "sessionId": "s", "update": update }))));
        }
        returned.extend(again.end_turn());
        let (before, after) = (serde_json::to_value(&events).unwrap(), serde_json::to_string(&returned).unwrap());
        for mark in marks(&before) {
            prop_assert!(after.contains(&mark), "{} is lost\n{:#}\n{}", mark, before, after);
        }
    }

    #[test]
    fn anything_can_be_read(value in value()) {
        let raw = raw(&value);
        let mut reducer = Reducer::new("run");
        reducer.update(&raw);
        reducer.session_opened(&raw);
        reducer.config_changed(&raw);
        let _ = to_opened(reducer.choices());
        let _ = reducer.permission(&raw, "p");
        let _ = permission(&raw, "p", None);
        let _ = stop_reason(&raw);
        if let Ok((_, form)) = question(&raw, "q", Some("t")) {
            let _: Form = serde_json::from_str(&serde_json::to_string(&form).unwrap()).unwrap();
        }
        let can = PromptCapabilities::of(&raw);
        let _ = prompt(&parts_of(std::slice::from_ref(&value)), &can);
    }
}

#[test]
fn what_json_can_hardly_hold_is_kept_as_text() {
    let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
    for text in [deep.as_str(), "1e999", "[1e999]"] {
        let raw = RawValue::from_string(text.to_owned()).unwrap();
        let events = Reducer::new("run").update(&raw);
        let [EventData::Unknown(unknown)] = events.as_slice() else { panic!("{events:?}") };
        assert_eq!(unknown.raw, text);
    }
}
