//! The query parameters that the contract gives each operation. The table is generated (`cargo xtask gen`): reading it takes less
//! than a millisecond, assembling the whole document a hundred times as long.

use crate::openapi;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The parameter by which a ticket comes; an operation that takes it is a stream that a ticket opens.
const TICKET: &str = "ticket";
/// The parameter by which older clients send the token of a WebSocket. It is not documented, but known where tickets are.
const ACCESS_TOKEN: &str = "access_token";

/// The largest number without a maximum of its own: the contract's integers have 64 bits with a sign.
const LARGEST: u64 = i64::MAX as u64;

/// The parameters of one operation.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Known {
    parameters: Vec<Parameter>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Parameter {
    name: String,
    /// Not shown to clients that asked for something else.
    is_listed: bool,
    /// May be given several times.
    pub(super) repeats: bool,
    /// Takes `name[key]=value`.
    is_nested: bool,
    pub(super) kind: Kind,
}

/// The values that a parameter takes, as far as the contract says.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Kind {
    Text { shortest: u64 },
    Whole { least: u64, most: u64 },
    Flag,
    Choice(Vec<String>),
    Any,
}

/// The parameters of each operation, by method and route, such as `get /v1/sessions`.
type Table = BTreeMap<String, Known>;

// A table that cannot be read fails the tests below.
static OPERATIONS: LazyLock<Table> =
    LazyLock::new(|| serde_json::from_str(include_str!("operations.json")).unwrap_or_default());

/// Returns the table that the contract gives, as it is checked in.
pub fn query_table_json() -> String {
    let table = read(&serde_json::to_value(openapi::contract()).unwrap_or_default());
    let lines = table.iter().map(|(operation, known)| {
        let known = serde_json::to_string(known).unwrap_or_default();
        format!("  {}: {known}", Value::from(operation.as_str()))
    });
    format!("{{\n{}\n}}\n", lines.collect::<Vec<_>>().join(",\n"))
}

/// The parameters of an operation, by its route and method.
pub(super) fn operation(route: &str, method: &str) -> Option<&'static Known> {
    OPERATIONS.get(&format!("{} {route}", method.to_ascii_lowercase()))
}

/// The routes that a ticket opens, in order.
pub(crate) fn stream_paths() -> Vec<&'static str> {
    let tickets = OPERATIONS.iter().filter(|(_, known)| known.takes_ticket());
    tickets.filter_map(|(operation, _)| operation.strip_prefix("get ")).collect()
}

/// Returns true if a ticket may open this path.
pub(crate) fn is_stream_path(path: &str) -> bool {
    let fits = |route: &&str| {
        let (mut parts, mut given) = (route.split('/'), path.split('/'));
        loop {
            match (parts.next(), given.next()) {
                (None, None) => return true,
                (Some(part), Some(given)) if part == given => {}
                (Some(part), Some(given)) if part.starts_with('{') && !given.is_empty() => {}
                _ => return false,
            }
        }
    };
    stream_paths().iter().any(fits)
}

impl Known {
    pub(super) fn find(&self, name: &str) -> Option<&Parameter> {
        let outer = name.split_once('[').filter(|(_, key)| key.ends_with(']')).map(|(outer, _)| outer);
        self.parameters.iter().find(|parameter| {
            parameter.name == name || (parameter.is_nested && outer == Some(parameter.name.as_str()))
        })
    }

    /// The names to suggest.
    pub(super) fn names(&self) -> Vec<&str> {
        let listed = self.parameters.iter().filter(|parameter| parameter.is_listed);
        listed.map(|parameter| parameter.name.as_str()).collect()
    }

    pub(super) fn takes_ticket(&self) -> bool {
        self.parameters.iter().any(|parameter| parameter.name == TICKET)
    }
}

impl Kind {
    /// Returns what was expected, if this value is something else.
    pub(super) fn mismatch(&self, value: &[u8]) -> Option<String> {
        let text = std::str::from_utf8(value).ok();
        let fits = match self {
            Self::Any => true,
            Self::Text { shortest } => value.len() as u64 >= *shortest,
            Self::Whole { least, most } => text
                .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
                .and_then(|text| text.parse::<u64>().ok())
                .is_some_and(|number| (*least..=*most).contains(&number)),
            Self::Flag => matches!(value, b"true" | b"false"),
            Self::Choice(choices) => text.is_some_and(|text| choices.iter().any(|choice| choice == text)),
        };
        (!fits).then(|| self.describe())
    }

    fn describe(&self) -> String {
        match self {
            Self::Any => "a value".to_owned(),
            Self::Text { .. } => "a value that is not empty".to_owned(),
            Self::Whole { least, most: LARGEST } => format!("a whole number, {least} or more"),
            Self::Whole { least, most } => format!("a number from {least} to {most}"),
            Self::Flag => "true or false".to_owned(),
            Self::Choice(choices) => format!("one of {}", choices.join(", ")),
        }
    }
}

