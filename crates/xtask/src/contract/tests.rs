//! One row for each kind of change, in both directions where they differ.

use super::Direction::{Answer, Request};
use super::{Comparison, Direction, breaking, schemas};
use serde_json::{Value, json};

/// A change of a schema, and what it breaks in requests and in answers.
struct Row {
    old: Value,
    new: Value,
    requests: &'static [&'static str],
    answers: &'static [&'static str],
}

fn found(old: &Value, new: &Value, direction: Direction) -> Vec<String> {
    let wrap =
        |schema: &Value| json!({ "components": { "schemas": { "Known": KNOWN.clone(), "It": schema } } });
    let (old, new) = (wrap(old), wrap(new));
    let mut comparison = Comparison::new(&old, &new);
    let schema = |document: &Value| document.pointer("/components/schemas/It").cloned().unwrap_or_default();
    schemas::compare(&mut comparison, "it", &schema(&old), &schema(&new), direction);
    comparison.changes.into_iter().collect()
}

/// A component that rows refer to.
static KNOWN: std::sync::LazyLock<Value> =
    std::sync::LazyLock::new(|| object(&json!({ "known": { "type": "string" } }), &["known"]));

fn object(properties: &Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

fn check(rows: Vec<Row>) {
    for Row { old, new, requests, answers } in rows {
        assert_eq!(found(&old, &new, Request), requests, "in a request, from {old} to {new}");
        assert_eq!(found(&old, &new, Answer), answers, "in an answer, from {old} to {new}");
        assert_eq!(found(&old, &old, Request), [""; 0], "no change of {old}");
        assert_eq!(found(&new, &new, Answer), [""; 0], "no change of {new}");
    }
}

#[rustfmt::skip]
#[test]
fn changes_of_types_and_values() {
    check(vec![
        Row { old: json!({"type": "string"}), new: json!({"type": "integer"}),
            requests: &["it: type changed from string to integer"], answers: &["it: type changed from string to integer"] },
        Row { old: json!({"type": "integer"}), new: json!({"type": "number"}),
            requests: &[], answers: &["it: type changed from integer to number"] },
        Row { old: json!({}), new: json!({"type": "object"}), requests: &["it: type changed from any to object"], answers: &[] },
        Row { old: json!({"type": "string"}), new: json!(true), requests: &[], answers: &["it: type changed from string to any"] },
        Row { old: json!({"type": "string"}), new: json!({"type": ["string", "null"]}), requests: &[], answers: &["it: may now be null"] },
        Row { old: json!({"type": ["string", "null"]}), new: json!({"type": "string"}), requests: &["it: no longer takes null"], answers: &[] },
        Row { old: json!({"$ref": "#/components/schemas/Known"}),
            new: json!({"oneOf": [{"type": "null"}, {"$ref": "#/components/schemas/Known"}]}),
            requests: &[], answers: &["it: may now be null"] },
        Row { old: json!({"type": "string", "enum": ["a", "b"]}), new: json!({"type": "string", "enum": ["a"]}),
            requests: &["it: the value \"b\" is gone"], answers: &["it: the value \"b\" is gone"] },
        Row { old: json!({"type": "string", "enum": ["a"]}), new: json!({"type": "string", "enum": ["a", "b"]}),
            requests: &[], answers: &[] },
        Row { old: json!({"const": "a"}), new: json!({"enum": ["a"]}), requests: &[], answers: &[] },
        Row { old: json!({"type": "string"}), new: json!({"type": "string", "enum": ["a", "b"]}),
            requests: &["it: now limited to \"a\", \"b\""], answers: &[] },
        Row { old: json!({"type": "string", "enum": ["a"]}), new: json!({"type": "string"}),
            requests: &[], answers: &["it: no longer limited to listed values"] },
        Row { old: json!({"type": "string"}), new: json!({"type": "string", "format": "date-time"}),
            requests: &["it: `format` changed from none to \"date-time\""], answers: &["it: `format` changed from none to \"date-time\""] },
    ]);
}

#[rustfmt::skip]
#[test]
fn changes_of_bounds() {
    check(vec![
        Row { old: json!({"type": "integer", "minimum": 0}), new: json!({"type": "integer", "minimum": 1}),
            requests: &["it: `minimum` changed from 0 to 1"], answers: &[] },
        Row { old: json!({"type": "integer", "minimum": 1}), new: json!({"type": "integer", "minimum": 0}), requests: &[], answers: &[] },
        Row { old: json!({"type": "integer"}), new: json!({"type": "integer", "maximum": 9}),
            requests: &["it: `maximum` changed from none to 9"], answers: &[] },
        Row { old: json!({"type": "string", "maxLength": 9}), new: json!({"type": "string", "maxLength": 10}), requests: &[], answers: &[] },
        Row { old: json!({"type": "string"}), new: json!({"type": "string", "minLength": 0}), requests: &[], answers: &[] },
        Row { old: json!({"type": "string"}), new: json!({"type": "string", "minLength": 1}),
            requests: &["it: `minLength` changed from none to 1"], answers: &[] },
        Row { old: json!({"type": "string"}), new: json!({"type": "string", "pattern": "^a$"}),
            requests: &["it: `pattern` changed from none to \"^a$\""], answers: &[] },
        Row { old: json!({"type": "string", "pattern": "^a$"}), new: json!({"type": "string"}), requests: &[], answers: &[] },
        Row { old: json!({"type": "array"}), new: json!({"type": "array", "uniqueItems": true}),
            requests: &["it: `uniqueItems` changed from none to true"], answers: &[] },
        Row { old: json!({"type": "integer", "default": 5}), new: json!({"type": "integer", "default": 6}),
            requests: &["it: `default` changed from 5 to 6"], answers: &[] },
        Row { old: json!({"type": "integer", "default": null}), new: json!({"type": "integer"}), requests: &[], answers: &[] },
    ]);
}

#[rustfmt::skip]
#[test]
fn changes_of_members_and_items() {
    let text = json!({"type": "string"});
    check(vec![
        Row { old: object(&json!({"a": text, "b": text}), &[]), new: object(&json!({"a": text}), &[]),
            requests: &["it: member `b` is gone"], answers: &["it: member `b` is gone"] },
        Row { old: object(&json!({"a": text}), &[]), new: object(&json!({"a": text, "b": text}), &[]), requests: &[], answers: &[] },
        Row { old: object(&json!({"a": text}), &[]), new: object(&json!({"a": text, "b": text}), &["b"]),
            requests: &["it: member `b` is new and required"], answers: &[] },
        Row { old: object(&json!({"a": text}), &[]), new: object(&json!({"a": text}), &["a"]),
            requests: &["it: member `a` is now required"], answers: &[] },
        Row { old: object(&json!({"a": text}), &["a"]), new: object(&json!({"a": text}), &[]),
            requests: &[], answers: &["it: member `a` is no longer always present"] },
        Row { old: object(&json!({"a": text}), &[]), new: object(&json!({"a": {"type": "integer"}}), &[]),
            requests: &["it, member `a`: type changed from string to integer"],
            answers: &["it, member `a`: type changed from string to integer"] },
        Row { old: json!({"type": "object"}), new: json!({"type": "object", "additionalProperties": false}),
            requests: &["it: no longer takes members that are not listed"], answers: &[] },
        Row { old: json!({"type": "object", "additionalProperties": false}), new: json!({"type": "object"}), requests: &[], answers: &[] },
        Row { old: json!({"type": "object", "additionalProperties": text}),
            new: json!({"type": "object", "additionalProperties": {"type": "integer"}}),
            requests: &["it, further members: type changed from string to integer"],
            answers: &["it, further members: type changed from string to integer"] },
        Row { old: json!({"type": "object"}), new: json!({"type": "object", "propertyNames": {"pattern": "a"}}),
            requests: &["it: `propertyNames` is new"], answers: &[] },
        Row { old: json!({"type": "array", "items": text}), new: json!({"type": "array", "items": {"type": "integer"}}),
            requests: &["it, items: type changed from string to integer"], answers: &["it, items: type changed from string to integer"] },
        Row { old: json!({"type": "array", "items": text}), new: json!({"type": "array"}),
            requests: &[], answers: &["it: `items` is gone"] },
    ]);
}

#[rustfmt::skip]
#[test]
fn changes_of_unions() {
    let tagged = |tag: &str| object(&json!({"type": {"const": tag}}), &["type"]);
    let (a, b) = (tagged("a"), tagged("b"));
    let named = json!({"allOf": [{"$ref": "#/components/schemas/Known"}, a]});
    check(vec![
        Row { old: json!({"oneOf": [a, b]}), new: json!({"oneOf": [b, tagged("c")]}),
            requests: &["it: variant `type=\"a\"` is gone"], answers: &["it: variant `type=\"a\"` is gone"] },
        Row { old: json!({"oneOf": [a, b]}), new: json!({"anyOf": [b, a, tagged("c")]}), requests: &[], answers: &[] },
        Row { old: a.clone(), new: json!({"oneOf": [a, b]}), requests: &[], answers: &["it: may now also be `type=\"b\"`"] },
        Row { old: json!({"oneOf": [a, b]}), new: json!({"oneOf": [named, b]}),
            requests: &["it, variant `type=\"a\"`: member `known` is new and required"], answers: &[] },
        Row { old: json!({"oneOf": [object(&json!({"x": {}}), &["x"]), b]}),
            new: json!({"oneOf": [object(&json!({"x": {}, "y": {}}), &["x"]), b]}), requests: &[], answers: &[] },
        Row { old: json!({"oneOf": [object(&json!({"x": {}}), &["x"]), object(&json!({"y": {}}), &["y"])]}),
            new: json!({"oneOf": [object(&json!({"x": {}, "type": {"const": "x"}}), &["x", "type"]), object(&json!({"y": {}}), &["y"])]}),
            requests: &["it, variant `x`: member `type` is new and required"], answers: &[] },
        Row { old: json!({"oneOf": [a, b], "discriminator": {"propertyName": "type"}}), new: json!({"oneOf": [a, b]}),
            requests: &["it: the discriminator is no longer `type`"], answers: &["it: the discriminator is no longer `type`"] },
        Row { old: json!({"oneOf": [{"type": "string"}, {"type": "integer"}]}), new: json!({"oneOf": [{"type": "string"}, {"type": "boolean"}]}),
            requests: &["it: variant `integer` is gone"], answers: &["it: variant `integer` is gone"] },
    ]);
}

/// Returns a document with one operation, `GET /things/{id}`.
fn document(operation: &Value, schemas: &Value) -> Value {
    json!({
        "security": [{"bearer": []}, {"header": []}],
        "paths": { "/things/{id}": { "parameters": [{"name": "id", "in": "path", "required": true}], "get": operation } },
        "components": { "schemas": schemas, "responses": { "Shared": {"content": {"text/plain": {}}} } },
    })
}

#[rustfmt::skip]
#[test]
fn changes_of_operations() {
    let base = json!({
        "operationId": "getThing",
        "parameters": [{"name": "limit", "in": "query", "schema": {"type": "integer"}}, {"name": "If-Match", "in": "header"}],
        "requestBody": {"content": {"application/json": {"schema": {"type": "string"}}}},
        "responses": {
            "200": {"content": {"application/json": {"schema": {"type": "string"}}}, "headers": {"ETag": {}}},
            "404": {"$ref": "#/components/responses/Shared"},
        },
    });
    // Where the operation changes, to what, and what is reported of it.
    let rows: [(&str, Value, &[&str]); 18] = [
        ("/operationId", json!("fetchThing"),
            &[": operationId changed from \"getThing\" to \"fetchThing\", and with it the name in generated clients"]),
        ("/parameters", json!([{"name": "if-match", "in": "header"}]), &[", query parameter `limit`: gone"]),
        ("/parameters/0/required", json!(true), &[", query parameter `limit`: now required"]),
        ("/parameters/0/schema/type", json!("string"), &[", query parameter `limit`: type changed from integer to string"]),
        ("/parameters/0/schema/minimum", json!(1), &[", query parameter `limit`: `minimum` changed from none to 1"]),
        ("/parameters/0/style", json!("deepObject"), &[", query parameter `limit`: `style` changed"]),
        ("/parameters/2", json!({"name": "after", "in": "query", "required": true}), &[": new required query parameter `after`"]),
        ("/parameters/2", json!({"name": "after", "in": "query"}), &[]),
        ("/requestBody", Value::Null, &[", request body: gone"]),
        ("/requestBody/required", json!(true), &[", request body: now required"]),
        ("/requestBody/content", json!({"text/plain": {}}), &[", request body: media type application/json is gone"]),
        ("/responses/200/content", json!({"text/plain": {}}), &[", answer 200: media type application/json is gone"]),
        ("/responses/200/headers", json!({"etag": {}}), &[]),
        ("/responses/200/headers", json!({}), &[", answer 200: header `ETag` is gone"]),
        ("/responses/404", Value::Null, &[", answer 404: gone"]),
        ("/responses/201", json!({}), &[": new successful answer 201"]),
        ("/responses/409", json!({}), &[]),
        ("/security", json!([{"bearer": []}]), &[": no longer accepts the credentials {\"header\":[]}"]),
    ];
    for (place, value, expected) in rows {
        let changed = edited(&base, place, value.clone());
        let found = breaking(&document(&base, &json!({})), &document(&changed, &json!({})));
        let expected: Vec<String> = expected.iter().map(|change| format!("GET /things/{{id}}{change}")).collect();
        assert_eq!(found, expected, "{place} = {value}");
    }
}

/// Returns a copy with another value at a pointer; `null` removes what is there.
fn edited(base: &Value, pointer: &str, value: Value) -> Value {
    let mut copy = base.clone();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match copy.pointer_mut(parent).unwrap() {
        Value::Object(members) if value.is_null() => drop(members.remove(key)),
        Value::Object(members) => drop(members.insert(key.to_owned(), value)),
        Value::Array(items) => items.push(value),
        other => panic!("{other} has no members"),
    }
    copy
}

#[test]
fn a_body_that_becomes_necessary_is_reported() {
    let with =
        |required: bool| document(&json!({"requestBody": {"content": {}, "required": required}}), &json!({}));
    let without = document(&json!({}), &json!({}));
    assert_eq!(breaking(&without, &with(true)), ["GET /things/{id}, request body: new and required"]);
    assert_eq!(breaking(&without, &with(false)), [""; 0]);
}

#[test]
fn an_operation_that_is_gone_is_reported() {
    let before = document(&json!({"operationId": "a"}), &json!({}));
    let gone = json!({ "paths": { "/things/{id}": {} } });
    assert_eq!(breaking(&before, &gone), ["GET /things/{id}: the operation is gone"]);
    assert_eq!(breaking(&gone, &before), [""; 0]);
}

#[test]
fn a_path_parameter_with_another_name_is_the_same_operation() {
    let before = document(&json!({}), &json!({}));
    let text = before.to_string().replace("/{id}", "/{thingId}").replace("\"id\"", "\"thingId\"");
    let after = serde_json::from_str(&text).unwrap();
    assert_eq!(breaking(&before, &after), ["GET /things/{id}: path parameter `id` is now `thingId`"]);
}

#[test]
fn credentials_that_become_necessary_are_reported() {
    let open = json!({"security": [{}]});
    let (open, closed) = (document(&open, &json!({})), document(&json!({}), &json!({})));
    assert_eq!(breaking(&open, &closed), ["GET /things/{id}: now requires credentials"]);
    assert_eq!(breaking(&closed, &open), [""; 0]);
}

#[test]
fn a_component_is_reported_once_and_by_direction() {
    let reference = json!({"$ref": "#/components/schemas/Tree"});
    let content = json!({"content": {"application/json": {"schema": reference}}});
    let operation = json!({"requestBody": content, "responses": {"200": content, "201": content}});
    // The schema contains itself, so that a comparison without memory would not end.
    let tree = |required: &[&str]| {
        let members = json!({"name": {"type": "string"}, "children": {"type": "array", "items": reference}});
        json!({ "Tree": object(&members, required) })
    };
    let (loose, strict) = (document(&operation, &tree(&[])), document(&operation, &tree(&["name"])));
    assert_eq!(breaking(&loose, &strict), ["schema Tree in requests: member `name` is now required"]);
    assert_eq!(
        breaking(&strict, &loose),
        ["schema Tree in answers: member `name` is no longer always present"]
    );
}

#[test]
fn references_that_lead_nowhere_or_around_end() {
    let around = json!({"A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"}});
    let content = |name: &str| {
        let schema = json!({"$ref": format!("#/components/schemas/{name}")});
        json!({"responses": {"200": {"content": {"application/json": {"schema": schema}}}}})
    };
    for name in ["A", "Missing"] {
        let document = document(&content(name), &around);
        assert_eq!(breaking(&document, &document), [""; 0]);
    }
}
