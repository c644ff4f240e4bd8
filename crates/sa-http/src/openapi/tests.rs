//! The document as a whole: what every operation and every component has.
#![allow(clippy::unwrap_used)]

use super::examples::Examples;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// Components that no operation refers to: messages of terminals, of ACP streams and to webhooks.
const IN_STREAMS: [&str; 4] = ["TerminalClientFrame", "TerminalServerFrame", "Unparsed", "WebhookDelivery"];

fn document() -> Value {
    serde_json::from_str(&super::openapi_json()).unwrap()
}

/// Each operation as `GET /path`, with what the document says of it.
fn operations(document: &Value) -> Vec<(String, &Value)> {
    let mut all = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            all.push((format!("{} {path}", method.to_uppercase()), operation));
        }
    }
    all
}

fn resolve<'a>(document: &'a Value, part: &'a Value) -> &'a Value {
    match part["$ref"].as_str() {
        Some(reference) => document.pointer(reference.strip_prefix('#').unwrap()).unwrap(),
        None => part,
    }
}

fn is_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.trim().is_empty())
}

/// Calls a function for every schema below a part of the document, with its place.
fn schemas<'a>(place: &str, part: &'a Value, found: &mut Vec<(String, &'a Map<String, Value>)>) {
    match part {
        Value::Object(members) => {
            found.push((place.to_owned(), members));
            for (name, member) in members.iter().filter(|(name, _)| *name != "example") {
                schemas(&format!("{place}/{name}"), member, found);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                schemas(&format!("{place}/{at}"), item, found);
            }
        }
        _ => {}
    }
}

fn all_schemas(document: &Value) -> Vec<(String, &Map<String, Value>)> {
    let mut found = Vec::new();
    schemas("", document, &mut found);
    found
}

/// Reports all at once, so that one run names everything that is missing.
fn assert_none(missing: &[String]) {
    assert!(missing.is_empty(), "{}:\n{}", missing.len(), missing.join("\n"));
}

#[test]
fn every_operation_says_what_it_is_and_how_it_answers() {
    let document = document();
    let (mut ids, mut missing) = (BTreeSet::new(), Vec::new());
    for (name, operation) in operations(&document) {
        let mut need = |has: bool, what: &str| {
            if !has {
                missing.push(format!("{name}: {what}"));
            }
        };
        let id = operation["operationId"].as_str().unwrap_or_default();
        need(!id.is_empty() && ids.insert(id.to_owned()), "an operationId of its own");
        need(is_text(&operation["summary"]), "a summary");
        need(!operation["summary"].as_str().unwrap_or_default().ends_with('.'), "a summary without a period");
        need(is_text(&operation["description"]), "a description");
        let responses = operation["responses"].as_object().unwrap();
        need(responses.contains_key("401") == (name != "GET /v1/health"), "401");
        for (status, response) in responses {
            let response = resolve(&document, response);
            need(is_text(&response["description"]), &format!("a description of {status}"));
            if name.starts_with("HEAD ") {
                continue;
            }
            let is_error = status.starts_with(['4', '5']);
            let schema = &response["content"]["application/problem+json"]["schema"]["$ref"];
            need(is_error == (schema == "#/components/schemas/Problem"), &format!("a problem for {status}"));
        }
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let spelled = parameter["name"].as_str().unwrap();
            let is_camel = parameter["in"] == "header"
                || parameter["deprecated"] == true
                || !spelled.contains(['_', '-']) && !spelled.starts_with(char::is_uppercase);
            need(is_camel, &format!("a name in camelCase for {spelled}"));
            need(is_text(&parameter["description"]), &format!("a description of {spelled}"));
            need(
                resolve(&document, &parameter["schema"])["type"].is_string(),
                &format!("a type of {spelled}"),
            );
        }
    }
    assert_none(&missing);
}

/// Bytes are no JSON, and an empty answer needs no example.
fn wants_example(content: &Value) -> bool {
    content["schema"].is_object() && content["schema"]["format"] != "binary"
}

#[test]
fn every_body_has_an_example_that_is_valid() {
    let document = document();
    let mut strict = document.clone();
    for component in strict["components"]["schemas"].as_object_mut().unwrap().values_mut() {
        // A member that the schema does not know is a mistake in an example, though clients may get more.
        if component["properties"].is_object() && component["additionalProperties"].is_null() {
            component["additionalProperties"] = json!(false);
        }
    }
    let (mut missing, mut known) = (Vec::new(), BTreeSet::new());
    for (name, operation) in operations(&document) {
        known.insert(operation["operationId"].as_str().unwrap());
        let answers = operation["responses"].as_object().unwrap().iter();
        let answers = answers.filter(|(status, _)| status.starts_with('2')).map(|(_, answer)| answer);
        for body in answers.chain([&operation["requestBody"]]) {
            for (media, content) in body["content"].as_object().into_iter().flatten() {
                if !wants_example(content) {
                    continue;
                }
                if content["example"].is_null() {
                    missing.push(format!("{name} {media}: no example"));
                    continue;
                }
                let mut root = content["schema"].clone();
                root["components"] = strict["components"].clone();
                let validator = jsonschema::validator_for(&root).unwrap();
                let errors = validator.iter_errors(&content["example"]);
                missing.extend(
                    errors.map(|error| format!("{name} {media}: {error} at {}", error.instance_path())),
                );
            }
        }
    }
    let unused = Examples::load();
    missing
        .extend(unused.operations().filter(|id| !known.contains(id)).map(|id| format!("no operation {id}")));
    assert_none(&missing);
}

