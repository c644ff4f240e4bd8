//! Members that ACP has no form for: they are in `_meta`, under our own name.

use crate::json::{self, Object};
use sa_api::sessions::{EventData, MessagePart};
use serde_json::{Value, json};

/// Our name in `_meta`.
const NAME: &str = "sandboxAgent";

/// Where agents say which tool call something belongs to.
const PARENT: &str = "parentToolUseId";

/// A session update that carries an event which ACP cannot tell.
pub(crate) fn of_event(event: &EventData) -> Option<Value> {
    let event = serde_json::to_value(event).ok()?;
    Some(json!({ "sessionUpdate": "session_info_update", "_meta": { NAME: { "event": event } } }))
}

/// The event that a session update carries. Only what an agent may say for itself is taken from it: it must not be able to
/// answer its own questions.
pub(crate) fn event(update: &Object) -> Option<EventData> {
    let event = ours(update)?.get("event")?;
    match EventData::from_value(event).ok()? {
        event @ (EventData::Unknown(_)
        | EventData::Message(_)
        | EventData::Usage(_)
        | EventData::Notice(_)
        | EventData::Compaction(_)) => Some(event),
        _ => None,
    }
}

/// A block that stands for a part which ACP cannot tell.
pub(crate) fn of_part(part: &MessagePart) -> Option<Value> {
    let part = serde_json::to_value(part).ok()?;
    Some(json!({ "type": "text", "text": "", "_meta": { NAME: { "part": part } } }))
}

/// The part that a block stands for.
pub(crate) fn part(block: &Object) -> Option<MessagePart> {
    MessagePart::from_value(ours(block)?.get("part")?).ok()
}

/// A tool content that stands for one which ACP cannot tell.
pub(crate) fn of_content(raw: &Value) -> Value {
    let block = json!({ "type": "text", "text": "", "_meta": { NAME: { "content": raw } } });
    json!({ "type": "content", "content": block })
}

/// The tool content that a block stands for.
pub(crate) fn content(block: &Object) -> Option<&Value> {
    ours(block)?.get("content")
}

/// Puts members that ACP does not allow into `_meta`.
pub(crate) fn hide(object: &mut Object, members: Object) {
    if members.is_empty() {
        return;
    }
    let ours = Object::from_iter([("members".to_owned(), Value::Object(members))]);
    let meta = Object::from_iter([(NAME.to_owned(), Value::Object(ours))]);
    let added = Object::from_iter([("_meta".to_owned(), Value::Object(meta))]);
    json::merge(object, added);
}

/// Says in `_meta` which tool call a piece belongs to.
pub(crate) fn belong(object: &mut Object, parent: &str) {
    let ours = Object::from_iter([(PARENT.to_owned(), parent.into())]);
    let meta = Object::from_iter([(NAME.to_owned(), Value::Object(ours))]);
    json::merge(object, Object::from_iter([("_meta".to_owned(), Value::Object(meta))]));
}

/// The tool call of the sub-agent that something belongs to. Agents say it each under its own name.
pub(crate) fn parent(meta: Option<&Value>) -> Option<&str> {
    let meta = meta?.as_object()?;
    let own = meta.values().filter_map(Value::as_object);
    std::iter::once(meta).chain(own).find_map(|object| json::text(object, PARENT))
}

/// Takes what [`hide`] and [`belong`] have put there out of `meta`.
pub(crate) fn take_hidden(meta: &mut Object) -> Object {
    let Some(Value::Object(ours)) = meta.get_mut(NAME) else { return Object::new() };
    let hidden = match ours.remove("members") {
        Some(Value::Object(members)) => members,
        _ => Object::new(),
    };
    ours.remove(PARENT);
    if ours.is_empty() {
        meta.remove(NAME);
    }
    hidden
}

fn ours(object: &Object) -> Option<&Object> {
    json::object(json::object(object, "_meta")?, NAME)
}
