//! A vendor's own store: a file with the latest version's name, and one file for each version and platform.

use super::Request;
use super::checksum::published;
use super::template::{Values, Wanted, version_name};
use crate::artifact::{Artifact, Contents, RemoteFile};
use crate::error::{Result, SourceError};
use reqwest::header::HeaderMap;
use sa_agents::Vendor;
use sa_api::InstallSource;
use url::Url;

/// Tries the store's addresses in order. Returns the first error, unless that only says that the version is missing
/// and another address could not be reached.
pub(super) async fn resolve(request: &Request<'_>, vendor: &Vendor, build: &str) -> Result<Artifact> {
    let mut failures = Vec::new();
    for base in &vendor.base {
        match at(request, vendor, base, build).await {
            Ok(artifact) => return Ok(artifact),
            Err(error) => failures.push(error),
        }
    }
    let telling =
        failures.iter().position(|error| !matches!(error, SourceError::NoVersion { .. })).unwrap_or(0);
    match failures.into_iter().nth(telling) {
        Some(error) => Err(error),
        None => Err(SourceError::Missing("the catalog names no address of the vendor's store".to_owned())),
    }
}

async fn at(request: &Request<'_>, vendor: &Vendor, base: &str, build: &str) -> Result<Artifact> {
    let wanted = request.wanted;
    let place = Values { base, platform: build, ..Values::default() };
    let version = match wanted {
        Wanted::Version(version) => version.to_owned(),
        Wanted::Latest => named_version(request, &place.address(&vendor.latest)?).await?,
        Wanted::Word(word) => match vendor.channels.get(word) {
            Some(channel) => named_version(request, &place.address(channel)?).await?,
            None => return Err(wanted.missing(base)),
        },
    };
    let values = Values { version: &version, ..place };
    let url = values.address(&vendor.file)?;
    let digest = match &vendor.checksum {
        Some(checksum) => published(request, checksum, values, &url).await?,
        None => None,
    };
    let file = RemoteFile { unpack: vendor.unpack.clone(), ..RemoteFile::new(url, digest) };
    Ok(Artifact::new(version, InstallSource::Vendor, Contents::File(file), request.recipe))
}

/// Reads a file that holds a version's name and nothing else.
async fn named_version(request: &Request<'_>, url: &Url) -> Result<String> {
    let text = request.resolver.client.text(url, &HeaderMap::new()).await?;
    version_name(&text)
        .map(str::to_owned)
        .ok_or_else(|| SourceError::nonsense(url, "should hold the name of a version and nothing else"))
}
