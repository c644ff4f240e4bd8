//! Directory trees on the disk: how large they are, which links in them lead out, copies of them, and whether they are
//! still what they were. Agents can change some of them, so nothing here recurses, and everything ends.

use crate::SkillsLimits;
use crate::plain::copy_plain;
use sa_disk::open_plain;
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Deeper than any tree that people made; a circle of links ends here.
const DEPTH: usize = 32;

/// The result of measuring a tree.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Size {
    Fits,
    TooLarge,
}

/// Adds up a tree. Links are not followed.
pub(crate) fn measure(root: &Path, limits: &SkillsLimits) -> io::Result<Size> {
    let (mut bytes, mut files) = (0_u64, 0_u64);
    let mut left = vec![root.to_owned()];
    while let Some(directory) = left.pop() {
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            let metadata = entry.metadata()?;
            files += 1;
            bytes = bytes.saturating_add(metadata.len());
            if bytes > limits.source_bytes || files > limits.source_files {
                return Ok(Size::TooLarge);
            }
            if metadata.is_dir() {
                left.push(entry.path());
            }
        }
    }
    Ok(Size::Fits)
}

/// Removes every link that leads out of a tree, or nowhere, and names them, from the root.
///
/// The system's resolution decides, not the text of the link: a link may climb through another link.
pub(crate) fn drop_foreign_links(root: &Path) -> io::Result<Vec<String>> {
    let root = fs::canonicalize(root)?;
    let mut dropped = Vec::new();
    let mut left = vec![root.clone()];
    while let Some(directory) = left.pop() {
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            let path = entry.path();
            let kind = entry.file_type()?;
            if kind.is_dir() {
                left.push(path);
            } else if kind.is_symlink() && !stays(&path, &root) {
                fs::remove_file(&path)?;
                dropped.push(path.strip_prefix(&root).unwrap_or(&path).to_string_lossy().into_owned());
            }
        }
    }
    dropped.sort();
    Ok(dropped)
}

/// Returns whether a link stays within the tree. An absolute one does not, because the tree is about to be moved.
fn stays(link: &Path, root: &Path) -> bool {
    let relative = fs::read_link(link).is_ok_and(|target| target.is_relative());
    relative && fs::canonicalize(link).is_ok_and(|target| target.starts_with(root))
}

/// Returns the digest of a tree: names, kinds, contents, where links lead, and what may be executed.
///
/// Agents can make a tree too large or too deep, or put a pipe in it. Such a tree is an error.
pub(crate) fn seal(root: &Path, limits: &SkillsLimits) -> io::Result<String> {
    let mut digest = Sha256::new();
    let (mut bytes, mut files) = (0_u64, 0_u64);
    let mut left = vec![PathBuf::new()];
    while let Some(inner) = left.pop() {
        for name in sorted_names(&root.join(&inner), limits)? {
            let inner = inner.join(name);
            let path = root.join(&inner);
            let metadata = fs::symlink_metadata(&path)?;
            files += 1;
            let name = inner.as_os_str().as_encoded_bytes();
            digest.update((name.len() as u64).to_le_bytes());
            digest.update(name);
            if metadata.is_dir() {
                digest.update(b"d");
                left.push(inner);
            } else if metadata.is_symlink() {
                let target = fs::read_link(&path)?.into_os_string().into_encoded_bytes();
                digest.update(b"l");
                digest.update((target.len() as u64).to_le_bytes());
                digest.update(target);
            } else {
                let file = open_plain(&path)?;
                digest.update(if metadata.mode() & 0o100 == 0 { b"f" } else { b"x" });
                let most = limits.source_bytes.saturating_sub(bytes).saturating_add(1);
                let (contents, size) = digest_of(file.take(most))?;
                digest.update(contents);
                bytes = bytes.saturating_add(size);
            }
            if bytes > limits.source_bytes || files > limits.source_files {
                return Err(io::Error::other("the tree is too large"));
            }
        }
    }
    Ok(hex::encode(digest.finalize()))
}

fn digest_of(mut file: impl Read) -> io::Result<([u8; 32], u64)> {
    let (mut digest, mut size) = (Sha256::new(), 0);
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok((digest.finalize().into(), size));
        }
        digest.update(buffer.get(..read).unwrap_or_default());
        size += read as u64;
    }
}

/// Returns the names in a directory, no more than a source may have files.
fn sorted_names(directory: &Path, limits: &SkillsLimits) -> io::Result<Vec<OsString>> {
    let most = usize::try_from(limits.source_files).unwrap_or(usize::MAX).saturating_add(1);
    let names = fs::read_dir(directory)?.take(most).map(|entry| Ok(entry?.file_name()));
    let mut names = names.collect::<io::Result<Vec<_>>>()?;
    names.sort();
    Ok(names)
}

/// A tree to be copied.
#[derive(Debug)]
pub(crate) struct Original<'a> {
    pub(crate) root: &'a Path,
    /// Links are followed as long as they lead to something beneath this.
    pub(crate) boundary: &'a Path,
    pub(crate) limits: &'a SkillsLimits,
}

impl Original<'_> {
    /// Changes when the tree does.
    pub(crate) fn fingerprint(&self) -> io::Result<String> {
        let mut digest = Sha256::new();
        self.walk(&mut |from, path, metadata| {
            let modified = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
            digest.update(path.as_os_str().as_encoded_bytes());
            digest.update(format!("\0{}\0{}\0", metadata.len(), modified.as_nanos()));
            digest.update(from.as_os_str().as_encoded_bytes());
            Ok(())
        })?;
        Ok(hex::encode(digest.finalize()))
    }

    /// Copies the tree to a directory that exists and is empty.
    pub(crate) fn copy_to(&self, target: &Path) -> io::Result<()> {
        self.walk(&mut |from, path, metadata| {
            let to = target.join(path);
            if metadata.is_dir() {
                fs::create_dir(to)
            } else {
                copy_plain(from, &to, self.limits.source_bytes)
            }
        })
    }

    /// Visits everything beneath the root: where it is, its path from the root, and what it is. Links count as what they
    /// lead to; those that lead out are passed over.
    fn walk(&self, visit: &mut dyn FnMut(&Path, &Path, &fs::Metadata) -> io::Result<()>) -> io::Result<()> {
        let boundary = fs::canonicalize(self.boundary)?;
        let (mut bytes, mut files) = (0_u64, 0_u64);
        let mut left = vec![(fs::canonicalize(self.root)?, PathBuf::new(), 0)];
        while let Some((directory, inner, depth)) = left.pop() {
            for name in sorted_names(&directory, self.limits)? {
                let Ok(from) = fs::canonicalize(directory.join(&name)) else { continue };
                let metadata = fs::metadata(&from)?;
                if !from.starts_with(&boundary) || !(metadata.is_dir() || metadata.is_file()) {
                    continue;
                }
                files += 1;
                bytes = bytes.saturating_add(metadata.len());
                if bytes > self.limits.source_bytes || files > self.limits.source_files || depth > DEPTH {
                    return Err(io::Error::other("the skill is too large to be copied"));
                }
                let path = inner.join(name);
                visit(&from, &path, &metadata)?;
                if metadata.is_dir() {
                    left.push((from, path, depth + 1));
                }
            }
        }
        Ok(())
    }
}

/// Returns the identity of a directory, which differs from any other that has, or had, its name.
pub(crate) fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let metadata = fs::symlink_metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}

/// Returns a short name that no other text has.
pub(crate) fn key(parts: &[&[u8]]) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    hex::encode(digest.finalize().get(..16).unwrap_or_default())
}
