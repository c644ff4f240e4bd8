//! Bounds of answers: what a form's schema says beyond the kind of an input.

use crate::json::{self, Object};
use regex::RegexBuilder;
use sa_api::Timestamp;
use sa_api::sessions::Question;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Memory that a compiled pattern may take. Agents write patterns, so one that takes more is not checked.
const PATTERN_BYTES: usize = 256 << 10;
/// Longest pattern that is compiled.
const PATTERN_LENGTH: usize = 4096;
/// Deepest nesting of a pattern that is compiled.
const PATTERN_DEPTH: u32 = 64;

/// Bounds of the answers to a question. Stored with its form.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Bounds {
    /// Least number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum: Option<f64>,
    /// Greatest number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maximum: Option<f64>,
    /// Least number of characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_length: Option<u64>,
    /// Greatest number of characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u64>,
    /// Regular expression that a part of the text has to match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Form of the text: `email`, `uri`, `date`, `date-time`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Least number of options that are chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_items: Option<u64>,
    /// Greatest number of options that are chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_items: Option<u64>,
}

/// A bound that an answer does not keep: its name in the contract, and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// Name of the member of `Question`.
    pub name: &'static str,
    /// Value of the member.
    pub value: Value,
}

impl Bounds {
    /// Reads the bounds of an input. Those of another kind of input mean nothing.
    pub(crate) fn read(schema: &Object) -> Self {
        let number = |name: &str| schema.get(name).and_then(Value::as_f64);
        let count = |name: &str| schema.get(name).and_then(json::count);
        Self {
            minimum: number("minimum"),
            maximum: number("maximum"),
            min_length: count("minLength"),
            max_length: count("maxLength"),
            pattern: json::owned(schema, "pattern"),
            format: json::owned(schema, "format"),
            min_items: count("minItems"),
            max_items: count("maxItems"),
        }
    }

    /// Writes the bounds into a question.
    pub(crate) fn put_into(&self, question: &mut Question) {
        (question.minimum, question.maximum) = (self.minimum, self.maximum);
        (question.min_length, question.max_length) = (self.min_length, self.max_length);
        question.pattern.clone_from(&self.pattern);
        question.format.clone_from(&self.format);
        (question.min_items, question.max_items) = (self.min_items, self.max_items);
    }

    pub(crate) fn check_number(&self, number: f64) -> Result<(), Bound> {
        let bound = |name, value: f64| Err(Bound { name, value: as_written(value) });
        match (self.minimum, self.maximum) {
            (Some(least), _) if number < least => bound("minimum", least),
            (_, Some(most)) if number > most => bound("maximum", most),
            _ => Ok(()),
        }
    }

    pub(crate) fn check_text(&self, text: &str) -> Result<(), Bound> {
        let length = text.chars().count() as u64;
        in_range(length, ("minLength", self.min_length), ("maxLength", self.max_length))?;
        if let Some(pattern) = self.pattern.as_ref().filter(|pattern| !matches(pattern, text)) {
            return Err(Bound { name: "pattern", value: pattern.clone().into() });
        }
        match self.format.as_ref().filter(|format| !has_format(format, text)) {
            Some(format) => Err(Bound { name: "format", value: format.clone().into() }),
            None => Ok(()),
        }
    }

    /// Checks how many options are chosen.
    pub(crate) fn check_items(&self, items: usize) -> Result<(), Bound> {
        in_range(items as u64, ("minItems", self.min_items), ("maxItems", self.max_items))
    }
}

fn in_range(
    count: u64,
    (least_name, least): (&'static str, Option<u64>),
    (most_name, most): (&'static str, Option<u64>),
) -> Result<(), Bound> {
    match (least, most) {
        (Some(least), _) if count < least => Err(Bound { name: least_name, value: least.into() }),
        (_, Some(most)) if count > most => Err(Bound { name: most_name, value: most.into() }),
        _ => Ok(()),
    }
}

/// A whole number without its fraction, as agents write it.
#[allow(clippy::cast_possible_truncation, reason = "only whole numbers that fit")]
fn as_written(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 9e15 { (number as i64).into() } else { number.into() }
}

/// Returns whether a pattern is found in a text, in time linear in both. One that cannot be compiled within bounds, such as one with
/// a look-ahead, fits everything: only the agent can check it.
fn matches(pattern: &str, text: &str) -> bool {
    if pattern.len() > PATTERN_LENGTH {
        return true;
    }
    let compiled = RegexBuilder::new(pattern).size_limit(PATTERN_BYTES).nest_limit(PATTERN_DEPTH).build();
    compiled.map_or(true, |pattern| pattern.is_match(text))
}

/// Returns whether a text has a format. Formats that are not known fit everything.
fn has_format(format: &str, text: &str) -> bool {
    match format {
        "email" => {
            let mut halves = text.rsplitn(2, '@');
            let (domain, local) = (halves.next(), halves.next());
            local.is_some_and(|local| !local.is_empty())
                && domain.is_some_and(|domain| !domain.is_empty())
                && !text.chars().any(char::is_whitespace)
        }
        "uri" => text.split_once(':').is_some_and(|(scheme, rest)| {
            let fits = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
            scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && scheme.chars().all(fits)
                && !rest.is_empty()
                && !rest.chars().any(char::is_whitespace)
        }),
        // A time of day makes a date a point in time, which has a parser.
        "date" => text.len() == 10 && is_time(&format!("{text}T00:00:00Z")),
        "date-time" => is_time(text),
        _ => true,
    }
}

fn is_time(text: &str) -> bool {
    // Points in time before 1970 are times, too; only their form counts.
    let read: Result<Timestamp, _> = serde_json::from_value(text.into());
    match read {
        Ok(_) => true,
        Err(error) => error.to_string().contains("before 1970"),
    }
}
