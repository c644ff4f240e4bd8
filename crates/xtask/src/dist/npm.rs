//! npm packages, packed as `npm publish` takes them: the launcher, one package for each platform, and the libraries.

use super::Release;
use crate::shell::Program;
use crate::tools::{Tools, WORKSPACE};
use anyhow::Result;
use std::fs;
use std::path::Path;

/// Packages that programs import, each after those that it depends on.
const LIBRARIES: [&str; 4] =
    ["acp-http-client", "sandbox-agent", "@sandbox-agent/react", "@sandbox-agent/ai-sdk"];

/// Writes the archives of the program into `npm/`.
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

/// Builds the libraries and writes their archives into `npm/`.
pub(super) fn write_libraries(release: &Release) -> Result<()> {
    let _installed = Tools::npm(WORKSPACE)?;
    let chosen: Vec<&str> = LIBRARIES.iter().flat_map(|name| ["--workspace", name]).collect();
    Program::new("npm").args(&["run", "build"]).args(&chosen).run()?;
    let pack = Program::new("npm").args(&["pack", "--silent", "--pack-destination"]);
    pack.args(&[release.out.join("npm")]).args(&chosen).output().map(|_names| ())
}

fn pack(folder: &Path, out: &Path) -> Result<()> {
    let pack = Program::new("npm").args(&["pack", "--silent", "--pack-destination"]).args(&[out]);
    pack.folder(folder).output().map(|_name| ())
}
