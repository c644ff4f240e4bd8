//! What was said in a session, as text for an agent that no longer knows it.

use crate::log::Log;
use sa_api::sessions::{EventData, MessagePart, ParsedMessage, Role, UniversalEvent, UniversalMessage};

/// What can be told of a conversation.
#[derive(Debug, Default)]
pub(crate) enum History {
    /// Nothing was said.
    #[default]
    Nothing,
    /// This, the newest of it if it was too long.
    Text(String),
    /// It cannot be read.
    Unreadable,
}

const PREAMBLE: &str = "This conversation began earlier, and what you knew of it is gone. This is what was said, the \
newest last; go on from there.";
const PAGE: usize = 512;

/// The conversation without the message that begins this turn.
pub(crate) async fn of(log: &Log, current_turn: Option<&str>, limit: usize) -> History {
    let mut said: Vec<(String, String)> = Vec::new();
    let mut after = 0;
    loop {
        let lines = match log.read(after, PAGE).await {
            Ok(lines) => lines,
            Err(error) => {
                tracing::error!(%error, "the conversation cannot be read");
                return History::Unreadable;
            }
        };
        let Some(last) = lines.last() else { break };
        after = last.id;
        for line in &lines {
            if let Ok(event) = serde_json::from_slice::<UniversalEvent>(&line.json)
                && let EventData::Message(UniversalMessage::Parsed(message)) = event.data
                && let Some(text) = text_of(&message, current_turn)
            {
                // A later message of the same id replaces the earlier one.
                match said.iter_mut().rev().take(PAGE).find(|(id, _)| *id == message.id) {
                    Some(earlier) => earlier.1 = text,
                    None => said.push((message.id, text)),
                }
            }
        }
    }
    let mut chosen = Vec::new();
    let mut length = 0;
    for (_, text) in said.iter().rev() {
        length += text.len();
        if length > limit {
            break;
        }
        chosen.push(text.as_str());
    }
    if chosen.is_empty() {
        return History::Nothing;
    }
    chosen.push(PREAMBLE);
    chosen.reverse();
    History::Text(chosen.join("\n\n"))
}

fn text_of(message: &ParsedMessage, current_turn: Option<&str>) -> Option<String> {
    let turn = message.metadata.get("turnId").and_then(|turn| turn.as_str());
    if turn.is_some() && turn == current_turn {
        return None;
    }
    let pieces = message.parts.iter().filter_map(|part| match part {
        MessagePart::Text { text } => Some(text.clone()),
        MessagePart::ToolCall { title, .. } => Some(format!("[{title}]")),
        MessagePart::File { path: Some(path), .. } => Some(format!("[file {path}]")),
        _ => None,
    });
    let text = pieces.collect::<Vec<_>>().join("\n");
    let who = match message.role {
        Role::User => "User",
        Role::Assistant => "You",
    };
    (!text.trim().is_empty()).then(|| format!("{who}: {text}"))
}
