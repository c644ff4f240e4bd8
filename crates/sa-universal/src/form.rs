//! Answers to questions: from labels back to what the agent's form wants.

use crate::bounds::{Bound, Bounds};
use crate::json::Object;
use crate::permission::{permission_cancelled, selected};
use sa_api::sessions::{PermissionOption, PermissionReplyKind};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::HashSet;
use thiserror::Error;

/// The data for answering a question request. It is stored with the request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Form {
    /// A form of ACP's.
    Fields {
        /// One for each question.
        fields: Vec<Field>,
    },
    /// A form without inputs: yes or no.
    Confirm,
    /// An address that the user visits.
    Url,
    /// The options of a permission request.
    Options {
        options: Vec<Labelled>,
        /// The one that says no.
        reject: Option<String>,
    },
}

/// An input of a form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Field {
    /// Name in the form.
    pub key: String,
    pub takes: Takes,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Labelled>,
    /// The name of the input that takes what is none of the options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom: Option<String>,
    /// True if an answer is required.
    #[serde(default)]
    pub required: bool,
    /// Bounds of the answer.
    #[serde(default)]
    pub bounds: Bounds,
}

/// Type of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Takes {
    /// Text, or one of the options.
    Text,
    /// Several of the options.
    Several,
    Number,
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Boolean,
}

/// A value and what people call it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Labelled {
    /// For people, and in answers.
    pub label: String,
    /// For the agent.
    pub value: String,
}

/// Answers that do not fit their questions. Questions count from 1.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BadAnswers {
    /// There must be as many answers as questions.
    #[error("expected {asked} answers, got {given}")]
    Count {
        /// The number of questions.
        asked: usize,
        /// The number of answers.
        given: usize,
    },
    /// A question has to be answered.
    #[error("question {0} has to be answered")]
    Missing(usize),
    /// A question takes one answer.
    #[error("question {0} takes one answer")]
    Several(usize),
    /// An answer is none of the options.
    #[error("'{answer}' is no option of question {question}")]
    NoOption { question: usize, answer: String },
    /// An answer is not of the right kind.
    #[error("'{answer}' is not {wanted}, which question {question} asks for")]
    Kind {
        question: usize,
        answer: String,
        /// The expected type.
        wanted: &'static str,
    },
    /// An answer does not keep a bound of the question.
    #[error("the answer to question {question} does not fit: `{name}` is {value}", name = .bound.name, value = .bound.value)]
    Bound { question: usize, bound: Bound },
}

impl Form {
    pub(crate) fn of_options(options: &[PermissionOption]) -> Self {
        let pairs = options.iter().map(|option| (option.name.clone(), option.id.clone()));
        let reject = options.iter().find(|option| option.reply == PermissionReplyKind::Reject);
        Self::Options { options: labelled(pairs), reject: reject.map(|option| option.id.clone()) }
    }

    pub(crate) fn labels(&self) -> impl Iterator<Item = &str> {
        let options = match self {
            Self::Options { options, .. } => options.as_slice(),
            Self::Fields { .. } | Self::Confirm | Self::Url => &[],
        };
        options.iter().map(|option| option.label.as_str())
    }

    /// The result of the agent's request, if the questions are answered: for each the labels that were chosen, or what was
    /// written.
    ///
    /// # Errors
    ///
    /// When an answer does not fit its question.
    pub fn answer(&self, answers: &[Vec<String>]) -> Result<Value, BadAnswers> {
        let asked = match self {
            Self::Fields { fields } => fields.len(),
            Self::Confirm | Self::Url | Self::Options { .. } => 1,
        };
        if answers.len() != asked {
            return Err(BadAnswers::Count { asked, given: answers.len() });
        }
        match self {
            Self::Fields { fields } => {
                let mut content = Object::new();
                for (index, (field, answer)) in fields.iter().zip(answers).enumerate() {
                    field.fill(&mut content, index + 1, answer)?;
                }
                Ok(json!({ "action": "accept", "content": content }))
            }
            Self::Confirm => match only(answers)? {
                answer if yes(answer) == Some(true) => Ok(json!({ "action": "accept", "content": {} })),
                answer if yes(answer) == Some(false) => Ok(self.decline()),
                blank if blank.trim().is_empty() => Err(BadAnswers::Missing(1)),
                // A yes that nobody said is worse than a question that is asked again.
                other => Err(BadAnswers::Kind { question: 1, answer: other.to_owned(), wanted: "yes or no" }),
            },
            Self::Url => Ok(json!({ "action": "accept" })),
            Self::Options { options, .. } => {
                let one = only(answers)?;
                let none = || BadAnswers::NoOption { question: 1, answer: one.to_owned() };
                value(options, one).map(selected).ok_or_else(none)
            }
        }
    }

