//! Links in the directory where an agent looks. Entries that are not ours are never touched.
//!
//! A link to a directory of the user leads there. One to a skill of a repository leads to a copy for this place alone, next
//! to its manifest: agents write through links, and others use the same repository.

use crate::error::Result;
use crate::exclude::keep_out_of_git;
use crate::manifest::{CopyMark, Manifest, Place, PlacedEntry, Wanted};
use crate::tree::{Original, identity, seal};
use crate::{SkillsError, SkillsOptions};
use sa_disk::{at, remove_all, temporary_name};
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The prefix of temporary names, by which the remains of a killed daemon are recognized.
const DRAFT: &str = ".sandbox-agent-";

/// One directory in which one agent looks. Callers of its methods hold its lock.
#[derive(Debug, Clone)]
pub(crate) struct Placement {
    /// Links that lead beneath it are ours.
    pub(crate) home: PathBuf,
    pub(crate) manifest: PathBuf,
    pub(crate) place: Place,
    pub(crate) options: Arc<SkillsOptions>,
}

/// The entry at a skill's place.
#[derive(Debug, PartialEq, Eq)]
enum Occupant {
    Nobody,
    Ours,
    /// Something of the user's that is the very skill.
    TheSkill,
    Somebody,
}

impl Placement {
    /// Has the directory be as the manifest's owners want it, and keeps the manifest. Answers with warnings for the session
    /// that is `starting`, if one is.
    pub(crate) fn settle(&self, mut manifest: Manifest, starting: Option<&str>) -> Result<Vec<String>> {
        let wanted = manifest.wanted();
        let is_own = |session: &str| starting == Some(session);
        let mut warnings = Vec::new();
        match self.directory(&mut manifest, wanted.values().any(|(session, _)| is_own(session)))? {
            Some(directory) => {
                remove_drafts(&directory)?;
                self.remove_outdated(&directory, &mut manifest, |name| wanted.contains_key(name))?;
                for (name, (session, wanted)) in &wanted {
                    if is_own(session) {
                        warnings.extend(self.put(&directory, &mut manifest, name, wanted)?);
                    } else {
                        self.keep(&directory, &mut manifest, name, wanted);
                    }
                }
                self.remove_empty(&mut manifest);
                for entry in manifest.entries.values_mut() {
                    entry.before = None;
                }
            }
            None => {
                manifest.entries.clear();
                manifest.created.clear();
            }
        }
        manifest.write(&self.manifest)?;
        self.remove_unused_copies(&manifest)?;
        let names: Vec<&str> = manifest.entries.keys().map(String::as_str).collect();
        if let Err(reason) = keep_out_of_git(&self.place.cwd, &self.place.relative, &names) {
            warnings.push(format!("skills may show up in `git status`: {reason}"));
        }
        Ok(warnings)
    }

    /// Places a skill of a session that works already, unless it has it. That it cannot be placed is no reason for another
    /// session not to start.
    fn keep(&self, directory: &Path, manifest: &mut Manifest, name: &str, wanted: &Wanted) {
        let path = directory.join(name);
        let known = manifest.entries.get(name);
        if known.is_some_and(|known| known.is_of(wanted)) && self.is_ours(&path, known) {
            return;
        }
        if !wanted.target.is_dir() {
            // Its source is gone. The skill that took its place must not stay in its stead.
            let removed = if self.is_ours(&path, known) { remove_all(&path) } else { Ok(()) };
            if removed.is_ok() {
                manifest.entries.remove(name);
            }
            return;
        }
        match self.put(directory, manifest, name, wanted) {
            Ok(None) => {}
            Ok(Some(warning)) => tracing::warn!("{warning}"),
            Err(error) => tracing::warn!(%error, skill = name, "a skill is not put back in its place"),
        }
    }

    /// Returns the directory, made if `make`. It must be inside of the one that the agent works in: a link that leads
    /// out would have us change what belongs to somebody else.
    fn directory(&self, manifest: &mut Manifest, make: bool) -> Result<Option<PathBuf>> {
        let Place { cwd, relative } = &self.place;
        let mut path = cwd.clone();
        manifest.place.clone_from(&self.place);
        for part in relative.components() {
            path.push(part);
            let place = |reason| SkillsError::Place { path: path.clone(), reason };
            match fs::canonicalize(&path) {
                Ok(real) if real.starts_with(cwd) && real.is_dir() => {}
                Ok(_) | Err(_) if !make => return Ok(None),
                Ok(real) if !real.starts_with(cwd) => {
                    return Err(place("it is a link that leads out of the session's directory"));
                }
                Ok(_) => return Err(place("it is not a directory")),
                Err(error) if error.kind() == io::ErrorKind::NotFound => match fs::create_dir(&path) {
                    Ok(()) => manifest.created.push(path.clone()),
                    // Another session, for another agent, makes the outer one at the same time.
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => {}
                    Err(error) => return Err(at(&path)(error).into()),
                },
                Err(error) => return Err(at(&path)(error).into()),
            }
        }
        Ok(Some(path))
    }

