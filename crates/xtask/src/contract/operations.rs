//! Compares operations: paths, parameters, bodies, answers, security.

use super::document::Document;
use super::{Comparison, Direction, schemas};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// An operation together with what its path says for all methods.
struct Operation<'a> {
    /// As the document writes it, with the names of its parameters.
    path: &'a str,
    document: Document<'a>,
    shared: &'a Value,
    own: &'a Value,
}

/// Reports every change in operations that breaks a client.
pub(super) fn compare(comparison: &mut Comparison) {
    let (old, new) = (operations(comparison.old), operations(comparison.new));
    for ((method, shape), before) in &old {
        let place = format!("{} {}", method.to_uppercase(), before.path);
        match new.get(&(*method, shape.clone())) {
            Some(after) => operation(comparison, &place, before, after),
            None => comparison.report(&place, "the operation is gone"),
        }
    }
}

/// Returns all operations by method and path; names of path parameters do not matter on the wire.
fn operations(document: Document) -> BTreeMap<(&'static str, String), Operation> {
    let paths = document.0.get("paths").and_then(Value::as_object).into_iter().flatten();
    let mut found = BTreeMap::new();
    for (path, shared) in paths {
        let segments = path.split('/').map(|part| if part.starts_with('{') { "{}" } else { part });
        let shape = segments.collect::<Vec<_>>().join("/");
        for method in METHODS {
            if let Some(own) = shared.get(method) {
                found.insert((method, shape.clone()), Operation { path, document, shared, own });
            }
        }
    }
    found
}

fn operation(comparison: &mut Comparison, place: &str, before: &Operation, after: &Operation) {
    let name = |operation: &Operation| operation.own.get("operationId").cloned();
    if name(before) != name(after) {
        let (old, new) = (shown(name(before).as_ref()), shown(name(after).as_ref()));
        let change =
            format!("operationId changed from {old} to {new}, and with it the name in generated clients");
        comparison.report(place, change);
    }
    parameters(comparison, place, before, after);
    request_body(comparison, place, before, after);
    answers(comparison, place, before, after);
    security(comparison, place, before, after);
}

impl<'a> Operation<'a> {
    /// Returns the parameters by place and name, as clients see them: names of headers in lower case.
    fn parameters(&self) -> BTreeMap<(String, String), &'a Value> {
        let lists = [self.shared.get("parameters"), self.own.get("parameters")];
        let all = lists.into_iter().flatten().filter_map(Value::as_array).flatten();
        all.map(|parameter| {
            let parameter = self.document.resolve(parameter);
            let text = |key: &str| parameter.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            let name = if text("in") == "header" { text("name").to_lowercase() } else { text("name") };
            ((text("in"), name), parameter)
        })
        .collect()
    }

    /// Returns the names of the parameters in its path.
    fn path_names(&self) -> impl Iterator<Item = &'a str> {
        self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
    }

    fn member(&self, key: &str) -> Option<&'a Value> {
        self.own.get(key).map(|value| self.document.resolve(value))
    }
}

fn parameters(comparison: &mut Comparison, place: &str, before: &Operation, after: &Operation) {
    let (old, mut new) = (before.parameters(), after.parameters());
    for (name, now) in before.path_names().zip(after.path_names()).filter(|(name, now)| name != now) {
        // On the wire only its place matters, but generated clients call it by its name.
        comparison.report(place, format!("path parameter `{name}` is now `{now}`"));
        if let Some(parameter) = new.remove(&("path".to_owned(), now.to_owned())) {
            new.insert(("path".to_owned(), name.to_owned()), parameter);
        }
    }
    for (key @ (kind, name), parameter) in &old {
        let place = format!("{place}, {kind} parameter `{name}`");
        let Some(now) = new.get(key) else {
            comparison.report(&place, "gone");
            continue;
        };
        if !required(parameter) && required(now) {
            comparison.report(&place, "now required");
        }
        for key in ["style", "explode", "allowReserved"] {
            if parameter.get(key) != now.get(key) {
                comparison.report(&place, format!("`{key}` changed"));
            }
        }
        both_schemas(comparison, &place, parameter, now, Direction::Request);
    }
    for ((kind, name), parameter) in &new {
        if required(parameter) && !old.contains_key(&(kind.clone(), name.clone())) {
            comparison.report(place, format!("new required {kind} parameter `{name}`"));
        }
    }
}

