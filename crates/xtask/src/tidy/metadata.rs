//! The packages that `cargo metadata` lists.

use crate::shell::cargo;
use anyhow::{Context, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;

#[derive(Deserialize)]
struct Metadata<P> {
    packages: Vec<P>,
}

/// Lists the packages with these arguments of cargo. A rule reads what it needs to know about each.
pub(super) fn packages<P: DeserializeOwned>(arguments: &[&str]) -> Result<Vec<P>> {
    let text = cargo(&["metadata", "--format-version", "1"]).args(arguments).output()?;
    let metadata: Metadata<P> = serde_json::from_str(&text).context("cargo's metadata")?;
    Ok(metadata.packages)
}
