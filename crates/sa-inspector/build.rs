//! Writes a table of the inspector's files. Their build compresses them, so that this script and the daemon do not have to.

use std::error::Error;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let app = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../apps/inspector");
    let dist = app.join("dist");
    let policy = app.join("content-security-policy.txt");
    println!("cargo::rerun-if-changed={}", policy.display());
    println!("cargo::rustc-env=CONTENT_SECURITY_POLICY={}", fs::read_to_string(policy)?.trim());
    if env::var_os("CARGO_CFG_DEBUG_ASSERTIONS").is_some() {
        println!("cargo::rustc-env=INSPECTOR_DIST={}", dist.display());
        return Ok(());
    }
    // A path that does not exist would make cargo run this script every time.
    let watched = if dist.exists() { &dist } else { &app };
    println!("cargo::rerun-if-changed={}", watched.display());
    let mut copies = Vec::new();
    if dist.exists() {
        collect(&dist, &mut copies)?;
    }
    copies.sort();
    let mut table = String::from("static FILES: &[File] = &[\n");
    for copy in copies {
        let path = copy.strip_prefix(&dist)?.with_extension("");
        let path = path.to_str().ok_or("the name of a file is not UTF-8")?;
        let mut hasher = DefaultHasher::new();
        fs::read(&copy)?.hash(&mut hasher);
        let etag = format!("W/\"{:016x}\"", hasher.finish());
        writeln!(table, "    File {{ path: {path:?}, etag: {etag:?}, gzip: include_bytes!({copy:?}) }},")?;
    }
    table.push_str("];\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("files.rs"), table)?;
    Ok(())
}

/// Collects the compressed copies in a folder.
fn collect(directory: &Path, copies: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, copies)?;
        } else if path.extension().is_some_and(|extension| extension == "gz") {
            copies.push(path);
        }
    }
    Ok(())
}
