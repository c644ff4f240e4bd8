//! Contents of tool calls: ACP's and ours.

use crate::json::{self, Fields, Object};
use crate::{blocks, carrier};
use sa_api::sessions::{Diff, MessagePart, ToolContent};
use serde_json::{Value, json};

/// Converts a content of a tool call.
pub(crate) fn content(raw: &Value) -> ToolContent {
    let known = raw.as_object().and_then(|object| {
        let mut fields = Fields::new(object, &["type"]);
        match json::text(object, "type")? {
            "content" => shown(fields),
            "diff" => Some(ToolContent::Diff {
                path: fields.text("path")?,
                old_text: fields.text("oldText"),
                new_text: fields.text("newText")?,
                extra: fields.rest(),
            }),
            "terminal" => {
                Some(ToolContent::Terminal { id: fields.text("terminalId")?, extra: fields.rest() })
            }
            _ => None,
        }
    });
    known.unwrap_or_else(|| ToolContent::Unknown { raw: raw.clone() })
}

fn shown(mut fields: Fields<'_>) -> Option<ToolContent> {
    let block = fields.take("content", Some)?;
    if let Some(hidden) = block.as_object().and_then(carrier::content) {
        return Some(ToolContent::Unknown { raw: hidden.clone() });
    }
    let (part, of_text) = blocks::part(block);
    let mut content = match part {
        MessagePart::Text { text } => ToolContent::Text { text, extra: of_text },
        MessagePart::Image { source, mime_type, alt, mut extra } => {
            json::put(&mut extra, "alt", alt);
            ToolContent::Image { source, mime_type, extra }
        }
        MessagePart::File { name, path, source, mime_type, extra, .. } => {
            ToolContent::File { name, path: path.unwrap_or_default(), source, mime_type, extra }
        }
        _ => return None,
    };
    if let ToolContent::Text { extra, .. }
    | ToolContent::Image { extra, .. }
    | ToolContent::File { extra, .. } = &mut content
    {
        // Additions to a block stand with the content of the block, unless both have them.
        for (key, value) in fields.rest() {
            if extra.insert(key, value).is_some() {
                return None;
            }
        }
    }
    Some(content)
}

/// A terminal as ACP has it.
pub(crate) fn terminal(id: &str, extra: &Object) -> Value {
    let mut terminal = json::present(json!({ "type": "terminal", "terminalId": id }));
    blocks::add(&mut terminal, extra.clone(), &[]);
    Value::Object(without_annotations(terminal))
}

/// Only blocks have annotations.
pub(crate) fn without_annotations(mut object: Object) -> Object {
    if let Some(annotations) = object.remove("annotations") {
        carrier::hide(&mut object, Object::from_iter([("annotations".to_owned(), annotations)]));
    }
    object
}

/// Converts contents to parts of a message.
pub(crate) fn parts(contents: &[ToolContent]) -> Vec<MessagePart> {
    let part = |content: &ToolContent| match content.clone() {
        ToolContent::Text { text, .. } => MessagePart::Text { text },
        ToolContent::Image { source, mime_type, extra } => {
            MessagePart::Image { source, mime_type, alt: None, extra }
        }
        ToolContent::File { name, path, source, mime_type, extra } => {
            MessagePart::File { name, path: Some(path), source, mime_type, diff: None, extra }
        }
        ToolContent::Diff { path, old_text, new_text, extra } => MessagePart::File {
            name: None,
            path: Some(path),
            source: None,
            mime_type: None,
            diff: Some(Diff { old_text, new_text }),
            extra,
        },
        ToolContent::Terminal { id, extra } => MessagePart::Unknown { raw: terminal(&id, &extra) },
        ToolContent::Unknown { raw } => MessagePart::Unknown { raw },
    };
    contents.iter().map(part).collect()
}
