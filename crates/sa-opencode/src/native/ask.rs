//! Questions of the server, and the rules for them.

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

lenient! {
    /// May something be done?
    struct Permission(id: String, #[serde(default, deserialize_with = "crate::gate::unmarked")] metadata: Value) {
        permission: String,
        patterns: Vec<String>,
        /// The patterns that "always" allows.
        always: Vec<String>,
        tool: Option<Tool>,
    }

    /// The call that a question is about.
    #[derive(Default)]
    struct Tool {
        #[serde(rename = "callID")]
        call: String,
    }

    struct Questions(id: String) {
        questions: Vec<Question>,
        tool: Option<Tool>,
    }

    struct Question {
        question: String,
        header: String,
        options: Vec<Choice>,
        multiple: bool,
        /// Set if another answer can be written.
        custom: Option<bool>,
    }

    /// A possible answer.
    struct Choice(label: String) {
        description: String,
    }
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
