//! Conditions on what is there before it is changed or sent: the entity tags of HTTP.

use crate::entry::Version;
use crate::error::{FilesError, Result, about};
use std::path::Path;

/// Entity tags of a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tags {
    /// Any: `*`.
    Any,
    /// These entity tags, as they stand in the header, quotes and `W/` included.
    Of(Vec<String>),
}

/// Conditions on the current version.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conditions {
    /// `If-Match`: there is one of these.
    pub if_match: Option<Tags>,
    /// `If-None-Match`: there is none of these.
    pub if_none_match: Option<Tags>,
}

impl Tags {
    /// Reads the value of a header; nothing when it is malformed.
    pub fn parse(value: &str) -> Option<Self> {
        if value.trim() == "*" {
            return Some(Self::Any);
        }
        let mut tags = Vec::new();
        let mut rest = value.trim_start();
        while !rest.is_empty() {
            let opaque = rest.strip_prefix("W/").unwrap_or(rest).strip_prefix('"')?;
            let (inside, after) = opaque.split_once('"')?;
            let weak = if rest.starts_with("W/") { "W/" } else { "" };
            tags.push(format!("{weak}\"{inside}\""));
            rest = after.trim_start();
            rest = match rest.strip_prefix(',') {
                Some(more) => more.trim_start(),
                None if rest.is_empty() => rest,
                None => return None,
            };
        }
        (!tags.is_empty()).then_some(Self::Of(tags))
    }

    /// Returns whether this version is certainly one of them. A weak tag never is.
    pub fn hold_strongly(&self, version: &Version) -> bool {
        match self {
            Self::Any => true,
            Self::Of(tags) => tags.contains(&version.tag()),
        }
    }

    /// Returns whether this version is one of them, weak tags included.
    pub fn hold_weakly(&self, version: &Version) -> bool {
        match self {
            Self::Any => true,
            Self::Of(tags) => {
                let tag = version.tag();
                tags.iter().any(|other| other.strip_prefix("W/").unwrap_or(other) == tag)
            }
        }
    }
}

impl Conditions {
    /// Refuses unless what is there is as the request says.
    pub(crate) fn check(&self, present: Option<&Version>, path: &Path) -> Result<()> {
        let matched = |tags: &Tags| present.is_some_and(|version| tags.hold_strongly(version));
        if self.if_match.as_ref().is_some_and(|tags| !matched(tags)) {
            let found = if present.is_some() { "has another version" } else { "does not exist" };
            let why = format!("{found}, so If-Match does not hold");
            return Err(FilesError::Precondition(about(path, why)));
        }
        let excluded = |tags: &Tags| present.is_some_and(|version| tags.hold_weakly(version));
        if self.if_none_match.as_ref().is_some_and(excluded) {
            return Err(Self::not_new(path));
        }
        Ok(())
    }

    /// Returns the refusal of a file that must be new, and is not.
    pub(crate) fn not_new(path: &Path) -> FilesError {
        FilesError::Precondition(about(path, "exists, so If-None-Match does not hold"))
    }

    /// Returns whether the file must be new.
    pub(crate) fn must_be_new(&self) -> bool {
        self.if_none_match == Some(Tags::Any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_read_as_the_standard_writes_them() {
        let of = |tags: &[&str]| Some(Tags::Of(tags.iter().map(|&tag| tag.to_owned()).collect()));
        assert_eq!(Tags::parse(" * "), Some(Tags::Any));
        assert_eq!(Tags::parse("\"a\""), of(&["\"a\""]));
        assert_eq!(Tags::parse("\"a,b\" ,W/\"c\""), of(&["\"a,b\"", "W/\"c\""]));
        for wrong in ["", "a", "\"a", "\"a\"b", "w/\"a\"", "\"a\" \"b\""] {
            assert_eq!(Tags::parse(wrong), None, "{wrong}");
        }
    }
}
