//! Tool calls, each with its newest state.

use super::live::{self, Live};
use super::speech::Scope;
use crate::json::{self, Fields, Object};
use crate::names::{self, Claimed};
use crate::words::Word;
use crate::{carrier, contents, copies, printed};
use sa_api::sessions::{
    DeltaKind, EventData, Location, MessageDelta, MessagePart, ParsedMessage, Role, ToolContent, ToolKind,
    ToolStatus, UniversalMessage,
};
use serde_json::Value;

/// Bytes of tool calls that are remembered, in addition to the one that changes.
const MAX_BYTES: usize = 16 << 20;

/// The same between turns.
const RESTING_BYTES: usize = 256 << 10;

/// Tool calls that are remembered.
const MAX_CALLS: usize = 512;

/// Bytes of a running call's output that are put together from pieces; the newest if there are more.
const MAX_TERMINAL: usize = 1 << 20;

/// A tool call as far as it is known.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Tool {
    pub(crate) id: String,
    pub(crate) name: Option<String>,
    title: Option<String>,
    pub(crate) kind: ToolKind,
    status: ToolStatus,
    pub(crate) input: Option<Value>,
    locations: Vec<Location>,
    pub(crate) content: Vec<ToolContent>,
    output: Option<Value>,
    metadata: Object,
}

impl Tool {
    /// Reads a call from one update alone.
    pub(crate) fn new(id: &str, update: &Object) -> Self {
        let mut tool = Self { id: id.to_owned(), ..Self::default() };
        tool.apply(update);
        tool
    }

    /// Returns the title of the call.
    pub(crate) fn title(&self) -> String {
        self.title.as_ref().or(self.name.as_ref()).unwrap_or(&self.id).clone()
    }

    /// Takes what an update says; what it does not say stays.
    fn apply(&mut self, update: &Object) {
        let mut odd = Object::new();
        json::put(&mut self.metadata, "parentId", carrier::parent(update.get("_meta")));
        for (key, value) in update.iter().filter(|(_, value)| !value.is_null()) {
            let understood = match key.as_str() {
                "sessionUpdate" | "toolCallId" | "_meta" => continue,
                "rawInput" => set(&mut self.input, Some(Some(value.clone()))),
                "rawOutput" => set(&mut self.output, Some(Some(value.clone()))),
                "title" => set(&mut self.title, value.as_str().map(|title| Some(title.to_owned()))),
                "name" => set(&mut self.name, value.as_str().map(|name| Some(name.to_owned()))),
                "kind" => set(&mut self.kind, value.as_str().and_then(ToolKind::read)),
                "status" => set(&mut self.status, value.as_str().and_then(ToolStatus::read)),
                "locations" => set(&mut self.locations, locations(value)),
                "content" => {
                    let contents = value.as_array().map(|list| list.iter().map(contents::content).collect());
                    set(&mut self.content, contents)
                }
                _ => false,
            };
            if !understood {
                odd.insert(key.clone(), value.clone());
            } else if let Some(Value::Object(before)) = self.metadata.get_mut("unrecognized") {
                before.remove(key);
            }
        }
        let meta = json::rest(update, &[]).remove("_meta").map(|meta| ("_meta".to_owned(), meta));
        odd.extend(Fields::new(&Object::from_iter(meta), &[]).rest());
        let before = live::terminal(&mut self.metadata).and_then(|data| data.as_str().map(str::to_owned));
        super::note(&mut self.metadata, odd);
        // Without content this is how some agents report what is new.
        let pieces = update.get("content").is_none_or(Value::is_null) && update.contains_key("_meta");
        if let Some(before) = before.filter(|_| pieces && !self.is_done())
            && let Some(Value::String(data)) = live::terminal(&mut self.metadata)
            && !data.starts_with(&before)
        {
            *data = printed::tail(&(before + data), MAX_TERMINAL).to_owned();
        }
    }

    fn is_done(&self) -> bool {
        matches!(self.status, ToolStatus::Completed | ToolStatus::Failed)
    }

    /// The text that it shows.
    fn shown(&self) -> String {
        let terminal = || self.metadata.get("_meta")?.get("terminal_output")?.get("data")?.as_str();
        let text = printed::shown(&self.content).or_else(|| terminal().map(str::to_owned));
        text.or_else(|| self.output.as_ref()?.as_str().map(str::to_owned)).unwrap_or_default()
    }

    /// Returns true if more has changed than the output of the call: something that a client has to know at once.
    fn differs(&self, before: &Self, prints: bool) -> bool {
        let rich = |content: &&ToolContent| {
            !matches!(content, ToolContent::Text { .. } | ToolContent::Unknown { .. })
        };
        let same_content = self.content.iter().filter(rich).eq(before.content.iter().filter(rich));
        let same = (self.status, self.kind) == (before.status, before.kind)
            && (&self.name, &self.input, &self.locations) == (&before.name, &before.input, &before.locations);
        !same || !same_content || (!prints && self.title != before.title)
    }

    fn message(&self, id: &str) -> EventData {
        let call = MessagePart::ToolCall {
            id: self.id.clone(),
            name: self.name.clone(),
            title: self.title(),
            kind: self.kind,
            status: self.status,
            input: self.input.clone(),
            locations: self.locations.clone(),
        };
        let mut parts = vec![call];
        let (mut output, mut metadata) = (self.output.clone(), self.metadata.clone());
        if self.is_done() || !self.content.is_empty() || output.is_some() {
            if self.is_done() {
                copies::remove(&self.content, &mut output, &mut metadata);
            }
            parts.push(MessagePart::ToolResult {
                id: self.id.clone(),
                is_error: self.status == ToolStatus::Failed,
                content: self.content.clone(),
                output,
            });
        }
        let message = ParsedMessage { id: id.to_owned(), role: Role::Assistant, parts, metadata };
        EventData::Message(UniversalMessage::Parsed(message))
    }
}

