//! Releases of a GitHub repository. Its API says what is needed, digests included, but answers unknown callers only a few
//! times an hour: without it there are the addresses that browsers use.

use super::Request;
use super::checksum::{published, sha256};
use super::template::{Values, Wanted, address, published_address, version_name};
use crate::artifact::{Artifact, Contents, Digest, Format, RemoteFile};
use crate::error::{Result, SourceError};
use reqwest::header::{ACCEPT, HeaderMap, HeaderValue};
use sa_agents::{Checksum, Github};
use sa_api::InstallSource;
use serde::Deserialize;
use url::Url;

const API: &str = "https://api.github.com/repos/";
const SITE: &str = "https://github.com/";

#[derive(Deserialize)]
struct Release {
    tag_name: String,
    #[serde(default)]
    assets: Vec<Asset>,
}

#[derive(Deserialize)]
struct Asset {
    name: String,
    browser_download_url: String,
    digest: Option<String>,
    size: Option<u64>,
}

/// The facts about the file so far.
struct Found {
    version: String,
    url: Url,
    digest: Option<Digest>,
    size: Option<u64>,
}

pub(super) async fn resolve(request: &Request<'_>, github: &Github, build: &str) -> Result<Artifact> {
    let asset = asset_name(request, github, build);
    let found = match from_api(request, github, &asset).await {
        Err(error) if may_be_on_site(request, &error) => {
            tracing::debug!(%error, "GitHub's API does not help; its site is asked");
            // If that fails, too, the first reason is the better one.
            from_site(request, github, &asset).await.map_err(|second| match second {
                SourceError::NoVersion { .. } => second,
                _ => error,
            })?
        }
        other => other?,
    };
    let digest = match (found.digest, &github.checksum) {
        (None, Some(checksum)) => {
            listed(request, github, checksum, build, &found.version, &found.url).await?
        }
        (digest, _) => digest,
    };
    let file = RemoteFile {
        size: found.size,
        format: Format::of(&asset),
        unpack: github.unpack.clone(),
        ..RemoteFile::new(found.url, digest)
    };
    Ok(Artifact::new(found.version, InstallSource::Github, Contents::File(file), request.recipe))
}

/// Whom this asks.
pub(super) fn hosts() -> Vec<Url> {
    [API, SITE].iter().filter_map(|address| Url::parse(address).ok()).collect()
}

fn asset_name(request: &Request<'_>, github: &Github, build: &str) -> String {
    Values { platform: build, ..Values::default() }.fill(github.asset_for(request.resolver.platform))
}

async fn from_api(request: &Request<'_>, github: &Github, asset: &str) -> Result<Found> {
    let wanted = request.wanted;
    let releases = format!("{API}{}/releases", github.repository);
    let place = match wanted {
        Wanted::Latest => format!("{releases}/latest"),
        Wanted::Version(version) => format!("{releases}/tags/{}", tag_of(github, version)),
        Wanted::Word(_) => return Err(wanted.missing(&releases)),
    };
    let url = address(&place)?;
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("application/vnd.github+json"));
    let release: Release =
        request.resolver.client.json(&url, &headers).await.map_err(|error| wanted.unless_there(error))?;
    let version = version_of(github, &release.tag_name, &url)?;
    let asset = release.assets.into_iter().find(|known| known.name == asset).ok_or_else(|| {
        SourceError::nonsense(&url, format!("release {} has no file '{asset}'", release.tag_name))
    })?;
    Ok(Found {
        version,
        url: published_address(&asset.browser_download_url, &url)?,
        digest: asset.digest.as_deref().and_then(sha256),
        size: asset.size,
    })
}

/// Finds a release without the API: the page of the latest release redirects to one whose name is the tag.
async fn from_site(request: &Request<'_>, github: &Github, asset: &str) -> Result<Found> {
    let releases = format!("{SITE}{}/releases", github.repository);
    let version = match request.wanted {
        Wanted::Version(version) => version.to_owned(),
        _ => {
            let page = address(&format!("{releases}/latest"))?;
            let target = request.resolver.client.target(&page).await?;
            let tag = target.path().rsplit_once("/releases/tag/").map(|(_, tag)| tag.to_owned());
            let tag = tag.ok_or_else(|| SourceError::nonsense(&page, "does not lead to a release"))?;
            version_of(github, &tag, &page)?
        }
    };
    let url = address(&format!("{releases}/download/{}/{asset}", tag_of(github, &version)))?;
    // Without a list of checksums nothing else shows whether there is such a version.
    if github.checksum.is_none() {
        request.resolver.client.target(&url).await.map_err(|error| request.wanted.unless_there(error))?;
    }
    Ok(Found { version, url, digest: None, size: None })
}

/// Fetches the checksum from the release's own list, which lies next to the file.
async fn listed(
    request: &Request<'_>,
    github: &Github,
    checksum: &Checksum,
    build: &str,
    version: &str,
    file: &Url,
) -> Result<Option<Digest>> {
    let tag = tag_of(github, version);
    let base = format!("{SITE}{}/releases/download/{tag}", github.repository);
    let beside = |name: &String| format!("{{base}}/{name}");
    let checksum = match checksum {
        Checksum::Sums { sums } => Checksum::Sums { sums: beside(sums) },
        Checksum::Manifest { manifest, pointer } => {
            Checksum::Manifest { manifest: beside(manifest), pointer: pointer.clone() }
        }
    };
    let values = Values { base: &base, version, platform: build, tag: &tag };
    published(request, &checksum, values, file).await
}

fn tag_of(github: &Github, version: &str) -> String {
    Values { version, ..Values::default() }.fill(&github.tag)
}

fn version_of(github: &Github, tag: &str, url: &Url) -> Result<String> {
    let (before, after) = github.tag.split_once("{version}").unwrap_or((&github.tag, ""));
    let version = tag.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)).and_then(version_name);
    version.map(str::to_owned).ok_or_else(|| {
        SourceError::nonsense(url, format!("the tag '{tag}' is not of the form {}", github.tag))
    })
}

/// Returns whether the site may know more: the API is blocked, rate-limits this machine, or is missing from a mirror.
fn may_be_on_site(request: &Request<'_>, error: &SourceError) -> bool {
    match error {
        SourceError::Unreachable { .. } | SourceError::Status { .. } => true,
        SourceError::NoVersion { .. } => matches!(request.wanted, Wanted::Version(_)),
        _ => false,
    }
}
