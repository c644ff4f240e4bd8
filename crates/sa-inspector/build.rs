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
    // A path that does not exist would make cargo run this script every time.
    let watched = if dist.exists() { &dist } else { &app };
    println!("cargo::rerun-if-changed={}", watched.display());
    println!("cargo::rerun-if-changed={}", policy.display());

    let mut files = Vec::new();
    if dist.exists() {
        collect(&dist, &mut files)?;
    }
    files.sort();
    let mut table = String::from("static FILES: &[File] = &[\n");
    for file in files {
        let gzip = with_gz(&file);
        if !gzip.exists() {
            continue;
        }
        let path = file.strip_prefix(&dist)?.to_str().ok_or("the name of a file is not UTF-8")?;
        let mut hasher = DefaultHasher::new();
        fs::read(&file)?.hash(&mut hasher);
        let etag = format!("W/\"{:016x}\"", hasher.finish());
        writeln!(table, "    File {{ path: {path:?}, etag: {etag:?}, gzip: include_bytes!({gzip:?}) }},")?;
    }
    table.push_str("];\n");
    writeln!(table, "const POLICY: &str = {:?};", fs::read_to_string(policy)?.trim())?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("files.rs"), table)?;
    Ok(())
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

fn with_gz(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".gz");
    PathBuf::from(name)
}
