//! Which npm registry to ask, and as whom: npm's own settings, read by npm's own rules.
//!
//! First what a flag says, then `npm_config_*` variables, the project's `.npmrc`, the user's, the machine's. There is no
//! default: which registry a machine may use is its owner's decision.

mod auth;
mod ini;
#[cfg(test)]
mod tests;

use crate::error::Result;
use crate::error::SourceError;
use sa_disk::read_plain;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use url::Url;

/// Prefixes beneath which npm is commonly installed; its settings for the whole machine are in `etc/npmrc` there.
pub const COMMON_PREFIXES: [&str; 3] = ["/usr/local", "/usr", "/"];

/// As much of a file is read. Agents can write the user's.
const MAX_BYTES: u64 = 1 << 20;

const VARIABLE_PREFIX: &str = "npm_config_";

/// The sources of npm's settings. Nothing else is read.
#[derive(Debug, Clone, Default)]
pub struct NpmSources {
    /// A registry that was given on the command line; scoped packages keep theirs.
    pub registry: Option<String>,
    pub env: BTreeMap<String, String>,
    /// The user's home, for `~/.npmrc`.
    pub home: Option<PathBuf>,
    /// A directory of the project whose `.npmrc` counts; none if no project's does.
    pub project: Option<PathBuf>,
    /// Directories in which npm may be installed, the likeliest first; see [`COMMON_PREFIXES`].
    pub prefixes: Vec<PathBuf>,
}

/// npm's settings, the most specific source first.
#[derive(Clone, Default)]
pub struct NpmConfig {
    layers: Vec<BTreeMap<String, String>>,
    /// The user's file, whether or not it exists.
    user_file: Option<PathBuf>,
    /// The file of the whole machine's settings, if there is one.
    global_file: Option<PathBuf>,
    /// Certificates to trust for the registry, in addition to the common ones.
    certificates: Option<PathBuf>,
}

impl NpmConfig {
    /// Reads all of them. A file that is missing says nothing; one that cannot be read is logged.
    pub fn load(sources: &NpmSources) -> Self {
        let env = |name: &str| sources.env.get(name).cloned();
        let mut config = Self::default();
        if let Some(registry) = &sources.registry {
            config.layers.push(BTreeMap::from([("registry".to_owned(), registry.clone())]));
        }
        config.layers.push(variables(sources, &env));
        let user = config.path("userconfig", sources).or_else(|| Some(sources.home.as_ref()?.join(".npmrc")));
        let project = sources.project.as_deref().map(|directory| project_root(directory).join(".npmrc"));
        for file in [&project, &user].into_iter().flatten() {
            config.layers.push(read(file, &env));
        }
        config.user_file = user;
        let global = match config.path("globalconfig", sources) {
            Some(file) => vec![file],
            None => config
                .path("prefix", sources)
                .iter()
                .chain(&sources.prefixes)
                .map(|p| p.join("etc/npmrc"))
                .collect(),
        };
        config.layers.extend(global.iter().map(|file| read(file, &env)));
        config.global_file = global.into_iter().find(|file| file.is_file());
        config.certificates = config.path("cafile", sources);
        config.take_credentials();
        config
    }

    /// Sets the registry for packages that no setting names one for.
    pub(crate) fn with_default(mut self, registry: String) -> Self {
        self.layers.push(BTreeMap::from([("registry".to_owned(), registry)]));
        self.take_credentials();
        self
    }

    /// Returns the registry that has this package; its path ends with a slash.
    pub(crate) fn registry(&self, package: &str) -> Result<Url> {
        let scoped =
            package.split_once('/').and_then(|(scope, _)| self.setting(&format!("{scope}:registry")));
        let text = scoped.or_else(|| self.setting("registry")).ok_or_else(|| {
            SourceError::Missing(
                "no npm registry is configured: set npm_config_registry, add `registry=` to ~/.npmrc, or pass --npm-registry"
                    .to_owned(),
            )
        })?;
        address(text).ok_or_else(|| SourceError::Nonsense {
            url: text.to_owned(),
            reason:
                "npm's settings name it as the registry, but it is not an address; correct `registry` there"
                    .to_owned(),
        })
    }

    /// Returns whether a setting names the registry of this package.
    pub(crate) fn knows_registry(&self, package: &str) -> bool {
        !matches!(self.registry(package), Err(SourceError::Missing(_)))
    }

