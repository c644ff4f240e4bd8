//! From events back to ACP's notifications.

use super::choices;
use super::contents::{belong, of_event, of_part, restore, text_block, to_acp};
use crate::json::{self, Object};
use crate::names::{TOOL, USER};
use crate::words::Word;
use crate::{blocks, carrier, printed};
use sa_api::sessions::{
    CommandsAvailable, Compaction, DeltaKind, EventData, MessageDelta, MessagePart, Notice, ParsedMessage,
    Plan, Role, SessionChoices, ToolContent, UniversalMessage, Usage,
};
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Messages for which the projected part is remembered.
const REMEMBERED: usize = 1024;

/// The part of a running call's output that each update has: ACP replaces it as a whole.
const PRINTED: usize = 16 << 10;

/// The `update`s of `session/update` for one event by itself; a message is projected from its beginning.
pub fn to_updates(event: &EventData) -> Vec<Value> {
    Projector::default().updates(event)
}

/// Projects events to the `update`s of `session/update`, each valid ACP v1. Of a message whose beginning was projected, it adds the
/// rest.
///
/// Members without a form in ACP are in `_meta.sandboxAgent`, where a [`Reducer`](crate::Reducer) finds them again. Events
/// that ACP has as requests and responses (turns, questions, permissions), and those of the daemon, have no updates.
#[derive(Debug, Default)]
pub struct Projector {
    told: HashMap<String, Projected>,
    order: VecDeque<String>,
    /// The choices that were reported.
    choices: SessionChoices,
}

/// The part of a message that was projected.
#[derive(Debug, Default)]
struct Projected {
    text: usize,
    reasoning: usize,
    others: usize,
    beside: u64,
    call: Call,
    /// The newest of what a tool call has printed.
    printed: String,
}

/// The projection of a message's tool call.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Call {
    #[default]
    Never,
    WithoutOutput,
    /// A client keeps this output until it learns another one.
    WithOutput,
}

impl Projector {
    /// Returns the updates for what is new in an event.
    pub fn updates(&mut self, event: &EventData) -> Vec<Value> {
        match event {
            EventData::Message(UniversalMessage::Parsed(message)) => self.message(message),
            EventData::MessageDelta(delta) => self.delta(delta),
            EventData::Plan(plan) => vec![to_plan(plan)],
            EventData::ModeChanged(changed) => {
                let had_options = choices::has_options(&self.choices);
                choices::merge_choices(&mut self.choices, changed);
                choices::to_updates(&self.choices, had_options)
            }
            EventData::InfoChanged(info) => {
                vec![json!({ "sessionUpdate": "session_info_update", "title": info.title })]
            }
            EventData::CommandsAvailable(available) => vec![to_commands(available)],
            EventData::Usage(usage) => to_usage(usage).or_else(|| of_event(event)).into_iter().collect(),
            EventData::Notice(notice) => to_notice(notice).or_else(|| of_event(event)).into_iter().collect(),
            EventData::Compaction(compaction) => {
                to_compaction(compaction).or_else(|| of_event(event)).into_iter().collect()
            }
            EventData::Message(UniversalMessage::Unparsed(_)) | EventData::Unknown(_) => {
                of_event(event).into_iter().collect()
            }
            EventData::Started(_)
            | EventData::QuestionAsked(_)
            | EventData::QuestionResolved(_)
            | EventData::PermissionAsked(_)
            | EventData::PermissionResolved(_)
            | EventData::TurnStarted(_)
            | EventData::TurnEnded(_)
            | EventData::MessageWithdrawn(_)
            | EventData::QueueHeld(_)
            | EventData::QueueReleased(_)
            | EventData::QueueReordered(_)
            | EventData::Error(_)
            | EventData::Continuity(_)
            | EventData::Ended(_) => Vec::new(),
        }
    }

    fn told(&mut self, id: &str) -> &mut Projected {
        if !self.told.contains_key(id) {
            if self.order.len() >= REMEMBERED
                && let Some(oldest) = self.order.pop_front()
            {
                self.told.remove(&oldest);
            }
            self.order.push_back(id.to_owned());
        }
        self.told.entry(id.to_owned()).or_default()
    }

