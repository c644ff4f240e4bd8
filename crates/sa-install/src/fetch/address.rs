//! Which address is really asked, and how it is written in messages.

use crate::error::{Result, SourceError};
use std::path::{Component, Path, PathBuf};
use url::{Position, Url};

/// Names of a directory's own document in a file tree: npm's metadata has the address beneath which its tarballs are.
const INDEX_FILES: [&str; 2] = ["index.json", "index.html"];

/// Returns the address as messages may show it: without user, password, and a query that may be a signature.
pub(crate) fn shown(url: &Url) -> String {
    let mut plain = url.clone();
    // Both are refused only by addresses that can hold neither.
    let _ = plain.set_username("");
    let _ = plain.set_password(None);
    plain.set_query(None);
    plain.set_fragment(None);
    plain.into()
}

/// Returns the host of an address, with its port if that is not the usual one.
pub(crate) fn authority(url: &Url) -> &str {
    &url[Position::BeforeHost..Position::AfterPort]
}

/// Returns the address for `url` at a mirror.
pub(super) fn through(mirror: &Url, url: &Url) -> Url {
    if !url.has_host() || url.scheme() == "file" {
        return url.clone();
    }
    let mut there = mirror.clone();
    if url.origin() == mirror.origin() {
        // A redirect of the mirror's own.
        there.set_path(url.path());
    } else {
        let base = mirror.path().trim_end_matches('/');
        there.set_path(&format!("{base}/{}{}", authority(url), url.path()));
    }
    there.set_query(url.query());
    there.set_fragment(None);
    there
}

/// Returns the file that a `file:` address means.
pub(super) fn local_path(url: &Url) -> Result<PathBuf> {
    let refused = || SourceError::nonsense(url, "is not a file's address");
    let path = url.to_file_path().map_err(|()| refused())?;
    // An escaped slash can hide a step upwards from the parser of addresses.
    if path.components().any(|part| part == Component::ParentDir) {
        return Err(refused());
    }
    Ok(index_of(&path).unwrap_or(path))
}

fn index_of(path: &Path) -> Option<PathBuf> {
    INDEX_FILES.iter().map(|name| path.join(name)).find(|index| path.is_dir() && index.is_file())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn asked(mirror: &str, url: &str) -> String {
        through(&Url::parse(mirror).unwrap(), &Url::parse(url).unwrap()).to_string()
    }

    #[test]
    fn a_mirror_is_a_tree_of_hosts() {
        assert_eq!(asked("http://m:1", "https://a.example/x/y"), "http://m:1/a.example/x/y");
        assert_eq!(
            asked("http://u:p@m/base/", "https://a.example:8/x?q=1#f"),
            "http://u:p@m/base/a.example:8/x?q=1"
        );
        assert_eq!(asked("file:///srv/m", "https://a.example/@s%2fp"), "file:///srv/m/a.example/@s%2fp");
    }

    #[test]
    fn what_is_on_the_mirror_or_on_this_disk_stays() {
        assert_eq!(asked("http://u:p@m/base", "http://m/moved/x"), "http://u:p@m/moved/x");
        assert_eq!(asked("http://m/base", "file:///x/y"), "file:///x/y");
    }

    #[test]
    fn messages_hold_no_secrets() {
        let url = Url::parse("https://user:secret@host/path?signature=abc#f").unwrap();
        assert_eq!(shown(&url), "https://host/path");
    }

    #[test]
    fn an_escaped_slash_cannot_climb() {
        assert!(local_path(&Url::parse("file:///srv/m/h/a%2f..%2f..%2fb").unwrap()).is_err());
        assert_eq!(local_path(&Url::parse("file:///srv/m/a%20b").unwrap()).unwrap(), Path::new("/srv/m/a b"));
    }
}