    fn remove_outdated(
        &self,
        directory: &Path,
        manifest: &mut Manifest,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<()> {
        let outdated: Vec<String> =
            manifest.entries.keys().filter(|name| !is_wanted(name)).cloned().collect();
        for name in outdated {
            let path = directory.join(&name);
            if self.is_ours(&path, manifest.entries.get(&name)) {
                remove_all(&path)?;
            }
            manifest.entries.remove(&name);
        }
        Ok(())
    }

    /// Places one skill. Answers with a warning if somebody else's is in the way.
    fn put(
        &self,
        directory: &Path,
        manifest: &mut Manifest,
        name: &str,
        wanted: &Wanted,
    ) -> Result<Option<String>> {
        let path = directory.join(name);
        let known = manifest.entries.get(name).cloned();
        let occupant = self.occupant(&path, known.as_ref(), wanted);
        match occupant {
            Occupant::TheSkill => {
                manifest.entries.remove(name);
                return Ok(None);
            }
            Occupant::Somebody => {
                manifest.entries.remove(name);
                return Ok(Some(in_the_way(&path, name, wanted)));
            }
            Occupant::Ours | Occupant::Nobody => {}
        }
        let own = self.own_copy(name, wanted)?;
        let target = own.clone().unwrap_or_else(|| wanted.target.clone());
        let source = own.map(|_| wanted.target.clone());
        // Noted before it is made: what a kill leaves is known to be ours.
        let before = known.as_ref().map(|known| known.target.clone());
        let copy = known.and_then(|known| known.copy);
        manifest
            .entries
            .insert(name.to_owned(), PlacedEntry { target: target.clone(), source, before, copy });
        if !self.options.copies && leads_to(&path, &target) {
            return Ok(None);
        }
        manifest.write(&self.manifest)?;
        let draft = directory.join(temporary_name());
        // A first link is made where it belongs, which fails if somebody has just put something there.
        let first = occupant == Occupant::Nobody;
        let linked = match self.options.copies {
            true => Err(io::ErrorKind::Unsupported.into()),
            false => symlink(&target, if first { &path } else { &draft }),
        };
        match linked {
            Ok(()) if first => {}
            Ok(()) => self.finish(manifest, name, &draft, &path, None)?,
            Err(error) if cannot_link(&error) => self.copy(manifest, name, &draft, &path, wanted)?,
            Err(error) => return Err(at(&path)(error).into()),
        }
        Ok(None)
    }

    /// Returns the directory of this place's copies.
    fn own_copies(&self) -> PathBuf {
        self.manifest.with_extension("")
    }

    /// Copies a skill of a repository for this place, unless the very copy is there. The name is a digest of the contents, so a
    /// changed one is not taken for it, and links move from one to the next in one step.
    fn own_copy(&self, name: &str, wanted: &Wanted) -> Result<Option<PathBuf>> {
        if self.options.copies || !wanted.target.starts_with(&self.home) {
            return Ok(None);
        }
        let copies = self.own_copies();
        let draft = copies.join(temporary_name());
        fs::create_dir_all(&draft).map_err(at(&draft))?;
        let original =
            Original { root: &wanted.target, boundary: &wanted.boundary, limits: &self.options.limits };
        original.copy_to(&draft).map_err(at(&wanted.target))?;
        let digest = seal(&draft, &self.options.limits).map_err(at(&draft))?;
        let copy = copies.join(format!("{name}@{digest}"));
        if seal(&copy, &self.options.limits).ok().as_ref() == Some(&digest) {
            remove_all(&draft)?;
        } else {
            remove_all(&copy)?;
            fs::rename(&draft, &copy).map_err(at(&copy))?;
        }
        Ok(Some(copy))
    }

    /// Removes the copies that no link leads to.
    fn remove_unused_copies(&self, manifest: &Manifest) -> Result<()> {
        let copies = self.own_copies();
        let Ok(entries) = fs::read_dir(&copies) else { return Ok(()) };
        for entry in entries {
            let path = entry.map_err(at(&copies))?.path();
            if !manifest.entries.values().any(|entry| entry.target == path) {
                remove_all(&path)?;
            }
        }
        // Not empty: then it is in use.
        let _ = fs::remove_dir(&copies);
        Ok(())
    }

    fn copy(
        &self,
        manifest: &mut Manifest,
        name: &str,
        draft: &Path,
        path: &Path,
        wanted: &Wanted,
    ) -> Result<()> {
        let original =
            Original { root: &wanted.target, boundary: &wanted.boundary, limits: &self.options.limits };
        let fingerprint = original.fingerprint().map_err(at(&wanted.target))?;
        let known = manifest.entries.get(name).and_then(|entry| entry.copy.as_ref());
        let is_right = known.is_some_and(|copy| {
            copy.fingerprint == fingerprint
                && identity(path).ok() == Some((copy.device, copy.inode))
                && seal(path, &self.options.limits).is_ok_and(|seal| seal == copy.seal)
        });
        if is_right {
            return Ok(());
        }
        fs::create_dir(draft).map_err(at(draft))?;
        original.copy_to(draft).map_err(at(draft))?;
        let (device, inode) = identity(draft).map_err(at(draft))?;
        let seal = seal(draft, &self.options.limits).map_err(at(draft))?;
        self.finish(manifest, name, draft, path, Some(CopyMark { device, inode, fingerprint, seal }))
    }

    /// Gives a draft its name.
    fn finish(
        &self,
        manifest: &mut Manifest,
        name: &str,
        draft: &Path,
        path: &Path,
        copy: Option<CopyMark>,
    ) -> Result<()> {
        let is_directory = |path: &Path| fs::symlink_metadata(path).is_ok_and(|is| is.is_dir());
        // A link takes the place of a link in one step; nothing takes the place of a directory with something in it.
        if is_directory(path) || (copy.is_some() && path.is_symlink()) {
            remove_all(path)?;
        }
        if let Some(entry) = manifest.entries.get_mut(name) {
            entry.copy = copy;
        }
        manifest.write(&self.manifest)?;
        Ok(fs::rename(draft, path).map_err(at(path))?)
    }

    fn occupant(&self, path: &Path, known: Option<&PlacedEntry>, wanted: &Wanted) -> Occupant {
        if fs::symlink_metadata(path).is_err() {
            return Occupant::Nobody;
        }
        if self.is_ours(path, known) {
            return Occupant::Ours;
        }
        match (fs::canonicalize(path), fs::canonicalize(&wanted.target)) {
            (Ok(there), Ok(target)) if there == target => Occupant::TheSkill,
            _ => Occupant::Somebody,
        }
    }

    /// Returns whether an entry is ours: a link that leads into our cache or is noted, a directory if it is the very
    /// one that was noted.
    fn is_ours(&self, path: &Path, known: Option<&PlacedEntry>) -> bool {
        let Ok(metadata) = fs::symlink_metadata(path) else { return false };
        if metadata.is_symlink() {
            let Ok(target) = fs::read_link(path) else { return false };
            let is_noted =
                |entry: &PlacedEntry| entry.target == target || entry.before.as_ref() == Some(&target);
            return target.starts_with(&self.home) || known.is_some_and(is_noted);
        }
        let copy = known.and_then(|entry| entry.copy.as_ref());
        copy.is_some_and(|copy| identity(path).ok() == Some((copy.device, copy.inode)))
    }

    /// Directories that were made here go when nothing is left in them.
    fn remove_empty(&self, manifest: &mut Manifest) {
        if manifest.entries.is_empty() {
            while let Some(directory) = manifest.created.last() {
                // Not empty: then somebody uses it, and it is theirs.
                let _ = fs::remove_dir(directory);
                manifest.created.pop();
            }
        }
    }
}

fn in_the_way(path: &Path, name: &str, wanted: &Wanted) -> String {
    format!(
        "{} is there already and not ours; it is left as it is, and the skill `{name}` of {} is not placed",
        path.display(),
        wanted.origin
    )
}

fn leads_to(path: &Path, target: &Path) -> bool {
    fs::read_link(path).is_ok_and(|link| link == target)
}

/// Returns whether this is the error of a file system without links.
fn cannot_link(error: &io::Error) -> bool {
    use io::ErrorKind::{PermissionDenied, Unsupported};
    matches!(error.kind(), PermissionDenied | Unsupported)
}

fn remove_drafts(directory: &Path) -> Result<()> {
    for entry in fs::read_dir(directory).map_err(at(directory))? {
        let path = entry.map_err(at(directory))?.path();
        if path.file_name().unwrap_or_default().to_string_lossy().starts_with(DRAFT) {
            remove_all(&path)?;
        }
    }
    Ok(())
}
