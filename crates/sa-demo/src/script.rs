//! The script language: reads the text of a prompt as commands, one per line.

use super::catalogue::{CATALOGUE, Entry};
use super::config::Select;
use super::content::Sample;
use super::faults::Garbage;
use super::questions::Variant;
use agent_client_protocol_schema::v1::{NoticeSeverity, StopReason, ToolKind};
use serde_json::value::RawValue;
use std::time::Duration;

/// One line of a script, understood.
#[derive(Debug)]
pub(super) enum Command {
    Help,
    Say(String),
    Stream {
        count: u64,
        bytes: usize,
        every: Option<Duration>,
    },
    Think(String),
    Read(String),
    Edit(String),
    Run(String),
    Tool {
        kind: ToolKind,
        title: String,
    },
    Fail(String),
    Permission(String),
    LeavePlan,
    Question(Variant),
    Plan(Option<Duration>),
    Tour,
    Image,
    Send(Sample),
    Usage,
    Title(String),
    Choose(Select, String),
    Config,
    Commands,
    Mcp,
    Env {
        name: String,
        expected: Option<String>,
    },
    Cwd,
    Notice(NoticeSeverity, String),
    Compact,
    Sleep(Duration),
    Hang,
    IgnoreCancel(Duration),
    Silent(Duration),
    Stop(StopReason),
    Error {
        code: i32,
        message: String,
    },
    Crash(u8),
    Abort,
    Garbage(Garbage),
    Big(usize),
    Flood {
        count: u64,
        bytes: usize,
    },
    Stderr(String),
    CloseStdout,
    Deaf,
    Ext {
        method: String,
        params: Option<Box<RawValue>>,
    },
    Ask {
        method: String,
        params: Option<Box<RawValue>>,
    },
    /// A command whose arguments do not fit.
    Misused(&'static Entry),
    /// Text that is no command.
    Echo(String),
}

/// Reads the text of a prompt. Lines that are no commands are answered together as far as they stand together.
pub(super) fn parse(text: &str) -> Vec<Command> {
    let mut commands = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match (parse_line(line), commands.last_mut()) {
            (Some(command), _) => commands.push(command),
            (None, Some(Command::Echo(before))) => {
                before.push('\n');
                before.push_str(line);
            }
            (None, _) => commands.push(Command::Echo(line.to_owned())),
        }
    }
    commands
}

/// The command of a line; a slash before its name makes no difference.
fn parse_line(line: &str) -> Option<Command> {
    let (name, rest) = split_word(line);
    let name = name.strip_prefix('/').unwrap_or(name);
    let entry = CATALOGUE.iter().find(|entry| entry.name == name)?;
    Some((entry.parse)(rest).unwrap_or(Command::Misused(entry)))
}

/// The first word, and what follows it.
fn split_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim_start())
}

/// The text, unless it is empty.
pub(super) fn some(text: &str) -> Option<String> {
    Some(text.to_owned()).filter(|text| !text.is_empty())
}

/// The text, or another if it is empty.
pub(super) fn or(text: &str, default: &str) -> String {
    some(text).unwrap_or_else(|| default.to_owned())
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

/// `KIND [TITLE]` of a tool.
pub(super) fn tool(text: &str) -> Option<Command> {
    let (kind, title) = split_word(text);
    let kind = tool_kind(kind)?;
    Some(Command::Tool { kind, title: or(title, "A tool of the demo agent") })
}

/// A kind of tool by its name in the protocol.
pub(super) fn tool_kind(name: &str) -> Option<ToolKind> {
    Some(match name {
        "read" => ToolKind::Read,
        "edit" => ToolKind::Edit,
        "delete" => ToolKind::Delete,
        "move" => ToolKind::Move,
        "search" => ToolKind::Search,
        "execute" => ToolKind::Execute,
        "think" => ToolKind::Think,
        "fetch" => ToolKind::Fetch,
        "switch_mode" => ToolKind::SwitchMode,
        "other" => ToolKind::Other,
        _ => return None,
    })
}

/// Why a turn ends. `cancelled` is not among them: only a client can cancel.
pub(super) fn stop_reason(name: &str) -> Option<StopReason> {
    Some(match name {
        "end_turn" => StopReason::EndTurn,
        "max_tokens" => StopReason::MaxTokens,
        "max_turn_requests" => StopReason::MaxTurnRequests,
        "refusal" => StopReason::Refusal,
        _ => return None,
    })
}

/// `[CODE] [MESSAGE]` of a JSON-RPC error.
pub(super) fn error(text: &str) -> Command {
    let (word, rest) = split_word(text);
    let (code, message) = word.parse().map_or((-32603, text), |code| (code, rest));
    Command::Error { code, message: or(message, "Scripted error") }
}

/// `NAME [VALUE]` of an environment variable.
pub(super) fn env(text: &str) -> Option<Command> {
    let (name, expected) = split_word(text);
    Some(Command::Env { name: some(name)?, expected: some(expected) })
}

/// `[SEVERITY] TEXT` of a notice.
pub(super) fn notice(text: &str) -> Option<Command> {
    let (word, rest) = split_word(text);
    let severity = match word {
        "info" => NoticeSeverity::Info,
        "warning" => NoticeSeverity::Warning,
        "error" => NoticeSeverity::Error,
        _ => return Some(Command::Notice(NoticeSeverity::Info, some(text)?)),
    };
    Some(Command::Notice(severity, some(rest)?))
}

/// `METHOD [JSON]` of a message.
pub(super) fn message(text: &str) -> Option<(String, Option<Box<RawValue>>)> {
    let (method, params) = split_word(text);
    let params = some(params).map(RawValue::from_string).transpose().ok()?;
    // JSON-RPC knows parameters by position and by name, nothing else.
    let structured = params.as_ref().is_none_or(|params| params.get().starts_with(['{', '[']));
    Some((some(method)?, params)).filter(|_| structured)
}