fn request_body(comparison: &mut Comparison, place: &str, before: &Operation, after: &Operation) {
    let (old, new) = (before.member("requestBody"), after.member("requestBody"));
    let place = format!("{place}, request body");
    match (old, new) {
        (None, None) => {}
        (Some(_), None) => comparison.report(&place, "gone"),
        (None, Some(new)) => {
            if required(new) {
                comparison.report(&place, "new and required");
            }
        }
        (Some(old), Some(new)) => {
            if !required(old) && required(new) {
                comparison.report(&place, "now required");
            }
            contents(comparison, &place, old, new, Direction::Request);
        }
    }
}

fn answers(comparison: &mut Comparison, place: &str, before: &Operation, after: &Operation) {
    let (old, new) = (members(before.own.get("responses")), members(after.own.get("responses")));
    for (status, answer) in &old {
        let place = format!("{place}, answer {status}");
        let Some(now) = new.get(status) else {
            comparison.report(&place, "gone");
            continue;
        };
        let (answer, now) = (before.document.resolve(answer), after.document.resolve(now));
        contents(comparison, &place, answer, now, Direction::Answer);
        let headers = members(now.get("headers"));
        for name in members(answer.get("headers")).keys() {
            if !headers.keys().any(|present| present.eq_ignore_ascii_case(name)) {
                comparison.report(&place, format!("header `{name}` is gone"));
            }
        }
    }
    // Generated clients read the bodies of the successes that they know; errors all have one form.
    let unknown = new.keys().filter(|status| status.starts_with('2') && !old.contains_key(*status));
    for status in unknown {
        comparison.report(place, format!("new successful answer {status}"));
    }
}

/// Compares bodies media type by media type.
fn contents(comparison: &mut Comparison, place: &str, old: &Value, new: &Value, direction: Direction) {
    let now = members(new.get("content"));
    for (media_type, body) in &members(old.get("content")) {
        match now.get(media_type) {
            Some(now) => both_schemas(comparison, place, body, now, direction),
            None => comparison.report(place, format!("media type {media_type} is gone")),
        }
    }
}

fn both_schemas(comparison: &mut Comparison, place: &str, old: &Value, new: &Value, direction: Direction) {
    let schema = |holder: &Value| holder.get("schema").cloned().unwrap_or(Value::Bool(true));
    schemas::compare(comparison, place, &schema(old), &schema(new), direction);
}

fn security(comparison: &mut Comparison, place: &str, before: &Operation, after: &Operation) {
    let (old, new) = (schemes(before), schemes(after));
    if new.is_empty() {
        return;
    }
    if old.is_empty() {
        comparison.report(place, "now requires credentials");
    }
    for scheme in old.difference(&new) {
        comparison.report(place, format!("no longer accepts the credentials {scheme}"));
    }
}

/// Ways to authenticate, each a set of schemes; none when there is no need to.
fn schemes(operation: &Operation) -> BTreeSet<String> {
    let listed = operation.own.get("security").or_else(|| operation.document.0.get("security"));
    let listed: Vec<&Value> = listed.and_then(Value::as_array).into_iter().flatten().collect();
    if listed.iter().any(|way| way.as_object().is_some_and(Map::is_empty)) {
        return BTreeSet::new();
    }
    listed.into_iter().map(Value::to_string).collect()
}

fn required(holder: &Value) -> bool {
    holder.get("required").and_then(Value::as_bool).unwrap_or(false)
}

fn members(value: Option<&Value>) -> BTreeMap<String, &Value> {
    let members = value.and_then(Value::as_object).into_iter().flatten();
    members.map(|(name, value)| (name.clone(), value)).collect()
}

/// Returns a value as text, or the word for its absence.
fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "none".to_owned(), Value::to_string)
}
