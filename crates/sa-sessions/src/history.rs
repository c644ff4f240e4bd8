//! The conversation of a session, as text for an agent that no longer knows it.

use crate::log::Log;
use sa_api::sessions::{EventData, MessagePart, ParsedMessage, Role, UniversalMessage};
use std::collections::{HashSet, VecDeque};

/// A conversation as text.
#[derive(Debug, Default)]
pub(crate) enum History {
    /// Nothing was said.
    #[default]
    Nothing,
    /// This, the newest of it if it was too long.
    Text(String),
    /// A history that cannot be read.
    Unreadable,
}

/// Stands between the message that the agent is to work on and what was said before it.
const PREAMBLE: &str = "The message above continues a conversation that you no longer have. It is given here for context, \
oldest first:";
/// Stands for what was left out of a message.
const CUT: &str = " […]";

/// The conversation without the message that begins this turn, and without those that still wait for theirs.
pub(crate) async fn of(log: &Log, current_turn: Option<&str>, limit: usize) -> History {
    let mut said = Said::new(limit);
    if let Err(error) = log.scan(0, |event, _| said.read(event)).await {
        tracing::error!(%error, "the conversation cannot be read");
        return History::Unreadable;
    }
    said.into_history(current_turn)
}

/// The newest of what was said, up to a limit.
struct Said {
    limit: usize,
    bytes: usize,
    messages: VecDeque<Message>,
    /// Turns that were begun: what was said for others is still to be given to the agent.
    begun: HashSet<String>,
}

struct Message {
    id: String,
    /// The turn of a user's message.
    turn: Option<String>,
    text: String,
}

impl Said {
    fn new(limit: usize) -> Self {
        Self { limit, bytes: 0, messages: VecDeque::new(), begun: HashSet::new() }
    }

    fn read(&mut self, event: EventData) {
        match event {
            EventData::TurnStarted(started) => {
                self.begun.insert(started.turn_id);
            }
            EventData::Message(UniversalMessage::Parsed(message)) => {
                if let Some(text) = text_of(&message) {
                    self.add(message, shortened(text, self.limit));
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, message: ParsedMessage, text: String) {
        self.bytes += text.len();
        // A later message of the same id replaces the earlier one.
        match self.messages.iter_mut().rev().find(|earlier| earlier.id == message.id) {
            Some(earlier) => {
                self.bytes -= earlier.text.len();
                earlier.text = text;
            }
            None => {
                let turn = (message.role == Role::User).then(|| {
                    message.metadata.get("turnId").and_then(|turn| turn.as_str()).map(str::to_owned)
                });
                self.messages.push_back(Message { id: message.id, turn: turn.flatten(), text });
            }
        }
        while self.bytes > self.limit && self.messages.len() > 1 {
            if let Some(oldest) = self.messages.pop_front() {
                self.bytes -= oldest.text.len();
            }
        }
    }

    fn into_history(self, current_turn: Option<&str>) -> History {
        let begun = |turn: &String| self.begun.contains(turn) && Some(turn.as_str()) != current_turn;
        let earlier = self.messages.iter().filter(|message| message.turn.as_ref().is_none_or(begun));
        let texts: Vec<&str> =
            std::iter::once(PREAMBLE).chain(earlier.map(|message| message.text.as_str())).collect();
        if texts.len() == 1 { History::Nothing } else { History::Text(texts.join("\n\n")) }
    }
}

/// The beginning of a text that alone would be too much.
fn shortened(mut text: String, limit: usize) -> String {
    if text.len() > limit {
        text.truncate(text.floor_char_boundary(limit.saturating_sub(CUT.len())));
        text.push_str(CUT);
    }
    text
}

fn text_of(message: &ParsedMessage) -> Option<String> {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use sa_api::sessions::TurnStarted;
    use serde_json::json;

    fn message(id: &str, role: Role, turn: &str, text: &str) -> EventData {
        let metadata = [("turnId".to_owned(), json!(turn))].into_iter().collect();
        let parts = vec![MessagePart::Text { text: text.to_owned() }];
        EventData::Message(UniversalMessage::Parsed(ParsedMessage {
            id: id.to_owned(),
            role,
            parts,
            metadata,
        }))
    }

    fn begun(turn: &str) -> EventData {
        EventData::TurnStarted(TurnStarted { turn_id: turn.to_owned(), message_id: None })
    }

    fn text_after(events: Vec<EventData>, current: Option<&str>, limit: usize) -> String {
        let mut said = Said::new(limit);
        events.into_iter().for_each(|event| said.read(event));
        match said.into_history(current) {
            History::Text(text) => text.strip_prefix(PREAMBLE).unwrap().replace("\n\n", "|"),
            History::Nothing => String::new(),
            History::Unreadable => panic!("it was read"),
        }
    }

    #[test]
    fn waiting_messages_are_left_out() {
        let events = vec![
            message("1", Role::User, "a", "first"),
            begun("a"),
            message("2", Role::Assistant, "a", "yes"),
            message("3", Role::User, "b", "now"),
            message("4", Role::User, "c", "later"),
            begun("b"),
        ];
        assert_eq!(text_after(events, Some("b"), 1000), "|User: first|You: yes");
    }

    #[test]
    fn the_newest_message_is_kept_however_long_it_is() {
        let events = vec![
            message("1", Role::User, "a", "first"),
            begun("a"),
            message("2", Role::Assistant, "a", "part"),
            message("2", Role::Assistant, "a", &"ä".repeat(500)),
        ];
        let text = text_after(events, None, 100);
        assert!(text.starts_with("|You: ää") && text.ends_with("ä […]") && text.len() <= 101, "{text}");
        assert_eq!(text_after(Vec::new(), None, 100), "");
    }
}
