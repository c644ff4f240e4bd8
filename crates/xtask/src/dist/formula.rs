//! The Homebrew formula, with the address and checksum of each platform's archive.

use super::{Release, archive, checksums};
use crate::shell::root;
use anyhow::Result;
use std::fs;

/// A block of the formula for an operating system and a processor.
const BLOCKS: [(&str, &str, &str); 4] = [
    ("darwin-arm64", "macos", "arm"),
    ("darwin-x64", "macos", "intel"),
    ("linux-arm64", "linux", "arm"),
    ("linux-x64", "linux", "intel"),
];

/// Writes `sandbox-agent.rb`.
pub(super) fn write(release: &Release, base_url: &str) -> Result<()> {
    let template = fs::read_to_string(root().join("packaging/homebrew/sandbox-agent.rb"))?;
    let mut platforms = String::new();
    for (name, system, processor) in BLOCKS {
        let artifact = release.artifacts.iter().find(|artifact| artifact.platform.name() == name);
        let Some(artifact) = artifact else { continue };
        let file = format!("{}.tar.gz", archive::stem(release, artifact));
        let sum = checksums::of(&fs::read(release.out.join(&file))?);
        platforms.push_str(&format!(
            "  on_{system} do\n    on_{processor} do\n      url \"{}/v{}/{file}\"\n      sha256 \"{sum}\"\n    end\n  end\n\n",
            base_url, release.version,
        ));
    }
    let text = template
        .replace("@VERSION@", &release.version)
        .replace("@HOMEPAGE@", base_url)
        .replace("  # @PLATFORMS@\n\n", &platforms);
    fs::write(release.out.join("sandbox-agent.rb"), text)?;
    Ok(())
}
