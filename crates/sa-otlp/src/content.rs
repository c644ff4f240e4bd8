//! Prompts, answers and the arguments of tools: exported only if an operator asks for them, and never with a known secret in them.

/// Longest text of one attribute, in bytes.
const LONGEST: usize = 16 << 10;
/// Values that are shorter than this are not taken for secrets: they would be found everywhere.
const SHORTEST_SECRET: usize = 6;

/// The part of prompts, answers and tool calls that is exported.
#[derive(Debug, Clone, Default)]
pub enum Content {
    /// Nothing is recorded.
    #[default]
    Omitted,
    /// Everything is recorded, without these texts.
    Without(Vec<String>),
}

impl Content {
    pub fn without(secrets: impl IntoIterator<Item = String>) -> Self {
        let mut secrets: Vec<String> =
            secrets.into_iter().filter(|secret| secret.len() >= SHORTEST_SECRET).collect();
        // A secret may be part of a longer one.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Self::Without(secrets)
    }

    /// Returns true if content is not exported at all.
    pub(crate) fn is_omitted(&self) -> bool {
        matches!(self, Self::Omitted)
    }

    /// Returns a text as it may be exported; none if content is not.
    pub(crate) fn of(&self, text: &str) -> Option<String> {
        let Self::Without(secrets) = self else { return None };
        let mut text =
            secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret, "[redacted]"));
        if text.len() > LONGEST {
            let end = (0..=LONGEST).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
            text.truncate(end);
            text.push('…');
        }
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_cut_out_and_long_texts_are_cut_off() {
        let content = Content::without(["secret-1".to_owned(), "secret-12".to_owned(), "ab".to_owned()]);
        assert_eq!(content.of("ab secret-12 secret-1").as_deref(), Some("ab [redacted] [redacted]"));
        let long = content.of(&"ü".repeat(LONGEST)).unwrap_or_default();
        assert!(long.len() <= LONGEST + 4 && long.ends_with("ü…"));
        assert_eq!(Content::Omitted.of("text"), None);
    }
}
