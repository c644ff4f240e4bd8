//! The script language: reads the text of a prompt as commands, one per line.

use super::catalog::{CATALOG, Entry};
use agent_client_protocol_schema::v1::{Error, StopReason, ToolKind};
use serde_json::value::RawValue;
use std::time::Duration;

/// A part of a script.
#[derive(Debug)]
pub(super) enum Line {
    /// A command, and what follows its name.
    Command(&'static Entry, String),
    /// Lines that are no commands.
    Echo(String),
}

/// Reads the text of a prompt. Lines that are no commands are answered together as far as they stand together.
pub(super) fn parse(text: &str) -> Vec<Line> {
    let mut script = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match (command(line), script.last_mut()) {
            (Some(command), _) => script.push(command),
            (None, Some(Line::Echo(before))) => {
                before.push('\n');
                before.push_str(line);
            }
            (None, _) => script.push(Line::Echo(line.to_owned())),
        }
    }
    script
}

/// The command of a line; a slash before its name makes no difference.
fn command(line: &str) -> Option<Line> {
    let (name, rest) = split_word(line);
    let name = name.strip_prefix('/').unwrap_or(name);
    let entry = CATALOG.iter().find(|entry| entry.name == name)?;
    Some(Line::Command(entry, rest.to_owned()))
}

/// The first word, and what follows it.
pub(super) fn split_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim_start())
}

/// The text, unless it is empty.
pub(super) fn some(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

/// `MS`: a number of milliseconds, at most a day.
pub(super) fn milliseconds(text: &str) -> Option<Duration> {
    const DAY: u64 = 24 * 60 * 60 * 1000;
    text.parse().ok().filter(|milliseconds| *milliseconds <= DAY).map(Duration::from_millis)
}

/// `[every MS]`.
pub(super) fn every(text: &str) -> Option<Option<Duration>> {
    match split_word(text) {
        ("", _) => Some(None),
        ("every", rest) => milliseconds(rest).map(Some),
        _ => None,
    }
}

/// `BYTES` of one line: at most 256 MiB, as it is made in memory.
pub(super) fn bytes(text: &str) -> Option<usize> {
    text.parse().ok().filter(|bytes| *bytes <= 256 << 20)
}

/// `N [BYTES]` and what follows.
pub(super) fn amount(text: &str) -> Option<(u64, usize, &str)> {
    let (count, rest) = split_word(text);
    let count = count.parse().ok()?;
    let (word, after) = split_word(rest);
    match bytes(word) {
        Some(bytes) => Some((count, bytes, after)),
        None => Some((count, 0, rest)),
    }
}

/// A kind of tool by its name in the protocol.
pub(super) fn tool_kind(name: &str) -> Option<ToolKind> {
    let kind = serde_json::from_value(name.into()).ok();
    // The protocol reads an unknown kind as this one.
    kind.filter(|kind| *kind != ToolKind::Other || name == "other")
}

/// The stop reason of a turn. `cancelled` is not among them: only a client can cancel.
pub(super) fn stop_reason(name: &str) -> Option<StopReason> {
    serde_json::from_value(name.into()).ok().filter(|reason| *reason != StopReason::Cancelled)
}

/// `[CODE] [MESSAGE]` of a JSON-RPC error.
pub(super) fn error(text: &str) -> Error {
    let (word, rest) = split_word(text);
    let (code, message) = word.parse::<i32>().map_or((-32603, text), |code| (code, rest));
    Error::new(code, some(message).unwrap_or("Scripted error"))
}

/// `METHOD [JSON]` of a message.
pub(super) fn message(text: &str) -> Option<(String, Option<Box<RawValue>>)> {
    let (method, params) = split_word(text);
    let params = some(params).map(|params| RawValue::from_string(params.to_owned())).transpose().ok()?;
    // JSON-RPC knows parameters by position and by name, nothing else.
    let structured = params.as_ref().is_none_or(|params| params.get().starts_with(['{', '[']));
    Some((some(method)?.to_owned(), params)).filter(|_| structured)
}
