//! Unions as code generators want them: each variant is a component with a name, and a discriminator says which one it is.
//!
//! The macros write variants inline, newtype variants as `allOf`, and know neither names nor discriminators.

use std::collections::BTreeMap;
use utoipa::openapi::schema::{ArrayItems, Discriminator, Object, ObjectBuilder, OneOf, Type};
use utoipa::openapi::{Ref, RefOr, Schema};

type Schemas = BTreeMap<String, RefOr<Schema>>;

/// Names of a union's variants: `Before` + the variant + `After`.
struct Naming {
    union: &'static str,
    before: &'static str,
    after: &'static str,
}

const NAMINGS: &[Naming] = &[
    Naming { union: "AgentError", before: "Agent", after: "Error" },
    Naming { union: "AgentLaunch", before: "", after: "Launch" },
    Naming { union: "FileSource", before: "", after: "Source" },
    Naming { union: "InstallEvent", before: "Install", after: "Event" },
    Naming { union: "McpServerConfig", before: "Mcp", after: "Server" },
    Naming { union: "MessagePart", before: "", after: "Part" },
    Naming { union: "TerminalClientFrame", before: "Terminal", after: "Frame" },
    Naming { union: "TerminalServerFrame", before: "Terminal", after: "Frame" },
    Naming { union: "ToolContent", before: "", after: "Content" },
    Naming { union: "UniversalEvent", before: "", after: "Event" },
];

impl Naming {
    /// Returns the name of a variant's component, such as `ToolCallPart` for `toolCall`.
    fn component(&self, variant: &str) -> String {
        let mut characters = variant.chars();
        let first = characters.next().map(|first| first.to_ascii_uppercase());
        let variant: String = first.into_iter().chain(characters).collect();
        let variant = variant.strip_suffix(self.after).unwrap_or(&variant);
        format!("{}{variant}{}", self.before, self.after)
    }
}

/// Gives every variant of the unions a component of its own.
pub(super) fn name_variants(schemas: &mut Schemas) {
    unite_events(schemas);
    split_message(schemas);
    for naming in NAMINGS {
        let Some(RefOr::T(Schema::OneOf(mut union))) = schemas.remove(naming.union) else { continue };
        let mut variants = Vec::new();
        for item in std::mem::take(&mut union.items) {
            variants.extend(object(item, schemas).map(|object| Variant::new(object, naming, schemas)));
        }
        describe(&mut union, &variants);
        for variant in variants {
            schemas.insert(variant.name, RefOr::T(Schema::Object(variant.object)));
        }
        schemas.insert(naming.union.to_owned(), RefOr::T(Schema::OneOf(union)));
    }
}

struct Variant {
    /// Name of the component.
    name: String,
    /// Member that names the variant.
    tag: String,
    /// Value of that member.
    value: String,
    object: Object,
}

impl Variant {
    fn new(mut object: Object, naming: &Naming, schemas: &mut Schemas) -> Self {
        let tag = object.properties.iter().find_map(|(name, schema)| Some((name.clone(), constant(schema)?)));
        let (tag, value) = tag.unwrap_or_else(|| {
            // Named by its only member: the document has the name as `type`, too.
            let value = object.required.first().cloned().unwrap_or_default();
            object.properties.insert("type".to_owned(), only(&value));
            object.required.insert(0, "type".to_owned());
            ("type".to_owned(), value)
        });
        let name = naming.component(&value);
        name_details(&mut object, &value, &name, schemas);
        Self { name, tag, value, object }
    }
}

/// Moves the details of a variant, an object without a name, into a component.
fn name_details(object: &mut Object, member: &str, variant: &str, schemas: &mut Schemas) {
    let Some(details) = object.properties.get_mut(member) else { return };
    if !matches!(details, RefOr::T(Schema::Object(object)) if !object.properties.is_empty()) {
        return;
    }
    let name = format!("{variant}Details");
    let mut details = std::mem::replace(details, RefOr::Ref(Ref::from_schema_name(&name)));
    if let RefOr::T(Schema::Object(object)) = &mut details {
        object.description = Some(format!("Details of `{member}`."));
    }
    schemas.insert(name, details);
}

fn describe(union: &mut OneOf, variants: &[Variant]) {
    let reference = |variant: &Variant| Ref::from_schema_name(&variant.name);
    union.items = variants.iter().map(|variant| RefOr::Ref(reference(variant))).collect();
    let Some(first) = variants.first() else { return };
    let mapping = variants.iter().map(|variant| (variant.value.clone(), reference(variant).ref_location));
    union.discriminator = Some(Discriminator::with_mapping(first.tag.clone(), mapping));
}

