//! Messages that were still being written when the daemon ended, or when a copy was made: in the log in pieces, never as a whole.
//!
//! The log is read once, and only what may still change is kept: for each sub-agent the message that it wrote last, and the tool
//! calls that run.

use crate::log::Log;
use sa_api::sessions::{
    DeltaKind, EventData, MessageDelta, MessagePart, ParsedMessage, Role, ToolContent, ToolStatus,
    UniversalMessage,
};
use serde_json::{Map, Value};
use std::collections::HashMap;
use tokio::sync::Semaphore;

/// Logs that are read at the same time, when many sessions recover at once.
static RECOVERIES: Semaphore = Semaphore::const_new(4);

/// Messages that are kept, and bytes of them. Beyond that, those that were written first stay in pieces.
const MOST: usize = 512;
const MOST_BYTES: usize = 32 << 20;

/// Returns the messages of a turn whose newest pieces no whole message has, as far as they came. Their metadata says that they
/// are `cutOff`.
pub(crate) async fn find(log: &Log, turn_after: u64) -> Vec<EventData> {
    // Never closed, so this waits and does not fail.
    let _turn = RECOVERIES.acquire().await;
    let mut open = OpenMessages::default();
    if let Err(error) = log.scan(turn_after, |event, bytes| open.read(&event, bytes)).await {
        tracing::error!(%error, "what an agent said last cannot be read");
        return Vec::new();
    }
    open.cut_off()
}

/// The messages of a session that are being written, as far as its log has been read.
#[derive(Default)]
pub(crate) struct OpenMessages {
    turn: Option<String>,
    open: HashMap<Writer, Open>,
    bytes: usize,
    count: u64,
}

/// Something that writes one message at a time.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Writer {
    /// The agent, or the sub-agent of a tool call.
    Speaker(Option<String>),
    /// A tool call, by its message.
    Tool(String),
}

struct Open {
    message: ParsedMessage,
    /// Pieces came that the log does not have as a whole.
    has_news: bool,
    /// Orders messages by when they began.
    number: u64,
    bytes: usize,
}

impl OpenMessages {
    /// Takes the next event of the log, which has so many bytes.
    pub(crate) fn read(&mut self, event: &EventData, bytes: usize) {
        match event {
            EventData::TurnStarted(started) => {
                self.clear();
                self.turn = Some(started.turn_id.clone());
            }
            EventData::TurnEnded(ended) if self.turn.as_ref() == Some(&ended.turn_id) => self.clear(),
            EventData::Message(UniversalMessage::Parsed(message)) if message.role == Role::Assistant => {
                self.replace(message, bytes);
            }
            EventData::MessageDelta(delta) => self.append(delta, bytes),
            _ => {}
        }
    }

    /// Returns the whole of each message that the log only has in pieces.
    pub(crate) fn cut_off(self) -> Vec<EventData> {
        let mut open: Vec<Open> = self.open.into_values().filter(|open| open.has_news).collect();
        open.sort_by_key(|open| open.number);
        let whole = open.into_iter().map(|mut open| {
            open.message.metadata.insert("cutOff".to_owned(), Value::Bool(true));
            EventData::Message(UniversalMessage::Parsed(open.message))
        });
        whole.collect()
    }

    /// A turn's end leaves nothing in pieces.
    fn clear(&mut self) {
        self.open.clear();
        (self.turn, self.bytes) = (None, 0);
    }

    /// Takes a whole message, which more pieces may follow.
    fn replace(&mut self, message: &ParsedMessage, bytes: usize) {
        let call = message.parts.iter().find_map(|part| match part {
            MessagePart::ToolCall { status, .. } => Some(*status),
            _ => None,
        });
        let writer = match call {
            Some(_) => Writer::Tool(message.id.clone()),
            None => {
                Writer::Speaker(message.metadata.get("parentId").and_then(Value::as_str).map(str::to_owned))
            }
        };
        self.remove(&writer);
        if !matches!(call, Some(ToolStatus::Completed | ToolStatus::Failed)) {
            self.insert(writer, message.clone(), bytes);
        }
    }

