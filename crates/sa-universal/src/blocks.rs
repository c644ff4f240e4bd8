//! Content blocks of messages: ACP's and ours.

use crate::json::{self, Fields, Object};
use crate::{carrier, uri};
use sa_api::sessions::{FileSource, MessagePart};
use serde_json::{Value, json};

/// The part that a block is, and what it says next to its text.
pub(crate) fn part(block: &Value) -> (MessagePart, Object) {
    if let Value::String(text) = block {
        return (MessagePart::Text { text: text.clone() }, Object::new());
    }
    let unknown = || MessagePart::Unknown { raw: block.clone() };
    let Some(object) = block.as_object() else { return (unknown(), Object::new()) };
    if let Some(part) = carrier::part(object) {
        return (part, Object::new());
    }
    let mut fields = Fields::new(object, &["type"]);
    let part = match json::text(object, "type") {
        Some("text") => match fields.text("text") {
            Some(text) => return (MessagePart::Text { text }, fields.rest()),
            None => None,
        },
        Some("image") => image(fields),
        Some("resource_link") => link(fields),
        Some("resource") => resource(fields),
        _ => None,
    };
    (part.unwrap_or_else(unknown), Object::new())
}

fn image(mut fields: Fields<'_>) -> Option<MessagePart> {
    let mime_type = fields.text("mimeType")?;
    let data = fields.text("data").filter(|data| !data.is_empty());
    let source = match data {
        Some(data) => FileSource::Base64 { data },
        None => FileSource::Uri { uri: fields.text("uri")? },
    };
    let mut extra = fields.rest();
    let alt = taken(&mut extra, "alt");
    Some(MessagePart::Image { source, mime_type, alt, extra })
}

fn link(mut fields: Fields<'_>) -> Option<MessagePart> {
    let uri = fields.text("uri")?;
    Some(MessagePart::File {
        name: fields.text("name"),
        path: Some(uri::path_of(&uri)),
        source: Some(FileSource::Uri { uri }),
        mime_type: fields.text("mimeType"),
        diff: None,
        extra: fields.rest(),
    })
}

fn resource(mut fields: Fields<'_>) -> Option<MessagePart> {
    let mut inner = Fields::new(fields.take("resource", Value::as_object)?, &[]);
    let source = match inner.text("text") {
        Some(text) => FileSource::Text { text },
        None => FileSource::Base64 { data: inner.text("blob")? },
    };
    let uri = inner.text("uri").unwrap_or_default();
    let mime_type = inner.text("mimeType");
    let within = inner.rest();
    let mut extra = fields.rest();
    if extra.contains_key("uri") {
        return None;
    }
    let path = uri::path_of(&uri);
    if uri::uri_of(&path) != uri {
        extra.insert("uri".to_owned(), uri.into());
    }
    if !within.is_empty() {
        extra.insert("resource".to_owned(), Value::Object(within));
    }
    Some(MessagePart::File {
        name: taken(&mut extra, "name"),
        path: Some(path).filter(|path| !path.is_empty()),
        source: Some(source),
        mime_type,
        diff: None,
        extra,
    })
}

fn taken(extra: &mut Object, key: &str) -> Option<String> {
    let text = json::owned(extra, key)?;
    extra.remove(key);
    Some(text)
}

/// The block that says the same; `None` if ACP has none.
pub(crate) fn block(part: &MessagePart) -> Option<Value> {
    match part {
        MessagePart::Text { text } => Some(json!({ "type": "text", "text": text })),
        MessagePart::Image { source, mime_type, alt, extra } => {
            image_block(source, mime_type, alt.as_deref(), extra)
        }
        MessagePart::File { name, path, source, mime_type, diff: None, extra } => {
            file_block(name.as_deref(), path.as_deref(), source.as_ref(), mime_type.as_deref(), extra)
        }
        MessagePart::Unknown { raw } => is_audio(raw).then(|| raw.clone()),
        _ => None,
    }
}

