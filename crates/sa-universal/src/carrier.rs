//! Members that ACP has no form for: they are in `_meta`, under our own name.

use crate::json::{self, Object};
use sa_api::sessions::{EventData, MessagePart};
use serde_json::{Value, json};

/// Our name in `_meta`.
pub(crate) const NAME: &str = "sandboxAgent";

/// The field in which agents name the tool call that something belongs to.
pub(crate) const PARENT: &str = "parentToolUseId";

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

/// The part that a block stands for.
pub(crate) fn part(block: &Object) -> Option<MessagePart> {
    MessagePart::from_value(ours(block)?.get("part")?).ok()
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
    json::merge(object, json::present(json!({ "_meta": { NAME: { "members": members } } })));
}

/// The tool call of the sub-agent that something belongs to. Agents say it each under its own name.
pub(crate) fn parent(meta: Option<&Value>) -> Option<&str> {
    let meta = meta?.as_object()?;
    let own = meta.values().filter_map(Value::as_object);
    std::iter::once(meta).chain(own).find_map(|object| json::text(object, PARENT))
}

/// Takes members that [`hide`] has put there, and the parent, out of `meta`.
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
