//! The path after which a search continues, as text that a client sends back unchanged.

use crate::entry::encoded;
use crate::error::{FilesError, Result, text};
use crate::percent::percent_decoded;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Begins a path of which every special byte is percent-encoded. Paths themselves are absolute and begin with a slash,
/// so the two cannot be confused. A client may also put it into a query as it is: decoded there, it is the path.
const ENCODED: &str = "%2F";

/// Returns a path as text: as it is, or percent-encoded where it is no UTF-8.
pub(super) fn resume_text(path: &Path) -> String {
    match encoded(path) {
        None => text(path),
        Some(text) => text.replacen('/', ENCODED, 1),
    }
}

/// Returns the path that a text stands for.
pub(super) fn resume_path(text: OsString) -> Result<PathBuf> {
    if !text.as_bytes().starts_with(ENCODED.as_bytes()) {
        return Ok(text.into());
    }
    let path = percent_decoded(text.as_bytes());
    let path =
        path.ok_or_else(|| FilesError::Invalid("`after` is not the `next` of an answer".to_owned()))?;
    Ok(OsString::from_vec(path).into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn a_path_comes_back_as_it_was() {
        for (bytes, text) in [
            (&b"/a/b c+%2F%FF"[..], "/a/b c+%2F%FF"),
            ("/a/\u{fc}".as_bytes(), "/a/\u{fc}"),
            (b"/a b/%+/\xff1", "%2Fa%20b/%25%2B/%FF1"),
            (b"/%2F\xff", "%2F%252F%FF"),
        ] {
            let path = Path::new(OsStr::from_bytes(bytes));
            assert_eq!(resume_text(path), text);
            assert_eq!(resume_path(text.into()).unwrap(), path);
            assert_eq!(resume_path(path.into()).unwrap(), path, "decoded already");
        }
        for text in ["%2F%", "%2Fa%f", "%2F%zz"] {
            assert!(matches!(resume_path(text.into()), Err(FilesError::Invalid(_))), "{text}");
        }
    }
}
