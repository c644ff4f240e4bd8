//! npm's manifests against their lock files: the same dependencies, each with an exact version.
//!
//! Packages are installed by `npm install --no-save`, which does not report a lock file that lags behind.

use super::Finding;
use super::sources::Sources;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::BTreeMap;

type Versions = BTreeMap<String, String>;

/// The checked part of a manifest. Lock files repeat it for every package of the workspace.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Manifest {
    workspaces: Vec<String>,
    dependencies: Versions,
    dev_dependencies: Versions,
    optional_dependencies: Versions,
    peer_dependencies: Versions,
}

#[derive(Deserialize)]
struct Lock {
    packages: BTreeMap<String, Manifest>,
}

pub(super) fn check(sources: &Sources) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for file in &sources.files {
        let Some(folder) = file.path.strip_suffix("package-lock.json") else { continue };
        let lock: Lock = serde_json::from_str(&file.text).with_context(|| file.path.clone())?;
        let manifest = |member: &str| -> Result<Manifest> {
            let path = [folder, member, "package.json"].concat();
            serde_json::from_str(sources.text(&path)?).context(path)
        };
        let root = manifest("")?;
        let members = members(sources, folder, &root.workspaces);
        let locked = lock.packages.keys().filter(|key| !key.split('/').any(|part| part == "node_modules"));
        for gone in locked.filter(|key| !key.is_empty() && !members.contains(&format!("{key}/"))) {
            findings.push(stale(&file.path, gone));
        }
        for member in std::iter::once(String::new()).chain(members) {
            let manifest = manifest(&member)?;
            let key = member.trim_end_matches('/');
            if !lock.packages.get(key).is_some_and(|locked| manifest.has_dependencies_of(locked)) {
                findings.push(stale(&file.path, &[&member, "package.json"].concat()));
            }
            let place = [folder, &member, "package.json"].concat();
            findings.extend(manifest.loose().map(|message| Finding::new(place.as_str(), message)));
        }
    }
    Ok(findings)
}

fn stale(lock: &str, member: &str) -> Finding {
    Finding::new(lock, format!("does not agree with {member}; run `npm install --package-lock-only`"))
}

/// Returns the folders, each with a `/` at its end, that patterns such as `packages/*` name.
fn members(sources: &Sources, folder: &str, patterns: &[String]) -> Vec<String> {
    let manifests = sources.files.iter().filter_map(|file| {
        let member = file.path.strip_prefix(folder)?.strip_suffix("package.json")?;
        let (parent, name) = member.strip_suffix('/')?.rsplit_once('/')?;
        let named = patterns.iter().any(|pattern| pattern.strip_suffix("/*") == Some(parent));
        (named && !name.is_empty()).then(|| member.to_owned())
    });
    manifests.collect()
}

impl Manifest {
    fn has_dependencies_of(&self, locked: &Self) -> bool {
        self.dependencies == locked.dependencies
            && self.dev_dependencies == locked.dev_dependencies
            && self.optional_dependencies == locked.optional_dependencies
            && self.peer_dependencies == locked.peer_dependencies
    }

    /// Peers are the user's choice, so only theirs are ranges.
    fn loose(&self) -> impl Iterator<Item = String> {
        let pinned = [&self.dependencies, &self.dev_dependencies, &self.optional_dependencies];
        let loose = pinned.into_iter().flatten().filter(|(_, version)| !is_exact(version));
        loose.map(|(name, version)| format!("{name} is not pinned: `{version}` is no exact version"))
    }
}

/// `1.2.3` or `1.2.3-rc.4`.
fn is_exact(version: &str) -> bool {
    let (numbers, label) = version.split_once('-').unwrap_or((version, "0"));
    let number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let word = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    numbers.split('.').count() == 3 && numbers.split('.').all(number) && label.split(['.', '-']).all(word)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const ROOT: &str = r#"{ "workspaces": ["packages/*"], "devDependencies": { "a": "1.0.0" } }"#;
    const MEMBER: &str = r#"{ "dependencies": { "b": "2.0.0-rc.1" }, "peerDependencies": { "c": ">=18" } }"#;

    fn findings(files: &[(&str, &str)]) -> Vec<String> {
        let found = check(&Sources::of(files)).unwrap();
        found.into_iter().map(|finding| finding.to_string()).collect()
    }

    fn lock(member: &str) -> String {
        format!(r#"{{ "packages": {{ "": {ROOT}, "packages/x": {member}, "node_modules/a": {{}} }} }}"#)
    }

    #[test]
    fn a_lock_file_agrees_with_all_manifests() {
        let manifests = [("package.json", ROOT), ("packages/x/package.json", MEMBER)];
        let (same, other) = (lock(MEMBER), lock("{}"));
        assert_eq!(findings(&[manifests[0], manifests[1], ("package-lock.json", &same)]), [""; 0]);
        let stale = |member| {
            format!("package-lock.json: does not agree with {member}; run `npm install --package-lock-only`")
        };
        let lagging = findings(&[manifests[0], manifests[1], ("package-lock.json", &other)]);
        assert_eq!(lagging, [stale("packages/x/package.json")]);
        let removed = findings(&[manifests[0], ("package-lock.json", &same)]);
        assert_eq!(removed, [stale("packages/x")]);
        let added = ("packages/y/package.json", "{}");
        let unlocked = findings(&[manifests[0], manifests[1], added, ("package-lock.json", &same)]);
        assert_eq!(unlocked, [stale("packages/y/package.json")]);
    }

    #[test]
    fn versions_are_exact() {
        for exact in ["1.2.3", "0.0.1-rc.1", "1.20261104.1"] {
            assert!(is_exact(exact), "{exact}");
        }
        for loose in ["^1.2.3", "~1.2.3", "*", "1.x", "1.2", "latest", ">=1.2.3", "1.2.3 || 2.0.0", ""] {
            assert!(!is_exact(loose), "{loose}");
        }
    }
}