    fn delta(&mut self, delta: &MessageDelta) -> Vec<Value> {
        let told = self.told(&delta.message_id);
        let kind = match delta.kind {
            DeltaKind::Text => {
                told.text += delta.text.len();
                "agent_message_chunk"
            }
            DeltaKind::Reasoning => {
                told.reasoning += delta.text.len();
                "agent_thought_chunk"
            }
            DeltaKind::Output => {
                let all = std::mem::take(&mut told.printed) + &delta.text;
                told.printed = printed::tail(&all, PRINTED).to_owned();
                return vec![to_printed(delta, &told.printed)];
            }
        };
        let block = json!({ "type": "text", "text": delta.text });
        vec![chunk(kind, &delta.message_id, block, delta.parent_id.as_deref())]
    }

    fn message(&mut self, message: &ParsedMessage) -> Vec<Value> {
        let parent = message.metadata.get("parentId").and_then(Value::as_str);
        let told = self.told(&message.id);
        let (mut text, mut reasoning, mut others) = (told.text, told.reasoning, told.others);
        let mut updates = Vec::new();
        let speaks = if message.role == Role::User { "user_message_chunk" } else { "agent_message_chunk" };
        for part in &message.parts {
            let (kind, block) = match part {
                MessagePart::ToolCall { id, .. } => {
                    told.printed = result_of(message, id).map(|(content, _)| content).map_or_else(
                        String::new,
                        |content| {
                            let shown = printed::shown(content).unwrap_or_default();
                            printed::tail(&shown, PRINTED).to_owned()
                        },
                    );
                    let update = to_tool(part, message, told.call);
                    let has_output = update.as_ref().is_some_and(|update| update.get("rawOutput").is_some());
                    told.call = if has_output || told.call == Call::WithOutput {
                        Call::WithOutput
                    } else {
                        Call::WithoutOutput
                    };
                    updates.extend(update);
                    continue;
                }
                MessagePart::ToolResult { id, .. } if has_call(message, id) => continue,
                MessagePart::Text { text: all } => match unsaid(all, &mut text) {
                    Some(rest) => {
                        told.text += rest.len();
                        (speaks, json!({ "type": "text", "text": rest }))
                    }
                    None => continue,
                },
                MessagePart::Reasoning { text: all } if message.role == Role::Assistant => {
                    match unsaid(all, &mut reasoning) {
                        Some(rest) => {
                            told.reasoning += rest.len();
                            ("agent_thought_chunk", json!({ "type": "text", "text": rest }))
                        }
                        None => continue,
                    }
                }
                _ if others > 0 => {
                    others -= 1;
                    continue;
                }
                part => {
                    told.others += 1;
                    let Some(said) = other(part, speaks) else { continue };
                    said
                }
            };
            updates.push(chunk(kind, &message.id, block, parent));
        }
        if told.call == Call::Never {
            beside(told, message, speaks, parent, &mut updates);
        }
        updates
    }
}

/// Adds the additions to a message to its last piece, or to an empty one.
fn beside(
    told: &mut Projected,
    message: &ParsedMessage,
    speaks: &str,
    parent: Option<&str>,
    updates: &mut Vec<Value>,
) {
    let mut members = Object::new();
    if let Some(odd @ Value::Object(_)) = message.metadata.get("unrecognized") {
        carrier::hide(&mut members, odd.as_object().cloned().unwrap_or_default());
    }
    let meta = message.metadata.get("_meta").filter(|meta| meta.is_object());
    let annotations = message.metadata.get("annotations");
    let mut block = Object::new();
    json::put(&mut block, "annotations", annotations.cloned());
    json::merge(
        &mut members,
        meta.map(|meta| Object::from_iter([("_meta".to_owned(), meta.clone())])).unwrap_or_default(),
    );
    let mut hasher = DefaultHasher::new();
    (json!([members, block])).to_string().hash(&mut hasher);
    if (members.is_empty() && block.is_empty()) || told.beside == hasher.finish() {
        return;
    }
    told.beside = hasher.finish();
    let block = text_block("", &block);
    let mut piece = chunk(speaks, &message.id, block, parent);
    if let Some(piece) = piece.as_object_mut() {
        json::merge(piece, members);
    }
    updates.push(piece);
}

