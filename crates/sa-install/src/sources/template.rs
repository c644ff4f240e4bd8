//! The catalog's templates, and the names of versions that go into them.

use crate::error::{Result, SourceError};
use crate::fetch::shown;
use crate::limits::MAX_VERSION_CHARS;
use url::Url;

/// The values that a template may use.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Values<'a> {
    pub(super) base: &'a str,
    pub(super) version: &'a str,
    pub(super) platform: &'a str,
    pub(super) tag: &'a str,
}

impl Values<'_> {
    /// Returns the template with its places filled.
    pub(super) fn fill(&self, template: &str) -> String {
        template
            .replace("{base}", self.base)
            .replace("{version}", self.version)
            .replace("{platform}", self.platform)
            .replace("{tag}", self.tag)
    }

    pub(super) fn address(&self, template: &str) -> Result<Url> {
        address(&self.fill(template))
    }
}

/// Returns an address that the catalog or a registry's entry holds.
pub(super) fn address(text: &str) -> Result<Url> {
    Url::parse(text).map_err(|error| SourceError::Nonsense {
        url: text.to_owned(),
        reason: format!("is not an address ({error})"),
    })
}

/// Returns an address that a document of `publisher` holds. Only a document of this machine names files of it.
pub(super) fn published_address(text: &str, publisher: &Url) -> Result<Url> {
    let url = address(text)?;
    if matches!(url.scheme(), "http" | "https") || url.scheme() == publisher.scheme() {
        return Ok(url);
    }
    let reason = format!("is named by {}, which may only name http and https addresses", shown(publisher));
    Err(SourceError::nonsense(&url, reason))
}

/// The requested version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted<'a> {
    /// The one its publisher calls so.
    Latest,
    Version(&'a str),
    /// Whatever its publisher means by this word, such as `stable`.
    Word(&'a str),
}

impl<'a> Wanted<'a> {
    /// Reads what a user asked for; a `v` in front of a number is only a habit.
    pub(super) fn new(text: Option<&'a str>) -> Self {
        match text {
            None | Some("latest") => Self::Latest,
            Some(text) => match version_name(text) {
                Some(version) => Self::Version(version),
                None => Self::Word(text),
            },
        }
    }

    /// Returns the version as the user wrote it.
    pub(super) fn text(self) -> &'a str {
        match self {
            Self::Latest => "latest",
            Self::Version(text) | Self::Word(text) => text,
        }
    }

    /// That there is no such version at this address.
    pub(super) fn missing(self, url: &str) -> SourceError {
        SourceError::NoVersion { version: self.text().to_owned(), url: url.to_owned() }
    }

    /// Turns "not found" into a missing version; keeps every other error.
    pub(super) fn unless_there(self, error: SourceError) -> SourceError {
        match error {
            SourceError::Status { url, status: 404 | 410 } if self != Self::Latest => self.missing(&url),
            other => other,
        }
    }
}

/// Returns a version as it is used in addresses and as a directory's name: starts with a digit and holds nothing that
/// means something there.
pub(super) fn version_name(text: &str) -> Option<&str> {
    let text = text.trim();
    let text = text.strip_prefix('v').unwrap_or(text);
    let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '+' | '_');
    let version = text.starts_with(|first: char| first.is_ascii_digit())
        && text.len() <= MAX_VERSION_CHARS
        && text.chars().all(fits);
    version.then_some(text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn documents_of_servers_name_no_file_of_this_machine() {
        let named = |text: &str, publisher: &str| published_address(text, &Url::parse(publisher).unwrap());
        let server = "https://registry.test/";
        let refusal = named("file:///etc/passwd", server).unwrap_err().to_string();
        assert!(refusal.contains("file:///etc/passwd") && refusal.contains(server), "{refusal}");
        assert!(named("data:,x", server).is_err());
        assert!(named("https://elsewhere.test/a.tgz", server).is_ok());
        assert!(named("file:///srv/a.tgz", "file:///srv/registry.json").is_ok());
    }
}
