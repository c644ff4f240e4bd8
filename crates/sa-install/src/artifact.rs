//! An artifact: one version for one platform, as a source offers it and the installer fetches it.

use reqwest::header::HeaderMap;
use sa_agents::{Recipe, Unpack};
use sa_api::InstallSource;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use url::Url;

/// One version of an agent for this machine, ready to be fetched.
#[derive(Debug, Clone)]
pub(crate) struct Artifact {
    /// The version's name, as `--version` of the installed program would say it.
    pub(crate) version: String,
    pub(crate) source: InstallSource,
    pub(crate) contents: Contents,
    /// Paths of the program beneath the version's directory; the first that exists is used.
    pub(crate) entry: Vec<String>,
    /// Arguments and variables that the source itself asks for, as entries of the ACP registry do.
    pub(crate) launch: Option<RegistryLaunch>,
}

impl Artifact {
    /// A version whose program is where the recipe says.
    pub(crate) fn new(version: String, source: InstallSource, contents: Contents, recipe: &Recipe) -> Self {
        Self { version, source, contents, entry: recipe.entry.clone(), launch: None }
    }
}

/// The way in which a version gets onto the disk.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "an installation has one of them")]
pub(crate) enum Contents {
    /// One file, fetched, checked and unpacked.
    File(RemoteFile),
    /// A directory of the user's that already holds the program's files.
    Directory(PathBuf),
    /// Packages that npm puts together: `npm install --prefix <dir> <packages>`.
    NpmTree(Vec<String>),
}

/// A file and everything needed to get and trust it.
#[derive(Debug, Clone)]
pub(crate) struct RemoteFile {
    /// The file's address; `file:` for one on this machine.
    pub(crate) url: Url,
    /// Headers to send, such as a registry's token. Not forwarded to other hosts.
    pub(crate) headers: HeaderMap,
    /// The published digest, if there is one.
    pub(crate) digest: Option<Digest>,
    /// The length, if it is known beforehand.
    pub(crate) size: Option<u64>,
    pub(crate) format: Format,
    /// The entries to keep, if this is an archive.
    pub(crate) unpack: Unpack,
}

impl RemoteFile {
    /// A public file of unknown length, in the format that its name says, of which everything is kept.
    pub(crate) fn new(url: Url, digest: Option<Digest>) -> Self {
        let format = Format::of(url.path());
        Self { url, headers: HeaderMap::new(), digest, size: None, format, unpack: Unpack::default() }
    }
}

/// The format of a fetched file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// The program itself; it becomes the first of the artifact's entries.
    Program,
    /// A tarball, compressed with gzip.
    TarGz,
    /// A tarball, compressed with bzip2.
    TarBz2,
    Zip,
}

impl Format {
    /// Returns the format of a file, by its name.
    pub(crate) fn of(name: &str) -> Self {
        let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
        if ends(&[".tar.gz", ".tgz"]) {
            Self::TarGz
        } else if ends(&[".tar.bz2", ".tbz2"]) {
            Self::TarBz2
        } else if ends(&[".zip"]) {
            Self::Zip
        } else {
            Self::Program
        }
    }
}

/// A digest of a file's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Digest {
    Sha256([u8; 32]),
    Sha512([u8; 64]),
}

/// The command line that an entry of the ACP registry asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct RegistryLaunch {
    /// Replaces the catalog's arguments.
    pub(crate) args: Vec<String>,
    /// On top of the catalog's variables.
    pub(crate) env: BTreeMap<String, String>,
}
