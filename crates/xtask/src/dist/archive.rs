//! Archives for `install.sh`, Homebrew and people; the same input makes the same bytes.

use super::{Artifact, Release};
use anyhow::Result;
use flate2::{Compression, GzBuilder};
use std::fs;
use std::io::Write;
use tar::{Builder, EntryType, Header};

/// Permissions of an entry.
#[derive(Clone, Copy)]
pub(super) enum Mode {
    File,
    Program,
}

/// Builds a tar archive with fixed times and owners.
pub(super) struct Archive {
    tar: Builder<Vec<u8>>,
}

impl Archive {
    pub(super) fn new() -> Self {
        Self { tar: Builder::new(Vec::new()) }
    }

    pub(super) fn folder(&mut self, path: &str) -> Result<()> {
        let mut header = header(EntryType::Directory, 0o755)?;
        header.set_size(0);
        Ok(self.tar.append_data(&mut header, path, std::io::empty())?)
    }

    pub(super) fn file(&mut self, path: &str, mode: Mode, content: &[u8]) -> Result<()> {
        let mode = match mode {
            Mode::File => 0o644,
            Mode::Program => 0o755,
        };
        let mut header = header(EntryType::Regular, mode)?;
        header.set_size(content.len() as u64);
        Ok(self.tar.append_data(&mut header, path, content)?)
    }

    pub(super) fn finish(self) -> Result<Vec<u8>> {
        gzip(&self.tar.into_inner()?)
    }
}

/// Compresses without a file name and a time in the header.
pub(super) fn gzip(content: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzBuilder::new().mtime(0).write(Vec::new(), Compression::default());
    encoder.write_all(content)?;
    Ok(encoder.finish()?)
}

fn header(kind: EntryType, mode: u32) -> Result<Header> {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_username("root")?;
    header.set_groupname("root")?;
    Ok(header)
}

/// Returns the archive's name without its extension, which is also the folder inside.
pub(super) fn stem(release: &Release, artifact: &Artifact) -> String {
    format!("sandbox-agent-{}-{}", release.version, artifact.platform.name())
}

pub(super) fn write(release: &Release, artifact: &Artifact) -> Result<()> {
    let stem = stem(release, artifact);
    let mut archive = Archive::new();
    archive.folder(&format!("{stem}/"))?;
    archive.file(&format!("{stem}/sandbox-agent"), Mode::Program, &artifact.bytes)?;
    archive.file(&format!("{stem}/LICENSE"), Mode::File, &release.extras.license)?;
    archive.file(&format!("{stem}/README.md"), Mode::File, &release.extras.readme)?;
    archive.folder(&format!("{stem}/completions/"))?;
    for completion in &release.extras.completions {
        archive.file(&format!("{stem}/completions/{}", completion.name), Mode::File, &completion.script)?;
    }
    archive.folder(&format!("{stem}/man/"))?;
    for (name, page) in &release.extras.manual {
        archive.file(&format!("{stem}/man/{name}"), Mode::File, page)?;
    }
    fs::write(release.out.join(format!("{stem}.tar.gz")), archive.finish()?)?;
    Ok(())
}
