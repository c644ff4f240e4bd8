//! The dev container feature, as a registry of features stores it.

use super::Release;
use super::archive::{Archive, Mode};
use crate::shell::root;
use anyhow::{Context, Result};
use serde_json::Value;
use std::fs;

/// Writes the feature's archive, which carries the `install.sh` of the same release.
pub(super) fn write(release: &Release) -> Result<()> {
    let source = root().join("packaging/devcontainer");
    let mut manifest: Value =
        serde_json::from_str(&fs::read_to_string(source.join("devcontainer-feature.json"))?)?;
    let fields = manifest.as_object_mut().context("devcontainer-feature.json is not an object")?;
    fields.insert("version".to_owned(), release.version.clone().into());
    let mut archive = Archive::new();
    let manifest = format!("{}\n", serde_json::to_string_pretty(&manifest)?);
    archive.file("devcontainer-feature.json", Mode::File, manifest.as_bytes())?;
    archive.file("install.sh", Mode::Program, &fs::read(source.join("install.sh"))?)?;
    let installer = fs::read(release.out.join("install.sh"))?;
    archive.file("sandbox-agent-install.sh", Mode::Program, &installer)?;
    fs::write(release.out.join("devcontainer-feature-sandbox-agent.tgz"), archive.finish()?)?;
    Ok(())
}
