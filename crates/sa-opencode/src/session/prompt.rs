//! Prompts in the server's own form.

use super::Session;
use super::commands::COMPACT;
use sa_acp::PromptPart;
use serde_json::{Value, json};

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
    /// Takes commands for what they are. What looks like one and is none is a prompt.
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
}
