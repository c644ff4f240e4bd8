//! The npm registry: which tarball a version of a package is, and what its bytes hash to. npm itself is not needed.

#[cfg(any(test, feature = "testing"))]
pub(super) mod testing;

use super::checksum::integrity;
use super::template::{Values, Wanted, published_address, version_name};
use super::{Request, Resolver};
use crate::artifact::{Artifact, Contents, Format, RemoteFile};
use crate::error::{Result, SourceError};
use crate::fetch::shown;
use reqwest::header::{ACCEPT, HeaderValue};
use sa_agents::{Npm, NpmTree, Unpack};
use sa_api::InstallSource;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use url::Url;

/// The short form of a package's metadata, without descriptions and readmes.
const METADATA: &str = "application/vnd.npm.install-v1+json, application/json;q=0.8";

/// A registry's metadata of a package.
#[derive(Deserialize)]
struct Document {
    #[serde(default, rename = "dist-tags")]
    tags: BTreeMap<String, String>,
    /// Read only when asked for: there are thousands.
    #[serde(default)]
    versions: BTreeMap<String, Box<RawValue>>,
}

/// A package of a registry.
pub(super) struct Package<'a> {
    resolver: &'a Resolver,
    name: String,
    url: Url,
    registry: Url,
    document: Document,
}

/// A registry's metadata of one version of a package.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Release {
    dist: Dist,
    /// The programs, by name; or the only one.
    pub(super) bin: Option<Bin>,
    dependencies: Option<BTreeMap<String, String>>,
    optional_dependencies: Option<BTreeMap<String, String>>,
    has_install_script: bool,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Dist {
    tarball: String,
    integrity: Option<String>,
}

/// The paths of a package's programs.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Bin {
    One(String),
    Several(BTreeMap<String, String>),
}

/// Resolves a package that is one tarball.
pub(super) async fn resolve(request: &Request<'_>, npm: &Npm, build: &str) -> Result<Artifact> {
    let values = Values { platform: build, ..Values::default() };
    let package = Package::ask(request, &values.fill(&npm.package)).await?;
    let version = match &npm.latest_of {
        Some(other) if !matches!(request.wanted, Wanted::Version(_)) => {
            Package::ask(request, &values.fill(other)).await?.version(request.wanted)?
        }
        _ => package.version(request.wanted)?,
    };
    let published = Values { version: &version, ..values }.fill(&npm.version);
    let release = package.release(&published, request.wanted)?;
    let file = package.tarball(&release, npm.unpack.clone())?;
    Ok(Artifact::new(version, InstallSource::Npm, Contents::File(file), request.recipe))
}

/// Returns a package with its dependencies, which only npm can put together.
pub(super) async fn resolve_tree(request: &Request<'_>, tree: &NpmTree) -> Result<Artifact> {
    let package = Package::ask(request, &tree.package).await?;
    let version = package.version(request.wanted)?;
    package.release(&version, request.wanted)?;
    let mut packages = vec![format!("{}@{version}", tree.package)];
    packages.extend(tree.with.iter().cloned());
    Ok(Artifact::new(version, InstallSource::Npm, Contents::NpmTree(packages), request.recipe))
}

impl<'a> Package<'a> {
    /// Asks the registry that npm's settings name for this package.
    pub(super) async fn ask(request: &Request<'a>, name: &str) -> Result<Package<'a>> {
        let resolver = request.resolver;
        let config = resolver.npm.config_for(name).await;
        let registry = config.registry(name)?;
        let url = registry.join(&name.replace('/', "%2f")).map_err(|error| {
            SourceError::nonsense(&registry, format!("has no place for a package '{name}' ({error})"))
        })?;
        let mut headers = config.headers(&url);
        headers.insert(ACCEPT, HeaderValue::from_static(METADATA));
        let document = resolver.client.json(&url, &headers).await.map_err(|error| match error {
            SourceError::Status { url, status: 401 | 403 } => SourceError::Unreachable {
                url,
                reason: "the registry wants to know who asks: add its `_authToken` to ~/.npmrc".to_owned(),
            },
            SourceError::Status { url, status: 404 | 410 } if request.wanted == Wanted::Latest => {
                SourceError::Nonsense { url, reason: format!("the registry has no package '{name}'") }
            }
            other => request.wanted.unless_there(other),
        })?;
        Ok(Self { resolver, name: name.to_owned(), url, registry, document })
    }

    /// Returns the version that is meant; words are the registry's tags.
    pub(super) fn version(&self, wanted: Wanted<'_>) -> Result<String> {
        let version = match wanted {
            Wanted::Version(version) => version,
            Wanted::Latest | Wanted::Word(_) => {
                self.document.tags.get(wanted.text()).ok_or_else(|| wanted.missing(&shown(&self.url)))?
            }
        };
        version_name(version).map(str::to_owned).ok_or_else(|| {
            SourceError::nonsense(&self.url, format!("'{version}' is not the name of a version"))
        })
    }

    /// Returns the metadata of one version, by its name in the registry.
    pub(super) fn release(&self, published: &str, wanted: Wanted<'_>) -> Result<Release> {
        let missing = || SourceError::NoVersion {
            version: if wanted == Wanted::Latest { published } else { wanted.text() }.to_owned(),
            url: shown(&self.url),
        };
        let text = self.document.versions.get(published).ok_or_else(missing)?;
        serde_json::from_str(text.get())
            .map_err(|error| SourceError::nonsense(&self.url, format!("version {published}: {error}")))
    }

    /// Returns the file to fetch for a version.
    pub(super) fn tarball(&self, release: &Release, unpack: Unpack) -> Result<RemoteFile> {
        let published = published_address(&release.dist.tarball, &self.registry)?;
        let url = self.moved_here(&published).unwrap_or(published);
        let headers = self.resolver.npm.known_config().headers(&url);
        let digest = release.dist.integrity.as_deref().and_then(integrity);
        Ok(RemoteFile { headers, format: Format::TarGz, unpack, ..RemoteFile::new(url, digest) })
    }

    /// Mirrors of a registry often repeat its addresses. Only the configured registry is asked, so what lies elsewhere
    /// under the package's own name is looked for there.
    fn moved_here(&self, published: &Url) -> Option<Url> {
        if published.origin() == self.registry.origin() {
            return None;
        }
        let path = published.path().replace("%2f", "/").replace("%2F", "/");
        let (_, file) = path.rsplit_once(&format!("{}/-/", self.name))?;
        self.registry.join(&format!("{}/-/{file}", self.name)).ok()
    }
}

impl Release {
    /// Returns whether the tarball alone is the whole program.
    pub(super) fn stands_alone(&self) -> bool {
        let none = |packages: &Option<BTreeMap<_, _>>| packages.as_ref().is_none_or(BTreeMap::is_empty);
        none(&self.dependencies) && none(&self.optional_dependencies) && !self.has_install_script
    }
}

impl Bin {
    /// Returns the name and place of the program that `npx` would start: the one asked for, the only one, or the one
    /// named like the package.
    pub(super) fn program(&self, package: &str, asked: Option<&str>) -> Option<(String, String)> {
        let short = package.rsplit('/').next().unwrap_or(package);
        match self {
            Self::One(place) => Some((short.to_owned(), place.clone())),
            Self::Several(places) => {
                let name = asked.or_else(|| match places.len() {
                    1 => places.keys().next().map(String::as_str),
                    _ => Some(short),
                })?;
                places.get(name).map(|place| (name.to_owned(), place.clone()))
            }
        }
    }
}
