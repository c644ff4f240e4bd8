//! Questions of an agent: `elicitation/create`, as a form or an address.

use crate::bounds::Bounds;
use crate::form::{Field, Form, Labelled, Takes, labelled};
use crate::json::{self, Object};
use crate::permission::Unparsed;
use sa_api::sessions::{Question, QuestionKind, QuestionOption, QuestionRequest};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt;

/// Takes the params of an `elicitation/create`.
///
/// An input `question_<n>` and its `question_<n>_custom` are one question with `custom` set: an answer that is none of its
/// options goes to the latter.
///
/// # Errors
///
/// When the request is neither a form with inputs nor an address.
pub fn question(
    params: &RawValue,
    id: &str,
    turn_id: Option<&str>,
) -> Result<(QuestionRequest, Form), Unparsed> {
    let value = json::read(params);
    let unparsed = |error| Unparsed::new(error, &value);
    let object = value.as_object().ok_or_else(|| unparsed("a question that is no object"))?;
    let message = json::text(object, "message").unwrap_or_default();
    let mut request = QuestionRequest {
        id: id.to_owned(),
        turn_id: turn_id.map(str::to_owned),
        tool_call_id: json::owned(object, "toolCallId"),
        ..QuestionRequest::default()
    };
    if let Some(url) = json::owned(object, "url") {
        request.questions.push(Question { url: Some(url), ..blank(message, QuestionKind::Url) });
        return Ok((request, Form::Url));
    }
    let schema =
        json::object(object, "requestedSchema").ok_or_else(|| unparsed("a question without a form"))?;
    let inputs = inputs(params).ok_or_else(|| unparsed("a form without inputs"))?;
    if inputs.is_empty() {
        request.questions.push(Question { required: true, ..blank(message, QuestionKind::Boolean) });
        return Ok((request, Form::Confirm));
    }
    let alone = inputs.len() == 1;
    let required = json::list(schema, "required").unwrap_or_default();
    let mut fields = Vec::new();
    let mut headed = false;
    for input in inputs {
        let required = required.iter().any(|key| *key == input.key.as_str());
        let (question, field, by_message) = input.read(alone.then_some(message), required);
        headed |= by_message;
        request.questions.push(question);
        fields.push(field);
    }
    request.message = Some(message.to_owned()).filter(|message| !headed && !message.is_empty());
    Ok((request, Form::Fields { fields }))
}

/// A question that says nothing but its text.
pub(crate) fn blank(question: &str, kind: QuestionKind) -> Question {
    Question { question: question.to_owned(), kind, ..Question::default() }
}

/// An input of a form.
#[derive(Debug)]
struct Input {
    key: String,
    schema: Object,
    /// The input next to it that takes what is none of its options.
    custom: Option<String>,
}

impl Input {
    /// The question, what answers to it become, and whether `message` says it.
    fn read(self, message: Option<&str>, required: bool) -> (Question, Field, bool) {
        let described = json::text(&self.schema, "description").filter(|text| !text.is_empty());
        let title = json::text(&self.schema, "title").filter(|text| !text.is_empty());
        let message = message.filter(|message| !message.is_empty() && described.is_none());
        let asked = described.or(message);
        let header = title.filter(|_| asked.is_some());
        let asked = asked.or(title).unwrap_or(&self.key).to_owned();
        let (kind, takes) = match json::text(&self.schema, "type") {
            Some("number") => (QuestionKind::Number, Takes::Number),
            Some("integer") => (QuestionKind::Integer, Takes::Integer),
            Some("boolean") => (QuestionKind::Boolean, Takes::Boolean),
            Some("array") => (QuestionKind::Choice, Takes::Several),
            _ => (QuestionKind::Text, Takes::Text),
        };
        let (options, descriptions) = options(&self.schema);
        let kind = if options.is_empty() { kind } else { QuestionKind::Choice };
        let labels = options.iter().map(|option| option.label.clone()).zip(descriptions);
        let default = default(&self.schema, &options);
        let mut question = Question {
            header: header.map(str::to_owned),
            options: labels.map(|(label, description)| QuestionOption { label, description }).collect(),
            multi_select: takes == Takes::Several,
            custom: self.custom.is_some(),
            required,
            default,
            ..blank(&asked, kind)
        };
        let bounds = Bounds::read(&self.schema);
        bounds.put_into(&mut question);
        let field = Field { key: self.key, takes, options, custom: self.custom, required, bounds };
        (question, field, message.is_some())
    }
}

