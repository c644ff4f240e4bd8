//! Compresses the checked-in contract, so that the daemon serves it without assembling it.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::error::Error;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::Path;
use std::{env, fs};

const DOCUMENT: &str = "../../openapi/openapi.json";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={DOCUMENT}");
    let text = fs::read(DOCUMENT)?;
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    println!("cargo::rustc-env=CONTRACT_ETAG=W/\"{:016x}\"", hasher.finish());
    let out = env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?;
    let mut encoder =
        GzEncoder::new(fs::File::create(Path::new(&out).join("openapi.json.gz"))?, Compression::best());
    encoder.write_all(&text)?;
    encoder.finish()?;
    Ok(())
}
