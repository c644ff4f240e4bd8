//! What a source offers for one version and platform: the meeting point of those who find it and those who fetch it.

use reqwest::header::HeaderMap;
use sa_agents::Unpack;
use sa_api::InstallSource;
use std::collections::BTreeMap;
use std::path::PathBuf;
use url::Url;

/// One version of an agent for this machine, ready to be fetched.
#[derive(Debug, Clone)]
pub(crate) struct Artifact {
    /// The version's name, as `--version` of the installed program would say it.
    pub(crate) version: String,
    /// Which kind of source found it.
    pub(crate) source: InstallSource,
    /// How it gets onto the disk.
    pub(crate) contents: Contents,
    /// Where the program may lie beneath the version's directory; the first that exists.
    pub(crate) entry: Vec<String>,
    /// Arguments and variables that the source itself asks for, as entries of the ACP registry do.
    pub(crate) launch: Option<RegistryLaunch>,
}

/// How a version gets onto the disk.
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
    /// Where it is; `file:` for one on this machine.
    pub(crate) url: Url,
    /// What to send along, such as a registry's token. Not sent on to other hosts.
    pub(crate) headers: HeaderMap,
    /// What its bytes must hash to; none if its publisher does not say.
    pub(crate) digest: Option<Digest>,
    /// Its length, if known beforehand.
    pub(crate) size: Option<u64>,
    /// What it is.
    pub(crate) format: Format,
    /// What to keep of it, if it is an archive.
    pub(crate) unpack: Unpack,
}

/// What a fetched file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// The program itself; it becomes the first of the artifact's entries.
    Program,
    /// A tarball, compressed with gzip.
    TarGz,
    /// A tarball, compressed with bzip2.
    TarBz2,
    /// A zip archive.
    Zip,
}

/// What bytes must hash to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Digest {
    /// SHA-256.
    Sha256([u8; 32]),
    /// SHA-512.
    Sha512([u8; 64]),
}

/// How an entry of the ACP registry wants to be started.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RegistryLaunch {
    /// Replaces the catalogue's arguments.
    pub(crate) args: Vec<String>,
    /// On top of the catalogue's variables.
    pub(crate) env: BTreeMap<String, String>,
}
