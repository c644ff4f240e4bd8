//! The actions of commands.

use super::action::{Action, Numbered};
use super::catalog::available_commands;
use super::config::Select;
use super::core::Core;
use super::script::{Line, milliseconds, some, split_word};
use super::session::Session;
use super::tools::update;
use agent_client_protocol_schema::v1::{
    AvailableCommandsUpdate, McpServer, MessageId, Notice, NoticeSeverity, SessionUpdate,
};
use sa_acp::Reply;
use serde_json::value::RawValue;
use std::time::Duration;

/// The context of a command.
pub(super) struct Stage<'a> {
    pub(super) session: &'a mut Session,
    pub(super) core: &'a Core,
    /// Descriptions of what came with the prompt apart from text.
    pub(super) attachments: &'a [String],
}

/// Turns the next line of a session's turn into actions.
pub(super) fn expand(line: &Line, stage: &mut Stage<'_>) -> Vec<Action> {
    match line {
        Line::Command(entry, rest) => (entry.run)(rest, stage)
            .unwrap_or_else(|| say(format!("Usage: `{}`: {}.", entry.usage(), entry.summary))),
        Line::Echo(words) if words.is_empty() && !stage.attachments.is_empty() => say(stage.received()),
        Line::Echo(words) => say(stage.echo(words)),
    }
}

pub(super) fn say(words: impl Into<String>) -> Vec<Action> {
    vec![Action::Say(words.into())]
}

/// Waits for so many milliseconds, and reports it.
pub(super) fn waited(time: &str, wait: fn(Duration) -> Action, did: &str) -> Option<Vec<Action>> {
    let time = milliseconds(time)?;
    Some(vec![wait(time), Action::Say(format!("I {did} for {} ms.", time.as_millis()))])
}

/// Returns the slash commands as clients see them.
pub(super) fn commands_update() -> SessionUpdate {
    SessionUpdate::AvailableCommandsUpdate(AvailableCommandsUpdate::new(available_commands()))
}

/// Returns what the client answered to `ask`.
pub(super) fn tell(method: &str, answer: Reply) -> Vec<Action> {
    say(match answer {
        Ok(result) => format!("{method} was answered: {}", result.get()),
        Err(error) => format!("{method} failed: {} {}", i32::from(error.code), error.message),
    })
}

pub(super) fn choose(select: Select, value: &str) -> Option<Vec<Action>> {
    let (setting, value) = (select.id(), some(value)?);
    if select.choices().iter().any(|(id, ..)| *id == value) {
        let told = format!("The {setting} is {value} now.");
        return Some(vec![Action::Choose(select, value.to_owned()), Action::Say(told)]);
    }
    let known: Vec<_> = select.choices().iter().map(|(id, ..)| *id).collect();
    Some(say(format!("There is no {setting} {value}, only {}.", known.join(", "))))
}

impl Stage<'_> {
    /// Numbered chunks of one message.
    pub(super) fn stream(&mut self, count: u64, bytes: usize, every: Option<Duration>) -> Vec<Action> {
        let message = MessageId::new(self.session.next_id("msg"));
        vec![Action::Numbered(Numbered { numbers: 1..=count, bytes, every, message, kept: true })]
    }

    /// The same without a pause, and without a trace in the history.
    pub(super) fn flood(&mut self, count: u64, bytes: usize) -> Vec<Action> {
        let message = MessageId::new(self.session.next_id("msg"));
        vec![Action::Numbered(Numbered { numbers: 1..=count, bytes, every: None, message, kept: false })]
    }

    /// Scripts cannot know the id of their session, so they write `$SESSION`.
    pub(super) fn fill_in(&self, params: Option<Box<RawValue>>) -> Option<Box<RawValue>> {
        let filled = params?.get().replace("$SESSION", &self.session.about.id.0);
        RawValue::from_string(filled).ok()
    }

    fn echo(&self, words: &str) -> String {
        let said = match words {
            "" => "You said nothing.".to_owned(),
            words => format!("You said: {words}"),
        };
        let model = self.session.about.settings.get(Select::Model);
        let effort = self.session.about.settings.get(Select::Effort);
        format!("{said}\n\nI am the demo agent ({model}, effort {effort}). Send `help` to see what I can do.")
    }

    /// `[SEVERITY] TEXT` of a notice.
    pub(super) fn notice(&self, text: &str) -> Option<Vec<Action>> {
        let (word, rest) = split_word(text);
        let (severity, words) = match word {
            "info" => (NoticeSeverity::Info, some(rest)?),
            "warning" => (NoticeSeverity::Warning, some(rest)?),
            "error" => (NoticeSeverity::Error, some(rest)?),
            _ => (NoticeSeverity::Info, some(text)?),
        };
        if self.core.client.handshake.shows_notices() {
            return Some(vec![update(SessionUpdate::Notice(Notice::new(severity, words)))]);
        }
        Some(say(format!("Notice: {words}")))
    }

    pub(super) fn received(&self) -> String {
        if self.attachments.is_empty() {
            return "Nothing came with the prompt but text.".to_owned();
        }
        let list: String = self.attachments.iter().map(|attachment| format!("\n- {attachment}")).collect();
        format!("This came with the prompt:{list}")
    }

    /// Names and places only: values of variables and headers may be secret.
    pub(super) fn mcp_servers(&self) -> String {
        let describe = |server: &McpServer| match server {
            McpServer::Http(server) => format!("\n- {}: http, {}", server.name, server.url),
            McpServer::Sse(server) => format!("\n- {}: sse, {}", server.name, server.url),
            McpServer::Stdio(server) => {
                let program = server.command.display().to_string();
                let command: Vec<_> = std::iter::once(program).chain(server.args.clone()).collect();
                let variables: Vec<_> = server.env.iter().map(|variable| variable.name.as_str()).collect();
                let with = match variables.as_slice() {
                    [] => String::new(),
                    some => format!(", with {}", some.join(", ")),
                };
                format!("\n- {}: stdio, {}{with}", server.name, command.join(" "))
            }
            _ => "\n- of an unknown kind".to_owned(),
        };
        match self.session.mcp_servers.as_slice() {
            [] => "No MCP servers were given.".to_owned(),
            some => format!("MCP servers:{}", some.iter().map(describe).collect::<String>()),
        }
    }

    /// Shows no values, which may be secret.
    pub(super) fn variable(&self, name: &str, expected: Option<&str>) -> String {
        let state = match ((self.core.host.env)(name), expected) {
            (None, _) => "is not set",
            (Some(_), None) => "is set",
            (Some(value), Some(expected)) if value == expected => "is set to that value",
            (Some(_), Some(_)) => "is set to another value",
        };
        format!("{name} {state}.")
    }

    pub(super) fn directories(&self) -> String {
        let more =
            self.session.about.additional_directories.iter().map(|path| format!("\n{}", path.display()));
        std::iter::once(self.session.about.cwd.display().to_string()).chain(more).collect()
    }
}
