//! The subjects of a tool call: the command, the files, the address that its input names.

use super::address;
use super::members::{self, Member};
use super::pattern::{OPERATORS, Pattern, covers};
use super::place::{climbs, is_within, normalized};
use sa_api::sessions::{MessagePart, PermissionRequest, ToolKind};
use sa_shell::{Readings, is_shell, takes_script};
use serde_json::{Map, Value};
use url::Url;

/// Actions of an editor that is one tool, named next to the path.
const VERBS: [&str; 5] = ["view", "create", "str_replace", "insert", "undo_edit"];

/// One thing that a tool call is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Subject {
    /// The script for a shell, the whole command, and every command that is in it.
    Command {
        script: String,
        whole: String,
        readings: Readings,
    },
    Path(String),
    /// The directory of something else, unless there is nothing else.
    Directory(String),
    Address(String),
    /// The pattern of a search.
    Text(String),
    /// Input that says none of these things in a way that is known: all of it, as JSON.
    Json(String),
}

/// All that a request is about.
pub(super) fn subjects(request: &PermissionRequest) -> Vec<Subject> {
    let mut found = match &request.input {
        None => Vec::new(),
        Some(Value::Object(members)) => of_members(members),
        Some(Value::String(text)) => vec![of_kind(request.kind, text)],
        Some(_) => Vec::new(),
    };
    // The agent reports changed files next to the input: only there is the new path of a moved file.
    for changed in changed(&request.parts) {
        let is_same = |subject: &Subject| matches!(subject, Subject::Path(path) if is_within(changed, path));
        if !found.iter().any(is_same) {
            found.push(Subject::Path(changed.to_owned()));
        }
    }
    match &request.input {
        Some(input) if found.is_empty() => vec![Subject::Json(input.to_string())],
        _ => found,
    }
}

/// Those of them that an `allow` has to match.
pub(super) fn decisive(subjects: &[Subject]) -> impl Iterator<Item = &Subject> {
    let has_command = subjects.iter().any(|subject| matches!(subject, Subject::Command { .. }));
    let only_text = subjects.iter().all(|subject| matches!(subject, Subject::Text(_)));
    subjects.iter().filter(move |subject| match subject {
        Subject::Directory(_) => !has_command,
        Subject::Text(_) => only_text,
        Subject::Command { .. } | Subject::Path(_) | Subject::Address(_) | Subject::Json(_) => true,
    })
}

impl Subject {
    /// Returns whether a pattern matches it in whichever way it is written.
    pub(super) fn is_meant_by(&self, pattern: &Pattern) -> bool {
        match self {
            Self::Command { script, whole, readings } => {
                let parts = script.split(OPERATORS).chain(whole.split(OPERATORS)).map(str::trim);
                let mut written = [script.as_str(), whole, script.trim()].into_iter().chain(parts);
                written.any(|text| pattern.matches(text))
                    || readings.any(pattern.as_str(), |phrase| pattern.matches(phrase))
            }
            Self::Path(path) | Self::Directory(path) => {
                pattern.matches(path) || pattern.matches(&normalized(path))
            }
            Self::Address(address) => {
                pattern.matches(address) || Url::parse(address).is_ok_and(|url| pattern.matches(url.as_str()))
            }
            Self::Text(text) | Self::Json(text) => pattern.matches(text),
        }
    }

    /// Returns whether a pattern matches it however it is written: by what it leads to, not by how it is spelled.
    pub(super) fn is_covered_by(&self, pattern: &Pattern) -> bool {
        match self {
            Self::Command { script, .. } => covers(pattern.as_str(), script.trim(), &OPERATORS),
            Self::Path(path) | Self::Directory(path) => {
                let path = normalized(path);
                if climbs(&path) {
                    return pattern.as_str().contains("..") && pattern.matches(&path);
                }
                pattern.matches(&path)
                    || (!path.starts_with(['/', '~']) && pattern.matches(&format!("./{path}")))
            }
            Self::Address(address) => address::covers(pattern.as_str(), address),
            Self::Text(text) => pattern.matches(text),
            // JSON is meant only at the beginning; otherwise any member could hold what a path should.
            Self::Json(json) => pattern.as_str().starts_with('{') && pattern.matches(json),
        }
    }
}