fn chunk(kind: &str, id: &str, block: Value, parent: Option<&str>) -> Value {
    let mut update = Object::from_iter([
        ("sessionUpdate".to_owned(), kind.into()),
        ("messageId".to_owned(), agents(id).into()),
        ("content".to_owned(), block),
    ]);
    if let Some(parent) = parent {
        belong(&mut update, parent);
    }
    Value::Object(update)
}

/// Returns the rest of a text that was not sent; `told` is how much of it and of those after it was.
fn unsaid<'a>(text: &'a str, told: &mut usize) -> Option<&'a str> {
    let skipped = (*told).min(text.len());
    *told -= skipped;
    text.get(skipped..).filter(|rest| !rest.is_empty())
}

/// A part that is neither text nor a tool call: the kind of update, and the block.
fn other<'a>(part: &MessagePart, speaks: &'a str) -> Option<(&'a str, Value)> {
    if let MessagePart::Unknown { raw } = part
        && raw.get("sessionUpdate").is_some_and(|kind| kind == "agent_thought_chunk")
        && let Some(thought) = raw.get("content")
        && blocks::block(&blocks::part(thought).0).is_some_and(|block| block == *thought)
    {
        return Some(("agent_thought_chunk", thought.clone()));
    }
    let block = blocks::block(part).or_else(|| of_part(part))?;
    Some((speaks, block))
}

fn has_call(message: &ParsedMessage, result: &str) -> bool {
    message.parts.iter().any(|part| matches!(part, MessagePart::ToolCall { id, .. } if id == result))
}

/// The whole state of a tool call.
fn to_tool(part: &MessagePart, message: &ParsedMessage, told: Call) -> Option<Value> {
    let MessagePart::ToolCall { id, name, title, kind, status, input, locations } = part else { return None };
    let places: Vec<_> = locations
        .iter()
        .map(|location| {
            let mut place = Object::from_iter([("path".to_owned(), location.path.clone().into())]);
            json::put(&mut place, "line", location.line);
            Value::Object(place)
        })
        .collect();
    let result = result_of(message, id);
    let mut update = Object::from_iter([
        (
            "sessionUpdate".to_owned(),
            if told == Call::Never { "tool_call" } else { "tool_call_update" }.into(),
        ),
        ("toolCallId".to_owned(), id.clone().into()),
        ("title".to_owned(), title.clone().into()),
        ("kind".to_owned(), word(*kind)?.into()),
        ("status".to_owned(), word(*status)?.into()),
        ("locations".to_owned(), places.into()),
    ]);
    json::put(&mut update, "name", name.clone());
    json::put(&mut update, "rawInput", input.clone());
    let content = result.map(|(content, _)| content).unwrap_or_default();
    let shown: Vec<Value> = content.iter().map(to_acp).collect();
    update.insert("content".to_owned(), shown.into());
    let output = result.and_then(|(_, output)| output.clone());
    // An output that only repeats the content was left out of the message, but an older one must not stay.
    let copy = || printed::shown(content).filter(|_| told == Call::WithOutput).map(Value::from);
    json::put(&mut update, "rawOutput", output.or_else(copy));
    if let Some(Value::Object(odd)) = message.metadata.get("unrecognized") {
        carrier::hide(&mut update, odd.clone());
    }
    if let Some(meta @ Value::Object(_)) = message.metadata.get("_meta") {
        let mut meta = Object::from_iter([("_meta".to_owned(), meta.clone())]);
        restore(content, &mut meta);
        json::merge(&mut update, meta);
    }
    let parent = message.metadata.get("parentId").and_then(Value::as_str);
    if let Some(parent) = parent
        && carrier::parent(update.get("_meta")) != Some(parent)
    {
        belong(&mut update, parent);
    }
    Some(Value::Object(update))
}

/// Returns the result of a call, if the message has one.
fn result_of<'a>(message: &'a ParsedMessage, call: &str) -> Option<(&'a [ToolContent], &'a Option<Value>)> {
    message.parts.iter().find_map(|part| match part {
        MessagePart::ToolResult { id, content, output, .. } if id == call => {
            Some((content.as_slice(), output))
        }
        _ => None,
    })
}

