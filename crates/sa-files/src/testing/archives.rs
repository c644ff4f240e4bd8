//! Any bytes as an archive: nothing outside of the target changes, and a refused archive leaves nothing.

use super::pieces::Pieces;
use super::world::{World, run};
use crate::error::Result;
use bytes::Bytes;
use sa_api::FsUploadBatchResponse;
use std::ffi::OsStr;
use tar::{EntryType, Header};

async fn unpack(world: &World, archive: Vec<u8>) -> Result<FsUploadBatchResponse> {
    let mut unpacking = world.files.unpack(OsStr::new("target")).await?;
    for piece in archive.chunks(700) {
        unpacking.push(Bytes::copy_from_slice(piece)).await?;
    }
    unpacking.finish().await
}

fn unpacks_safely(world: &World, archive: Vec<u8>) {
    let outcome = run(unpack(world, archive));
    world.check();
    world.check_tidy();
    if outcome.is_err() {
        assert!(!world.inside().join("target").exists(), "{outcome:?}");
    }
}

/// Checks the bytes as an archive.
pub fn raw_bytes_stay_inside(data: &[u8]) {
    for by_steps in [false, true] {
        unpacks_safely(&World::new(by_steps), data.to_vec());
    }
}

/// Checks the archive that the bytes describe: well-formed, with all kinds of entries and names.
pub fn described_archives_stay_inside(data: &[u8]) {
    for by_steps in [false, true] {
        let world = World::new(by_steps);
        unpacks_safely(&world, describe(data, world.outside().to_str().unwrap()));
    }
}

/// Returns the archive that the bytes describe.
pub fn describe(data: &[u8], outside: &str) -> Vec<u8> {
    let mut pieces = Pieces::new(data);
    let mut archive = Vec::new();
    while let Some(kind) = pieces.byte() {
        let mut header = Header::new_gnu();
        let (name, link) = (pieces.path("a", outside), pieces.path("a", outside));
        let contents = vec![b'x'; usize::from(pieces.below(200)) * 7];
        let kind = match kind % 8 {
            0..=2 => EntryType::Regular,
            3 => EntryType::Directory,
            4 | 5 => EntryType::Symlink,
            6 => EntryType::Link,
            _ => EntryType::Fifo,
        };
        let contents = if kind == EntryType::Regular { contents } else { Vec::new() };
        let bytes = header.as_mut_bytes();
        for (at, text) in [(0, &name), (157, &link)] {
            let text = &text.as_bytes()[..text.len().min(99)];
            bytes[at..at + text.len()].copy_from_slice(text);
        }
        header.set_entry_type(kind);
        header.set_size(contents.len() as u64);
        header.set_mode(0o755);
        header.set_cksum();
        archive.extend_from_slice(header.as_bytes());
        archive.extend_from_slice(&contents);
        archive.resize(archive.len().next_multiple_of(512), 0);
    }
    archive.resize(archive.len() + 1024, 0);
    archive
}