fn of_members(members: &Map<String, Value>) -> Vec<Subject> {
    let mut found = Vec::new();
    for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
        match members::known(name) {
            Some(Member::Command) => found.push(command(value, members.get("args"))),
            Some(Member::Path) => each(value, Subject::Path, &mut found),
            Some(Member::Directory) => each(value, Subject::Directory, &mut found),
            Some(Member::Address) => each(value, Subject::Address, &mut found),
            Some(Member::Pattern) => {
                let text = |text: String| match super::place::reaches_out(&text) {
                    true => Subject::Path(text),
                    false => Subject::Text(text),
                };
                each(value, text, &mut found);
            }
            Some(Member::Changes) => changes(value, &mut found),
            Some(Member::Content) | None => {}
        }
    }
    let is_verb = |subject: &Subject| matches!(subject, Subject::Command { script, .. } if VERBS.contains(&script.as_str()));
    if found.iter().any(|subject| matches!(subject, Subject::Path(_))) {
        found.retain(|subject| !is_verb(subject));
    }
    // Without any of these the input counts as a whole.
    if !found.is_empty() {
        for (name, value) in
            members.iter().filter(|(name, _)| *name != "args" && members::known(name).is_none())
        {
            other(name, value, &mut found);
        }
    }
    found
}

/// A member whose name is not known, if it may say what else the call is about.
fn other(name: &str, value: &Value, found: &mut Vec<Subject>) {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
        Value::String(text) if text.contains("://") => found.push(Subject::Address(text.clone())),
        Value::String(text) if members::may_be_place(name, text) => found.push(Subject::Path(text.clone())),
        Value::String(_) => {}
        Value::Array(values) => values.iter().for_each(|value| other(name, value, found)),
        Value::Object(inner) => {
            // All of it must be known, or be a switch or a number.
            let is_plain = |(name, value): (&String, &Value)| {
                members::known(name) == Some(Member::Content)
                    || !(value.is_string() || value.is_array() || value.is_object())
            };
            if !inner.iter().all(is_plain) {
                found.push(Subject::Json(value.to_string()));
            }
        }
    }
}

/// One subject for each of these texts. Other values are there as they are, so that they are not overlooked.
fn each(value: &Value, subject: impl Fn(String) -> Subject, found: &mut Vec<Subject>) {
    let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    found.extend(values.iter().map(|value| match value {
        Value::String(text) => subject(text.clone()),
        other => Subject::Json(other.to_string()),
    }));
}

fn line(text: &str) -> Subject {
    Subject::Command { script: text.to_owned(), whole: text.to_owned(), readings: Readings::of_line(text) }
}

/// A command line, or the words of one.
fn command(value: &Value, args: Option<&Value>) -> Subject {
    let strings = |values: &[Value]| -> Option<Vec<String>> {
        values.iter().map(|value| value.as_str().map(str::to_owned)).collect()
    };
    let words: Option<Vec<String>> = match (value, args) {
        (Value::String(text), None | Some(Value::Null)) => return line(text),
        (Value::String(program), Some(Value::Array(args))) => {
            strings(args).map(|args| std::iter::once(program.clone()).chain(args).collect())
        }
        (Value::Array(words), None | Some(Value::Null)) => strings(words),
        _ => None,
    };
    let Some(words) = words else { return Subject::Json(value.to_string()) };
    let (whole, readings) = (words.join(" "), Readings::of_words(&words));
    let script = match words.as_slice() {
        [shell, option, script] if is_shell(shell) && takes_script(option) => script.clone(),
        _ => whole.clone(),
    };
    Subject::Command { script, whole, readings }
}

/// Changes of files: a list of them with their paths, or by their paths.
fn changes(value: &Value, found: &mut Vec<Subject>) {
    match value {
        Value::Array(list) => {
            for change in list {
                let before = found.len();
                paths_of(change, found);
                if found.len() == before {
                    found.push(Subject::Json(change.to_string()));
                }
            }
        }
        Value::Object(by_path) => {
            for (path, change) in by_path {
                found.push(Subject::Path(path.clone()));
                paths_of(change, found);
            }
        }
        other => found.push(Subject::Json(other.to_string())),
    }
}

/// Adds the path of a change, and the one it moves a file to.
fn paths_of(change: &Value, found: &mut Vec<Subject>) {
    for place in [Some(change), change.get("kind"), change.get("update")].into_iter().flatten() {
        for (name, path) in place.as_object().into_iter().flatten().filter(|(_, path)| !path.is_null()) {
            if members::known(name) == Some(Member::Path) {
                each(path, Subject::Path, found);
            }
        }
    }
}

/// Input that is but a text.
fn of_kind(kind: ToolKind, text: &str) -> Subject {
    if kind == ToolKind::Execute {
        return line(text);
    }
    let text = text.to_owned();
    match kind {
        ToolKind::Read | ToolKind::Edit | ToolKind::Delete | ToolKind::Move | ToolKind::Search => {
            Subject::Path(text)
        }
        ToolKind::Fetch => Subject::Address(text),
        ToolKind::Execute | ToolKind::Think | ToolKind::SwitchMode | ToolKind::Other => Subject::Text(text),
    }
}

/// Files whose changes are shown.
fn changed(parts: &[MessagePart]) -> impl Iterator<Item = &str> {
    parts.iter().filter_map(|part| match part {
        MessagePart::File { path: Some(path), diff: Some(_), .. } => Some(path.as_str()),
        _ => None,
    })
}
