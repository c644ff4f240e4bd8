//! Patterns of rules: text in which `*` stands for any characters.

use globset::GlobBuilder;
use regex::bytes::{Regex, RegexBuilder};
use std::fmt::Display;

/// Characters that make one command several, or gives it another's output, in any of the usual shells. That some of it may be quoted is
/// not looked at: shells differ in what ends a quote.
pub(super) const OPERATORS: [char; 10] = [';', '&', '|', '`', '<', '>', '(', ')', '\n', '\r'];

/// Maximum number of characters in a pattern.
pub(super) const MAX_PATTERN: usize = 8192;
/// Characters of a longer pattern that its error shows.
const SHOWN: usize = 40;

/// A pattern that is ready to be matched.
#[derive(Debug)]
pub(super) struct Pattern {
    text: String,
    regex: Regex,
}

impl Pattern {
    /// Refuses what is none, with the text and why.
    pub(super) fn new(text: &str) -> Result<Self, String> {
        if text.chars().nth(MAX_PATTERN).is_some() {
            let start: String = text.chars().take(SHOWN).collect();
            return Err(format!("the pattern '{start}…' is longer than {MAX_PATTERN} characters"));
        }
        let literal: String = text
            .chars()
            .flat_map(|c| {
                let escaped = matches!(c, '?' | '[' | ']' | '{' | '}' | '\\' | '!');
                escaped.then_some('\\').into_iter().chain([c])
            })
            .collect();
        let wrong = |error: &dyn Display| format!("'{text}' is not a pattern: {error}");
        let glob = GlobBuilder::new(&literal).literal_separator(false).backslash_escape(true).build();
        let glob = glob.map_err(|error| wrong(&error))?;
        // Not by `compile_matcher`, which panics where this fails.
        let regex = RegexBuilder::new(glob.regex()).dot_matches_new_line(true).build();
        Ok(Self { text: text.to_owned(), regex: regex.map_err(|error| wrong(&error))? })
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns whether it was written to match everything.
    pub(super) fn is_any(&self) -> bool {
        !self.text.is_empty() && self.text.chars().all(|c| c == '*')
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        self.regex.is_match(text.as_bytes())
    }
}

/// Returns whether a pattern matches a text when its `*` stand for none of these characters.
pub(super) fn covers(pattern: &str, text: &str, except: &[char]) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut left) = text.strip_prefix(first) else { return false };
    let mut pieces = rest.split('*').peekable();
    while let Some(piece) = pieces.next() {
        let skipped = match pieces.peek() {
            None => left.strip_suffix(piece),
            // The nearest will do: to get to a further one, a `*` would have to stand for all of the nearest.
            Some(_) => left.split_once(piece).map(|(skipped, after)| {
                left = after;
                skipped
            }),
        };
        if skipped.is_none_or(|skipped| skipped.contains(except)) {
            return false;
        }
    }
    true
}