    /// The result of the agent's request, if the questions are rejected.
    pub fn decline(&self) -> Value {
        match self {
            Self::Fields { .. } | Self::Confirm | Self::Url => json!({ "action": "decline" }),
            Self::Options { reject: Some(id), .. } => selected(id),
            Self::Options { reject: None, .. } => permission_cancelled(),
        }
    }

    /// The result of the agent's request, if nobody will answer any more.
    pub fn cancel(&self) -> Value {
        match self {
            Self::Fields { .. } | Self::Confirm | Self::Url => json!({ "action": "cancel" }),
            Self::Options { .. } => permission_cancelled(),
        }
    }
}

impl Field {
    fn fill(&self, content: &mut Object, question: usize, answers: &[String]) -> Result<(), BadAnswers> {
        let answers: Vec<_> = answers.iter().filter(|answer| !answer.trim().is_empty()).collect();
        if answers.is_empty() {
            return if self.required { Err(BadAnswers::Missing(question)) } else { Ok(()) };
        }
        if self.takes == Takes::Several || !self.options.is_empty() {
            return self.choose(content, question, &answers);
        }
        let [answer] = answers.as_slice() else { return Err(BadAnswers::Several(question)) };
        let wrong = |wanted| BadAnswers::Kind { question, answer: (*answer).clone(), wanted };
        let out = |bound| BadAnswers::Bound { question, bound };
        let trimmed = answer.trim();
        let value = match self.takes {
            Takes::Text | Takes::Several => {
                self.bounds.check_text(answer).map_err(out)?;
                Value::String((*answer).clone())
            }
            Takes::Integer => {
                let number = trimmed.parse::<i64>().map_err(|_| wrong("a whole number"))?;
                #[allow(clippy::cast_precision_loss, reason = "bounds are no more precise")]
                self.bounds.check_number(number as f64).map_err(out)?;
                number.into()
            }
            Takes::Number => {
                let number = trimmed.parse::<f64>().ok().and_then(serde_json::Number::from_f64);
                let number = number.ok_or_else(|| wrong("a number"))?;
                self.bounds.check_number(number.as_f64().unwrap_or_default()).map_err(out)?;
                Value::Number(number)
            }
            Takes::Boolean => yes(trimmed).ok_or_else(|| wrong("true or false"))?.into(),
        };
        content.insert(self.key.clone(), value);
        Ok(())
    }

    fn choose(&self, content: &mut Object, question: usize, answers: &[&String]) -> Result<(), BadAnswers> {
        let mut chosen = Vec::new();
        let mut own = Vec::new();
        for answer in answers {
            match (value(&self.options, answer), &self.custom) {
                (Some(value), _) => chosen.push(value.to_owned()),
                // Without options there is nothing to hold an answer against.
                (None, _) if self.options.is_empty() => chosen.push((*answer).clone()),
                (None, Some(_)) => own.push(answer.as_str()),
                (None, None) => return Err(BadAnswers::NoOption { question, answer: (*answer).clone() }),
            }
        }
        if self.takes == Takes::Several {
            let items = self.bounds.check_items(chosen.len() + own.len());
            items.map_err(|bound| BadAnswers::Bound { question, bound })?;
            if !chosen.is_empty() {
                content.insert(self.key.clone(), chosen.into());
            }
        } else if chosen.len() + own.len() > 1 {
            return Err(BadAnswers::Several(question));
        } else if let Some(one) = chosen.pop() {
            content.insert(self.key.clone(), one.into());
        }
        if let (Some(key), false) = (&self.custom, own.is_empty()) {
            content.insert(key.clone(), own.join(", ").into());
        }
        Ok(())
    }
}

/// The one answer to the one question.
fn only(answers: &[Vec<String>]) -> Result<&str, BadAnswers> {
    match answers.first().map(Vec::as_slice) {
        Some([one]) => Ok(one),
        Some([]) | None => Err(BadAnswers::Missing(1)),
        Some(_) => Err(BadAnswers::Several(1)),
    }
}

fn yes(answer: &str) -> Option<bool> {
    match answer.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" => Some(true),
        "false" | "no" => Some(false),
        _ => None,
    }
}

/// The value that a label stands for; a value stands for itself.
fn value<'a>(options: &'a [Labelled], answer: &str) -> Option<&'a str> {
    let by_label = options.iter().find(|option| option.label == answer);
    let found = by_label.or_else(|| options.iter().find(|option| option.value == answer));
    found.map(|option| option.value.as_str())
}

/// Values with labels that distinguish them.
pub(crate) fn labelled(pairs: impl Iterator<Item = (String, String)>) -> Vec<Labelled> {
    let mut taken = HashSet::new();
    let unique = |(label, value): (String, String)| {
        let mut unique = label.clone();
        let mut count = 1;
        while !taken.insert(unique.clone()) {
            count += 1;
            unique = format!("{label} ({count})");
        }
        Labelled { label: unique, value }
    };
    pairs.map(unique).collect()
}
