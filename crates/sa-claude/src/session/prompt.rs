//! What a client asks for, in the CLI's own form.

use crate::core::invalid;
use crate::native::line::{ImageSource, UserBlock, UserContent};
use agent_client_protocol_schema::v1::{
    ContentBlock, EmbeddedResourceResource, Error, PromptRequest, ResourceLink,
};
use sa_acp::RequestKey;

/// A prompt that waits or is worked on.
#[derive(Debug)]
pub(crate) struct Prompt {
    /// The request to answer.
    pub(crate) key: RequestKey,
    pub(super) content: UserContent,
    /// The first line of its text, for a title.
    pub(super) first_line: String,
}

impl Prompt {
    pub(crate) fn new(key: RequestKey, request: PromptRequest) -> Result<Self, Error> {
        let mut blocks = Vec::new();
        let mut context = Vec::new();
        for block in request.prompt {
            convert(block, &mut blocks, &mut context)?;
        }
        // What is referred to stands behind what refers to it.
        blocks.append(&mut context);
        let first_line = blocks.iter().find_map(|block| match block {
            UserBlock::Text { text } => text.lines().map(str::trim).find(|line| !line.is_empty()),
            UserBlock::Image { .. } => None,
        });
        let first_line = first_line.unwrap_or_default().chars().take(80).collect();
        let content = match blocks.as_mut_slice() {
            [] => return Err(invalid("the prompt is empty")),
            [UserBlock::Text { text }] => UserContent::Text(std::mem::take(text)),
            _ => UserContent::Blocks(blocks),
        };
        Ok(Self { key, content, first_line })
    }
}

fn convert(
    block: ContentBlock,
    blocks: &mut Vec<UserBlock>,
    context: &mut Vec<UserBlock>,
) -> Result<(), Error> {
    match block {
        ContentBlock::Text(text) => blocks.push(UserBlock::Text { text: text.text }),
        ContentBlock::Image(image) => {
            let source = match image.uri {
                Some(url) if image.data.is_empty() && url.starts_with("http") => ImageSource::Url { url },
                _ => ImageSource::Base64 { media_type: image.mime_type, data: image.data },
            };
            blocks.push(UserBlock::Image { source });
        }
        ContentBlock::ResourceLink(link) => blocks.push(UserBlock::Text { text: mention(&link) }),
        ContentBlock::Resource(embedded) => embed(embedded.resource, blocks, context)?,
        ContentBlock::Audio(_) => return Err(invalid("Claude Code takes no audio")),
        _ => return Err(invalid("content of an unknown kind")),
    }
    Ok(())
}

/// A link that the model can follow: local files by their path, everything else as it is.
fn mention(link: &ResourceLink) -> String {
    match link.uri.strip_prefix("file://") {
        Some(path) => format!("[@{}]({path})", link.name),
        None => format!("[@{}]({})", link.name, link.uri),
    }
}

fn embed(
    resource: EmbeddedResourceResource,
    blocks: &mut Vec<UserBlock>,
    context: &mut Vec<UserBlock>,
) -> Result<(), Error> {
    match resource {
        EmbeddedResourceResource::TextResourceContents(resource) => {
            let uri = resource.uri;
            blocks.push(UserBlock::Text { text: format!("[@{}]({uri})", name_of(&uri)) });
            let text = format!("<context ref=\"{uri}\">\n{}\n</context>", resource.text);
            context.push(UserBlock::Text { text });
        }
        EmbeddedResourceResource::BlobResourceContents(resource) => {
            let media_type = resource.mime_type.unwrap_or_default();
            if !media_type.starts_with("image/") {
                return Err(invalid(format!("an embedded file of the type {media_type:?} cannot be sent")));
            }
            blocks.push(UserBlock::Image { source: ImageSource::Base64 { media_type, data: resource.blob } });
        }
        _ => return Err(invalid("an embedded resource of an unknown kind")),
    }
    Ok(())
}

/// The last part of an address.
fn name_of(uri: &str) -> &str {
    uri.trim_end_matches('/').rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(uri)
}
