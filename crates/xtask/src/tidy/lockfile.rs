//! `Cargo.lock` against `deny.toml`: each second version of a crate has a reason, each source is a known one.

use super::Finding;
use super::sources::Sources;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Deserialize)]
struct Lock {
    package: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    source: Option<String>,
}

/// The part of `deny.toml` that is read.
#[derive(Deserialize)]
pub(super) struct Policy {
    pub(super) licenses: Licenses,
    bans: Bans,
    sources: Registries,
}

/// `[licenses]`.
#[derive(Deserialize)]
pub(super) struct Licenses {
    pub(super) allow: Vec<String>,
}

#[derive(Deserialize)]
struct Bans {
    #[serde(default)]
    skip: Vec<Skip>,
}

#[derive(Deserialize)]
struct Skip {
    #[serde(rename = "crate")]
    name: String,
    reason: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Registries {
    allow_registry: Vec<String>,
}

/// Reads `deny.toml`.
pub(super) fn policy(sources: &Sources) -> Result<Policy> {
    toml::from_str(sources.text("deny.toml")?).context("deny.toml")
}

pub(super) fn check(sources: &Sources) -> Result<Vec<Finding>> {
    let lock: Lock = toml::from_str(sources.text("Cargo.lock")?).context("Cargo.lock")?;
    let policy = policy(sources)?;
    let mut findings = duplicates(&lock, &policy.bans.skip);
    for package in &lock.package {
        let Some(source) = &package.source else { continue };
        let known = |allowed: &String| source.strip_prefix("registry+") == Some(allowed);
        if !policy.sources.allow_registry.iter().any(known) {
            let message = format!("{} comes from {source}, which deny.toml does not allow", package.name);
            findings.push(Finding::new("Cargo.lock", message));
        }
    }
    Ok(findings)
}

fn duplicates(lock: &Lock, skipped: &[Skip]) -> Vec<Finding> {
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in &lock.package {
        versions.entry(&package.name).or_default().insert(&package.version);
    }
    let listed =
        |name: &str, version: &str| skipped.iter().any(|skip| skip.name == format!("{name}@{version}"));
    let mut findings = Vec::new();
    for (name, versions) in &versions {
        let open: Vec<&str> = versions.iter().copied().filter(|version| !listed(name, version)).collect();
        if open.len() > 1 {
            let message = format!("{name} is there as {}; list all but one in deny.toml", open.join(" and "));
            findings.push(Finding::new("Cargo.lock", message));
        }
    }
    for skip in skipped {
        let (name, version) = skip.name.split_once('@').unwrap_or((&skip.name, ""));
        let there = versions.get(name);
        if !there.is_some_and(|versions| versions.len() > 1 && versions.contains(version)) {
            let message = format!("{} is no duplicate any more; remove its entry", skip.name);
            findings.push(Finding::new("deny.toml", message));
        }
        if skip.reason.trim().is_empty() {
            findings.push(Finding::new("deny.toml", format!("{} is there without a reason", skip.name)));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const LOCK: &str = r#"
        [[package]]
        name = "a"
        version = "1.0.0"
        source = "registry+https://index.example"
        [[package]]
        name = "a"
        version = "2.0.0"
        source = "registry+https://index.example"
        [[package]]
        name = "own"
        version = "0.1.0"
    "#;

    fn messages(skip: &str, registry: &str) -> Vec<String> {
        let deny = format!(
            "[licenses]\nallow = []\n[bans]\nskip = [{skip}]\n[sources]\nallow-registry = [\"{registry}\"]\n"
        );
        let sources = Sources::of(&[("Cargo.lock", LOCK), ("deny.toml", &deny)]);
        check(&sources).unwrap().into_iter().map(|finding| finding.to_string()).collect()
    }

    #[test]
    fn a_second_version_needs_a_reason() {
        let open = messages("", "https://index.example");
        assert_eq!(open, ["Cargo.lock: a is there as 1.0.0 and 2.0.0; list all but one in deny.toml"]);
        let listed = r#"{ crate = "a@1.0.0", reason = "b still wants it" }"#;
        assert_eq!(messages(listed, "https://index.example"), [""; 0]);
        let bare = r#"{ crate = "a@1.0.0", reason = " " }"#;
        assert_eq!(messages(bare, "https://index.example").len(), 1);
    }

    #[test]
    fn an_entry_that_is_no_longer_true_is_found() {
        let stale = r#"{ crate = "a@1.0.0", reason = "x" }, { crate = "own@0.1.0", reason = "x" }"#;
        assert_eq!(
            messages(stale, "https://index.example"),
            ["deny.toml: own@0.1.0 is no duplicate any more; remove its entry"]
        );
    }

    #[test]
    fn unknown_sources_are_found() {
        let listed = r#"{ crate = "a@1.0.0", reason = "x" }"#;
        assert_eq!(messages(listed, "https://other.example").len(), 2);
    }
}
