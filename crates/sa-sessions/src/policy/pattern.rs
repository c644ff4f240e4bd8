//! Patterns of rules: text in which `*` stands for any characters.

use globset::{GlobBuilder, GlobMatcher};

/// Characters that make one command several, or gives it another's output, in any of the usual shells. That some of it may be quoted is
/// not looked at: shells differ in what ends a quote.
pub(super) const OPERATORS: [char; 10] = [';', '&', '|', '`', '<', '>', '(', ')', '\n', '\r'];

/// A pattern that is ready to be matched.
#[derive(Debug)]
pub(super) struct Pattern {
    text: String,
    glob: GlobMatcher,
}

impl Pattern {
    /// Refuses what is none, with the text and why.
    pub(super) fn new(text: &str) -> Result<Self, String> {
        let literal: String = text
            .chars()
            .flat_map(|c| {
                let escaped = matches!(c, '?' | '[' | ']' | '{' | '}' | '\\' | '!');
                escaped.then_some('\\').into_iter().chain([c])
            })
            .collect();
        let glob = GlobBuilder::new(&literal).literal_separator(false).backslash_escape(true).build();
        let glob = glob.map_err(|error| format!("'{text}' is not a pattern: {error}"))?;
        Ok(Self { text: text.to_owned(), glob: glob.compile_matcher() })
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns whether it was written to match everything.
    pub(super) fn is_any(&self) -> bool {
        !self.text.is_empty() && self.text.chars().all(|c| c == '*')
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        self.glob.is_match(text)
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