    fn append(&mut self, delta: &MessageDelta, bytes: usize) {
        let writer = match delta.kind {
            DeltaKind::Output => Writer::Tool(delta.message_id.clone()),
            DeltaKind::Text | DeltaKind::Reasoning => Writer::Speaker(delta.parent_id.clone()),
        };
        let is_known = self.open.get(&writer).is_some_and(|open| open.message.id == delta.message_id);
        if !is_known {
            // The output of a call is nothing without the call.
            if delta.kind == DeltaKind::Output {
                return;
            }
            self.remove(&writer);
            self.insert(writer.clone(), begun_by(delta, self.turn.clone()), 0);
        }
        let Some(open) = self.open.get_mut(&writer) else { return };
        open.add(delta);
        open.bytes += bytes;
        self.bytes += bytes;
        self.forget();
    }

    fn insert(&mut self, writer: Writer, message: ParsedMessage, bytes: usize) {
        self.count += 1;
        self.bytes += bytes;
        self.open.insert(writer, Open { message, has_news: false, number: self.count, bytes });
        self.forget();
    }

    fn remove(&mut self, writer: &Writer) {
        if let Some(open) = self.open.remove(writer) {
            self.bytes -= open.bytes;
        }
    }

    fn forget(&mut self) {
        while self.open.len() > MOST || (self.bytes > MOST_BYTES && self.open.len() > 1) {
            let oldest = self.open.iter().min_by_key(|(_, open)| (open.has_news, open.number));
            let Some(writer) = oldest.map(|(writer, _)| writer.clone()) else { return };
            self.remove(&writer);
        }
    }
}

impl Open {
    fn add(&mut self, delta: &MessageDelta) {
        self.has_news = true;
        let parts = &mut self.message.parts;
        match (delta.kind, parts.last_mut()) {
            (DeltaKind::Text, Some(MessagePart::Text { text }))
            | (DeltaKind::Reasoning, Some(MessagePart::Reasoning { text })) => text.push_str(&delta.text),
            (DeltaKind::Text, _) => parts.push(MessagePart::Text { text: delta.text.clone() }),
            (DeltaKind::Reasoning, _) => parts.push(MessagePart::Reasoning { text: delta.text.clone() }),
            (DeltaKind::Output, Some(MessagePart::ToolResult { content, .. })) => {
                print(content, &delta.text);
            }
            (DeltaKind::Output, _) => {
                let id = parts.iter().find_map(|part| match part {
                    MessagePart::ToolCall { id, .. } => Some(id.clone()),
                    _ => None,
                });
                let mut content = Vec::new();
                print(&mut content, &delta.text);
                let id = id.unwrap_or_default();
                parts.push(MessagePart::ToolResult { id, is_error: false, content, output: None });
            }
        }
    }
}

/// Returns the message that a piece begins, without its content.
pub(crate) fn begun_by(delta: &MessageDelta, turn_id: Option<String>) -> ParsedMessage {
    let names = [("turnId", turn_id), ("parentId", delta.parent_id.clone())];
    let metadata = names.into_iter().filter_map(|(name, id)| Some((name.to_owned(), id?.into()))).collect();
    ParsedMessage { id: delta.message_id.clone(), role: Role::Assistant, parts: Vec::new(), metadata }
}

