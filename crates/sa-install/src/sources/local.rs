//! A directory of this machine as the source: a tree of mirrored hosts, a vendor's file under its published name, or a
//! program that is already unpacked.

mod names;

use super::Resolver;
use super::checksum::listed;
use super::template::{Wanted, version_name};
use crate::artifact::{Artifact, Contents, Digest, Format, RemoteFile};
use crate::error::{Result, SourceError};
use crate::fetch::authority;
use crate::limits::MAX_SEARCHED_BYTES;
use names::Published;
use sa_agents::{AgentSpec, Recipe, Source};
use sa_api::InstallSource;
use sa_disk::at;
use serde::Deserialize;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use url::Url;

/// The name of a version whose name is unknown.
const UNNAMED: &str = "local";
/// Files that list checksums of the files next to them.
const SUMS: [&str; 3] = ["SHA256SUMS", "SHA256SUMS.txt", "sha256sums.txt"];
/// Documents inside programs that say which version they are.
const MANIFESTS: [&str; 2] = ["codex-package.json", "package.json"];

/// The kind of a local directory.
#[derive(Debug)]
pub(crate) enum Local {
    /// Directories named after hosts: every source is asked, through it.
    Mirror(Url),
    /// The program, or the file that holds it.
    Artifact(Box<Artifact>),
}

#[derive(Deserialize)]
struct Manifest {
    version: String,
}

impl Resolver {
    /// Finds an agent in `place`, a directory or one file. Blocks on the disk.
    pub(crate) fn local(&self, agent: &AgentSpec, place: &Path, version: Option<&str>) -> Result<Local> {
        let recipe = agent.install.as_ref().ok_or_else(|| {
            SourceError::Missing(format!("nothing is known about how '{}' is published", agent.id))
        })?;
        let place = std::path::absolute(place).map_err(at(place))?;
        let (directory, names) = files(&place).map_err(at(&place))?;
        let asked = match Wanted::new(version) {
            Wanted::Version(version) => Some(version),
            Wanted::Latest | Wanted::Word(_) => None,
        };
        if let Some(found) = names::find(recipe, self.platform, &names, asked) {
            return file(recipe, directory, found, asked).map(|artifact| Local::Artifact(Box::new(artifact)));
        }
        if let Some(entry) = recipe.entry.iter().find(|entry| place.join(entry).is_file()) {
            return Ok(Local::Artifact(Box::new(unpacked(&place, entry, asked))));
        }
        if self.is_mirror(recipe, &place) {
            return Ok(Local::Mirror(Url::from_directory_path(&place).map_err(|()| not_an_address(&place))?));
        }
        Err(SourceError::Missing(format!(
            "{} holds nothing of '{}': neither a tree of mirrored hosts nor {}",
            place.display(),
            agent.id,
            names::expected(recipe, self.platform).join(", ")
        )))
    }

    /// Returns whether a host that the recipe names has a directory here.
    fn is_mirror(&self, recipe: &Recipe, place: &Path) -> bool {
        let addresses = |source: &Source| match source {
            Source::Vendor(vendor) => vendor.base.iter().filter_map(|base| Url::parse(base).ok()).collect(),
            Source::Github(_) => super::github::hosts(),
            Source::Npm(npm) => self.npm.known_config().registry(&npm.package).into_iter().collect(),
            Source::Registry(_) => vec![self.index.clone()],
            Source::NpmTree(_) => Vec::new(),
        };
        let mut hosts = recipe.sources.iter().flat_map(addresses);
        hosts.any(|url: Url| url.has_host() && place.join(authority(&url)).is_dir())
    }
}

/// Returns the directory and the names of the files in it that are meant: all, or the only one.
fn files(place: &Path) -> io::Result<(&Path, Vec<String>)> {
    if let (true, Some(directory), Some(name)) = (place.is_file(), place.parent(), place.file_name()) {
        return Ok((directory, name.to_str().map(str::to_owned).into_iter().collect()));
    }
    let mut names = Vec::new();
    for entry in std::fs::read_dir(place)? {
        let entry = entry?;
        if entry.path().is_file() {
            names.extend(entry.file_name().into_string());
        }
    }
    Ok((place, names))
}

fn file(recipe: &Recipe, directory: &Path, found: Published, asked: Option<&str>) -> Result<Artifact> {
    let path = directory.join(&found.name);
    let told = || found.version.clone().or_else(|| found.version_of_manifest(&version_inside(&path)?));
    let version = asked.map(str::to_owned).or_else(told).unwrap_or_else(|| UNNAMED.to_owned());
    let url = Url::from_file_path(&path).map_err(|()| not_an_address(&path))?;
    let digest = checksum_beside(directory, &found.name)?;
    let size = std::fs::metadata(&path).ok().map(|data| data.len());
    let file = RemoteFile { size, unpack: found.unpack, ..RemoteFile::new(url, digest) };
    Ok(Artifact::new(version, InstallSource::Local, Contents::File(file), recipe))
}

fn unpacked(place: &Path, entry: &str, asked: Option<&str>) -> Artifact {
    let manifest = MANIFESTS.iter().find_map(|name| File::open(place.join(name)).ok());
    let told = manifest.and_then(manifest_version);
    let told = told.as_deref().and_then(version_name);
    Artifact {
        version: asked.or(told).unwrap_or(UNNAMED).to_owned(),
        source: InstallSource::Local,
        contents: Contents::Directory(place.to_owned()),
        entry: vec![entry.to_owned()],
        launch: None,
    }
}

/// Reads the checksum from a list next to the file. A list that leaves the file out is an error.
fn checksum_beside(directory: &Path, name: &str) -> Result<Option<Digest>> {
    let own = format!("{name}.sha256");
    for list in SUMS.iter().copied().chain([own.as_str()]) {
        let path = directory.join(list);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(at(path)(error).into()),
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

/// Returns the version that a manifest inside a tarball names.
fn version_inside(path: &Path) -> Option<String> {
    if Format::of(path.file_name()?.to_str()?) != Format::TarGz {
        return None;
    }
    let bytes = flate2::read::GzDecoder::new(io::BufReader::new(File::open(path).ok()?));
    let mut archive = tar::Archive::new(bytes.take(MAX_SEARCHED_BYTES));
    for entry in archive.entries().ok()? {
        let entry = entry.ok()?;
        let name = entry.path().ok()?.into_owned();
        let name = name.strip_prefix("package").unwrap_or(&name);
        if MANIFESTS.iter().any(|manifest| name == Path::new(manifest)) {
            return manifest_version(entry);
        }
    }
    None
}

fn manifest_version(document: impl Read) -> Option<String> {
    serde_json::from_reader::<_, Manifest>(document).ok().map(|manifest| manifest.version)
}

fn not_an_address(path: &Path) -> SourceError {
    let error = io::Error::new(io::ErrorKind::InvalidInput, "cannot be written as an address");
    at(path)(error).into()
}
