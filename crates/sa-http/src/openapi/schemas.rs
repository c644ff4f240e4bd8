//! Corrections to schemas that the macros write in a way that code generators misread.

use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{
    AdditionalProperties, ArrayItems, KnownFormat, Object, ObjectBuilder, SchemaFormat, SchemaType, Type,
};
use utoipa::openapi::{Content, Ref, RefOr, Schema};

/// Media types whose bodies are bytes: generators send and return them as they are.
const BINARY: [&str; 4] =
    ["application/octet-stream", "application/x-tar", "application/gzip", "application/x-ndjson"];

/// Components that keep members which they do not list.
const OPEN: [&str; 4] = ["McpLocalServer", "McpRemoteServer", "SkillsConfig", "SkillSource"];

/// Components whose optional members may also be null. Elsewhere an optional member is absent or has a value.
const NULLABLE: [&str; 8] = [
    "FsMoveRequest",
    "McpLocalServer",
    "McpRemoteServer",
    "ProcessCreateRequest",
    "ProcessRunRequest",
    "SkillSource",
    "TerminalExitFrame",
    "TerminalInputFrame",
];

/// Calls a function for every object in a schema, the schema itself included.
pub(super) fn visit(schema: &mut RefOr<Schema>, on_object: &mut impl FnMut(&mut Object)) {
    let RefOr::T(schema) = schema else { return };
    match schema {
        Schema::Object(object) => {
            on_object(object);
            object.properties.values_mut().for_each(|member| visit(member, on_object));
            if let Some(AdditionalProperties::RefOr(values)) = object.additional_properties.as_deref_mut() {
                visit(values, on_object);
            }
        }
        Schema::Array(array) => {
            if let ArrayItems::RefOrSchema(items) = &mut array.items {
                visit(items, on_object);
            }
        }
        Schema::OneOf(union) => union.items.iter_mut().for_each(|item| visit(item, on_object)),
        Schema::AllOf(all) => all.items.iter_mut().for_each(|item| visit(item, on_object)),
        Schema::AnyOf(any) => any.items.iter_mut().for_each(|item| visit(item, on_object)),
        _ => {}
    }
}

/// Writes the members of embedded types after those of the type that embeds them, as JSON has them. Parts that are not members
/// stay as they are.
pub(super) fn embed(schema: &mut RefOr<Schema>) {
    let RefOr::T(Schema::AllOf(all)) = schema else { return };
    all.items.iter_mut().for_each(embed);
    if !all.items.iter().all(|part| matches!(part, RefOr::T(Schema::Object(_)))) {
        return;
    }
    let mut whole = Object::with_type(Type::Object);
    whole.description = all.description.take();
    // The macros put the embedding type last, and wrap an embedded one that has a description.
    for part in all.items.drain(..).rev() {
        if let RefOr::T(Schema::Object(part)) = part {
            whole.properties.extend(part.properties);
            whole.required.extend(part.required);
        }
    }
    *schema = Schema::Object(whole).into();
}

/// Corrects one component.
pub(super) fn correct(name: &str, schema: &mut RefOr<Schema>) {
    visit(schema, &mut |object| {
        drop_null_defaults(object);
        if !NULLABLE.contains(&name) {
            drop_nulls(object);
        }
        // Names of members are always text.
        object.property_names = None;
        if is_free_form(object) {
            object.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(true)));
        }
    });
    if OPEN.contains(&name)
        && let RefOr::T(Schema::Object(object)) = schema
    {
        object.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(true)));
    }
}

/// Without `additionalProperties` generators take it for an object that has no members.
fn is_free_form(object: &Object) -> bool {
    let is_object = match &object.schema_type {
        SchemaType::Type(kind) => *kind == Type::Object,
        SchemaType::Array(kinds) => kinds.contains(&Type::Object),
        SchemaType::AnyValue => false,
    };
    is_object && object.properties.is_empty() && object.additional_properties.is_none()
}

/// Takes null from the types of optional members, which the macros add to each.
fn drop_nulls(object: &mut Object) {
    for (name, member) in &mut object.properties {
        if !object.required.contains(name) {
            drop_null(member);
        }
    }
}

/// Takes null from the types of a schema.
pub(super) fn drop_null(schema: &mut RefOr<Schema>) {
    match schema {
        RefOr::T(Schema::Object(object)) => drop_null_type(&mut object.schema_type),
        RefOr::T(Schema::Array(array)) => drop_null_type(&mut array.schema_type),
        RefOr::T(Schema::OneOf(union)) => {
            union.items.retain(|item| !is_null(item));
            if let [only] = &mut union.items[..] {
                let mut only = std::mem::replace(only, RefOr::Ref(Ref::new("")));
                if let (RefOr::Ref(reference), Some(description)) = (&mut only, union.description.take()) {
                    reference.description = description;
                }
                *schema = only;
            }
        }
        _ => {}
    }
}

fn drop_null_type(schema_type: &mut SchemaType) {
    if let SchemaType::Array(types) = schema_type {
        types.retain(|kind| *kind != Type::Null);
        if let [kind] = &types[..] {
            *schema_type = SchemaType::Type(kind.clone());
        }
    }
}

fn is_null(schema: &RefOr<Schema>) -> bool {
    matches!(schema, RefOr::T(Schema::Object(object)) if object.schema_type == SchemaType::Type(Type::Null))
}

/// An absent member has no default; `null` would be no value of its type.
fn drop_null_defaults(object: &mut Object) {
    for member in object.properties.values_mut() {
        let default = match member {
            RefOr::Ref(reference) => &mut reference.default,
            RefOr::T(Schema::Object(object)) => &mut object.default,
            RefOr::T(_) => continue,
        };
        default.take_if(|value| value.is_null());
    }
}

/// Describes bodies that are bytes as such. The macros know them only as arrays of numbers.
pub(super) fn mark_binary(operation: &mut Operation) {
    if let Some(RefOr::T(body)) = &mut operation.request_body {
        body.content.iter_mut().for_each(|(media, content)| mark(media, content));
    }
    for response in operation.responses.responses.values_mut() {
        if let RefOr::T(response) = response {
            response.content.iter_mut().for_each(|(media, content)| mark(media, content));
        }
    }
}

fn mark(media: &str, content: &mut RefOr<Content>) {
    if let RefOr::T(content) = content
        && BINARY.contains(&media)
    {
        let format = SchemaFormat::KnownFormat(KnownFormat::Binary);
        content.schema = Some(ObjectBuilder::new().schema_type(Type::String).format(Some(format)).into());
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::{Value, json};

    fn embedded(schema: Value) -> Value {
        let mut schema: RefOr<Schema> = serde_json::from_value(schema).unwrap();
        embed(&mut schema);
        serde_json::to_value(schema).unwrap()
    }

    #[test]
    fn nothing_of_an_embedded_type_is_lost() {
        let member = |name: &str| json!({ "type": "object", "required": [name], "properties": { name: { "type": "string" } } });
        let whole = embedded(json!({ "allOf": [member("inner"), { "allOf": [member("outer")] }] }));
        assert_eq!(whole["required"], json!(["outer", "inner"]));
        let parts = json!({ "allOf": [{ "$ref": "#/components/schemas/Inner" }, member("outer")] });
        assert_eq!(embedded(parts.clone()), parts);
    }
}
