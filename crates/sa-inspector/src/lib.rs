//! The files of the web inspector, compressed as its build left them. A daemon without them has a page that says how to get
//! them. Serving them is up to the HTTP edge.
//!
//! The program that ships embeds the files. A debug build reads them from the checkout when they are first asked for, so
//! that the page and the daemon can be built at the same time, and neither has to wait for the other again.

#[cfg(debug_assertions)]
mod checkout;
#[cfg(not(debug_assertions))]
mod embedded;

#[cfg(debug_assertions)]
use checkout::files;
#[cfg(not(debug_assertions))]
use embedded::files;

/// The page of a daemon that has no inspector.
pub const MISSING_PAGE: &str = include_str!("missing.html");

/// Value of `Content-Security-Policy` for all files: no script, style or request of another origin.
pub const CONTENT_SECURITY_POLICY: &str = env!("CONTENT_SECURITY_POLICY");

/// A file of the inspector.
#[derive(Debug)]
pub struct File {
    /// Path below `/ui/`.
    pub path: &'static str,
    /// A weak entity tag, which changes with the content.
    pub etag: &'static str,
    /// Content, compressed with gzip.
    pub gzip: &'static [u8],
}

/// Returns the file at a path below `/ui/`.
#[must_use]
pub fn file(path: &str) -> Option<&'static File> {
    files().iter().find(|file| file.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_has_its_page() {
        assert_eq!(file("index.html").is_some(), !files().is_empty());
        assert!(MISSING_PAGE.contains("<!doctype html>"));
        assert!(CONTENT_SECURITY_POLICY.starts_with("default-src"));
    }

    #[test]
    fn other_paths_have_no_file() {
        assert!(file("nothing.js").is_none());
        assert!(file("../Cargo.toml").is_none());
    }
}