#[test]
fn every_union_is_made_of_names() {
    let document = document();
    let mut wrong = Vec::new();
    for (place, schema) in all_schemas(&document) {
        let Some(variants) = schema.get("oneOf").or(schema.get("anyOf")).and_then(Value::as_array) else {
            continue;
        };
        for variant in variants {
            // A plain value, such as a switch or null, needs no name.
            let is_plain = variant["type"].as_str().is_some_and(|kind| kind != "object");
            if !is_plain && !variant["$ref"].is_string() {
                wrong.push(format!("{place}: a variant without a name"));
            }
        }
        let tag = |variant: &Value| -> BTreeSet<String> {
            let properties = resolve(&document, variant)["properties"].as_object();
            let constants = properties
                .into_iter()
                .flatten()
                .filter(|(_, member)| member["enum"].as_array().is_some_and(|values| values.len() == 1));
            constants.map(|(name, _)| name.clone()).filter(|name| name != "jsonrpc").collect()
        };
        let mut tags = variants.iter().map(tag);
        let first = tags.next().unwrap();
        let shared = tags.fold(first, |shared, tags| shared.intersection(&tags).cloned().collect());
        if !shared.is_empty() && !schema.contains_key("discriminator") {
            wrong.push(format!("{place}: no discriminator for {shared:?}"));
        }
    }
    assert_none(&wrong);
}

#[test]
fn every_object_says_what_is_in_it() {
    let document = document();
    let mut wrong = Vec::new();
    for (place, schema) in all_schemas(&document) {
        let kind = schema.get("type");
        let is_object = kind.is_some_and(|kind| {
            kind == "object" || kind.as_array().is_some_and(|kinds| kinds.contains(&json!("object")))
        });
        let has_members = schema.get("properties").is_some_and(Value::is_object);
        if is_object && !has_members && !schema.contains_key("additionalProperties") {
            wrong.push(format!("{place}: an object of nothing"));
        }
        if schema.contains_key("allOf") {
            wrong.push(format!("{place}: allOf"));
        }
        if kind == Some(&json!("array"))
            && schema.get("items").is_some_and(|items| items["format"] == "int32")
        {
            wrong.push(format!("{place}: bytes as numbers"));
        }
    }
    assert_none(&wrong);
}

#[test]
fn every_component_is_used_and_named_for_clients() {
    let document = document();
    let components = document["components"]["schemas"].as_object().unwrap();
    let mut used: BTreeSet<String> = IN_STREAMS.map(str::to_owned).into();
    let mut waiting: Vec<&Value> = vec![&document["paths"], &document["components"]["responses"]];
    waiting.extend(IN_STREAMS.iter().map(|name| &components[*name]));
    while let Some(part) = waiting.pop() {
        let mut found = Vec::new();
        schemas("", part, &mut found);
        for (_, schema) in found {
            let mapped = schema.get("$ref").and_then(Value::as_str);
            let name = mapped.and_then(|reference| reference.strip_prefix("#/components/schemas/"));
            if let Some(name) = name
                && used.insert(name.to_owned())
            {
                waiting.push(&components[name]);
            }
        }
    }
    let mut wrong: Vec<String> = components
        .keys()
        .filter(|name| !used.contains(*name))
        .map(|name| format!("{name} is not used"))
        .collect();
    let rust = ["BTreeMap", "HashMap", "Vec", "Option", "String", "Value", "Cow", "Map", "Bytes"];
    wrong.extend(
        components
            .keys()
            .filter(|name| rust.contains(&name.as_str()))
            .map(|name| format!("{name} is Rust's")),
    );
    assert_none(&wrong);
}

#[test]
fn every_reference_leads_somewhere() {
    let document = document();
    let references = all_schemas(&document).into_iter().filter_map(|(place, schema)| {
        let target = schema.get("$ref")?.as_str()?.strip_prefix('#')?;
        document.pointer(target).is_none().then(|| format!("{place}: {target} is missing"))
    });
    assert_none(&references.collect::<Vec<_>>());
}

#[test]
fn the_checked_in_document_is_current() {
    assert!(
        super::openapi_json() == include_str!("../../../../openapi/openapi.json"),
        "run `cargo xtask gen`"
    );
}

/// An operation that is declared, but not listed in `operations!`, would be neither served nor documented.
#[test]
fn every_declared_operation_is_listed() {
    fn read(folder: &Path, declared: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                read(&path, declared);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let source = std::fs::read_to_string(path).unwrap();
                let declarations = source.lines().filter_map(|line| line.strip_prefix("#[operation("));
                declared.extend(declarations.map(|line| line.split(':').next().unwrap().to_owned()));
            }
        }
    }
    let mut declared = BTreeSet::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut declared);
    let document = document();
    let listed = operations(&document).into_iter();
    // These are copies of others.
    let listed = listed.filter(|(name, _)| !name.ends_with("/v1/agents/{agent}/acp"));
    let listed = listed.map(|(_, operation)| operation["operationId"].as_str().unwrap().to_owned());
    assert_eq!(declared, listed.collect());
}
