//! How an agent's program comes onto the disk: where its versions are published, how each is checked and what of it is kept.
//!
//! Templates may hold `{version}`, `{platform}` (the source's own name for it, see `platforms`) and `{tag}`.

use crate::Platform;
use sa_api::InstallSource;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Everything an installer needs to know about an agent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Recipe {
    /// Paths of the program in an installed version; the first that exists is used. Empty only if every source is a
    /// registry entry, which has its own.
    #[serde(default)]
    pub entry: Vec<String>,
    /// The sources, in the order in which they are tried.
    pub sources: Vec<Source>,
}

/// A place where versions of an agent are published.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Source {
    /// The vendor's own store: a file that names the latest version, and one file for each version and platform.
    Vendor(Vendor),
    /// Releases of a GitHub repository.
    Github(Github),
    /// One tarball of the npm registry.
    Npm(Npm),
    /// A package of the npm registry with all it depends on; needs npm.
    NpmTree(NpmTree),
    /// An entry of the ACP registry.
    Registry(Registry),
}

/// A vendor's store.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Vendor {
    /// Addresses of the same store, the preferred one first; `{base}` in the templates.
    pub base: Vec<String>,
    /// Address of a text file that holds the latest version's name.
    pub latest: String,
    /// Addresses for other words that may be asked for instead of a version, such as `stable`.
    #[serde(default)]
    pub channels: BTreeMap<String, String>,
    /// Address of the program or archive.
    pub file: String,
    /// The checksum of the file.
    pub checksum: Option<Checksum>,
    /// The entries to keep.
    #[serde(default)]
    pub unpack: Unpack,
    /// The store's names of platforms.
    pub platforms: Platforms,
}

/// Releases of a GitHub repository.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Github {
    /// `owner/name`.
    pub repository: String,
    /// The release's tag, made from the version, e.g. `v{version}`.
    pub tag: String,
    /// The asset's name.
    pub asset: String,
    /// Names of assets where a platform's differs, e.g. a zip instead of a tarball.
    #[serde(default)]
    pub assets: BTreeMap<Platform, String>,
    /// The checksum for when GitHub's own digest of the asset is missing.
    pub checksum: Option<Checksum>,
    /// The entries to keep.
    #[serde(default)]
    pub unpack: Unpack,
    /// The release's names of platforms.
    pub platforms: Platforms,
}

/// One tarball of the npm registry.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Npm {
    /// The package; may hold `{platform}`.
    pub package: String,
    /// The package's version for one of the agent; for packages that put the platform there.
    #[serde(default = "same_version")]
    pub version: String,
    /// The package whose `latest` counts, if it is not the one that is fetched.
    pub latest_of: Option<String>,
    /// The entries to keep.
    #[serde(default)]
    pub unpack: Unpack,
    /// The package's names of platforms; absent for programs that run on each.
    #[serde(default)]
    pub platforms: Platforms,
}

/// A package with its dependencies.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NpmTree {
    /// The package.
    pub package: String,
    /// Packages that must be next to it, as `name` or `name@version`.
    #[serde(default)]
    pub with: Vec<String>,
}

/// An entry of the ACP registry.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Registry {
    /// The id there.
    pub id: String,
}

/// The place where a file's SHA-256 is published.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Checksum {
    /// A field of a JSON document.
    Manifest {
        /// Address of the document.
        manifest: String,
        /// JSON pointer to the hexadecimal digest.
        pointer: String,
    },
    /// A file in the format of `sha256sum`, or one that holds nothing but the digest.
    Sums {
        /// Address of the file.
        sums: String,
    },
}

/// The entries of an archive that are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Unpack {
    /// Only what lies beneath this directory of the archive, without its name.
    pub beneath: String,
    /// Only these files and directories; everything if empty.
    pub only: Vec<String>,
    /// These not.
    pub except: Vec<String>,
}

/// A source's names of the platforms it has builds for.
pub type Platforms = BTreeMap<Platform, String>;

fn same_version() -> String {
    "{version}".to_owned()
}

impl Github {
    /// Returns the template of the asset's name for this platform.
    pub fn asset_for(&self, platform: Platform) -> &str {
        platform.runs().find_map(|runs| self.assets.get(&runs)).unwrap_or(&self.asset)
    }
}

impl Source {
    /// Returns a word for it in messages and receipts.
    pub fn kind(&self) -> InstallSource {
        match self {
            Self::Vendor(_) => InstallSource::Vendor,
            Self::Github(_) => InstallSource::Github,
            Self::Npm(_) | Self::NpmTree(_) => InstallSource::Npm,
            Self::Registry(_) => InstallSource::Registry,
        }
    }

    /// Returns the source's name for the best build that runs on this platform; the empty name where builds run
    /// anywhere.
    pub fn build_for(&self, platform: Platform) -> Option<&str> {
        let platforms = match self {
            Self::Vendor(vendor) => &vendor.platforms,
            Self::Github(github) => &github.platforms,
            Self::Npm(npm) if npm.platforms.is_empty() => return Some(""),
            Self::Npm(npm) => &npm.platforms,
            Self::NpmTree(_) | Self::Registry(_) => return Some(""),
        };
        platform.runs().find_map(|runs| platforms.get(&runs)).map(String::as_str)
    }
}
