//! The content of a prompt, in the two forms that models take: text and pictures.

use crate::protocol::errors::invalid;
use crate::protocol::profile::{Extra, Profile};
use agent_client_protocol_schema::v1::{ContentBlock, EmbeddedResourceResource, Error};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptPart {
    Text(String),
    Image {
        media_type: String,
        data: String,
    },
    /// A picture by its address.
    ImageUrl(String),
}

impl PromptPart {
    /// Returns the part as Anthropic's API has it.
    pub fn into_block(self) -> Value {
        match self {
            Self::Text(text) => json!({ "type": "text", "text": text }),
            Self::Image { media_type, data } => {
                let source = json!({ "type": "base64", "media_type": media_type, "data": data });
                json!({ "type": "image", "source": source })
            }
            Self::ImageUrl(url) => json!({ "type": "image", "source": { "type": "url", "url": url } }),
        }
    }
}

/// Reads the parts of a prompt. Embedded files stand behind the text that refers to them.
pub(crate) fn prompt_parts(profile: &Profile, prompt: Vec<ContentBlock>) -> Result<Vec<PromptPart>, Error> {
    let agent = profile.title;
    let mut parts = Vec::new();
    let mut context = Vec::new();
    for block in prompt {
        match block {
            ContentBlock::Text(text) => parts.push(PromptPart::Text(text.text)),
            ContentBlock::Image(image) => parts.push(match image.uri {
                Some(url) if image.data.is_empty() && url.starts_with("http") => {
                    if !profile.has(Extra::ImageUrls) {
                        let reason = format!("{agent} takes no pictures by their address, only their data");
                        return Err(invalid(reason));
                    }
                    PromptPart::ImageUrl(url)
                }
                _ => PromptPart::Image { media_type: image.mime_type, data: image.data },
            }),
            ContentBlock::ResourceLink(link) => parts.push(mention(&link.name, &link.uri)),
            ContentBlock::Resource(embedded) => embed(embedded.resource, &mut parts, &mut context)?,
            ContentBlock::Audio(_) => return Err(invalid(format!("{agent} takes no audio"))),
            _ => return Err(invalid("content of an unknown kind")),
        }
    }
    parts.append(&mut context);
    if parts.is_empty() { Err(invalid("the prompt is empty")) } else { Ok(parts) }
}

/// The first line of the text, short enough for a title.
pub(crate) fn first_line(parts: &[PromptPart]) -> String {
    let line = parts.iter().find_map(|part| match part {
        PromptPart::Text(text) => text.lines().map(str::trim).find(|line| !line.is_empty()),
        PromptPart::Image { .. } | PromptPart::ImageUrl(_) => None,
    });
    line.unwrap_or_default().chars().take(80).collect()
}

/// A link that the model can follow: local files by their path, everything else as it is.
fn mention(name: &str, uri: &str) -> PromptPart {
    let target = local_path(uri);
    PromptPart::Text(format!("[@{name}]({})", target.as_deref().unwrap_or(uri)))
}

/// Returns the path of a `file:` address; `None` for any other address, and for one whose path is not UTF-8. A suffix of
/// the path, such as a range of lines, stays as it is.
pub fn local_path(uri: &str) -> Option<String> {
    let rest = uri.strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").filter(|path| path.starts_with('/')).unwrap_or(rest);
    let (path, suffix) = rest.split_at(rest.find(['#', '?']).unwrap_or(rest.len()));
    // A path with a bare `%` is no valid address, but clients send it. It stays as it is.
    Some(percent_decode_str(path).decode_utf8().ok()?.into_owned() + suffix)
}

fn embed(
    resource: EmbeddedResourceResource,
    parts: &mut Vec<PromptPart>,
    context: &mut Vec<PromptPart>,
) -> Result<(), Error> {
    match resource {
        EmbeddedResourceResource::TextResourceContents(resource) => {
            let place = local_path(&resource.uri).unwrap_or(resource.uri);
            parts.push(mention(name_of(&place), &place));
            context
                .push(PromptPart::Text(format!("<context ref=\"{place}\">\n{}\n</context>", resource.text)));
        }
        EmbeddedResourceResource::BlobResourceContents(resource) => {
            let media_type = resource.mime_type.unwrap_or_default();
            if !media_type.starts_with("image/") {
                return Err(invalid(format!("an embedded file of the type {media_type:?} cannot be sent")));
            }
            parts.push(PromptPart::Image { media_type, data: resource.blob });
        }
        _ => return Err(invalid("an embedded resource of an unknown kind")),
    }
    Ok(())
}

/// The last part of an address or a path.
fn name_of(uri: &str) -> &str {
    uri.trim_end_matches('/').rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(uri)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::session::machine::tests::PROFILE;

    #[test]
    fn the_model_reads_the_names_that_files_have() {
        let paths = [
            ("file:///with%20space/r%C3%A9sum%C3%A9.txt", Some("/with space/résumé.txt")),
            ("file:///plain.txt", Some("/plain.txt")),
            ("file://localhost/a%2fb", Some("/a/b")),
            ("file:///a%23b%3Fc%25.rs#L5:10", Some("/a#b?c%.rs#L5:10")),
            ("file:///100%/50%zz%", Some("/100%/50%zz%")),
            ("file:///not-utf8%ff", None),
            ("https://example.org/a%20b", None),
        ];
        for (uri, path) in paths {
            assert_eq!(local_path(uri).as_deref(), path, "{uri}");
            let shown = path.unwrap_or(uri);
            let link = json!({ "type": "resource_link", "name": "it", "uri": uri });
            let link = prompt_parts(&PROFILE, vec![serde_json::from_value(link).unwrap()]).unwrap();
            assert_eq!(link, [PromptPart::Text(format!("[@it]({shown})"))]);
            let file = json!({ "type": "resource", "resource": { "uri": uri, "text": "milk" } });
            let file = prompt_parts(&PROFILE, vec![serde_json::from_value(file).unwrap()]).unwrap();
            assert_eq!(file[1], PromptPart::Text(format!("<context ref=\"{shown}\">\nmilk\n</context>")));
            assert_eq!(file[0], PromptPart::Text(format!("[@{}]({shown})", name_of(shown))));
        }
    }
}
