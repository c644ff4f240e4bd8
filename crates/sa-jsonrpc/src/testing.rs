//! A property of any bytes: reading them as a message agrees with parsing them whole. Tests and the fuzz target
//! `jsonrpc_line` check it.
#![allow(clippy::unwrap_used)]

use crate::envelope::Envelope;
use crate::{Id, Invalid, Kind, Message, Shape};
use serde_json::Value;

/// The beginnings of errors that a full parse has for grammatical JSON.
const ONLY_A_FULL_PARSE_MINDS: [&str; 4] = [
    "recursion limit exceeded",
    "number out of range",
    "lone leading surrogate",
    "unexpected end of hex escape",
];

/// Panics unless reading these bytes agrees with a full parse.
pub fn agrees_with_a_full_parse(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        Envelope::check_scan(text);
    }
    match (Shape::of(bytes), serde_json::from_slice::<Value>(bytes)) {
        (Ok(shape), Ok(value)) => accepted(Message { bytes, shape }, &value),
        (Ok(_), Err(error)) => {
            let error = error.to_string();
            assert!(ONLY_A_FULL_PARSE_MINDS.iter().any(|words| error.starts_with(words)), "{error}");
        }
        (Err(invalid), Ok(value)) => refused(&invalid, &value, bytes),
        (Err(_), Err(_)) => {}
    }
}

fn accepted(message: Message<&[u8]>, value: &Value) {
    let (method, id) = (value.get("method"), value.get("id"));
    let (result, error) = (value.get("result"), value.get("error"));
    assert_eq!(value["jsonrpc"], "2.0");
    let kind = match (method, id) {
        (Some(_), Some(_)) => Kind::Request,
        (Some(_), None) => Kind::Notification,
        (None, _) => Kind::Response,
    };
    assert_eq!(message.shape.kind, kind);
    if kind == Kind::Response {
        let error = error.is_some_and(|error| !error.is_null() || result.is_none());
        assert!(id.is_some() && (error || result.is_some()));
        assert_eq!(message.shape.is_error, error);
    } else {
        assert!(!message.shape.is_error);
    }
    assert_eq!(message.shape.id.is_some(), id.is_some());
    if let (Some(actual), Some(expected)) = (&message.shape.id, id) {
        assert!(same(actual, expected), "{actual:?} is not {expected}");
    }
    assert_eq!(message.method().as_deref(), method.and_then(Value::as_str));
    let params = message.params().map(|params| serde_json::from_str::<Value>(params).unwrap());
    assert_eq!(params.as_ref(), value.get("params"));
    under_another_id(&message, value);
}

fn under_another_id(message: &Message<&[u8]>, value: &Value) {
    assert_eq!(message.with_id(message.id_text()), message.bytes);
    let changed = message.with_id("\"another\"");
    let mut expected = value.clone();
    if let Some(id) = expected.get_mut("id") {
        *id = "another".into();
    }
    assert_eq!(serde_json::from_slice::<Value>(&changed).unwrap(), expected);
    let back = Message::read(changed).unwrap().with_id(message.id_text());
    assert_eq!(back, message.bytes);
}

fn same(id: &Id, value: &Value) -> bool {
    // The full parse may be off by a last digit.
    let near = |a: f64, b: f64| a == b || ((a - b) / b).abs() < 1e-15;
    match id {
        Id::Null => value.is_null(),
        Id::Text(text) => value.as_str() == Some(text),
        Id::Int(number) => value.as_i64().map_or_else(
            || value.as_f64().is_some_and(|value| near(value, *number as f64)),
            |value| value == *number,
        ),
        Id::Number(text) => value.as_f64().is_some_and(|value| near(value, text.parse().unwrap())),
    }
}

fn refused(invalid: &Invalid, value: &Value, bytes: &[u8]) {
    let escapes = bytes.contains(&b'\\');
    let right = match invalid {
        Invalid::NotJson(_) => false,
        // A full parse keeps the last of several members of one name, so it does not notice.
        Invalid::Twice(_) => value.is_object(),
        Invalid::Batch => value.is_array(),
        Invalid::NotAnObject => !value.is_array() && !value.is_object(),
        Invalid::Version => value.get("jsonrpc").is_none_or(|version| version != "2.0" || escapes),
        Invalid::BadId => matches!(value["id"], Value::Bool(_) | Value::Array(_) | Value::Object(_)),
        Invalid::BadMethod => value.get("method").is_some_and(|method| !method.is_string()),
        Invalid::NoKind => {
            let outcomes = [value.get("result"), value.get("error")];
            let none = outcomes.iter().all(Option::is_none);
            let both = outcomes.iter().all(|outcome| outcome.is_some_and(|outcome| !outcome.is_null()));
            value.get("method").is_none() && (value.get("id").is_none() || none || both)
        }
    };
    assert!(right, "{invalid}: {}", String::from_utf8_lossy(bytes));
}
