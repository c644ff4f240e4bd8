//! Walking a directory and all below it, in the order of names, through descriptors and along no link.

use crate::entry::kind;
use crate::error::{At, FilesError, Result, about};
use crate::files::{Located, Shared};
use crate::listing::names;
use crate::rules::{Extent, Rules};
use rustix::fs::{AtFlags, Mode, OFlags, Stat};
use rustix::io::Errno;
use sa_api::FsEntryType;
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// Directories that may be inside each other; one descriptor is open for each.
const DEPTH: usize = 256;

/// A directory that is to be walked.
#[derive(Debug)]
pub(crate) struct Tree {
    dir: OwnedFd,
    path: PathBuf,
}

/// A directory whose entries are about to be read.
#[derive(Debug)]
pub(crate) struct Opened<'a> {
    pub(crate) dir: &'a OwnedFd,
    /// Path relative to the start of the walk; empty for the start itself.
    pub(crate) relative: &'a Path,
    pub(crate) path: &'a Path,
    /// The number of directories above it, from the start of the walk.
    pub(crate) depth: usize,
    pub(crate) rules: Option<&'a Rules>,
}

/// One entry on the way.
#[derive(Debug)]
pub(crate) struct TreeEntry<'a> {
    pub(crate) dir: &'a OwnedFd,
    pub(crate) name: &'a OsStr,
    /// Path relative to the start of the walk.
    pub(crate) relative: &'a Path,
    pub(crate) path: &'a Path,
    pub(crate) stat: &'a Stat,
}

/// The continuation of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// With what is in the entry, then with the next.
    On,
    Past,
    Stop,
}

/// Receives what a walk comes across.
pub(crate) trait Visitor {
    /// Takes a directory that was opened, before its entries.
    fn enter(&mut self, _: &Opened<'_>) -> Result<Step> {
        Ok(Step::On)
    }

    /// Takes an entry; directories before what is in them.
    fn entry(&mut self, found: &TreeEntry<'_>) -> Result<Step>;

    /// Takes note that rules exclude an entry. There may be many of them, so this is the place to give up.
    fn excluded(&mut self, _: &Path) -> Step {
        Step::Past
    }

    /// Takes note of something that could not be looked into. An error ends the walk.
    fn unreadable(&mut self, path: &Path, error: FilesError) -> Result<()>;
}

impl Tree {
    /// Returns the directory at a path, through links.
    pub(crate) fn open(shared: &Shared, Located { beneath, absolute }: &Located) -> Result<Self> {
        let dir = shared.root.open_at(beneath, OFlags::RDONLY | OFlags::DIRECTORY).at(absolute)?;
        Ok(Self { dir, path: absolute.clone() })
    }

    /// Creates a directory that is open for reading.
    pub(crate) fn new(dir: OwnedFd, path: PathBuf) -> Self {
        Self { dir, path }
    }

    /// Walks it, without recursion: others decide how deep it is. With rules, entries that they exclude are left out.
    pub(crate) fn walk(self, shared: &Shared, rules: Option<Rules>, visitor: &mut dyn Visitor) -> Result<()> {
        let most = shared.limits.directory_entries;
        let mut walk = Walk { visitor, most, path: self.path, relative: PathBuf::new(), levels: Vec::new() };
        if walk.enter(self.dir, rules)? == Step::Stop {
            return Ok(());
        }
        while let Some(level) = walk.levels.last_mut() {
            let Some(name) = level.names.next() else {
                walk.levels.pop();
                walk.leave();
                continue;
            };
            walk.path.push(&name);
            walk.relative.push(&name);
            let levels = walk.levels.len();
            if walk.entry(&name)? == Step::Stop {
                return Ok(());
            }
            if walk.levels.len() == levels {
                walk.leave();
            }
        }
        Ok(())
    }
}

/// A directory whose entries are being visited.
struct Level {
    dir: OwnedFd,
    names: std::vec::IntoIter<OsString>,
    rules: Option<Rules>,
}

struct Walk<'a> {
    visitor: &'a mut dyn Visitor,
    most: usize,
    path: PathBuf,
    relative: PathBuf,
    /// The directories from the first one to where we are.
    levels: Vec<Level>,
}

impl Walk<'_> {
    fn leave(&mut self) {
        self.path.pop();
        self.relative.pop();
    }

    /// Goes into a directory, unless the visitor does not want that or it cannot be read.
    fn enter(&mut self, dir: OwnedFd, above: Option<Rules>) -> Result<Step> {
        let (rules, extent) = match above.map(|rules| rules.within(&dir, &self.path)) {
            Some((rules, extent)) => (Some(rules), extent),
            None => (None, Extent::All),
        };
        if extent == Extent::Part {
            let why = "and those above it have too many ignore rules";
            self.visitor.unreadable(&self.path, FilesError::TooLarge(about(&self.path, why)))?;
        }
        let (relative, path, depth) = (&*self.relative, &*self.path, self.levels.len());
        let opened = Opened { dir: &dir, relative, path, depth, rules: rules.as_ref() };
        match self.visitor.enter(&opened)? {
            Step::On => {}
            step => return Ok(step),
        }
        let mut names = match names(&dir, self.most, &self.path) {
            Ok(names) => names,
            Err(error) => return self.visitor.unreadable(&self.path, error).map(|()| Step::Past),
        };
        names.sort_unstable();
        self.levels.push(Level { dir, names: names.into_iter(), rules });
        Ok(Step::On)
    }

    /// Visits an entry of the directory that we are in, and goes into it if it is one itself.
    fn entry(&mut self, name: &OsStr) -> Result<Step> {
        let Some(Level { dir, rules, .. }) = self.levels.last() else { return Ok(Step::Stop) };
        let stat = match rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            // Deleted meanwhile.
            Err(Errno::NOENT) => return Ok(Step::Past),
            Err(errno) => return self.unreadable(errno),
        };
        let is_dir = kind(&stat) == FsEntryType::Directory;
        if rules.as_ref().is_some_and(|rules| rules.exclude(&self.path, is_dir)) {
            return Ok(self.visitor.excluded(&self.path));
        }
        let found = TreeEntry { dir, name, relative: &self.relative, path: &self.path, stat: &stat };
        match self.visitor.entry(&found)? {
            Step::On if is_dir => {}
            step => return Ok(step),
        }
        if self.levels.len() >= DEPTH {
            let why = format!("lies more than {DEPTH} directories deep");
            let error = FilesError::TooLarge(about(&self.path, why));
            return self.visitor.unreadable(&self.path, error).map(|()| Step::Past);
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match rustix::fs::openat(dir, name, flags, Mode::empty()) {
            Ok(child) => {
                let rules = rules.clone();
                self.enter(child, rules)
            }
            // Deleted or replaced meanwhile.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(Step::Past),
            Err(errno) => self.unreadable(errno),
        }
    }

    fn unreadable(&mut self, errno: Errno) -> Result<Step> {
        let error = Err::<(), _>(errno).at(&self.path);
        error.or_else(|error| self.visitor.unreadable(&self.path, error)).map(|()| Step::Past)
    }
}
