//! Parts and contents as ACP's blocks, and what carries those that ACP has no form for.

use crate::carrier::{NAME, PARENT};
use crate::json::{self, Object};
use crate::{blocks, contents, copies, printed};
use sa_api::sessions::{EventData, MessagePart, ToolContent};
use serde_json::{Value, json};

/// The parts that content blocks are. A block that is not understood is an unknown part.
pub fn parts_of(blocks: &[Value]) -> Vec<MessagePart> {
    blocks.iter().map(|block| blocks::part(block).0).collect()
}

/// A text block with the additions to its text.
pub(super) fn text_block(text: &str, extra: &Object) -> Value {
    let mut block = Object::from_iter([("type".to_owned(), "text".into()), ("text".to_owned(), text.into())]);
    blocks::add(&mut block, extra.clone(), &[]);
    Value::Object(block)
}

/// A session update that carries an event which ACP has no form for.
pub(super) fn of_event(event: &EventData) -> Option<Value> {
    let event = serde_json::to_value(event).ok()?;
    Some(json!({ "sessionUpdate": "session_info_update", "_meta": { NAME: { "event": event } } }))
}

/// A block that stands for a part which ACP has no form for.
pub(super) fn of_part(part: &MessagePart) -> Option<Value> {
    let part = serde_json::to_value(part).ok()?;
    Some(json!({ "type": "text", "text": "", "_meta": { NAME: { "part": part } } }))
}

/// A tool content that stands for one which ACP has no form for.
pub(super) fn of_content(raw: &Value) -> Value {
    let block = json!({ "type": "text", "text": "", "_meta": { NAME: { "content": raw } } });
    json!({ "type": "content", "content": block })
}

/// Says in `_meta` which tool call a piece belongs to.
pub(super) fn belong(object: &mut Object, parent: &str) {
    let ours = Object::from_iter([(PARENT.to_owned(), parent.into())]);
    let meta = Object::from_iter([(NAME.to_owned(), Value::Object(ours))]);
    json::merge(object, Object::from_iter([("_meta".to_owned(), Value::Object(meta))]));
}

/// The content of a tool call that says the same.
pub(super) fn to_acp(content: &ToolContent) -> Value {
    let block = match content {
        ToolContent::Text { text, extra } => Some(text_block(text, extra)),
        ToolContent::Image { source, mime_type, extra } => {
            blocks::image_block(source, mime_type, None, extra)
        }
        ToolContent::File { name, path, source, mime_type, extra } => {
            let path = Some(path.as_str()).filter(|path| !path.is_empty());
            blocks::file_block(name.as_deref(), path, source.as_ref(), mime_type.as_deref(), extra)
        }
        ToolContent::Diff { path, old_text, new_text, extra } => {
            let mut diff = Object::from_iter([
                ("type".to_owned(), "diff".into()),
                ("path".to_owned(), path.clone().into()),
                ("newText".to_owned(), new_text.clone().into()),
            ]);
            json::put(&mut diff, "oldText", old_text.clone());
            blocks::add(&mut diff, extra.clone(), &[]);
            return Value::Object(contents::without_annotations(diff));
        }
        ToolContent::Terminal { id, extra } => return contents::terminal(id, extra),
        ToolContent::Unknown { raw } => {
            let audio = raw.get("content").filter(|block| blocks::is_audio(block));
            let plain = raw.as_object().is_some_and(|object| object.len() == 2);
            if audio.is_some() && plain && raw.get("type").is_some_and(|kind| kind == "content") {
                return raw.clone();
            }
            return of_content(raw);
        }
    };
    match block {
        Some(block) => json!({ "type": "content", "content": block }),
        // An image that is text: nothing that ACP, or anyone, can show.
        None => of_content(&serde_json::to_value(content).unwrap_or_default()),
    }
}

/// Puts back what clients that draw terminals look for.
pub(super) fn restore(content: &[ToolContent], metadata: &mut Object) {
    if let Some(terminal) = copies::terminal(metadata)
        && !terminal.contains_key("data")
        && let Some(shown) = printed::shown(content)
    {
        terminal.insert("data".to_owned(), json!(shown));
    }
}