/// The update with the output of a running call.
fn to_printed(delta: &MessageDelta, printed: &str) -> Value {
    let mut update = Object::from_iter([
        ("sessionUpdate".to_owned(), "tool_call_update".into()),
        ("toolCallId".to_owned(), agents(&delta.message_id).into()),
        (
            "content".to_owned(),
            json!([{ "type": "content", "content": { "type": "text", "text": printed } }]),
        ),
    ]);
    if let Some(parent) = delta.parent_id.as_deref() {
        belong(&mut update, parent);
    }
    Value::Object(update)
}

fn to_plan(plan: &Plan) -> Value {
    let entries: Vec<_> = plan
        .entries
        .iter()
        .map(|entry| {
            json!({ "content": entry.content, "status": word(entry.status), "priority": word(entry.priority) })
        })
        .collect();
    json!({ "sessionUpdate": "plan", "entries": entries })
}

fn to_commands(available: &CommandsAvailable) -> Value {
    let commands: Vec<_> = available
        .commands
        .iter()
        .map(|command| {
            let mut object = Object::from_iter([
                ("name".to_owned(), command.name.clone().into()),
                ("description".to_owned(), command.description.clone().into()),
            ]);
            json::put(&mut object, "input", command.input_hint.as_ref().map(|hint| json!({ "hint": hint })));
            Value::Object(object)
        })
        .collect();
    json!({ "sessionUpdate": "available_commands_update", "availableCommands": commands })
}

/// ACP has no more than the context and the cost, and always both ends of the context.
fn to_usage(usage: &Usage) -> Option<Value> {
    let (used, size) = (usage.context_used?, usage.context_size?);
    let plain = Usage {
        context_used: Some(used),
        context_size: Some(size),
        cost: usage.cost.clone(),
        ..Usage::default()
    };
    if *usage != plain {
        return None;
    }
    let mut update = Object::from_iter([
        ("sessionUpdate".to_owned(), "usage_update".into()),
        ("used".to_owned(), used.into()),
        ("size".to_owned(), size.into()),
    ]);
    let cost = usage.cost.as_ref().map(|cost| json!({ "amount": cost.amount, "currency": cost.currency }));
    json::put(&mut update, "cost", cost);
    Some(Value::Object(update))
}

fn to_notice(notice: &Notice) -> Option<Value> {
    if notice.title.is_empty() {
        return None;
    }
    let mut update = Object::from_iter([
        ("sessionUpdate".to_owned(), "notice".into()),
        ("severity".to_owned(), word(notice.severity)?.into()),
        ("title".to_owned(), notice.title.clone().into()),
    ]);
    json::put(&mut update, "description", notice.description.clone());
    Some(Value::Object(update))
}

/// Returns the agent's own update, if that is valid ACP.
fn to_compaction(compaction: &Compaction) -> Option<Value> {
    let raw = compaction.raw.as_object()?;
    let sound = |block: &Value| blocks::block(&blocks::part(block).0).is_some_and(|said| said == *block);
    let fits = raw.iter().all(|(key, value)| match (key.as_str(), value) {
        ("sessionUpdate" | "compactionId" | "status", Value::String(_)) => true,
        ("error", Value::String(_) | Value::Null) | ("_meta", Value::Object(_) | Value::Null) => true,
        ("summary", Value::Null) => true,
        ("summary", Value::Array(blocks)) => blocks.iter().all(sound),
        ("content", block) => sound(block),
        _ => false,
    });
    let needs: &[&str] = match json::text(raw, "sessionUpdate")? {
        "compaction_update" => &["compactionId", "status"],
        "compaction_summary_chunk" => &["compactionId", "content"],
        _ => return None,
    };
    (fits && needs.iter().all(|key| raw.contains_key(*key))).then(|| compaction.raw.clone())
}

/// The id that the agent would give.
pub(crate) fn agents(id: &str) -> String {
    let id = id.strip_prefix(USER).or_else(|| id.strip_prefix(TOOL)).unwrap_or(id);
    let base = id.split_once('~').map_or(id, |(base, _)| base);
    base.replace("%3A", ":").replace("%7E", "~").replace("%25", "%")
}

/// ACP's word for a value.
fn word<W: Word>(value: W) -> Option<&'static str> {
    W::WORDS.iter().find(|(_, known)| *known == value).map(|(word, _)| *word)
}
