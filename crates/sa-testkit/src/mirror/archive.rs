//! Published files: scripts that print their version, and archives of them, made in memory.

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use std::io::{Cursor, Write};

/// One file of an archive.
#[derive(Debug, Clone)]
pub struct Entry {
    pub path: String,
    /// The permissions.
    pub mode: u32,
    pub bytes: Vec<u8>,
}

impl Entry {
    pub fn program(path: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { path: path.into(), mode: 0o755, bytes }
    }

    pub fn file(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), mode: 0o644, bytes: bytes.into() }
    }
}

/// Returns a script that prints its name and version, whatever it is asked.
pub fn program(name: &str, version: &str) -> Vec<u8> {
    format!("#!/bin/sh\necho '{name} {version}'\n").into_bytes()
}

/// Returns a program with at least so many bytes, which do not compress well.
pub fn program_of_size(name: &str, version: &str, size: usize) -> Vec<u8> {
    let mut bytes = program(name, version);
    // A shell reads on only as far as it must: after `exit` anything may follow.
    bytes.extend_from_slice(b"exit 0\n");
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    while bytes.len() < size {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(format!("#{state:016x}\n").as_bytes());
    }
    bytes
}

/// Returns a tarball, compressed with gzip.
pub fn tar_gz(entries: &[Entry]) -> Result<Vec<u8>> {
    let encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    tarball(entries, encoder)?.finish().context("compressing")
}

/// Returns a tarball, compressed with bzip2.
pub fn tar_bz2(entries: &[Entry]) -> Result<Vec<u8>> {
    let encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    tarball(entries, encoder)?.finish().context("compressing")
}

fn tarball<W: Write>(entries: &[Entry], writer: W) -> Result<W> {
    let mut archive = tar::Builder::new(writer);
    for entry in entries {
        let mut header = tar::Header::new_gnu();
        header.set_mode(entry.mode);
        header.set_size(entry.bytes.len() as u64);
        archive.append_data(&mut header, &entry.path, entry.bytes.as_slice())?;
    }
    archive.into_inner().context("ending the archive")
}

pub fn zip(entries: &[Entry]) -> Result<Vec<u8>> {
    let mut archive = ::zip::ZipWriter::new(Cursor::new(Vec::new()));
    for entry in entries {
        let options = ::zip::write::SimpleFileOptions::default().unix_permissions(entry.mode);
        archive.start_file(entry.path.as_str(), options)?;
        archive.write_all(&entry.bytes)?;
    }
    Ok(archive.finish()?.into_inner())
}

/// Returns the SHA-256 of bytes, in hexadecimal.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}