fn set<T>(place: &mut T, value: Option<T>) -> bool {
    let understood = value.is_some();
    if let Some(value) = value {
        *place = value;
    }
    understood
}

fn locations(value: &Value) -> Option<Vec<Location>> {
    let location = |value: &Value| {
        let object = value.as_object()?;
        let path = json::owned(object, "path")?;
        let line = match object.get("line") {
            None | Some(Value::Null) => None,
            Some(line) => Some(u32::try_from(json::count(line)?).ok()?),
        };
        json::rest(object, &["path", "line"]).is_empty().then_some(Location { path, line })
    };
    value.as_array()?.iter().map(location).collect()
}

#[derive(Debug)]
struct Known {
    /// The message's id.
    name: String,
    tool: Tool,
    weight: usize,
    live: Live,
}

/// The tool calls of a session, the one that changed last at the end.
#[derive(Debug, Default)]
pub(super) struct Tools {
    known: Vec<Known>,
}

impl Tools {
    pub(super) fn get(&self, id: &str) -> Option<&Tool> {
        self.known.iter().find(|known| known.tool.id == id).map(|known| &known.tool)
    }

    /// Takes what an update says of a call, and reports its state if that is new. While the call runs, its output is reported
    /// in pieces.
    pub(super) fn update(&mut self, scope: &mut Scope<'_>, id: &str, update: &Object) -> Option<EventData> {
        let (known, event) = match self.known.iter().position(|known| known.tool.id == id) {
            Some(index) => {
                let mut known = self.known.remove(index);
                let before = known.tool.clone();
                known.tool.apply(update);
                known.weight = known.tool.weight();
                let event = if known.tool == before { None } else { known.changed(&before) };
                (known, event)
            }
            None => {
                let mut known = Known::new(scope, id, update);
                known.weight = known.tool.weight();
                let event = known.tool.message(&known.name);
                (known, Some(event))
            }
        };
        self.known.push(known);
        self.forget(MAX_BYTES);
        event
    }

    /// Returns true if something of a call is not reported yet.
    pub(super) fn owes(&self) -> bool {
        self.known.iter().any(|known| known.live.owes())
    }

    /// Reports what is not reported yet, in pieces where that suffices.
    pub(super) fn catch_up(&mut self) -> Vec<EventData> {
        let owing = self.known.iter_mut().filter(|known| known.live.owes());
        owing
            .filter_map(|known| if known.live.is_outdated() { Some(known.whole()) } else { known.piece() })
            .collect()
    }

    /// Reports the whole state of calls whose newest whole message is an older one: of one, or of all.
    pub(super) fn settle(&mut self, id: Option<&str>) -> Vec<EventData> {
        let owing = self.known.iter_mut().filter(|known| !known.live.is_whole());
        owing.filter(|known| id.is_none_or(|id| known.tool.id == id)).map(Known::whole).collect()
    }

    /// The turn is over: hardly anything of it changes any more.
    pub(super) fn rest(&mut self) {
        self.forget(RESTING_BYTES);
    }

    /// Drops calls that are too much to remember: the oldest that are done, then the oldest.
    fn forget(&mut self, bytes: usize) {
        while self.known.len() > 1 && (self.known.len() > MAX_CALLS || self.weight() > bytes) {
            let before = self.known.len() - 1;
            let done = |known: &Known| known.tool.is_done();
            let oldest = self.known.iter().take(before).position(done).unwrap_or(0);
            self.known.remove(oldest);
        }
    }

    fn weight(&self) -> usize {
        self.known.iter().map(|known| known.weight).sum()
    }
}

impl Known {
    fn new(scope: &mut Scope<'_>, id: &str, update: &Object) -> Self {
        let Claimed { id: name, continues } = scope.names.claim(&names::of_tool(id));
        let mut tool = Tool { id: id.to_owned(), metadata: scope.metadata(None), ..Tool::default() };
        json::put(&mut tool.metadata, "continues", continues);
        tool.apply(update);
        Self { name, tool, weight: 0, live: Live::default() }
    }

    /// Reports a change.
    fn changed(&mut self, before: &Tool) -> Option<EventData> {
        if self.tool.is_done() || self.tool.differs(before, self.live.prints) {
            return Some(self.whole());
        }
        let (old, new) = (before.shown(), self.tool.shown());
        if old == new {
            self.live.outdate();
            return self.live.affords(self.weight).then(|| self.whole());
        }
        if self.tool.title != before.title {
            self.live.outdate();
        }
        self.live.show(&old, &new).map(|text| self.delta(text))
    }

    /// The whole call as it is now.
    fn whole(&mut self) -> EventData {
        self.live.reported_whole(self.weight);
        self.tool.message(&self.name)
    }

    /// The output that waits.
    fn piece(&mut self) -> Option<EventData> {
        self.live.take().map(|text| self.delta(text))
    }

    fn delta(&self, text: String) -> EventData {
        EventData::MessageDelta(MessageDelta {
            message_id: self.name.clone(),
            kind: DeltaKind::Output,
            text,
            parent_id: self.tool.metadata.get("parentId").and_then(Value::as_str).map(str::to_owned),
        })
    }
}

impl Tool {
    fn weight(&self) -> usize {
        let content = serde_json::to_value(&self.content).map_or(0, |value| json::weight(&value));
        let values = [&self.input, &self.output].into_iter().flatten().map(json::weight).sum::<usize>();
        let metadata: usize = self.metadata.values().map(json::weight).sum();
        self.id.len() + content + values + metadata + 64 * self.locations.len() + 256
    }
}