    /// Returns a file with certificates to trust.
    pub(crate) fn certificates(&self) -> Option<&Path> {
        self.certificates.as_deref()
    }

    /// Returns the file of the user's settings.
    pub(crate) fn user_file(&self) -> Option<&Path> {
        self.user_file.as_deref()
    }

    /// Returns the file of the whole machine's settings.
    pub(crate) fn global_file(&self) -> Option<&Path> {
        self.global_file.as_deref()
    }

    /// Returns the settings that belong to addresses, including credentials. `take_credentials` has moved some there
    /// that npm would not find.
    pub(crate) fn address_settings(&self) -> impl Iterator<Item = (&str, &str)> {
        let keys: BTreeSet<&str> =
            self.layers.iter().flat_map(|layer| layer.keys()).map(String::as_str).collect();
        keys.into_iter()
            .filter(|key| key.starts_with("//"))
            .filter_map(|key| self.setting(key).map(|value| (key, value)))
    }

    fn setting(&self, key: &str) -> Option<&str> {
        self.layers
            .iter()
            .filter_map(|layer| layer.get(key))
            .map(String::as_str)
            .find(|value| !value.is_empty())
    }

    fn path(&self, key: &str, sources: &NpmSources) -> Option<PathBuf> {
        let text = self.setting(key)?;
        Some(match (text.strip_prefix("~/"), &sources.home) {
            (Some(beneath), Some(home)) => home.join(beneath),
            _ => PathBuf::from(text),
        })
    }

    /// Moves user and password from registries' addresses to settings of their own, so that no message shows them.
    fn take_credentials(&mut self) {
        for layer in &mut self.layers {
            let registries: Vec<String> = layer
                .keys()
                .filter(|key| *key == "registry" || key.ends_with(":registry"))
                .cloned()
                .collect();
            for key in registries {
                let Some(mut url) = layer.get(&key).and_then(|text| address(text)) else { continue };
                if let Some(credentials) = auth::from_address(&mut url)
                    && let Some(place) = auth::address_key(&url)
                {
                    layer.insert(key, url.into());
                    layer.insert(format!("{place}:_auth"), credentials);
                }
            }
        }
    }
}

/// Values may be secrets: keys only.
impl std::fmt::Debug for NpmConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.layers.iter().map(|layer| layer.keys().collect::<Vec<_>>())).finish()
    }
}

/// Reads `npm_config_*` variables. Their names are not case-sensitive, and `_` stands for `-`, except in the part
/// that belongs to an address. Empty ones are ignored.
fn variables(sources: &NpmSources, env: &dyn Fn(&str) -> Option<String>) -> BTreeMap<String, String> {
    let mut settings = BTreeMap::new();
    for (name, value) in sources.env.iter().filter(|(_, value)| !value.is_empty()) {
        let Some((prefix, key)) = name.split_at_checked(VARIABLE_PREFIX.len()) else { continue };
        if !prefix.eq_ignore_ascii_case(VARIABLE_PREFIX) || key.is_empty() {
            continue;
        }
        let key =
            if key.starts_with("//") { key.to_owned() } else { key.to_ascii_lowercase().replace('_', "-") };
        settings.insert(key, ini::expand(value, env));
    }
    settings
}

fn read(file: &Path, env: &dyn Fn(&str) -> Option<String>) -> BTreeMap<String, String> {
    match read_plain(file, MAX_BYTES) {
        Ok(bytes) => ini::parse(&String::from_utf8_lossy(&bytes), env),
        Err(error) => {
            let absent =
                matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory);
            if !absent {
                tracing::warn!(file = %file.display(), %error, "npm's settings cannot be read");
            }
            BTreeMap::new()
        }
    }
}

/// Returns the project that a directory belongs to: the nearest one upwards with a manifest or packages, else itself.
fn project_root(directory: &Path) -> &Path {
    let is_project =
        |place: &&Path| place.join("package.json").is_file() || place.join("node_modules").is_dir();
    directory.ancestors().find(is_project).unwrap_or(directory)
}

fn address(text: &str) -> Option<Url> {
    let mut url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https" | "file"))?;
    if !url.path().ends_with('/') {
        url.set_path(&format!("{}/", url.path()));
    }
    Some(url)
}
