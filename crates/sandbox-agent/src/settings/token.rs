//! The token that clients must send: given, read from a file, or made up.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Bytes of randomness in a generated token.
const RANDOM_BYTES: usize = 32;

/// The reason a token cannot be used.
#[derive(Debug, Error)]
pub(crate) enum TokenError {
    #[error("the token is empty; check --token, SANDBOX_AGENT_TOKEN and the configuration file")]
    Empty,
    #[error("the token holds a character other than visible ASCII, which no HTTP header can carry")]
    NotVisibleAscii,
    #[error("cannot read the token file {}", .0.display())]
    Unreadable(PathBuf, #[source] io::Error),
    #[error("token file {}", .0.display())]
    InFile(PathBuf, #[source] Box<TokenError>),
    #[error("the system has no randomness for a token: {0}")]
    NoRandomness(getrandom::Error),
}

/// The token, if it can travel in a header.
pub(super) fn check(token: String) -> Result<String, TokenError> {
    if token.is_empty() {
        return Err(TokenError::Empty);
    }
    if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(TokenError::NotVisibleAscii);
    }
    Ok(token)
}

/// The token that a file holds, without the white space around it.
pub(super) fn read(path: &Path) -> Result<String, TokenError> {
    let text =
        std::fs::read_to_string(path).map_err(|error| TokenError::Unreadable(path.to_owned(), error))?;
    check(text.trim().to_owned()).map_err(|error| TokenError::InFile(path.to_owned(), Box::new(error)))
}

/// A token nobody can guess, in characters that need no escaping anywhere.
pub(super) fn generate() -> Result<String, TokenError> {
    let mut bytes = [0; RANDOM_BYTES];
    getrandom::fill(&mut bytes).map_err(TokenError::NoRandomness)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A warning when every user of this machine may read a file that holds a token.
pub(super) fn exposure(path: &Path) -> Option<String> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path).ok()?.permissions().mode();
    (mode & 0o004 != 0).then(|| {
        format!("{} holds the token and every user can read it: run chmod 600 on it", path.display())
    })
}

/// Returns a warning about a token that can be guessed.
pub(super) fn weakness(token: &str) -> Option<String> {
    (token.len() < sa_http::SHORT_TOKEN).then(|| {
        format!(
            "the token has fewer than {} characters and can be guessed: use a longer one, or none to have one generated",
            sa_http::SHORT_TOKEN
        )
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn generated_tokens_differ_and_are_safe_in_urls() {
        let token = generate().unwrap();
        assert_eq!(token.len(), 2 * RANDOM_BYTES);
        assert!(token.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        assert_ne!(token, generate().unwrap());
    }

    #[test]
    fn only_visible_ascii_is_a_token() {
        assert!(matches!(check(String::new()), Err(TokenError::Empty)));
        for token in ["two words", "tab\t", "grün", "line\n"] {
            assert!(matches!(check(token.to_owned()), Err(TokenError::NotVisibleAscii)), "{token:?}");
        }
        assert_eq!(check("~!aZ9-_.".to_owned()).unwrap(), "~!aZ9-_.");
    }
}
