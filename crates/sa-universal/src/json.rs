//! Reading JSON that may be anything: what is not as expected is absent, never an error.

use crate::carrier;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

pub(crate) type Object = Map<String, Value>;

/// The value. A value that serde_json cannot hold (nested too deeply, a number out of range) is kept as its text.
pub(crate) fn read(raw: &RawValue) -> Value {
    serde_json::from_str(raw.get()).unwrap_or_else(|_| Value::String(raw.get().to_owned()))
}

pub(crate) fn text<'a>(object: &'a Object, key: &str) -> Option<&'a str> {
    object.get(key)?.as_str()
}

pub(crate) fn owned(object: &Object, key: &str) -> Option<String> {
    text(object, key).map(str::to_owned)
}

pub(crate) fn list<'a>(object: &'a Object, key: &str) -> Option<&'a [Value]> {
    object.get(key)?.as_array().map(Vec::as_slice)
}

pub(crate) fn object<'a>(of: &'a Object, key: &str) -> Option<&'a Object> {
    of.get(key)?.as_object()
}

/// A count. Some agents write whole numbers with a point.
pub(crate) fn count(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let number = value.as_f64().filter(|number| number.fract() == 0.0 && (0.0..9e15).contains(number))?;
        // In range and whole, as was just seen.
        Some(number as u64)
    })
}

/// Returns the members other than the known ones.
pub(crate) fn rest(object: &Object, known: &[&str]) -> Object {
    let others = object.iter().filter(|(key, value)| !known.contains(&key.as_str()) && !value.is_null());
    others.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// An object that is read member by member, and knows what was not read.
pub(crate) struct Fields<'a> {
    object: &'a Object,
    read: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    /// An object whose members `known` are of no interest any more.
    pub(crate) fn new(object: &'a Object, known: &[&'static str]) -> Self {
        Self { object, read: known.to_vec() }
    }

    /// A member, if `read` understands it.
    pub(crate) fn take<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Option<T> {
        let value = read(self.object.get(key)?);
        if value.is_some() {
            self.read.push(key);
        }
        value
    }

    pub(crate) fn text(&mut self, key: &'static str) -> Option<String> {
        self.take(key, |value| value.as_str().map(str::to_owned))
    }

    /// Returns the members that were not read, including those hidden because ACP does not allow them.
    pub(crate) fn rest(self) -> Object {
        let mut rest = rest(self.object, &self.read);
        if let Some(Value::Object(meta)) = rest.get_mut("_meta") {
            let hidden = carrier::take_hidden(meta);
            if meta.is_empty() {
                rest.remove("_meta");
            }
            merge(&mut rest, hidden);
        }
        rest
    }
}

/// Puts `new` over `old`, member by member.
pub(crate) fn merge(old: &mut Object, new: Object) {
    for (key, value) in new {
        match (old.get_mut(&key), value) {
            (Some(Value::Object(old)), Value::Object(new)) => merge(old, new),
            (_, value) => {
                old.insert(key, value);
            }
        }
    }
}

/// Returns the members of an object that are not null.
pub(crate) fn present(object: Value) -> Object {
    let Value::Object(mut members) = object else { return Object::new() };
    members.retain(|_, value| !value.is_null());
    members
}

/// Puts `value` there if there is one.
pub(crate) fn put(object: &mut Object, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        object.insert(key.to_owned(), value.into());
    }
}

/// About how many bytes a value takes.
pub(crate) fn weight(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => 24 + text.len(),
        Value::Array(values) => 24 + values.iter().map(weight).sum::<usize>(),
        Value::Object(members) => {
            24 + members.iter().map(|(key, value)| 48 + key.len() + weight(value)).sum::<usize>()
        }
    }
}