pub(crate) fn image_block(
    source: &FileSource,
    mime_type: &str,
    alt: Option<&str>,
    extra: &Object,
) -> Option<Value> {
    let (data, uri) = match source {
        FileSource::Base64 { data } => (data.as_str(), None),
        FileSource::Uri { uri } => ("", Some(uri)),
        FileSource::Text { .. } => return None,
    };
    let mut block =
        json::present(json!({ "type": "image", "mimeType": mime_type, "data": data, "uri": uri }));
    let mut extra = extra.clone();
    json::put(&mut extra, "alt", alt);
    add(&mut block, extra, &["uri"]);
    Some(Value::Object(block))
}

pub(crate) fn file_block(
    name: Option<&str>,
    path: Option<&str>,
    source: Option<&FileSource>,
    mime_type: Option<&str>,
    extra: &Object,
) -> Option<Value> {
    let mut extra = extra.clone();
    let block = match source {
        None | Some(FileSource::Uri { .. }) => {
            let uri = match source {
                Some(FileSource::Uri { uri }) => uri.clone(),
                _ => uri::uri_of(path?),
            };
            let name = name.unwrap_or_else(|| uri::name_of(path.unwrap_or(&uri)));
            let link = json!({ "type": "resource_link", "name": name, "uri": uri, "mimeType": mime_type });
            let mut block = json::present(link);
            add(&mut block, extra, &["title", "description", "size"]);
            block
        }
        Some(FileSource::Text { text: content } | FileSource::Base64 { data: content }) => {
            let key = if matches!(source, Some(FileSource::Text { .. })) { "text" } else { "blob" };
            let uri = match extra.remove("uri") {
                Some(Value::String(uri)) => uri,
                _ => uri::uri_of(path.unwrap_or_default()),
            };
            let mut inner = json::present(json!({ "uri": uri, key: content, "mimeType": mime_type }));
            if let Some(Value::Object(within)) = extra.remove("resource") {
                add(&mut inner, within, &[]);
            }
            json::put(&mut extra, "name", name);
            let mut block = json::present(json!({ "type": "resource", "resource": inner }));
            add(&mut block, extra, &[]);
            block
        }
    };
    Some(Value::Object(block))
}

/// Adds members that ACP allows as they are, and hides the others.
pub(crate) fn add(block: &mut Object, extra: Object, allowed: &[&str]) {
    let mut others = Object::new();
    for (key, value) in extra {
        let fits = match (key.as_str(), &value) {
            ("_meta", Value::Object(_)) => true,
            ("annotations", value) => are_annotations(value),
            ("size", Value::Number(number)) => allowed.contains(&"size") && number.is_i64(),
            ("uri" | "title" | "description", Value::String(_)) => allowed.contains(&key.as_str()),
            _ => false,
        };
        if fits && !block.contains_key(&key) {
            block.insert(key, value);
        } else {
            others.insert(key, value);
        }
    }
    carrier::hide(block, others);
}

fn are_annotations(value: &Value) -> bool {
    let Some(object) = value.as_object() else { return false };
    object.iter().all(|(key, value)| match (key.as_str(), value) {
        (_, Value::Null) | ("priority", Value::Number(_)) | ("lastModified", Value::String(_)) => true,
        ("audience", Value::Array(roles)) => roles.iter().all(|role| role == "user" || role == "assistant"),
        ("_meta", Value::Object(_)) => true,
        _ => false,
    })
}

/// Returns whether this is audio that ACP can carry. Universal messages have no part for it.
pub(crate) fn is_audio(raw: &Value) -> bool {
    let Some(object) = raw.as_object() else { return false };
    json::text(object, "type") == Some("audio")
        && object.iter().all(|(key, value)| match key.as_str() {
            "type" | "data" | "mimeType" => value.is_string(),
            "annotations" => are_annotations(value),
            "_meta" => value.is_object(),
            _ => false,
        })
        && object.contains_key("data")
        && object.contains_key("mimeType")
}
