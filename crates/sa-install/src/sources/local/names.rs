//! Files under the names that sources publish them by.

use super::super::template::{Values, version_name};
use sa_agents::{Platform, Recipe, Source, Unpack};
use semver::Version;

/// A file that a source publishes.
pub(super) struct Published {
    pub(super) name: String,
    /// The agent's version, where the name says it.
    pub(super) version: Option<String>,
    pub(super) unpack: Unpack,
    numbering: Numbering,
}

/// The form in which a source writes the agent's version.
#[derive(Clone)]
pub(super) struct Numbering {
    before: String,
    after: String,
}

impl Numbering {
    fn new(template: &str, platform: &str) -> Self {
        let template = Values { platform, version: "{version}", ..Values::default() }.fill(template);
        let (before, after) = template.split_once("{version}").unwrap_or_default();
        Self { before: before.to_owned(), after: after.to_owned() }
    }

    /// Returns the agent's version that one of the source's stands for.
    fn version(&self, published: &str) -> Option<String> {
        let version = published.strip_prefix(&self.before)?.strip_suffix(&self.after)?;
        version_name(version).map(str::to_owned)
    }
}

impl Published {
    /// Returns the agent's version, if its manifest gives this one.
    pub(super) fn version_of_manifest(&self, manifest: &str) -> Option<String> {
        self.numbering.version(manifest)
    }
}

/// Returns the first of the recipe's files that is among these names.
pub(super) fn find(
    recipe: &Recipe,
    platform: Platform,
    names: &[String],
    asked: Option<&str>,
) -> Option<Published> {
    recipe.sources.iter().find_map(|source| {
        let build = source.build_for(platform)?;
        if let Source::Npm(npm) = source {
            let package = Values { platform: build, ..Values::default() }.fill(&npm.package);
            let numbering = Numbering::new(&npm.version, build);
            let versions =
                names.iter().filter_map(|name| Some((name, tarball_version(&package, &numbering, name)?)));
            let (name, version) = versions
                .filter(|(_, version)| asked.is_none_or(|asked| asked == version))
                .max_by_key(|(_, version)| Version::parse(version).ok())?;
            let (name, unpack) = (name.clone(), npm.unpack.clone());
            return Some(Published { name, version: Some(version), unpack, numbering });
        }
        let name = file_name(source, platform, build, asked.unwrap_or_default())?;
        let unpack = match source {
            Source::Vendor(vendor) => vendor.unpack.clone(),
            Source::Github(github) => github.unpack.clone(),
            Source::Npm(_) | Source::NpmTree(_) | Source::Registry(_) => return None,
        };
        let numbering = Numbering::new("{version}", build);
        names.contains(&name).then_some(Published { name, version: None, unpack, numbering })
    })
}

/// Returns the names of the recipe's files, for messages.
pub(super) fn expected(recipe: &Recipe, platform: Platform) -> Vec<String> {
    let files = recipe.sources.iter().filter_map(|source| {
        let build = source.build_for(platform)?;
        file_name(source, platform, build, "<version>")
    });
    let mut names: Vec<String> = files.chain(recipe.entry.iter().cloned()).collect();
    names.dedup();
    names
}

fn file_name(source: &Source, platform: Platform, build: &str, version: &str) -> Option<String> {
    let values = Values { platform: build, version, ..Values::default() };
    match source {
        Source::Vendor(vendor) => Some(values.fill(vendor.file.rsplit('/').next()?)),
        Source::Github(github) => Some(values.fill(github.asset_for(platform))),
        Source::Npm(npm) => {
            let package = values.fill(&npm.package);
            Some(format!("{}-{}.tgz", packed(&package), values.fill(&npm.version)))
        }
        Source::NpmTree(_) | Source::Registry(_) => None,
    }
}

/// Returns the version in the name of a package's tarball: `name-1.2.3.tgz` in a registry, `scope-name-1.2.3.tgz`
/// from `npm pack`.
fn tarball_version(package: &str, numbering: &Numbering, name: &str) -> Option<String> {
    let stem = name.strip_suffix(".tgz")?;
    let short = package.rsplit('/').next().unwrap_or(package);
    [packed(package).as_str(), short]
        .into_iter()
        .find_map(|prefix| numbering.version(stem.strip_prefix(prefix)?.strip_prefix('-')?))
}

/// Returns a package's name as `npm pack` puts it into file names.
fn packed(package: &str) -> String {
    package.trim_start_matches('@').replace('/', "-")
}
