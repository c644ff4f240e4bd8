//! Where the binaries under test are.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// Returns the path of the daemon: `SANDBOX_AGENT_TEST_BIN`, else the one built next to the running executable.
pub fn daemon_path() -> Result<PathBuf> {
    match std::env::var_os("SANDBOX_AGENT_TEST_BIN") {
        Some(path) => existing(PathBuf::from(path)),
        None => beside("sandbox-agent"),
    }
}

/// Returns the path of the puppet, built next to the running executable.
pub fn puppet_path() -> Result<PathBuf> {
    beside("sa-puppet")
}

/// Tests run from `target/<profile>/deps`, binaries from the folder above.
fn beside(name: &str) -> Result<PathBuf> {
    let own = std::env::current_exe().context("where this executable is")?;
    let folder = own.parent().context("the folder of this executable")?;
    let profile = if folder.ends_with("deps") { folder.parent().unwrap_or(folder) } else { folder };
    existing(profile.join(name))
}

fn existing(path: PathBuf) -> Result<PathBuf> {
    if !path.is_file() {
        bail!("{} is not built: run `cargo build -p sandbox-agent -p sa-testkit`", path.display());
    }
    Ok(path)
}

/// Returns a source that is newer than the binary made from it. Cargo does not rebuild a binary for the tests of
/// another package, so a failure may be one of yesterday's code; the failing test should say so.
pub(crate) fn newer_source(binary: &Path) -> Option<PathBuf> {
    let built = std::fs::metadata(binary).and_then(|file| file.modified()).ok()?;
    let sources = std::fs::read_to_string(binary.with_extension("d")).ok()?;
    let (_, sources) = sources.split_once(": ")?;
    sources.split_ascii_whitespace().map(PathBuf::from).find(|source| {
        std::fs::metadata(source).and_then(|file| file.modified()).is_ok_and(|changed| changed > built)
    })
}
