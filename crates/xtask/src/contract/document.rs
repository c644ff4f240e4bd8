//! Reading an OpenAPI document: references, `allOf`, unions, and the names that make two variants the same.

use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// References that lead to references, at most; a longer chain is a cycle.
const DEPTH: usize = 32;

/// An OpenAPI document.
#[derive(Clone, Copy)]
pub(super) struct Document<'a>(pub(super) &'a Value);

/// The members of a schema; a schema that allows every value has none.
pub(super) type Schema = Map<String, Value>;

impl<'a> Document<'a> {
    /// Follows `$ref`, for what is no schema.
    pub(super) fn resolve(self, value: &'a Value) -> &'a Value {
        let mut value = value;
        for _ in 0..DEPTH {
            match reference(value).and_then(|target| self.0.pointer(target)) {
                Some(target) => value = target,
                None => break,
            }
        }
        value
    }

    /// Merges a schema with what its `$ref` and `allOf` name.
    pub(super) fn flatten(self, schema: &Value) -> Schema {
        self.flatten_within(schema, DEPTH)
    }

    fn flatten_within(self, schema: &Value, depth: usize) -> Schema {
        let Value::Object(members) = schema else { return Schema::new() };
        let mut flat = members.clone();
        let target = flat.remove("$ref").is_some().then(|| reference(schema)).flatten();
        let target = target.and_then(|target| self.0.pointer(target)).cloned();
        let parts = match flat.remove("allOf") {
            Some(Value::Array(parts)) => parts,
            _ => Vec::new(),
        };
        if depth > 0 {
            for part in target.into_iter().chain(parts) {
                merge(&mut flat, self.flatten_within(&part, depth - 1));
            }
        }
        flat
    }

    /// Returns the alternatives of a schema without `null`, and whether `null` is one.
    pub(super) fn variants(self, schema: &Value) -> (Vec<Value>, bool) {
        let mut flat = self.flatten(schema);
        let Some(Value::Array(choices)) = flat.remove("oneOf").or_else(|| flat.remove("anyOf")) else {
            let nullable = types(&flat).contains("null");
            return (vec![schema.clone()], nullable);
        };
        let is_null = |choice: &Value| choice.get("type").and_then(Value::as_str) == Some("null");
        let nullable = choices.iter().any(is_null);
        (choices.into_iter().filter(|choice| !is_null(choice)).collect(), nullable)
    }

    /// Returns the distinction of a variant on the wire.
    pub(super) fn identity(self, variant: &Value) -> Identity {
        let flat = self.flatten(variant);
        let properties = flat.get("properties").and_then(Value::as_object);
        let mut tags = BTreeSet::new();
        for (name, property) in properties.into_iter().flatten() {
            if let Some([value]) = values(&self.flatten(property)).as_deref() {
                tags.insert(format!("{name}={value}"));
            }
        }
        let kind = match values(&flat) {
            Some(values) => values.iter().map(Value::to_string).collect(),
            None => types(&flat),
        };
        Identity { tags, required: names(flat.get("required")), kind }
    }
}

/// The distinction of a variant of a union: members with a single value, else its required members, else its type.
pub(super) struct Identity {
    tags: BTreeSet<String>,
    required: BTreeSet<String>,
    kind: BTreeSet<String>,
}

impl Identity {
    /// Returns whether `new` is the same variant, perhaps with more members than before.
    pub(super) fn continues_as(&self, new: &Self) -> bool {
        if !self.tags.is_empty() {
            self.tags.is_subset(&new.tags)
        } else if !self.required.is_empty() {
            self.required.is_subset(&new.required)
        } else {
            new.tags.is_empty() && new.required.is_empty() && self.kind == new.kind
        }
    }
}

impl std::fmt::Display for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts = [&self.tags, &self.required, &self.kind].into_iter().find(|parts| !parts.is_empty());
        let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
        f.write_str(&parts.join(","))
    }
}

/// Returns the pointer within the document that a `$ref` names.
pub(super) fn reference(value: &Value) -> Option<&str> {
    value.get("$ref").and_then(Value::as_str)?.strip_prefix('#')
}

/// Returns the last segment of a `$ref`: the component's name.
pub(super) fn component(value: &Value) -> Option<&str> {
    reference(value)?.rsplit('/').next()
}

/// Returns the types that a schema names; none when it allows all.
pub(super) fn types(schema: &Schema) -> BTreeSet<String> {
    match schema.get("type") {
        Some(Value::String(one)) => BTreeSet::from([one.clone()]),
        several => names(several),
    }
}

/// Returns the values of `enum` or `const`, if the schema lists any.
pub(super) fn values(schema: &Schema) -> Option<Vec<Value>> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(one), _) => Some(vec![one.clone()]),
        (None, Some(Value::Array(several))) => Some(several.clone()),
        _ => None,
    }
}

/// Returns an array of strings as a set.
pub(super) fn names(list: Option<&Value>) -> BTreeSet<String> {
    let items = list.and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Adds what `part` says to a schema, which keeps its own words where both speak.
fn merge(schema: &mut Schema, part: Schema) {
    for (key, value) in part {
        match (key.as_str(), schema.get_mut(&key), value) {
            ("properties", Some(Value::Object(own)), Value::Object(more)) => {
                for (name, property) in more {
                    own.entry(name).or_insert(property);
                }
            }
            ("required", Some(Value::Array(own)), Value::Array(more)) => own.extend(more),
            (_, Some(_), _) => {}
            (_, None, value) => {
                schema.insert(key, value);
            }
        }
    }
}
