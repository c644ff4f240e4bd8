//! What a tool call is about: the command, the files, the address that its input names.

use super::pattern::{OPERATORS, Pattern, covers};
use super::place::{climbs, is_within, normalised, reaches_out};
use sa_api::sessions::{MessagePart, PermissionRequest, ToolKind};
use serde_json::{Map, Value};
use url::Url;

const COMMANDS: [&str; 2] = ["command", "cmd"];

const PATHS: [&str; 24] = [
    "path",
    "paths",
    "file",
    "files",
    "file_path",
    "filePath",
    "filepath",
    "abs_path",
    "absolute_path",
    "notebook_path",
    "target_file",
    "target_path",
    "source",
    "source_path",
    "destination",
    "destination_path",
    "old_path",
    "oldPath",
    "new_path",
    "newPath",
    "move_path",
    "movePath",
    "from_path",
    "to_path",
];

/// Beside a command they say where it runs, otherwise what it is about.
const DIRECTORIES: [&str; 3] = ["directory", "dir_path", "dir"];

const ADDRESSES: [&str; 3] = ["url", "urls", "uri"];

/// What is looked for; beside a path they do not say where.
const TEXTS: [&str; 2] = ["pattern", "query"];

/// What an editor that is one tool calls what it does to the path beside it.
const VERBS: [&str; 5] = ["view", "create", "str_replace", "insert", "undo_edit"];

/// Shells, by the names under which nobody else is started.
const SHELLS: [&str; 5] = ["sh", "bash", "zsh", "dash", "ksh"];
const PROGRAMS: [&str; 4] = ["", "/bin/", "/usr/bin/", "/usr/local/bin/"];

/// One thing that a tool call is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Subject {
    /// What a shell is given, and all of what is started.
    Command {
        script: String,
        whole: String,
    },
    Path(String),
    /// The directory of something else, unless there is nothing else.
    Directory(String),
    Address(String),
    /// What is searched for.
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
    // What would be changed is told beside the input, and by the agent: a moved file is only there where it goes to.
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
    /// Whether a pattern matches it in whichever way it is written.
    pub(super) fn is_meant_by(&self, pattern: &Pattern) -> bool {
        match self {
            Self::Command { script, whole } => {
                let parts = script.split(OPERATORS).chain(whole.split(OPERATORS)).map(str::trim);
                [script.as_str(), whole, script.trim()]
                    .into_iter()
                    .chain(parts)
                    .any(|text| pattern.matches(text))
            }
            Self::Path(path) | Self::Directory(path) => {
                pattern.matches(path) || pattern.matches(&normalised(path))
            }
            Self::Address(address) => {
                pattern.matches(address) || Url::parse(address).is_ok_and(|url| pattern.matches(url.as_str()))
            }
            Self::Text(text) | Self::Json(text) => pattern.matches(text),
        }
    }

    /// Whether a pattern matches it however it is written: by what it leads to, not by how it is spelt.
    pub(super) fn is_covered_by(&self, pattern: &Pattern) -> bool {
        match self {
            Self::Command { script, .. } => covers(pattern.as_str(), script.trim(), &OPERATORS),
            Self::Path(path) | Self::Directory(path) => {
                let path = normalised(path);
                if climbs(&path) {
                    return pattern.as_str().contains("..") && pattern.matches(&path);
                }
                pattern.matches(&path)
                    || (!path.starts_with(['/', '~']) && pattern.matches(&format!("./{path}")))
            }
            Self::Address(address) => covers_address(pattern.as_str(), address),
            Self::Text(text) => pattern.matches(text),
            // Whoever means JSON begins with it; otherwise any member could hold what a path should.
            Self::Json(json) => pattern.as_str().starts_with('{') && pattern.matches(json),
        }
    }
}

fn of_members(members: &Map<String, Value>) -> Vec<Subject> {
    let mut found = Vec::new();
    for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
        let name = name.as_str();
        if COMMANDS.contains(&name) {
            found.push(command(value, members.get("args")));
        } else if PATHS.contains(&name) {
            each(value, Subject::Path, &mut found);
        } else if DIRECTORIES.contains(&name) {
            each(value, Subject::Directory, &mut found);
        } else if ADDRESSES.contains(&name) {
            each(value, Subject::Address, &mut found);
        } else if TEXTS.contains(&name) {
            let text =
                |text: String| if reaches_out(&text) { Subject::Path(text) } else { Subject::Text(text) };
            each(value, text, &mut found);
        } else if name == "changes" {
            changes(value, &mut found);
        }
    }
    let is_verb = |subject: &Subject| matches!(subject, Subject::Command { script, .. } if VERBS.contains(&script.as_str()));
    if found.iter().any(|subject| matches!(subject, Subject::Path(_))) {
        found.retain(|subject| !is_verb(subject));
    }
    found
}

