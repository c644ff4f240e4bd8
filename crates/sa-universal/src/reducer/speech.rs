//! Messages that are being written.

use crate::json::{self, Fields, Object};
use crate::names::{self, Claimed, Names};
use crate::{blocks, carrier};
use sa_api::sessions::{
    DeltaKind, EventData, MessageDelta, MessagePart, ParsedMessage, Role, UniversalMessage, UnknownRole,
    UnparsedMessage,
};
use serde_json::{Value, json};

/// A message that is longer than this is closed, and continues as a new one.
pub const MAX_MESSAGE: usize = 8 << 20;

/// Sub-agents whose messages may be open at the same time.
const MAX_OPEN: usize = 32;

/// Whose piece it is, and what kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChunkKind {
    User,
    Agent,
    Thought,
}

impl ChunkKind {
    fn role(self) -> Role {
        if self == Self::User { Role::User } else { Role::Assistant }
    }
}

/// A message that is being written.
#[derive(Debug)]
struct Open {
    message: ParsedMessage,
    /// Before any `~2`.
    base: String,
    /// True if the agent gave the id: then other updates do not end the message.
    named: bool,
    parent: Option<String>,
    size: usize,
    /// True if the log does not have the newest state.
    changed: bool,
}

impl Open {
    fn told(&mut self) -> Option<EventData> {
        if !std::mem::take(&mut self.changed) {
            return None;
        }
        Some(EventData::Message(UniversalMessage::Parsed(self.message.clone())))
    }

    fn append(&mut self, part: MessagePart, size: usize) -> Appended {
        let (kind, text) = match &part {
            MessagePart::Text { text } => (DeltaKind::Text, text.clone()),
            MessagePart::Reasoning { text } => (DeltaKind::Reasoning, text.clone()),
            _ => {
                self.size += size;
                self.changed = true;
                self.message.parts.push(part);
                return Appended::Other;
            }
        };
        if text.is_empty() {
            return Appended::Nothing;
        }
        self.size += size;
        self.changed = true;
        match (self.message.parts.last_mut(), part) {
            (Some(MessagePart::Text { text: last }), MessagePart::Text { text: more })
            | (Some(MessagePart::Reasoning { text: last }), MessagePart::Reasoning { text: more }) => {
                last.push_str(&more);
            }
            (_, part) => self.message.parts.push(part),
        }
        Appended::Text(kind, text)
    }

    /// Keeps the additions to the pieces.
    fn note(&mut self, beside: Object) {
        if beside.is_empty() {
            return;
        }
        let before = self.message.metadata.clone();
        super::note(&mut self.message.metadata, beside);
        self.changed |= self.message.metadata != before;
    }
}

/// Result of appending to a part.
enum Appended {
    Text(DeltaKind, String),
    Other,
    Nothing,
}

/// The open messages, one for the agent and one for each of its sub-agents.
#[derive(Debug, Default)]
pub(super) struct Speech {
    open: Vec<Open>,
    nameless: u64,
}

/// The message that a piece belongs to.
struct ChunkTarget<'a> {
    voice: ChunkKind,
    id: Option<&'a str>,
    parent: Option<String>,
}

impl Speech {
    /// A piece of a message.
    pub(super) fn chunk(
        &mut self,
        scope: &mut Scope<'_>,
        voice: ChunkKind,
        update: &Object,
    ) -> Vec<EventData> {
        let said =
            |content: &&Value| !content.is_null() && content.as_array().is_none_or(|list| !list.is_empty());
        let Some(content) = update.get("content").filter(said) else {
            let error = "a piece of a message without content".to_owned();
            return vec![unparsed(Value::Object(update.clone()), error)];
        };
        let parent = carrier::parent(update.get("_meta")).map(str::to_owned);
        let mut fields = Fields::new(update, &["sessionUpdate", "content"]);
        let id = fields.text("messageId").filter(|id| !id.is_empty());
        let beside = fields.rest();
        // Agents end messages with nothing; that is no beginning of another.
        if beside.is_empty() && *content == json!({ "type": "text", "text": "" }) {
            return Vec::new();
        }
        let place = ChunkTarget { voice, id: id.as_deref(), parent };
        let mut events = Vec::new();
        let contents = match content {
            Value::Array(blocks) => blocks.as_slice(),
            one => std::slice::from_ref(one),
        };
        for block in contents {
            self.piece(scope, &place, block, &mut events);
        }
        if let Some(open) = self.open.iter_mut().find(|open| open.parent == place.parent) {
            open.note(beside);
        }
        events
    }

