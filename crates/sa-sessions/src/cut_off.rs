//! Messages that were still being written when the daemon ended: told in pieces, never as a whole.

use crate::log::Log;
use sa_api::sessions::{
    DeltaKind, EventData, MessageDelta, MessagePart, ParsedMessage, Role, UniversalEvent, UniversalMessage,
};
use serde_json::{Map, Value};

const PAGE: usize = 512;

/// The messages of a turn whose newest pieces no whole message has, as far as they came. Their metadata says that they are
/// `cutOff`.
pub(crate) async fn messages(log: &Log, turn_after: u64) -> Vec<EventData> {
    let mut unfinished = Unfinished::default();
    let mut after = turn_after;
    loop {
        let lines = match log.read(after, PAGE).await {
            Ok(lines) => lines,
            Err(error) => {
                tracing::error!(%error, "what an agent said last cannot be read");
                return Vec::new();
            }
        };
        let Some(last) = lines.last() else { break };
        after = last.id;
        for line in &lines {
            if let Ok(event) = serde_json::from_slice::<UniversalEvent>(&line.json) {
                unfinished.read(event.data);
            }
        }
    }
    unfinished.told()
}

#[derive(Default)]
struct Unfinished {
    turn: Option<String>,
    /// Messages, and whether pieces came that the log does not have as a whole.
    messages: Vec<(ParsedMessage, bool)>,
}

impl Unfinished {
    fn read(&mut self, event: EventData) {
        match event {
            EventData::TurnStarted(started) => self.turn = Some(started.turn_id),
            EventData::Message(UniversalMessage::Parsed(message)) => {
                self.messages.retain(|(known, _)| known.id != message.id);
                self.messages.push((message, false));
            }
            EventData::MessageDelta(delta) => self.append(delta),
            _ => {}
        }
    }

    fn append(&mut self, delta: MessageDelta) {
        let at = self.messages.iter().position(|(message, _)| message.id == delta.message_id);
        let at = at.unwrap_or_else(|| {
            let mut metadata = Map::new();
            let names = [("turnId", self.turn.clone()), ("parentId", delta.parent_id.clone())];
            metadata.extend(names.into_iter().filter_map(|(name, id)| Some((name.to_owned(), id?.into()))));
            let id = delta.message_id.clone();
            self.messages
                .push((ParsedMessage { id, role: Role::Assistant, parts: Vec::new(), metadata }, true));
            self.messages.len() - 1
        });
        let Some((message, open)) = self.messages.get_mut(at) else { return };
        *open = true;
        match (delta.kind, message.parts.last_mut()) {
            (DeltaKind::Text, Some(MessagePart::Text { text }))
            | (DeltaKind::Reasoning, Some(MessagePart::Reasoning { text })) => text.push_str(&delta.text),
            (DeltaKind::Text, _) => message.parts.push(MessagePart::Text { text: delta.text }),
            (DeltaKind::Reasoning, _) => message.parts.push(MessagePart::Reasoning { text: delta.text }),
        }
    }

    fn told(self) -> Vec<EventData> {
        let open = self.messages.into_iter().filter(|(_, open)| *open);
        open.map(|(mut message, _)| {
            message.metadata.insert("cutOff".to_owned(), Value::Bool(true));
            EventData::Message(UniversalMessage::Parsed(message))
        })
        .collect()
    }
}