/// Adds printed text behind what a call shows.
fn print(content: &mut Vec<ToolContent>, more: &str) {
    match content.last_mut() {
        // A block of code that the agent made is closed; the text goes behind it.
        Some(ToolContent::Text { text, .. }) if !text.trim_end().ends_with("```") => text.push_str(more),
        _ => content.push(ToolContent::Text { text: more.to_owned(), extra: Map::new() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sa_api::sessions::{StopReason, ToolKind, TurnEnded, TurnStarted};

    fn delta(id: &str, kind: DeltaKind, text: &str, parent: Option<&str>) -> EventData {
        let (message_id, text) = (id.to_owned(), text.to_owned());
        EventData::MessageDelta(MessageDelta { message_id, kind, text, parent_id: parent.map(str::to_owned) })
    }

    fn message(id: &str, parts: Vec<MessagePart>) -> EventData {
        let message = ParsedMessage { id: id.to_owned(), role: Role::Assistant, parts, metadata: Map::new() };
        EventData::Message(UniversalMessage::Parsed(message))
    }

    fn text(text: &str) -> MessagePart {
        MessagePart::Text { text: text.to_owned() }
    }

    fn call(status: ToolStatus) -> MessagePart {
        MessagePart::ToolCall {
            id: "c".to_owned(),
            name: None,
            title: "make".to_owned(),
            kind: ToolKind::Execute,
            status,
            input: None,
            locations: Vec::new(),
        }
    }

    fn started(turn: &str) -> EventData {
        EventData::TurnStarted(TurnStarted { turn_id: turn.to_owned(), message_id: None })
    }

    /// The ids and parts of what is cut off after these events.
    fn cut(events: &[EventData]) -> Vec<(String, Vec<MessagePart>)> {
        let mut open = OpenMessages::default();
        events.iter().for_each(|event| open.read(event, 100));
        let messages = open.cut_off().into_iter().map(|event| match event {
            EventData::Message(UniversalMessage::Parsed(message)) => {
                assert_eq!(message.metadata["cutOff"], Value::Bool(true));
                (message.id, message.parts)
            }
            other => panic!("{other:?}"),
        });
        messages.collect()
    }

    #[test]
    fn pieces_become_whole_messages() {
        let said = |id, words| delta(id, DeltaKind::Text, words, None);
        assert_eq!(
            cut(&[started("t"), said("a", "Hel"), said("a", "lo")]),
            [("a".to_owned(), vec![text("Hello")])]
        );
        let whole = message("a", vec![text("Hello")]);
        assert_eq!(cut(&[said("a", "Hel"), said("a", "lo"), whole.clone()]), []);
        let goes_on = [said("a", "Hello"), whole.clone(), said("a", ", you")];
        assert_eq!(
            cut(&goes_on),
            [("a".to_owned(), vec![text("Hello, you")])],
            "after it was told as a whole"
        );
        let both = [said("a", "Hel"), delta("b", DeltaKind::Text, "sub", Some("c")), said("a", "lo")];
        assert_eq!(cut(&both), [("a".to_owned(), vec![text("Hello")]), ("b".to_owned(), vec![text("sub")])]);
        let ended = TurnEnded {
            turn_id: "t".to_owned(),
            stop_reason: StopReason::EndTurn,
            reason: None,
            usage: None,
        };
        assert_eq!(cut(&[started("t"), said("a", "x"), EventData::TurnEnded(ended)]), []);
    }

    #[test]
    fn a_call_keeps_what_it_has_printed() {
        let prints = |words| delta("tool:c", DeltaKind::Output, words, None);
        let running = message("tool:c", vec![call(ToolStatus::InProgress)]);
        let cut_off = cut(&[running.clone(), prints("one\n"), prints("two\n")]);
        let [(_, parts)] = cut_off.as_slice() else { panic!("{cut_off:?}") };
        assert!(
            matches!(&parts[..], [MessagePart::ToolCall { .. }, MessagePart::ToolResult { content, .. }]
                if matches!(&content[..], [ToolContent::Text { text, .. }] if text == "one\ntwo\n")),
            "{parts:?}"
        );
        let done = message("tool:c", vec![call(ToolStatus::Completed)]);
        assert_eq!(cut(&[running, prints("one"), done.clone()]), []);
        assert_eq!(cut(&[done, prints("late")]), [], "it is nothing without its call");
    }

    #[test]
    fn a_long_turn_is_read_in_little_memory() {
        let mut open = OpenMessages::default();
        open.read(&started("t"), 100);
        let page = "x".repeat(50_000);
        for n in 0..2_000 {
            let id = format!("m{n}");
            open.read(&delta(&id, DeltaKind::Text, "x", None), 100);
            open.read(&message(&id, vec![text(&page)]), page.len());
            open.read(&message(&format!("tool:{n}"), vec![call(ToolStatus::InProgress)]), 4000);
        }
        assert!(open.bytes <= MOST_BYTES && open.open.len() <= MOST, "{} bytes", open.bytes);
    }
}
