//! What a client puts into a prompt, in the two forms that models take: text and pictures.

use super::errors::invalid;
use agent_client_protocol_schema::v1::{ContentBlock, EmbeddedResourceResource, Error, ResourceLink};

/// A part of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text.
    Text(String),
    /// A picture.
    Image {
        /// Its MIME type.
        media_type: String,
        /// It in base64.
        data: String,
    },
    /// A picture that is to be fetched.
    ImageUrl(String),
}

/// The parts of a prompt. What it refers to stands behind what refers to it. `agent` is named in complaints.
pub(super) fn pieces(agent: &str, prompt: Vec<ContentBlock>) -> Result<Vec<Piece>, Error> {
    let mut pieces = Vec::new();
    let mut context = Vec::new();
    for block in prompt {
        match block {
            ContentBlock::Text(text) => pieces.push(Piece::Text(text.text)),
            ContentBlock::Image(image) => pieces.push(match image.uri {
                Some(url) if image.data.is_empty() && url.starts_with("http") => Piece::ImageUrl(url),
                _ => Piece::Image { media_type: image.mime_type, data: image.data },
            }),
            ContentBlock::ResourceLink(link) => pieces.push(Piece::Text(mention(&link))),
            ContentBlock::Resource(embedded) => embed(embedded.resource, &mut pieces, &mut context)?,
            ContentBlock::Audio(_) => return Err(invalid(format!("{agent} takes no audio"))),
            _ => return Err(invalid("content of an unknown kind")),
        }
    }
    pieces.append(&mut context);
    if pieces.is_empty() { Err(invalid("the prompt is empty")) } else { Ok(pieces) }
}

/// The first line of the text, short enough for a title.
pub(super) fn first_line(pieces: &[Piece]) -> String {
    let line = pieces.iter().find_map(|piece| match piece {
        Piece::Text(text) => text.lines().map(str::trim).find(|line| !line.is_empty()),
        Piece::Image { .. } | Piece::ImageUrl(_) => None,
    });
    line.unwrap_or_default().chars().take(80).collect()
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
    pieces: &mut Vec<Piece>,
    context: &mut Vec<Piece>,
) -> Result<(), Error> {
    match resource {
        EmbeddedResourceResource::TextResourceContents(resource) => {
            let uri = resource.uri;
            pieces.push(Piece::Text(format!("[@{}]({uri})", name_of(&uri))));
            context.push(Piece::Text(format!("<context ref=\"{uri}\">\n{}\n</context>", resource.text)));
        }
        EmbeddedResourceResource::BlobResourceContents(resource) => {
            let media_type = resource.mime_type.unwrap_or_default();
            if !media_type.starts_with("image/") {
                return Err(invalid(format!("an embedded file of the type {media_type:?} cannot be sent")));
            }
            pieces.push(Piece::Image { media_type, data: resource.blob });
        }
        _ => return Err(invalid("an embedded resource of an unknown kind")),
    }
    Ok(())
}

/// The last part of an address.
fn name_of(uri: &str) -> &str {
    uri.trim_end_matches('/').rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(uri)
}
