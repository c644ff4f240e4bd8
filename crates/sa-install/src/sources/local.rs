//! A directory of this machine as the source: a tree of mirrored hosts, a vendor's file under its published name, or a
//! program that is already unpacked.

use super::checksum::listed;
use super::template::{Values, Wanted, version_name};
use super::{Resolver, format_of};
use crate::artifact::{Artifact, Contents, Digest, Format, RemoteFile};
use crate::error::SourceError;
use crate::limits::MAX_SEARCHED_BYTES;
use reqwest::header::HeaderMap;
use sa_agents::{AgentSpec, Platform, Recipe, Source, SourceKind, Unpack};
use serde::Deserialize;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use url::Url;

/// What a version is called whose name nobody tells.
const UNNAMED: &str = "local";
/// Files that list checksums of the files beside them.
const SUMS: [&str; 3] = ["SHA256SUMS", "SHA256SUMS.txt", "sha256sums.txt"];
/// Documents inside programs that say which version they are.
const MANIFESTS: [&str; 2] = ["codex-package.json", "package.json"];

/// What a directory turned out to be.
#[derive(Debug)]
pub(crate) enum Local {
    /// Directories named after hosts: every source is asked, through it.
    Mirror(Url),
    /// The program, or the file that holds it.
    Artifact(Box<Artifact>),
}

/// A file under the name that a source publishes it by.
struct Published {
    name: String,
    /// How its name and its package's manifest write the version.
    version: Option<String>,
    template: String,
    platform: String,
    unpack: Unpack,
}

#[derive(Deserialize)]
struct Manifest {
    version: String,
}

impl Resolver {
    /// What there is of an agent in `place`, a directory or one file. Reads the disk, so it must not run where others wait.
    pub(crate) fn local(
        &self,
        agent: &AgentSpec,
        place: &Path,
        version: Option<&str>,
    ) -> Result<Local, SourceError> {
        let recipe = agent.install.as_ref().ok_or_else(|| {
            SourceError::Missing(format!("nothing is known about how '{}' is published", agent.id))
        })?;
        let failed = |error| SourceError::Disk { path: place.to_owned(), error };
        let place = std::path::absolute(place).map_err(failed)?;
        let names: Vec<String> = if place.is_file() {
            place.file_name().and_then(|name| name.to_str()).map(str::to_owned).into_iter().collect()
        } else {
            file_names(&place).map_err(failed)?
        };
        let directory =
            if place.is_file() { place.parent().unwrap_or(&place).to_owned() } else { place.clone() };
        let asked = match Wanted::new(version) {
            Wanted::Version(version) => Some(version),
            _ => None,
        };
        if let Some(found) = published(recipe, self.platform, &names, asked) {
            return file(recipe, &directory, found, asked)
                .map(|artifact| Local::Artifact(Box::new(artifact)));
        }
        if let Some(entry) = recipe.entry.iter().find(|entry| place.join(entry).is_file()) {
            return Ok(Local::Artifact(Box::new(unpacked(recipe, &place, entry, asked))));
        }
        if self.is_mirror(recipe, &place) {
            let mirror = Url::from_directory_path(&place).map_err(|()| not_an_address(&place))?;
            return Ok(Local::Mirror(mirror));
        }
        Err(nothing(recipe, agent, self.platform, &place))
    }

    /// Whether a host that the recipe names has a directory here.
    fn is_mirror(&self, recipe: &Recipe, place: &Path) -> bool {
        let mut addresses = vec![self.index.clone()];
        for source in &recipe.sources {
            match source {
                Source::Vendor(vendor) => {
                    addresses.extend(vendor.base.iter().filter_map(|base| Url::parse(base).ok()))
                }
                Source::Github(_) => addresses.extend(
                    ["https://github.com", "https://api.github.com"]
                        .iter()
                        .filter_map(|host| Url::parse(host).ok()),
                ),
                Source::Npm(npm) => addresses.extend(self.npm.known_config().registry(&npm.package)),
                Source::NpmTree(_) | Source::Registry(_) => {}
            }
        }
        let hosts = addresses.iter().filter_map(|url| {
            let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
            Some(format!("{}{port}", url.host_str()?))
        });
        hosts.into_iter().any(|host| place.join(host).is_dir())
    }
}

