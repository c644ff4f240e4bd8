//! What the server asks, and the rules by which it does.

use super::or_default;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One rule; the last one that fits counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rule {
    pub(crate) permission: String,
    pub(crate) pattern: String,
    pub(crate) action: Action,
}

/// The effect of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Action {
    Allow,
    Ask,
    Deny,
}

impl Rule {
    pub(crate) fn new(permission: &str, pattern: &str, action: Action) -> Self {
        Self { permission: permission.to_owned(), pattern: pattern.to_owned(), action }
    }
}

/// May something be done?
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Permission {
    pub(crate) id: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) permission: String,
    /// What exactly.
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) patterns: Vec<String>,
    /// What "always" would mean.
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) always: Vec<String>,
    #[serde(default)]
    pub(crate) metadata: Value,
    #[serde(default)]
    pub(crate) tool: Option<Tool>,
}

/// The call that a question is about.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Tool {
    #[serde(default, deserialize_with = "or_default", rename = "callID")]
    pub(crate) call: String,
}

/// Questions to the user.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Questions {
    pub(crate) id: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) questions: Vec<Question>,
    #[serde(default)]
    pub(crate) tool: Option<Tool>,
}

/// One of them.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Question {
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) question: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) header: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) options: Vec<Choice>,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) multiple: bool,
    /// Whether something else can be written.
    #[serde(default)]
    pub(crate) custom: Option<bool>,
}

/// A possible answer.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Choice {
    pub(crate) label: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) description: String,
}

/// Returns whether a text fits a pattern of the server's: `*` stands for anything, `?` for one character, and ` *` at
/// the end also for nothing at all.
pub(crate) fn fits(pattern: &str, text: &str) -> bool {
    let bare = pattern.strip_suffix(" *").is_some_and(|bare| matches(bare, text));
    bare || matches(pattern, text)
}

fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t) = (0, 0);
    // Where the last star stands, and up to where it was tried.
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(letter) if *letter == '?' || text.get(t) == Some(letter) => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((at, tried)) => {
                    star = Some((at, tried + 1));
                    p = at + 1;
                    t = tried + 1;
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(p).all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_as_they_do_for_the_server() {
        for (pattern, text) in [
            ("*", ""),
            ("*", "anything"),
            ("git *", "git status"),
            ("git *", "git"),
            ("src/*.rs", "src/a/b.rs"),
            ("a?c", "abc"),
            ("*.env", "x/.env"),
        ] {
            assert!(fits(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("git *", "gitk"), ("a?c", "ac"), ("src/*.rs", "src/a.txt"), ("", "x")] {
            assert!(!fits(pattern, text), "{pattern} {text}");
        }
    }
}
