//! `SHA256SUMS` over all files of a release, and its signature.

use crate::shell::Program;
use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const SUMS: &str = "SHA256SUMS";

/// Returns the SHA-256 in hexadecimal.
pub(super) fn of(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Writes the checksums, in the format of `sha256sum`, and signs them.
///
/// ECDSA on P-256, because `openssl dgst -verify` knows it in every version of OpenSSL and in the LibreSSL of macOS.
/// Ed25519 would need OpenSSL 1.1.1 or newer, and minisign and cosign are on few machines.
pub(super) fn write(out: &Path, key: Option<&Path>) -> Result<()> {
    let mut lines = String::new();
    for (name, _) in files(out)? {
        let _infallible = writeln!(lines, "{}  {name}", of(&fs::read(out.join(&name))?));
    }
    fs::write(out.join(SUMS), lines)?;
    if let Some(key) = key {
        let signature = out.join(format!("{SUMS}.sig"));
        let sign = Program::new("openssl").args(&["dgst", "-sha256", "-sign"]).args(&[key]);
        let sign = sign.args(&["-out"]).args(&[&signature]).args(&[out.join(SUMS)]);
        sign.output().context("cannot sign the checksums")?;
    }
    Ok(())
}

/// Returns the names and sizes of all files of a release, sorted.
pub(super) fn files(out: &Path) -> Result<Vec<(String, u64)>> {
    let mut files = Vec::new();
    for (folder, prefix) in [(out.to_owned(), ""), (out.join("npm"), "npm/")] {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                files.push((
                    format!("{prefix}{}", entry.file_name().to_string_lossy()),
                    entry.metadata()?.len(),
                ));
            }
        }
    }
    files.sort();
    Ok(files)
}