/// Returns a variant as one object. A newtype variant is the component that it refers to, and its tag.
fn object(item: RefOr<Schema>, schemas: &mut Schemas) -> Option<Object> {
    match item {
        RefOr::T(Schema::Object(object)) => Some(object),
        RefOr::T(Schema::AllOf(all)) => {
            let mut whole = Object::default();
            for part in all.items {
                let part = object(part, schemas)?;
                whole.schema_type = part.schema_type;
                whole.properties.extend(part.properties);
                whole.required.extend(part.required);
                whole.additional_properties = whole.additional_properties.or(part.additional_properties);
            }
            whole.description = all.description;
            Some(whole)
        }
        RefOr::Ref(reference) => {
            let name = reference.ref_location.strip_prefix("#/components/schemas/")?;
            object(schemas.get(name)?.clone(), schemas)
        }
        RefOr::T(_) => None,
    }
}

/// Turns the event, whose data is a union, into a union of events.
fn unite_events(schemas: &mut Schemas) {
    let Some(RefOr::T(Schema::OneOf(data))) = schemas.remove("EventData") else { return };
    let Some(RefOr::T(Schema::Object(envelope))) = schemas.remove("UniversalEvent") else { return };
    let mut union = OneOf { description: envelope.description.clone(), ..OneOf::default() };
    for item in data.items {
        let RefOr::T(Schema::Object(mut data)) = item else { continue };
        let Some(value) = data.required.first().cloned() else { continue };
        let mut event = envelope.clone();
        event.description = data.description.take();
        if let Some(RefOr::Ref(member)) = data.properties.get_mut(&value) {
            member.description.clear();
        }
        let name = NAMINGS.iter().find(|naming| naming.union == "UniversalEvent");
        let name = name.map(|naming| format!("{}Data", naming.component(&value))).unwrap_or_default();
        data.description = Some(format!("Data of the event `{value}`."));
        let mut reference = Ref::from_schema_name(&name);
        reference.description = "Data of the event.".to_owned();
        event.properties.insert("data".to_owned(), RefOr::Ref(reference));
        event.properties.insert("type".to_owned(), only(&value));
        schemas.insert(name, RefOr::T(Schema::Object(data)));
        union.items.push(RefOr::T(Schema::Object(event)));
    }
    schemas.insert("UniversalEvent".to_owned(), RefOr::T(Schema::OneOf(union)));
}

/// Splits a message to send into its two forms: a message has either a text or parts.
fn split_message(schemas: &mut Schemas) {
    let Some(RefOr::T(Schema::Object(both))) = schemas.remove("PostMessage") else { return };
    let mut union = OneOf { description: both.description.clone(), ..OneOf::default() };
    for (name, has, lacks, description) in [
        ("PostTextMessage", "message", "parts", "A message that is one text."),
        ("PostMessageParts", "parts", "message", "A message of several parts: text, files and images."),
    ] {
        let mut form = both.clone();
        form.description = Some(description.to_owned());
        form.properties.remove(lacks);
        form.required.push(has.to_owned());
        if let Some(parts) = form.properties.get_mut("parts") {
            *parts = parts_to_send(parts);
        }
        schemas.insert(name.to_owned(), RefOr::T(Schema::Object(form)));
        union.items.push(RefOr::Ref(Ref::from_schema_name(name)));
    }
    schemas.insert("InputPart".to_owned(), RefOr::T(Schema::OneOf(input_part())));
    schemas.insert("PostMessage".to_owned(), RefOr::T(Schema::OneOf(union)));
}

/// The parts that a message to an agent may have: the others are what agents do.
const INPUT_PARTS: [(&str, &str); 3] = [("text", "TextPart"), ("file", "FilePart"), ("image", "ImagePart")];

fn input_part() -> OneOf {
    let mapping = INPUT_PARTS.map(|(tag, name)| (tag, Ref::from_schema_name(name).ref_location));
    OneOf {
        items: INPUT_PARTS.map(|(_, name)| RefOr::Ref(Ref::from_schema_name(name))).to_vec(),
        description: Some("A part of a message to an agent.".to_owned()),
        discriminator: Some(Discriminator::with_mapping("type", mapping)),
        ..OneOf::default()
    }
}

/// Returns the list of parts with those that can be sent as its items.
fn parts_to_send(parts: &RefOr<Schema>) -> RefOr<Schema> {
    let mut parts = parts.clone();
    if let RefOr::T(Schema::Array(list)) = &mut parts {
        list.items = ArrayItems::RefOrSchema(Box::new(RefOr::Ref(Ref::from_schema_name("InputPart"))));
    }
    parts
}

/// Returns the schema of a text that has one value.
fn only(value: &str) -> RefOr<Schema> {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some([value])).into()
}

/// Returns the only value of a member, if it has only one.
fn constant(schema: &RefOr<Schema>) -> Option<String> {
    let RefOr::T(Schema::Object(object)) = schema else { return None };
    match object.enum_values.as_deref() {
        Some([value]) => value.as_str().map(str::to_owned),
        _ => None,
    }
}
