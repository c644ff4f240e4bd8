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
        // What is told beside a block stands with what the block tells, unless they both tell it.
        for (key, value) in fields.rest() {
            if extra.insert(key, value).is_some() {
                return None;
            }
        }
    }
    Some(content)
}

/// The content of a tool call that says the same.
pub(crate) fn to_acp(content: &ToolContent) -> Value {
    let block = match content {
        ToolContent::Text { text, extra } => Some(blocks::text_block(text, extra)),
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
            return Value::Object(without_annotations(diff));
        }
        ToolContent::Terminal { id, extra } => {
            let mut terminal = Object::from_iter([
                ("type".to_owned(), "terminal".into()),
                ("terminalId".to_owned(), id.clone().into()),
            ]);
            blocks::add(&mut terminal, extra.clone(), &[]);
            return Value::Object(without_annotations(terminal));
        }
        ToolContent::Unknown { raw } => {
            let audio = raw.get("content").filter(|block| blocks::is_audio(block));
            let plain = raw.as_object().is_some_and(|object| object.len() == 2);
            if audio.is_some() && plain && raw.get("type").is_some_and(|kind| kind == "content") {
                return raw.clone();
            }
            return carrier::of_content(raw);
        }
    };
    match block {
        Some(block) => json!({ "type": "content", "content": block }),
        // An image that is text: nothing that ACP, or anyone, can show.
        None => carrier::of_content(&serde_json::to_value(content).unwrap_or_default()),
    }
}

/// Only blocks have annotations.
fn without_annotations(mut object: Object) -> Object {
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
        content @ ToolContent::Terminal { .. } => MessagePart::Unknown { raw: to_acp(&content) },
        ToolContent::Unknown { raw } => MessagePart::Unknown { raw },
    };
    contents.iter().map(part).collect()
}