/// The first of the recipe's files that is among these names.
fn published(
    recipe: &Recipe,
    platform: Platform,
    names: &[String],
    asked: Option<&str>,
) -> Option<Published> {
    recipe.sources.iter().find_map(|source| {
        let build = source.build_for(platform)?.to_owned();
        let values = Values { platform: &build, version: asked.unwrap_or_default(), ..Values::default() };
        let plain = |name: &str, unpack: &Unpack| {
            let name = values.fill(name.rsplit('/').next().unwrap_or(name));
            names.contains(&name).then(|| Published {
                name,
                version: None,
                template: "{version}".to_owned(),
                platform: build.clone(),
                unpack: unpack.clone(),
            })
        };
        match source {
            Source::Vendor(vendor) => plain(&vendor.file, &vendor.unpack),
            Source::Github(github) => {
                let special = platform.runs().iter().find_map(|platform| github.assets.get(platform));
                plain(special.unwrap_or(&github.asset), &github.unpack)
            }
            Source::Npm(npm) => {
                let package = values.fill(&npm.package);
                let found = names.iter().find_map(|name| {
                    let version = tarball_version(&package, &npm.version, &build, name)?;
                    asked.is_none_or(|asked| asked == version).then_some((name, version))
                });
                found.map(|(name, version)| Published {
                    name: name.clone(),
                    version: Some(version),
                    template: npm.version.clone(),
                    platform: build.clone(),
                    unpack: npm.unpack.clone(),
                })
            }
            Source::NpmTree(_) | Source::Registry(_) => None,
        }
    })
}

/// The version in the name of a package's tarball: `name-1.2.3.tgz` in a registry, `scope-name-1.2.3.tgz` from `npm pack`.
fn tarball_version(package: &str, template: &str, platform: &str, name: &str) -> Option<String> {
    let stem = name.strip_suffix(".tgz")?;
    let flat = package.trim_start_matches('@').replace('/', "-");
    let short = package.rsplit('/').next().unwrap_or(package);
    [flat.as_str(), short].into_iter().find_map(|prefix| {
        let published = stem.strip_prefix(prefix)?.strip_prefix('-')?;
        agent_version(published, template, platform)
    })
}

/// The agent's version that a package's version stands for.
fn agent_version(published: &str, template: &str, platform: &str) -> Option<String> {
    let template = Values { platform, version: "{version}", ..Values::default() }.fill(template);
    let (before, after) = template.split_once("{version}")?;
    version_name(published.strip_prefix(before)?.strip_suffix(after)?).map(str::to_owned)
}

fn file(
    recipe: &Recipe,
    directory: &Path,
    found: Published,
    asked: Option<&str>,
) -> Result<Artifact, SourceError> {
    let path = directory.join(&found.name);
    let url = Url::from_file_path(&path).map_err(|()| not_an_address(&path))?;
    let format = format_of(&found.name);
    let version = asked.map(str::to_owned).or(found.version).or_else(|| {
        let published = version_inside(&path, format)?;
        agent_version(&published, &found.template, &found.platform)
    });
    let file = RemoteFile {
        digest: checksum_beside(directory, &found.name)?,
        size: std::fs::metadata(&path).ok().map(|data| data.len()),
        url,
        headers: HeaderMap::new(),
        format,
        unpack: found.unpack,
    };
    Ok(Artifact {
        version: version.unwrap_or_else(|| UNNAMED.to_owned()),
        source: SourceKind::Local,
        contents: Contents::File(file),
        entry: recipe.entry.clone(),
        launch: None,
    })
}

