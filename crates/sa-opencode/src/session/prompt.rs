//! What a client asks for, in the server's own form.

use super::Session;
use super::commands::COMPACT;
use agent_client_protocol_schema::v1::Error;
use sa_acp::{Piece, invalid};
use serde_json::{Value, json};

/// What a prompt asks of the server.
#[derive(Debug, PartialEq)]
pub(super) enum Work {
    Turn(Vec<Value>),
    Compact,
    /// A command with its arguments and files.
    Command(String, String, Vec<Value>),
}

pub(super) fn part(piece: Piece) -> Result<Value, Error> {
    Ok(match piece {
        Piece::Text(text) => json!({ "type": "text", "text": text }),
        Piece::Image { media_type, data } => json!({
            "type": "file",
            "mime": media_type,
            "filename": "image",
            "url": format!("data:{media_type};base64,{data}"),
        }),
        Piece::ImageUrl(_) => {
            return Err(invalid("OpenCode takes no pictures by their address, only their data"));
        }
    })
}

impl Session {
    /// Takes commands for what they are. What looks like one and is none is a prompt.
    pub(super) fn work_of(&self, parts: Vec<Value>) -> Work {
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
