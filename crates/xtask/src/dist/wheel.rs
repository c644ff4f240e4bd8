//! Wheels for PyPI: the binary as a script of the package, and a module that finds it.

use super::binary::Linkage;
use super::{Artifact, Release};
use crate::shell::root;
use anyhow::Result;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// The files of the Python package, which lie in `packaging/python`.
const MODULES: [&str; 3] =
    ["sandbox_agent/__init__.py", "sandbox_agent/__main__.py", "sandbox_agent/py.typed"];

/// Writes the wheel of one platform.
pub(super) fn write(release: &Release, artifact: &Artifact) -> Result<()> {
    let version = python_version(&release.version);
    let tags = match artifact.linkage {
        Linkage::Static => artifact.platform.wheel(),
        Linkage::Dynamic => artifact.platform.local_wheel(),
    };
    let stem = format!("sandbox_agent-{version}");
    let source = root().join("packaging/python");
    let mut wheel = Wheel::new();
    for module in MODULES {
        wheel.add(module, 0o644, &fs::read(source.join(module))?)?;
    }
    wheel.add(&format!("{stem}.data/scripts/sandbox-agent"), 0o755, &artifact.bytes)?;
    let info = format!("{stem}.dist-info");
    let metadata = fs::read_to_string(source.join("METADATA"))?.replace("@VERSION@", &version);
    let readme = fs::read_to_string(source.join("README.md"))?;
    wheel.add(&format!("{info}/METADATA"), 0o644, format!("{metadata}\n{readme}").as_bytes())?;
    wheel.add(&format!("{info}/WHEEL"), 0o644, description(tags).as_bytes())?;
    wheel.add(&format!("{info}/licenses/LICENSE"), 0o644, &release.extras.license)?;
    fs::write(release.out.join(format!("{stem}-py3-none-{tags}.whl")), wheel.finish(&info)?)?;
    Ok(())
}

/// One `Tag` line for each platform in the file name.
fn description(tags: &str) -> String {
    let mut text = "Wheel-Version: 1.0\nGenerator: sandbox-agent\nRoot-Is-Purelib: false\n".to_owned();
    for tag in tags.split('.') {
        text.push_str(&format!("Tag: py3-none-{tag}\n"));
    }
    text
}

/// Returns a version as Python spells it: `1.2.0-rc.1` is `1.2.0rc1`.
fn python_version(version: &str) -> String {
    let Some((release, pre)) = version.split_once('-') else { return version.to_owned() };
    let pre = pre.replace("alpha", "a").replace("beta", "b").replace('.', "");
    format!("{release}{pre}")
}

/// A zip archive that lists its files with their hashes.
struct Wheel {
    zip: ZipWriter<Cursor<Vec<u8>>>,
    record: String,
}

impl Wheel {
    fn new() -> Self {
        Self { zip: ZipWriter::new(Cursor::new(Vec::new())), record: String::new() }
    }

    fn add(&mut self, path: &str, mode: u32, content: &[u8]) -> Result<()> {
        let hash = URL_SAFE_NO_PAD.encode(Sha256::digest(content));
        self.record.push_str(&format!("{path},sha256={hash},{}\n", content.len()));
        self.put(path, mode, content)
    }

    fn put(&mut self, path: &str, mode: u32, content: &[u8]) -> Result<()> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .unix_permissions(mode);
        self.zip.start_file(path, options)?;
        Ok(self.zip.write_all(content)?)
    }

    fn finish(mut self, info: &str) -> Result<Vec<u8>> {
        let path = format!("{info}/RECORD");
        let record = format!("{}{path},,\n", self.record);
        self.put(&path, 0o644, record.as_bytes())?;
        Ok(self.zip.finish()?.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_spelled_as_python_does() {
        for (cargo, python) in [("0.1.0", "0.1.0"), ("1.0.0-rc.1", "1.0.0rc1"), ("1.0.0-alpha.2", "1.0.0a2")]
        {
            assert_eq!(python_version(cargo), python);
        }
    }
}
