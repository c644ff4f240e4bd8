//! Prompts in the server's own form, and slash commands: the server's own, and those that are requests of their own to it.

use super::Session;
use crate::core::Core;
use crate::native::about::Command;
use crate::native::call::Call;
use crate::replies::{Outcome, Then};
use agent_client_protocol_schema::v1::AvailableCommand;
use sa_acp::{PromptPart, command, one_line};
use serde_json::{Value, json};

/// Sums the conversation up.
const COMPACT: &str = "compact";

/// The work that a prompt asks for.
#[derive(Debug, PartialEq)]
pub(super) enum Work {
    Turn(Vec<Value>),
    Compact,
    /// A command with its arguments and files.
    Command(String, String, Vec<Value>),
}

fn message_part(part: PromptPart) -> Value {
    let image =
        |mime: &str, url: String| json!({ "type": "file", "mime": mime, "filename": "image", "url": url });
    match part {
        PromptPart::Text(text) => json!({ "type": "text", "text": text }),
        PromptPart::Image { media_type, data } => {
            image(&media_type, format!("data:{media_type};base64,{data}"))
        }
        PromptPart::ImageUrl(url) => image("image/*", url),
    }
}

impl Session {
    /// Recognizes commands. An unknown command is a prompt.
    pub(super) fn work_of(&self, parts: Vec<PromptPart>) -> Work {
        let parts: Vec<_> = parts.into_iter().map(message_part).collect();
        let line = parts.first().and_then(|part| part["text"].as_str()).and_then(|text| {
            let line = text.trim().strip_prefix('/')?;
            Some(line.split_once(char::is_whitespace).unwrap_or((line, "")))
        });
        let Some((name, rest)) = line else { return Work::Turn(parts) };
        if name == COMPACT && rest.trim().is_empty() {
            return Work::Compact;
        }
        if !self.commands.iter().any(|command| command.name == name) {
            return Work::Turn(parts);
        }
        let texts = parts.iter().skip(1).filter_map(|part| part["text"].as_str());
        let rest = std::iter::once(rest.trim()).chain(texts).collect::<Vec<_>>().join("\n");
        let name = name.to_owned();
        let files = parts.into_iter().filter(|part| part["type"] == "file").collect();
        Work::Command(name, rest.trim_end().to_owned(), files)
    }

    /// Asks again which commands there are: MCP servers bring some.
    pub(super) fn ask_commands(&self, core: &mut Core) {
        let call = Call::get("/command").within(&self.workspace.cwd);
        core.ask_soon(&call, Then::Commands(self.conversation.id.clone()));
    }

    pub(crate) fn on_commands(&mut self, core: &mut Core, outcome: &Outcome<'_>) {
        if let Ok(commands) = outcome.read::<Vec<Command>>() {
            self.commands = commands;
            self.conversation.report_commands(&mut core.io.client, self.available_commands());
        }
    }

    pub(super) fn available_commands(&self) -> Vec<AvailableCommand> {
        let mut commands = vec![command(COMPACT, "Sum the conversation up to make room", None)];
        let own = self.commands.iter().filter(|known| known.name != COMPACT);
        commands.extend(own.map(|known| {
            let about = known.description.as_deref().map(one_line).unwrap_or_default();
            let hint = (!known.hints.is_empty()).then_some("arguments");
            command(&known.name, &about, hint)
        }));
        commands
    }
}
