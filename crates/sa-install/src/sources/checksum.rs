//! Published checksums: in a JSON document, in a list as `sha256sum` writes it, in a package's metadata.

use super::Request;
use super::template::Values;
use crate::artifact::Digest;
use crate::error::{Result, SourceError};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::HeaderMap;
use sa_agents::Checksum;
use serde_json::Value;
use url::Url;

/// Fetches the published digest of a file; none if the file exists and its checksum does not.
pub(super) async fn published(
    request: &Request<'_>,
    checksum: &Checksum,
    values: Values<'_>,
    file: &Url,
) -> Result<Option<Digest>> {
    match checksum {
        Checksum::Manifest { manifest, pointer } => {
            let address = values.address(manifest)?;
            manifest_digest(request, &address, &values.fill(pointer)).await.map(Some)
        }
        Checksum::Sums { sums } => sums_digest(request, &values.address(sums)?, file).await,
    }
}

async fn manifest_digest(request: &Request<'_>, address: &Url, pointer: &str) -> Result<Digest> {
    let resolver = request.resolver;
    let document = resolver.client.json::<Value>(address, &HeaderMap::new()).await;
    let document = document.map_err(|error| request.wanted.unless_there(error))?;
    let field = document.pointer(pointer).ok_or(SourceError::NoBuild(resolver.platform))?;
    let digest = field.as_str().and_then(sha256);
    digest.ok_or_else(|| SourceError::nonsense(address, format!("{pointer} is not a SHA-256")))
}

async fn sums_digest(request: &Request<'_>, address: &Url, file: &Url) -> Result<Option<Digest>> {
    let client = &request.resolver.client;
    let text = match client.text(address, &HeaderMap::new()).await {
        Ok(text) => text,
        // Either the version is unknown, or only its checksums are missing.
        Err(SourceError::Status { status: 404 | 410, .. }) => {
            let there = client.target(file).await;
            return there.map(|_| None).map_err(|error| request.wanted.unless_there(error));
        }
        Err(error) => return Err(error),
    };
    let name = file_name(file);
    let digest = listed(&text, &name);
    let missing = || SourceError::nonsense(address, format!("does not list a SHA-256 of {name}"));
    digest.map(Some).ok_or_else(missing)
}

/// Returns the SHA-256 of `name` in a list as `sha256sum` writes it; a text that is nothing but a digest holds for
/// any name.
pub(super) fn listed(text: &str, name: &str) -> Option<Digest> {
    if let Some(digest) = sha256(text.trim()) {
        return Some(digest);
    }
    text.lines().find_map(|line| {
        let (digest, path) = line.trim().split_once(char::is_whitespace)?;
        let path = path.trim_start();
        let path = path.strip_prefix('*').unwrap_or(path);
        let named = path.rsplit('/').next() == Some(name);
        if named { sha256(digest) } else { None }
    })
}

/// Returns a SHA-256 in hexadecimal, also as `sha256:…`.
pub(super) fn sha256(text: &str) -> Option<Digest> {
    let digits = text.strip_prefix("sha256:").unwrap_or(text);
    let mut bytes = [0; 32];
    hex::decode_to_slice(digits, &mut bytes).ok()?;
    Some(Digest::Sha256(bytes))
}

/// Returns the strongest digest of a package's `integrity`; SHA-1 does not count.
pub(super) fn integrity(text: &str) -> Option<Digest> {
    let encoded = |algorithm: &str| {
        let mut words = text.split_whitespace();
        let word = words.find_map(|word| word.strip_prefix(algorithm)?.strip_prefix('-'))?;
        STANDARD.decode(word.split('?').next().unwrap_or(word)).ok()
    };
    let strong = encoded("sha512").and_then(|bytes| Some(Digest::Sha512(bytes.try_into().ok()?)));
    strong.or_else(|| Some(Digest::Sha256(encoded("sha256")?.try_into().ok()?)))
}

/// Returns the last part of an address.
pub(super) fn file_name(url: &Url) -> String {
    url.path().rsplit('/').next().unwrap_or_default().to_owned()
}
