//! npm packages: the launcher and one package for each platform, packed as `npm publish` takes them.

use super::Release;
use crate::shell::Program;
use anyhow::Result;
use std::fs;
use std::path::Path;

/// Writes the archives into `npm/`.
pub(super) fn write(release: &Release) -> Result<()> {
    let folders = tempfile::tempdir()?;
    let binaries: Vec<String> = release
        .artifacts
        .iter()
        .map(|artifact| {
            Ok(format!("{}={}", artifact.platform.name(), artifact.path.canonicalize()?.display()))
        })
        .collect::<Result<_>>()?;
    let script = Program::new("node").args(&["packages/cli/scripts/release.js"]).args(&[folders.path()]);
    print!("{}", script.args(&binaries).output()?);
    let out = release.out.join("npm");
    fs::create_dir_all(&out)?;
    pack(&folders.path().join("cli"), &out)?;
    for artifact in &release.artifacts {
        pack(&folders.path().join(format!("cli-{}", artifact.platform.name())), &out)?;
    }
    Ok(())
}

fn pack(folder: &Path, out: &Path) -> Result<()> {
    let pack = Program::new("npm").args(&["pack", "--silent", "--pack-destination"]).args(&[out]);
    pack.folder(folder).output().map(|_name| ())
}