/// The answer to suggest: labels, or what would be written.
fn default(schema: &Object, options: &[Labelled]) -> Vec<String> {
    let label = |value: &Value| {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            _ => return None,
        };
        Some(options.iter().find(|option| option.value == text).map_or(text, |option| option.label.clone()))
    };
    match schema.get("default") {
        Some(Value::Array(values)) => values.iter().filter_map(label).collect(),
        Some(value) => label(value).into_iter().collect(),
        None => Vec::new(),
    }
}

/// Returns the options, and the description of each.
fn options(schema: &Object) -> (Vec<Labelled>, Vec<Option<String>>) {
    let holder = json::object(schema, "items").unwrap_or(schema);
    let titled = json::list(holder, "oneOf").or_else(|| json::list(holder, "anyOf"));
    let (pairs, descriptions) = if let Some(list) = titled {
        let option = |value: &Value| {
            let object = value.as_object()?;
            let value = json::owned(object, "const")?;
            let label = json::owned(object, "title").unwrap_or_else(|| value.clone());
            Some(((label, value), json::owned(object, "description").filter(|text| !text.is_empty())))
        };
        list.iter().filter_map(option).unzip()
    } else {
        let names = json::list(schema, "enumNames").unwrap_or_default();
        let list = json::list(holder, "enum").unwrap_or_default();
        let option = |(index, value): (usize, &Value)| {
            let value = value.as_str()?.to_owned();
            let label = names.get(index).and_then(Value::as_str).unwrap_or(&value).to_owned();
            Some(((label, value), None))
        };
        list.iter().enumerate().filter_map(option).unzip::<_, _, Vec<_>, Vec<_>>()
    };
    (labelled(pairs.into_iter()), descriptions)
}

/// The inputs in the order in which the agent wrote them; those that are numbered, by their number.
fn inputs(params: &RawValue) -> Option<Vec<Input>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Params {
        requested_schema: Schema,
    }
    #[derive(Deserialize)]
    struct Schema {
        #[serde(default)]
        properties: Ordered,
    }
    let Params { requested_schema: Schema { properties: Ordered(mut properties) } } =
        serde_json::from_str(params.get()).ok()?;
    if properties.iter().all(|(key, _)| number(key).is_some()) {
        properties.sort_by_key(|(key, _)| number(key));
    }
    let plain = |schema: &Value| schema.get("type").is_some_and(|kind| kind == "string");
    let customs: Vec<_> =
        properties.iter().filter(|(_, schema)| plain(schema)).map(|(key, _)| key.clone()).collect();
    let custom_of = |key: &str| {
        let name = format!("{key}_custom");
        (number(key).is_some() && customs.contains(&name)).then_some(name)
    };
    let keys: Vec<_> = properties.iter().map(|(key, _)| key.clone()).collect();
    let is_custom = |key: &str| {
        let base = key.strip_suffix("_custom").filter(|base| number(base).is_some());
        base.is_some_and(|base| {
            customs.iter().any(|custom| custom == key) && keys.iter().any(|key| key == base)
        })
    };
    let inputs = properties.into_iter().filter(|(key, _)| !is_custom(key)).map(|(key, schema)| {
        let schema = schema.as_object().cloned().unwrap_or_default();
        Input { custom: custom_of(&key), key, schema }
    });
    Some(inputs.collect())
}

/// The number of an input that is a question's, with the custom one right behind it.
fn number(key: &str) -> Option<(u64, bool)> {
    let rest = key.strip_prefix("question_")?;
    let (digits, custom) = rest.strip_suffix("_custom").map_or((rest, false), |digits| (digits, true));
    Some((digits.parse().ok()?, custom))
}

/// Members of an object in the order in which they are written.
#[derive(Debug, Default)]
struct Ordered(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Ordered {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Ordered;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ordered, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Ordered(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}
