//! The files of the web inspector, embedded compressed. A daemon that was built without them has a page that says how to
//! get them. Knows nothing of HTTP but the names of encodings.

use flate2::read::GzDecoder;
use std::borrow::Cow;
use std::io::Read;

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// A file as the build of the inspector left it.
pub(crate) struct Embedded {
    path: &'static str,
    brotli: &'static [u8],
    gzip: &'static [u8],
}

/// An encoding that a client accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// `br`
    Brotli,
    /// `gzip`
    Gzip,
    /// As it is.
    Identity,
}

/// How long a client may keep a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// Forever: the name changes with the content.
    Immutable,
    /// Until the daemon is another one.
    Revalidate,
}

/// A file of the inspector.
#[derive(Debug)]
pub struct File {
    /// Value of `Content-Type`.
    pub content_type: &'static str,
    /// How long a client may keep it.
    pub lifetime: Lifetime,
    /// Changes with the content.
    pub etag: String,
    body: Body,
}

#[derive(Debug)]
enum Body {
    Compressed { brotli: &'static [u8], gzip: &'static [u8] },
    Plain(&'static str),
}

/// Value of `Content-Security-Policy` for all files: no script, style or request of another origin.
#[must_use]
pub fn content_security_policy() -> &'static str {
    POLICY
}

/// Returns the file at a path below `/ui/`; the page itself for the empty path.
#[must_use]
pub fn file(path: &str) -> Option<File> {
    let path = if path.is_empty() { "index.html" } else { path };
    if FILES.is_empty() && path == "index.html" {
        return Some(placeholder());
    }
    let file = FILES.iter().find(|file| file.path == path)?;
    let lifetime = if path.starts_with("assets/") { Lifetime::Immutable } else { Lifetime::Revalidate };
    let body = Body::Compressed { brotli: file.brotli, gzip: file.gzip };
    Some(File { content_type: content_type(path), lifetime, etag: etag(file.gzip), body })
}

impl File {
    /// Returns the content in an encoding. A page that is not compressed comes as it is, whatever was asked for.
    #[must_use]
    pub fn content(&self, encoding: Encoding) -> (Encoding, Cow<'static, [u8]>) {
        match (&self.body, encoding) {
            (Body::Plain(text), _) => (Encoding::Identity, Cow::Borrowed(text.as_bytes())),
            (Body::Compressed { brotli, .. }, Encoding::Brotli) => (encoding, Cow::Borrowed(brotli)),
            (Body::Compressed { gzip, .. }, Encoding::Gzip) => (encoding, Cow::Borrowed(gzip)),
            (Body::Compressed { gzip, .. }, Encoding::Identity) => (encoding, Cow::Owned(unpack(gzip))),
        }
    }
}

fn placeholder() -> File {
    let text = include_str!("missing.html");
    let content_type = "text/html; charset=utf-8";
    File {
        content_type,
        lifetime: Lifetime::Revalidate,
        etag: etag(text.as_bytes()),
        body: Body::Plain(text),
    }
}

/// The build wrote the bytes, so they are whole; a decoder that fails leaves what it has.
fn unpack(gzip: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    let _ = GzDecoder::new(gzip).read_to_end(&mut content);
    content
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

/// FNV-1a: tells versions of one file apart, which needs no cryptography.
fn etag(bytes: &[u8]) -> String {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("\"{hash:016x}\"")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_page_is_there_with_or_without_a_build() {
        let page = file("").unwrap();
        assert_eq!(page.content_type, "text/html; charset=utf-8");
        assert_eq!(page.lifetime, Lifetime::Revalidate);
        let (_, content) = page.content(Encoding::Identity);
        assert!(String::from_utf8_lossy(&content).contains("<!doctype html>"));
    }

    #[test]
    fn every_asset_unpacks_and_never_changes() {
        for embedded in FILES.iter().filter(|embedded| embedded.path.starts_with("assets/")) {
            let asset = file(embedded.path).unwrap();
            assert_eq!(asset.lifetime, Lifetime::Immutable);
            assert!(asset.content(Encoding::Identity).1.len() > 10, "{}", embedded.path);
        }
    }

    #[test]
    fn other_paths_have_no_file() {
        assert!(file("nothing.js").is_none());
        assert!(file("../Cargo.toml").is_none());
    }
}
