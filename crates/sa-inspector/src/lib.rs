//! The files of the web inspector, embedded compressed as its build left them. A daemon that was built without them has a page
//! that says how to get them. Serving them is up to the HTTP edge.

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The page of a daemon that was built without the inspector.
pub const MISSING_PAGE: &str = include_str!("missing.html");

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

/// Value of `Content-Security-Policy` for all files: no script, style or request of another origin.
pub const CONTENT_SECURITY_POLICY: &str = POLICY;

/// Returns the file at a path below `/ui/`.
#[must_use]
pub fn file(path: &str) -> Option<&'static File> {
    FILES.iter().find(|file| file.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_has_its_page() {
        assert_eq!(file("index.html").is_some(), !FILES.is_empty());
        assert!(MISSING_PAGE.contains("<!doctype html>"));
    }

    #[test]
    fn other_paths_have_no_file() {
        assert!(file("nothing.js").is_none());
        assert!(file("../Cargo.toml").is_none());
    }
}