fn read(document: &Value) -> Table {
    let paths = document["paths"].as_object().into_iter().flatten();
    let operations = paths.flat_map(|(path, item)| {
        let shared = &item["parameters"];
        item.as_object().into_iter().flatten().filter(|(method, _)| *method != "parameters").map(
            move |(method, operation)| {
                (format!("{method} {path}"), operation_of(document, [shared, &operation["parameters"]]))
            },
        )
    });
    operations.collect()
}

fn operation_of(document: &Value, lists: [&Value; 2]) -> Known {
    let parameters = lists.into_iter().filter_map(Value::as_array).flatten();
    let query = parameters.map(|parameter| resolve(document, parameter)).filter(|one| one["in"] == "query");
    let mut known = Known { parameters: query.map(|one| parameter(document, one)).collect() };
    if known.takes_ticket() {
        known.parameters.push(Parameter {
            name: ACCESS_TOKEN.to_owned(),
            is_listed: false,
            repeats: false,
            is_nested: false,
            kind: Kind::Any,
        });
    }
    known
}

fn parameter(document: &Value, parameter: &Value) -> Parameter {
    let schema = resolve(document, &parameter["schema"]);
    let repeats = schema["type"] == "array" && parameter["explode"] != false;
    Parameter {
        name: parameter["name"].as_str().unwrap_or_default().to_owned(),
        is_listed: parameter["deprecated"] != true,
        repeats,
        is_nested: parameter["style"] == "deepObject",
        kind: kind(schema),
    }
}

fn kind(schema: &Value) -> Kind {
    if let Some(choices) = schema["enum"].as_array() {
        return Kind::Choice(choices.iter().filter_map(Value::as_str).map(str::to_owned).collect());
    }
    let bound =
        |name: &str| schema[name].as_u64().or_else(|| schema[name].as_f64().map(|number| number as u64));
    match schema["type"].as_str() {
        Some("integer") => {
            Kind::Whole { least: bound("minimum").unwrap_or(0), most: bound("maximum").unwrap_or(LARGEST) }
        }
        Some("boolean") => Kind::Flag,
        Some("string") => match schema["minLength"].as_u64() {
            Some(shortest) if shortest > 0 => Kind::Text { shortest },
            _ => Kind::Any,
        },
        _ => Kind::Any,
    }
}

/// The part of the document that a reference stands for.
fn resolve<'a>(document: &'a Value, part: &'a Value) -> &'a Value {
    let pointer = part["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    pointer.and_then(|pointer| document.pointer(pointer)).unwrap_or(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_table_is_that_of_the_contract() {
        let contract = read(&serde_json::to_value(openapi::contract()).unwrap_or_default());
        assert!(*OPERATIONS == contract, "run cargo xtask gen");
    }

    #[test]
    fn kinds_are_read_from_schemas() {
        let document =
            json!({"components": {"schemas": {"Color": {"type": "string", "enum": ["red", "blue"]}}}});
        let cases = [
            (json!({"type": "integer", "minimum": 1, "maximum": 9}), "0", Some("a number from 1 to 9")),
            (json!({"type": "integer", "minimum": 1, "maximum": 9}), "9", None),
            (json!({"type": "integer", "minimum": 0}), "+1", Some("a whole number, 0 or more")),
            (json!({"type": "integer"}), "9223372036854775808", Some("a whole number, 0 or more")),
            (json!({"type": "boolean"}), "yes", Some("true or false")),
            (json!({"type": "string", "minLength": 1}), "", Some("a value that is not empty")),
            (json!({"$ref": "#/components/schemas/Color"}), "green", Some("one of red, blue")),
            (json!({"$ref": "#/components/schemas/Color"}), "red", None),
            (json!({"type": "string"}), "", None),
        ];
        for (schema, value, expected) in cases {
            let found = kind(resolve(&document, &schema)).mismatch(value.as_bytes());
            assert_eq!(found.as_deref(), expected, "{schema} {value}");
        }
    }

    #[test]
    fn streams_are_recognized_by_their_path() {
        for path in
            ["/acp", "/v1/acp/a", "/v1/fs/watch", "/v1/sessions/x/events/sse", "/v1/processes/p/logs/sse"]
        {
            assert!(is_stream_path(path), "{path}");
        }
        for path in
            ["", "/", "/v1/acp", "/v1/acp/", "/v1/acp/a/b", "/v1/fs/file", "/v1/sessions/x", "/v1/tickets"]
        {
            assert!(!is_stream_path(path), "{path}");
        }
    }
}
