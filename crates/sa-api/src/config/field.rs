//! Checking the fields of a JSON object, with errors that name the field.

use super::entry::{InvalidEntry, Object};
use serde_json::Value;

/// Characters of a client's text that a message quotes.
const QUOTED_CHARS: usize = 100;

/// The expected form of a field.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// Text with something in it.
    Text,
    Texts,
    /// An object whose values are texts.
    TextByName,
    Flag,
    /// A whole number, not negative.
    Number,
    /// An object or `false`.
    ObjectOrOff,
}

/// A field and what it must be, if it is there.
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    pub(super) required: bool,
    /// Other names that it goes by.
    pub(super) aliases: &'static [&'static str],
}

pub(super) const fn optional(name: &'static str, shape: Shape, aliases: &'static [&'static str]) -> Field {
    Field { name, shape, required: false, aliases }
}

pub(super) const fn required(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, required: true, aliases: &[] }
}

/// Gives each field its own name, drops nulls, and checks what is there. Fields that are not listed stay as they are.
pub(super) fn check(object: &mut Object, place: &str, fields: &[Field]) -> Result<(), InvalidEntry> {
    for field in fields {
        for alias in field.aliases {
            if let Some(value) = object.remove(*alias)
                && object.insert(field.name.to_owned(), value).is_some()
            {
                return Err(wrong(
                    place,
                    alias,
                    &format!("is another name of `{}`; give only one", field.name),
                ));
            }
        }
        match object.get(field.name) {
            Some(Value::Null) | None => {
                object.remove(field.name);
                if field.required {
                    return Err(wrong(place, field.name, "is missing"));
                }
            }
            Some(value) => field.shape.check(value).map_err(|(at, what)| {
                wrong(place, &format!("{}{at}", field.name), &format!("must be {what}"))
            })?,
        }
    }
    Ok(())
}

/// Returns the beginning of a text that a client sent, for messages.
pub(super) fn excerpt(text: &str) -> String {
    match text.char_indices().nth(QUOTED_CHARS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

pub(super) fn wrong(place: &str, field: &str, what: &str) -> InvalidEntry {
    InvalidEntry { member: format!("{place}{field}"), problem: what.to_owned() }
}

impl Shape {
    /// Returns the position of the first error, and the expected form.
    fn check(self, value: &Value) -> Result<(), (String, &'static str)> {
        let here = |right: bool, what| if right { Ok(()) } else { Err((String::new(), what)) };
        match (self, value) {
            (Self::Text, value) => {
                here(value.as_str().is_some_and(|text| !text.is_empty()), "a text that is not empty")
            }
            (Self::Flag, value) => here(value.is_boolean(), "true or false"),
            (Self::Number, value) => here(value.is_u64(), "a whole number that is not negative"),
            (Self::ObjectOrOff, value) => {
                here(value.is_object() || *value == Value::Bool(false), "an object or false")
            }
            (Self::Texts, Value::Array(items)) => match items.iter().position(|item| !item.is_string()) {
                Some(index) => Err((format!("[{index}]"), "a text")),
                None => Ok(()),
            },
            (Self::TextByName, Value::Object(items)) => {
                match items.iter().find(|(_, item)| !item.is_string()) {
                    Some((name, _)) => Err((format!(".{}", excerpt(name)), "a text")),
                    None => Ok(()),
                }
            }
            (Self::Texts, _) => Err((String::new(), "a list of texts")),
            (Self::TextByName, _) => Err((String::new(), "an object of texts")),
        }
    }
}
