//! Why JSON is not what an operation takes, in the words of the API. A parser's own messages name types of a programming
//! language; these name the member, what it takes and what came.
//!
//! Bodies are read twice only if they are refused: first by the parser, then once more as a tree, with an error type that
//! keeps what was expected apart from what was found.

mod node;

use crate::query::{mismatch, quote};
use node::Node;
use sa_agents::closest;
use serde::de::{DeserializeOwned, Error, Expected, Unexpected};
use serde_json::Value;
use std::fmt;

/// Reads JSON, or explains why it is not what it should be.
pub(crate) fn read<T: DeserializeOwned>(json: &[u8]) -> Result<T, String> {
    serde_json::from_slice(json).map_err(|error| explain::<T>(json, &error))
}

fn explain<T: DeserializeOwned>(json: &[u8], error: &serde_json::Error) -> String {
    let tree: Value = match serde_json::from_slice(json) {
        Ok(tree) => tree,
        Err(error) if error.is_eof() => return "the body is not valid JSON: it ends too early".to_owned(),
        Err(error) => {
            let (line, column) = (error.line(), error.column());
            return format!("the body is not valid JSON: unexpected character {column} in line {line}");
        }
    };
    match T::deserialize(Node(&tree)) {
        Err(complaint) => complaint.to_string(),
        // A tree has each member once, so what a second one would have been is not seen in it.
        Ok(_) => match error.to_string().split('`').nth(1) {
            Some(member) => format!("member '{}' is given more than once", quote(member)),
            None => "the body is not what this operation takes".to_owned(),
        },
    }
}

/// One thing that is wrong, and where.
#[derive(Debug)]
pub(crate) struct Complaint {
    /// From the inside out.
    path: Vec<Step>,
    problem: Problem,
}

#[derive(Debug)]
enum Step {
    Member(String),
    Element(usize),
}

#[derive(Debug)]
enum Problem {
    Wrong(String),
    /// The predicate of a sentence about the member.
    Stated(String),
    Missing,
    Unknown {
        known: &'static [&'static str],
    },
}

impl Complaint {
    fn wrong(text: String) -> Self {
        Self { path: Vec::new(), problem: Problem::Wrong(text) }
    }

    /// The same complaint, about a member of what it was about.
    fn in_member(mut self, name: &str) -> Self {
        self.path.push(Step::Member(quote(name)));
        self
    }

    fn in_element(mut self, index: usize) -> Self {
        self.path.push(Step::Element(index));
        self
    }

    fn place(&self) -> String {
        let mut place = String::new();
        for step in self.path.iter().rev() {
            match step {
                Step::Member(name) if place.is_empty() => place.push_str(name),
                Step::Member(name) => place.push_str(&format!(".{name}")),
                Step::Element(index) => place.push_str(&format!("[{index}]")),
            }
        }
        place
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place();
        match &self.problem {
            Problem::Wrong(text) if place.is_empty() => write!(f, "the body: {text}"),
            Problem::Wrong(text) => write!(f, "member '{place}': {text}"),
            Problem::Stated(text) => write!(f, "member '{place}' {text}"),
            Problem::Missing => write!(f, "member '{place}' is missing"),
            Problem::Unknown { known } => {
                write!(f, "unknown member '{place}'")?;
                let name = match self.path.first() {
                    Some(Step::Member(name)) => name.as_str(),
                    _ => "",
                };
                if let Some(close) = closest(name, known) {
                    write!(f, ", did you mean '{close}'?")?;
                }
                write!(f, " (known are: {})", known.join(", "))
            }
        }
    }
}

impl std::error::Error for Complaint {}

impl Error for Complaint {
    fn custom<T: fmt::Display>(message: T) -> Self {
        let message = message.to_string();
        if message.starts_with("data did not match any variant") {
            return Self::wrong("expected one of the forms that the contract describes".to_owned());
        }
        // As entries of a configuration say it: they know the member, but not where they stand.
        if let Some((member, text)) = message.strip_prefix('`').and_then(|rest| rest.split_once("` ")) {
            let problem = Problem::Stated(text.to_owned());
            return Self { path: Vec::new(), problem }.in_member(member);
        }
        Self::wrong(message)
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::wrong(mismatch(&kind(expected), &shown(found)))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        Self::wrong(format!("expected {}, got {length} elements", kind(expected)))
    }

    fn unknown_variant(given: &str, expected: &'static [&'static str]) -> Self {
        Self::wrong(mismatch(&one_of(expected), &format!("'{}'", quote(given))))
    }

    fn unknown_field(name: &str, known: &'static [&'static str]) -> Self {
        Self { path: Vec::new(), problem: Problem::Unknown { known } }.in_member(name)
    }

    fn missing_field(name: &'static str) -> Self {
        Self { path: Vec::new(), problem: Problem::Missing }.in_member(name)
    }

    fn duplicate_field(name: &'static str) -> Self {
        Self::wrong("given more than once".to_owned()).in_member(name)
    }
}

fn one_of(choices: &[&str]) -> String {
    match choices {
        [only] => format!("'{only}'"),
        _ => format!("one of {}", choices.join(", ")),
    }
}

/// Returns the values that a type takes. Types of the language it is written in say so by name.
fn kind(expected: &dyn Expected) -> String {
    let text = expected.to_string();
    let words = match text.as_str() {
        "u8" => "a number from 0 to 255",
        "u16" => "a number from 0 to 65535",
        "u32" => "a number from 0 to 4294967295",
        "u64" | "usize" => "a whole number, 0 or more",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a map" => "an object",
        "a sequence" => "a list",
        "unit" => "null",
        other if other.starts_with("struct ") || other.contains("tagged enum ") => "an object",
        other if other.starts_with("tuple ") => "a list",
        other => other,
    };
    words.to_owned()
}

fn shown(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Str(text) => format!("'{}'", quote(text)),
        Unexpected::Char(letter) => format!("'{letter}'"),
        Unexpected::Bool(value) => value.to_string(),
        Unexpected::Unsigned(number) => number.to_string(),
        Unexpected::Signed(number) => number.to_string(),
        Unexpected::Float(number) => number.to_string(),
        Unexpected::Unit | Unexpected::Option => "null".to_owned(),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "an object".to_owned(),
        _ => "something else".to_owned(),
    }
}

#[cfg(test)]
mod tests;