    fn piece(
        &mut self,
        scope: &mut Scope<'_>,
        place: &ChunkTarget<'_>,
        block: &Value,
        events: &mut Vec<EventData>,
    ) {
        let is_thought = place.voice == ChunkKind::Thought;
        let (part, beside) = blocks::part(block);
        let part = match part {
            MessagePart::Text { text } if is_thought => MessagePart::Reasoning { text },
            // Thoughts that are not in words have no form of their own.
            _ if is_thought => MessagePart::Unknown {
                raw: json!({ "sessionUpdate": "agent_thought_chunk", "content": block }),
            },
            part => part,
        };
        let size = match &part {
            MessagePart::Text { text } | MessagePart::Reasoning { text } => text.len(),
            other => serde_json::to_value(other).map_or(0, |value| json::weight(&value)),
        };
        let index = self.at(scope, place, size, events);
        let Some(open) = self.open.get_mut(index) else { return };
        open.note(beside);
        match open.append(part, size) {
            Appended::Text(kind, text) if open.message.role == Role::Assistant => {
                events.push(EventData::MessageDelta(MessageDelta {
                    message_id: open.message.id.clone(),
                    kind,
                    text,
                    parent_id: open.parent.clone(),
                }));
            }
            // Only text has deltas: the message is reported as it is now.
            Appended::Other => events.extend(open.told()),
            Appended::Text(..) | Appended::Nothing => {}
        }
    }

    /// The open message that a piece of that size belongs to.
    fn at(
        &mut self,
        scope: &mut Scope<'_>,
        place: &ChunkTarget<'_>,
        size: usize,
        events: &mut Vec<EventData>,
    ) -> usize {
        let role = place.voice.role();
        let base = place.id.map(|id| names::of_message(role, id));
        let found = self.open.iter().position(|open| open.parent == place.parent);
        let mut follows = None;
        if let Some(index) = found
            && let Some(open) = self.open.get(index)
        {
            let same = open.message.role == role
                && if open.named { Some(&open.base) == base.as_ref() } else { base.is_none() };
            if same && (open.size == 0 || open.size + size <= MAX_MESSAGE) {
                return index;
            }
            follows = same.then(|| open.base.clone());
            events.extend(self.open.remove(index).told());
        }
        events.extend(self.flush());
        if self.open.len() >= MAX_OPEN {
            self.open.remove(0);
        }
        let named = base.is_some();
        let base = base.or(follows).unwrap_or_else(|| self.nameless(scope, role));
        let Claimed { id, continues } = scope.names.claim(&base);
        let mut metadata = scope.metadata(place.parent.as_deref());
        json::put(&mut metadata, "continues", continues);
        let message = ParsedMessage { id, role, parts: Vec::new(), metadata };
        let parent = place.parent.clone();
        self.open.push(Open { message, base, named, parent, size: 0, changed: false });
        self.open.len() - 1
    }

    fn nameless(&mut self, scope: &Scope<'_>, role: Role) -> String {
        self.nameless += 1;
        let place = scope.turn.unwrap_or(scope.name);
        names::of_message(role, &format!("{place}.{}", self.nameless))
    }

    /// Reports the newest state of what is open, and leaves it open.
    pub(super) fn flush(&mut self) -> Vec<EventData> {
        self.open.iter_mut().filter_map(Open::told).collect()
    }

    /// Something else comes: open messages are reported, and those without an id of the agent end.
    pub(super) fn interrupt(&mut self, parent: Option<&str>) -> Vec<EventData> {
        let events = self.flush();
        self.open.retain(|open| open.named || open.parent.as_deref() != parent);
        events
    }

    /// Ends all messages.
    pub(super) fn close(&mut self) -> Vec<EventData> {
        let events = self.flush();
        self.open.clear();
        events
    }
}

/// The place of messages, and the ids that they can have.
#[derive(Debug)]
pub(super) struct Scope<'a> {
    pub(super) names: &'a mut Names,
    pub(super) name: &'a str,
    pub(super) turn: Option<&'a str>,
}

impl Scope<'_> {
    pub(super) fn metadata(&self, parent: Option<&str>) -> Object {
        let mut metadata = Object::new();
        json::put(&mut metadata, "turnId", self.turn);
        json::put(&mut metadata, "parentId", parent);
        metadata
    }
}

pub(super) fn unparsed(raw: Value, error: String) -> EventData {
    EventData::Message(UniversalMessage::Unparsed(UnparsedMessage { role: UnknownRole::Unknown, raw, error }))
}
