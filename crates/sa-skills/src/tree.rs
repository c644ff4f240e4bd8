//! Directory trees on the disk: how large they are, which links in them lead out, copies of them.

use crate::SkillsLimits;
use sha2::{Digest, Sha256};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Deeper than any tree that people made; a circle of links ends here.
const DEPTH: usize = 32;

/// Whether a tree is within its limits.
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
/// What is asked is where the system would go, not how the link is spelt: a link may climb through another link.
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

/// An absolute link is foreign wherever it leads: the tree is about to be moved.
fn stays(link: &Path, root: &Path) -> bool {
    let relative = fs::read_link(link).is_ok_and(|target| target.is_relative());
    relative && fs::canonicalize(link).is_ok_and(|target| target.starts_with(root))
}

/// Removes a file, a link, or a directory with all that is in it. What is not there is removed.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    let is_directory = fs::symlink_metadata(path).is_ok_and(|is| is.is_dir());
    let removed = if is_directory { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
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
        Ok(hexadecimal(&digest.finalize()))
    }

    /// Copies the tree to a directory that exists and is empty.
    pub(crate) fn copy_to(&self, target: &Path) -> io::Result<()> {
        self.walk(&mut |from, path, metadata| {
            let to = target.join(path);
            if metadata.is_dir() { fs::create_dir(to) } else { fs::copy(from, to).map(drop) }
        })
    }

    /// Visits everything beneath the root: where it is, its path from the root, and what it is. Links count as what they
    /// lead to; those that lead out are passed over.
    fn walk(&self, visit: &mut dyn FnMut(&Path, &Path, &fs::Metadata) -> io::Result<()>) -> io::Result<()> {
        let boundary = fs::canonicalize(self.boundary)?;
        let (mut bytes, mut files) = (0_u64, 0_u64);
        let mut left = vec![(fs::canonicalize(self.root)?, PathBuf::new(), 0)];
        while let Some((directory, inner, depth)) = left.pop() {
            let mut entries = fs::read_dir(&directory)?.collect::<io::Result<Vec<_>>>()?;
            entries.sort_by_key(fs::DirEntry::file_name);
            for entry in entries {
                let Ok(from) = fs::canonicalize(entry.path()) else { continue };
                let metadata = fs::metadata(&from)?;
                if !from.starts_with(&boundary) || !(metadata.is_dir() || metadata.is_file()) {
                    continue;
                }
                files += 1;
                bytes = bytes.saturating_add(metadata.len());
                if bytes > self.limits.source_bytes || files > self.limits.source_files || depth > DEPTH {
                    return Err(io::Error::other("the skill is too large to be copied"));
                }
                let path = inner.join(entry.file_name());
                visit(&from, &path, &metadata)?;
                if metadata.is_dir() {
                    left.push((from, path, depth + 1));
                }
            }
        }
        Ok(())
    }
}

/// What tells a directory from any other that has, or had, its name.
pub(crate) fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let metadata = fs::symlink_metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}

/// The digits of a digest.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A short name that no other text has.
pub(crate) fn key(parts: &[&[u8]]) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    hexadecimal(digest.finalize().get(..16).unwrap_or_default())
}
