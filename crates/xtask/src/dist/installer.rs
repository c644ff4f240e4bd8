//! `install.sh` as a release carries it: with its version, its address and the public key.

use super::Release;
use crate::shell::{Program, root};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;

/// Writes `install.sh`, and the public key if the release is signed.
pub(super) fn write(release: &Release, key: Option<&Path>) -> Result<()> {
    let public = match key {
        Some(key) => Program::new("openssl")
            .args(&["pkey", "-pubout", "-in"])
            .args(&[key])
            .output()
            .context("cannot read the signing key")?,
        None => String::new(),
    };
    let script = fs::read_to_string(root().join("install.sh"))?;
    fs::write(release.out.join("install.sh"), fill(&script, release, &public)?)?;
    if !public.is_empty() {
        fs::write(release.out.join("release-key.pem"), &public)?;
    }
    Ok(())
}

fn fill(script: &str, release: &Release, key: &str) -> Result<String> {
    let values = [
        ("VERSION", release.version.as_str()),
        ("BASE_URL", release.base_url.as_deref().unwrap_or("")),
        ("PUBLIC_KEY", key.trim_end()),
    ];
    let mut text = script.to_owned();
    for (name, value) in values {
        let (empty, full) = (format!("\nRELEASE_{name}=''\n"), format!("\nRELEASE_{name}='{value}'\n"));
        if value.contains('\'') || !text.contains(&empty) {
            bail!("install.sh cannot hold RELEASE_{name}='{value}'");
        }
        text = text.replacen(&empty, &full, 1);
    }
    Ok(text)
}
