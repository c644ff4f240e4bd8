//! The packages that `cargo metadata` lists.

use crate::shell::cargo;
use anyhow::{Context, Result};
use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Metadata {
    pub(super) packages: Vec<Package>,
}

#[derive(Deserialize)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) license: Option<String>,
    pub(super) dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
pub(super) struct Dependency {
    pub(super) name: String,
    pub(super) kind: Option<String>,
}

impl Metadata {
    /// Reads the metadata with these arguments of cargo.
    pub(super) fn read(arguments: &[&str]) -> Result<Self> {
        let text = cargo(&["metadata", "--format-version", "1"]).args(arguments).output()?;
        serde_json::from_str(&text).context("cargo's metadata")
    }
}