fn unpacked(recipe: &Recipe, place: &Path, entry: &str, asked: Option<&str>) -> Artifact {
    // The manifest lies at the top, which for some programs is above the directory that was given.
    let manifest = MANIFESTS.iter().map(|name| place.join(name)).find(|path| path.is_file());
    let told = manifest.and_then(|path| manifest_version(File::open(path).ok()?));
    let told = told.as_deref().and_then(version_name);
    Artifact {
        version: asked.or(told).unwrap_or(UNNAMED).to_owned(),
        source: SourceKind::Local,
        contents: Contents::Directory(place.to_owned()),
        entry: std::iter::once(entry.to_owned()).chain(recipe.entry.iter().cloned()).collect(),
        launch: None,
    }
}

/// The checksum that a list beside the file gives. A list that leaves the file out is a mistake worth telling.
fn checksum_beside(directory: &Path, name: &str) -> Result<Option<Digest>, SourceError> {
    let own = format!("{name}.sha256");
    for list in SUMS.iter().copied().chain([own.as_str()]) {
        let path = directory.join(list);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(SourceError::Disk { path, error }),
        };
        return match listed(&text, name) {
            Some(digest) => Ok(Some(digest)),
            None => Err(SourceError::Nonsense {
                url: path.display().to_string(),
                reason: format!("does not list a SHA-256 of {name}; add it, or remove the list"),
            }),
        };
    }
    Ok(None)
}

/// The version that a manifest inside a tarball names.
fn version_inside(path: &Path, format: Format) -> Option<String> {
    if format != Format::TarGz {
        return None;
    }
    let bytes = flate2::read::GzDecoder::new(io::BufReader::new(File::open(path).ok()?));
    let mut archive = tar::Archive::new(bytes.take(MAX_SEARCHED_BYTES));
    for entry in archive.entries().ok()? {
        let entry = entry.ok()?;
        let name = entry.path().ok()?.into_owned();
        let name = name.strip_prefix("package").unwrap_or(&name).to_owned();
        if MANIFESTS.iter().any(|manifest| name == Path::new(manifest)) {
            return manifest_version(entry);
        }
    }
    None
}

fn manifest_version(document: impl Read) -> Option<String> {
    serde_json::from_reader::<_, Manifest>(document).ok().map(|manifest| manifest.version)
}

fn file_names(directory: &Path) -> io::Result<Vec<String>> {
    let mut names: Vec<String> = std::fs::read_dir(directory)?
        .filter_map(|entry| {
            let entry = entry.ok()?;
            entry.path().is_file().then(|| entry.file_name().into_string().ok()).flatten()
        })
        .collect();
    // Of several versions of a package's tarball the last one by name is the likeliest to be meant.
    names.sort_by(|a, b| b.cmp(a));
    Ok(names)
}

fn nothing(recipe: &Recipe, agent: &AgentSpec, platform: Platform, place: &Path) -> SourceError {
    let mut expected: Vec<String> = recipe
        .sources
        .iter()
        .filter_map(|source| {
            let build = source.build_for(platform)?;
            let values = Values { platform: build, version: "<version>", ..Values::default() };
            match source {
                Source::Vendor(vendor) => Some(values.fill(vendor.file.rsplit('/').next()?)),
                Source::Github(github) => {
                    let special = platform.runs().iter().find_map(|platform| github.assets.get(platform));
                    Some(values.fill(special.unwrap_or(&github.asset)))
                }
                Source::Npm(npm) => {
                    let package = values.fill(&npm.package).trim_start_matches('@').replace('/', "-");
                    Some(format!("{package}-{}.tgz", values.fill(&npm.version)))
                }
                Source::NpmTree(_) | Source::Registry(_) => None,
            }
        })
        .chain(recipe.entry.iter().cloned())
        .collect();
    expected.dedup();
    SourceError::Missing(format!(
        "{} holds nothing of '{}': neither {}, nor a tree of mirrored hosts",
        place.display(),
        agent.id,
        expected.join(", ")
    ))
}

fn not_an_address(path: &Path) -> SourceError {
    let error = io::Error::new(io::ErrorKind::InvalidInput, "cannot be written as an address");
    SourceError::Disk { path: PathBuf::from(path), error }
}
