//! Content blocks of the Anthropic API as those of ACP.

use agent_client_protocol_schema::v1::{ContentBlock, ImageContent, ResourceLink, TextContent};
use serde_json::Value;

/// One block; `None` for kinds that say nothing to people.
pub(crate) fn content_block(block: &Value) -> Option<ContentBlock> {
    match block["type"].as_str()? {
        "text" => {
            let text = block["text"].as_str()?;
            (!text.is_empty()).then(|| ContentBlock::Text(TextContent::new(text)))
        }
        "image" => picture(&block["source"]),
        "document" => {
            let name = block["title"].as_str().unwrap_or("document");
            Some(ContentBlock::Text(TextContent::new(format!("[{name}]"))))
        }
        "tool_reference" => Some(ContentBlock::Text(TextContent::new(block["tool_name"].as_str()?))),
        _ => None,
    }
}

fn picture(source: &Value) -> Option<ContentBlock> {
    match source["type"].as_str()? {
        "base64" => {
            let image = ImageContent::new(source["data"].as_str()?, source["media_type"].as_str()?);
            Some(ContentBlock::Image(image))
        }
        "url" => Some(ContentBlock::ResourceLink(ResourceLink::new("image", source["url"].as_str()?))),
        _ => None,
    }
}

/// Returns what a tool result says: a text, or a list of blocks.
pub(super) fn blocks_of(content: &Value) -> Vec<ContentBlock> {
    match content {
        Value::String(text) if !text.is_empty() => vec![ContentBlock::Text(TextContent::new(text.as_str()))],
        Value::Array(blocks) => blocks.iter().filter_map(content_block).collect(),
        _ => Vec::new(),
    }
}

/// The texts of a tool result, joined.
pub(super) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Vec<_> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}
