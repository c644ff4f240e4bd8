//! Examples of requests and answers, from `examples/*.json`: one member for each operation, with `request`, `response`, or a
//! media type where an operation answers with several. `{"$example": "Session"}` stands for the shared example of that name in
//! `components`. A test holds every example against its schema.

use serde_json::{Map, Value};
use utoipa::openapi::path::Operation;
use utoipa::openapi::{Content, RefOr};

const FILES: [&str; 5] = [
    include_str!("examples/acp.json"),
    include_str!("examples/agents.json"),
    include_str!("examples/files.json"),
    include_str!("examples/processes.json"),
    include_str!("examples/sessions.json"),
];

/// The examples by operation, shared ones filled in.
pub(super) struct Examples(Map<String, Value>);

impl Examples {
    pub(super) fn load() -> Self {
        let mut all = Map::new();
        for file in FILES {
            // A test reads them all; a file that cannot be read leaves the document without its examples.
            let mut examples: Map<String, Value> = serde_json::from_str(file).unwrap_or_default();
            let shared = examples.remove("components").unwrap_or_default();
            for example in examples.values_mut() {
                fill_in(example, &shared);
            }
            all.append(&mut examples);
        }
        Self(all)
    }

    /// Returns the operations that have examples.
    #[cfg(test)]
    pub(super) fn operations(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Adds the examples of an operation to its bodies.
    pub(super) fn add(&self, operation: &mut Operation) {
        let id = operation.operation_id.as_deref().unwrap_or_default();
        let Some(examples) = self.0.get(id) else { return };
        if let Some(RefOr::T(body)) = &mut operation.request_body {
            for content in body.content.values_mut() {
                set(content, examples.get("request"));
            }
        }
        for (status, response) in &mut operation.responses.responses {
            let RefOr::T(response) = response else { continue };
            if status.starts_with('2') {
                for (media, content) in &mut response.content {
                    set(content, examples.get(media).or_else(|| examples.get("response")));
                }
            }
        }
    }
}

fn set(content: &mut RefOr<Content>, example: Option<&Value>) {
    if let RefOr::T(content) = content {
        content.example = example.cloned();
    }
}

fn fill_in(value: &mut Value, shared: &Value) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(name)) = members.get("$example") {
                *value = shared[name].clone();
            } else {
                members.values_mut().for_each(|member| fill_in(member, shared));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| fill_in(item, shared)),
        _ => {}
    }
}
