//! The content of prompts, and the content that the agent can send back.

use agent_client_protocol_schema::v1::{
    AudioContent, BlobResourceContents, ContentBlock, EmbeddedResource, EmbeddedResourceResource,
    ImageContent, PromptRequest, ResourceLink, TextContent, TextResourceContents,
};
use sa_acp::RequestKey;

/// Content that is larger than this is not kept in the history; a line of text says what it was.
const KEEP: usize = 256 << 10;

/// A prompt that waits or is worked on.
#[derive(Debug)]
pub(super) struct Prompt {
    pub(super) key: RequestKey,
    /// The text blocks, one after the other.
    pub(super) text: String,
    /// Descriptions of the other content.
    pub(super) attachments: Vec<String>,
    /// All of it, for the history.
    pub(super) blocks: Vec<ContentBlock>,
}

impl Prompt {
    pub(super) fn new(key: RequestKey, request: PromptRequest) -> Self {
        let mut prompt = Self { key, text: String::new(), attachments: Vec::new(), blocks: Vec::new() };
        for block in request.prompt {
            let (description, weight) = describe(&block);
            match (&block, description) {
                (ContentBlock::Text(text), _) => {
                    prompt.text.push_str(&text.text);
                    prompt.text.push('\n');
                    prompt.blocks.push(block);
                }
                (_, Some(description)) if weight > KEEP => {
                    prompt.blocks.push(format!("[{description}; not kept]").into());
                    prompt.attachments.push(description);
                }
                (_, description) => {
                    prompt.attachments.extend(description);
                    prompt.blocks.push(block);
                }
            }
        }
        prompt
    }
}

/// Returns what a block that is not text is, and roughly how many bytes it takes.
fn describe(block: &ContentBlock) -> (Option<String>, usize) {
    let (description, weight) = match block {
        ContentBlock::Image(ImageContent { data, mime_type, .. }) => {
            (format!("image, {mime_type}, {} bytes", decoded_length(data)), data.len())
        }
        ContentBlock::Audio(AudioContent { data, mime_type, .. }) => {
            (format!("audio, {mime_type}, {} bytes", decoded_length(data)), data.len())
        }
        ContentBlock::ResourceLink(link) => (format!("resource link, {}, {}", link.name, link.uri), 0),
        ContentBlock::Resource(EmbeddedResource { resource, .. }) => describe_resource(resource),
        _ => return (None, 0),
    };
    (Some(description), weight)
}

fn describe_resource(resource: &EmbeddedResourceResource) -> (String, usize) {
    let kind = |mime_type: &Option<String>| mime_type.clone().unwrap_or_else(|| "unknown type".to_owned());
    match resource {
        EmbeddedResourceResource::TextResourceContents(TextResourceContents {
            text, uri, mime_type, ..
        }) => (format!("text resource, {}, {} bytes, {uri}", kind(mime_type), text.len()), text.len()),
        EmbeddedResourceResource::BlobResourceContents(BlobResourceContents {
            blob, uri, mime_type, ..
        }) => (
            format!("binary resource, {}, {} bytes, {uri}", kind(mime_type), decoded_length(blob)),
            blob.len(),
        ),
        _ => ("resource of an unknown kind".to_owned(), 0),
    }
}

/// Returns how many bytes a Base64 text stands for.
fn decoded_length(base64: &str) -> usize {
    let digits = base64.trim_end_matches('=').len();
    digits * 3 / 4
}

/// Returns content for the client, by the name of its kind.
pub(super) fn sample(name: &str) -> Option<ContentBlock> {
    let plain = "text/plain".to_owned();
    Some(match name {
        "" | "image" => ContentBlock::Image(ImageContent::new(PIXEL, "image/png")),
        "audio" => ContentBlock::Audio(AudioContent::new(SILENCE, "audio/wav")),
        "link" => {
            ContentBlock::ResourceLink(ResourceLink::new("demo.txt", "demo://demo.txt").mime_type(plain))
        }
        "resource" => {
            let text = TextResourceContents::new("A resource of the demo agent.\n", "demo://demo.txt");
            let resource = EmbeddedResourceResource::TextResourceContents(text.mime_type(plain));
            ContentBlock::Resource(EmbeddedResource::new(resource))
        }
        _ => return None,
    })
}

/// One blue pixel as PNG.
const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mPQztnwHwAEVAJHQ1zbHgAAAABJRU5ErkJggg==";

/// A WAV file without samples: mono, 8 kHz, 8 bit.
const SILENCE: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

pub(super) fn text(text: impl Into<String>) -> ContentBlock {
    ContentBlock::Text(TextContent::new(text))
}

/// Roughly how many tokens a model would see in a text: one per four characters.
pub(super) fn tokens(text: &str) -> u64 {
    (text.chars().count() as u64).div_ceil(4)
}