/// One subject for each of these texts. What is no text is there as it is, so that it is not overlooked.
fn each(value: &Value, subject: impl Fn(String) -> Subject, found: &mut Vec<Subject>) {
    let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    found.extend(values.iter().map(|value| match value {
        Value::String(text) => subject(text.clone()),
        other => Subject::Json(other.to_string()),
    }));
}

/// A command line, or the words of one.
fn command(value: &Value, args: Option<&Value>) -> Subject {
    let strings = |values: &[Value]| -> Option<Vec<String>> {
        values.iter().map(|value| value.as_str().map(str::to_owned)).collect()
    };
    let words = match (value, args) {
        (Value::String(line), None | Some(Value::Null)) => {
            return Subject::Command { script: line.clone(), whole: line.clone() };
        }
        (Value::String(program), Some(Value::Array(args))) => {
            strings(args).map(|args| std::iter::once(program.clone()).chain(args).collect())
        }
        (Value::Array(words), None | Some(Value::Null)) => strings(words),
        _ => None,
    };
    let Some(words) = words else { return Subject::Json(value.to_string()) };
    let whole = words.join(" ");
    match words.as_slice() {
        [shell, option, script] if is_shell(shell) && takes_script(option) => {
            Subject::Command { script: script.clone(), whole }
        }
        _ => Subject::Command { script: whole.clone(), whole },
    }
}

/// A program of that name elsewhere could be anything.
fn is_shell(program: &str) -> bool {
    PROGRAMS.iter().any(|place| program.strip_prefix(place).is_some_and(|name| SHELLS.contains(&name)))
}

fn takes_script(option: &str) -> bool {
    let letters = option.strip_prefix('-').unwrap_or_default();
    letters.contains('c') && letters.chars().all(|c| "celiu".contains(c))
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

/// Where a change is made, and where it moves a file to.
fn paths_of(change: &Value, found: &mut Vec<Subject>) {
    for place in [Some(change), change.get("kind"), change.get("update")].into_iter().flatten() {
        for path in PATHS.iter().filter_map(|name| place.get(name)).filter(|path| !path.is_null()) {
            each(path, Subject::Path, found);
        }
    }
}

/// Input that is but a text.
fn of_kind(kind: ToolKind, text: &str) -> Subject {
    let text = text.to_owned();
    match kind {
        ToolKind::Execute => Subject::Command { script: text.clone(), whole: text },
        ToolKind::Read | ToolKind::Edit | ToolKind::Delete | ToolKind::Move | ToolKind::Search => {
            Subject::Path(text)
        }
        ToolKind::Fetch => Subject::Address(text),
        ToolKind::Think | ToolKind::SwitchMode | ToolKind::Other => Subject::Text(text),
    }
}

/// Files whose changes are shown.
fn changed(parts: &[MessagePart]) -> impl Iterator<Item = &str> {
    parts.iter().filter_map(|part| match part {
        MessagePart::File { path: Some(path), diff: Some(_), .. } => Some(path.as_str()),
        _ => None,
    })
}

/// Whether a pattern matches an address part by part: what stands for a host is not found in a path.
fn covers_address(pattern: &str, address: &str) -> bool {
    let Ok(url) = Url::parse(address) else { return false };
    // What comes before an `@` is easily taken for the host.
    if !url.username().is_empty() || url.password().is_some() {
        return false;
    }
    let (scheme, rest) = pattern.split_once("://").unwrap_or(("*", pattern));
    let (host, path) = match rest.split_once('/') {
        Some((host, path)) => (host, format!("/{path}")),
        None if rest.ends_with('*') => (rest, "*".to_owned()),
        None => (rest, "/".to_owned()),
    };
    let its_host = url.host_str().unwrap_or_default();
    let its_host = url.port().map_or_else(|| its_host.to_owned(), |port| format!("{its_host}:{port}"));
    let mut its_path = url.path().to_owned();
    for (mark, more) in [('?', url.query()), ('#', url.fragment())] {
        its_path.extend(more.into_iter().flat_map(|more| std::iter::once(mark).chain(more.chars())));
    }
    covers(scheme, url.scheme(), &[])
        && covers(&host.to_ascii_lowercase(), &its_host, &[])
        && covers(&path, &its_path, &[])
}
