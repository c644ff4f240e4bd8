//! Messages for the agent, and how a turn ends.

use crate::blocks;
use crate::json::{self, Object};
use crate::words::Word;
use sa_api::sessions::{FileSource, MessagePart, StopReason, TokenCounts, Usage};
use serde_json::Value;
use serde_json::value::RawValue;
use thiserror::Error;

/// Content that an agent takes in a prompt, in addition to text and links.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PromptCapabilities {
    /// Images.
    pub image: bool,
    /// Sounds.
    pub audio: bool,
    /// The content of files.
    pub embedded_context: bool,
}

impl PromptCapabilities {
    /// Reads the result of `initialize`.
    pub fn of(initialized: &RawValue) -> Self {
        let result = json::read(initialized);
        let can = result.pointer("/agentCapabilities/promptCapabilities");
        let says = |key| can.and_then(|can| can.get(key)).and_then(Value::as_bool).unwrap_or_default();
        Self { image: says("image"), audio: says("audio"), embedded_context: says("embeddedContext") }
    }
}

/// A part that the agent does not take.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("part {part}: {reason}")]
pub struct UnsupportedPart {
    /// Number of the part, from 1.
    pub part: usize,
    pub reason: &'static str,
}

/// The content blocks of a `session/prompt`.
///
/// A file whose content the agent does not take becomes a link to it.
///
/// # Errors
///
/// When there is a part that the agent does not take, or that no message of a client can have.
pub fn prompt(parts: &[MessagePart], can: &PromptCapabilities) -> Result<Vec<Value>, UnsupportedPart> {
    let block =
        |(index, part)| block(part, can).map_err(|reason| UnsupportedPart { part: index + 1, reason });
    parts.iter().enumerate().map(block).collect()
}

fn block(part: &MessagePart, can: &PromptCapabilities) -> Result<Value, &'static str> {
    let block = match part {
        MessagePart::Image { source: FileSource::Uri { uri }, mime_type, alt, extra } => {
            let source = FileSource::Uri { uri: uri.clone() };
            blocks::file_block(alt.as_deref(), None, Some(&source), Some(mime_type), extra)
        }
        MessagePart::Image { .. } if !can.image => return Err("the agent takes no images"),
        MessagePart::Image { source: FileSource::Text { .. }, .. } => return Err("text is no image"),
        MessagePart::File { diff: Some(_), .. } => {
            return Err("a message cannot contain the change of a file");
        }
        MessagePart::File { name, path, source, mime_type, extra, .. } => {
            let content = matches!(source, Some(FileSource::Text { .. } | FileSource::Base64 { .. }));
            let source = source.as_ref().filter(|_| !content || can.embedded_context);
            if path.is_none() && source.is_none() {
                return Err(if content {
                    "the agent takes no content of files, and this one has no path to link to"
                } else {
                    "a file needs a path, an address or content"
                });
            }
            blocks::file_block(name.as_deref(), path.as_deref(), source, mime_type.as_deref(), extra)
        }
        MessagePart::Unknown { raw } if blocks::is_audio(raw) && !can.audio => {
            return Err("the agent takes no sounds");
        }
        part => blocks::block(part),
    };
    block.ok_or("only text, files and images can be sent to an agent")
}

/// Returns the end of a turn by the result of `session/prompt`, and what it used. A word that is not known is `unknown`.
pub fn stop_reason(result: &RawValue) -> (StopReason, Option<Usage>) {
    let result = json::read(result);
    let reason = result.get("stopReason").and_then(Value::as_str).and_then(StopReason::read);
    // Agents that keep to the stable protocol report it as metadata.
    let told = result.get("usage").or_else(|| result.get("_meta")?.get("sandboxAgent")?.get("usage"));
    let usage = told.and_then(Value::as_object).map(usage);
    (reason.unwrap_or(StopReason::Unknown), usage.filter(|usage| *usage != Usage::default()))
}

fn usage(object: &Object) -> Usage {
    let count = |key| object.get(key).and_then(json::count);
    let tokens = TokenCounts {
        input_tokens: count("inputTokens"),
        output_tokens: count("outputTokens"),
        cached_read_tokens: count("cachedReadTokens"),
        cached_write_tokens: count("cachedWriteTokens"),
        thought_tokens: count("thoughtTokens"),
        total_tokens: count("totalTokens"),
    };
    Usage { tokens, ..Usage::default() }
}
