//! Walking a directory and all below it, in the order of names, through descriptors and along no link.

use crate::entry::{Kind, kind};
use crate::error::{At, FilesError};
use crate::files::Shared;
use crate::listing::names;
use crate::rules::Rules;
use rustix::fs::{AtFlags, Mode, OFlags, Stat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// Directories that are held open at once.
const DEPTH: usize = 256;

/// A directory that is to be walked.
#[derive(Debug)]
pub(crate) struct Tree {
    dir: OwnedFd,
    path: PathBuf,
}

/// One entry on the way.
#[derive(Debug)]
pub(crate) struct Found<'a> {
    /// The directory that it is in.
    pub(crate) dir: &'a OwnedFd,
    pub(crate) name: &'a OsStr,
    /// From where the walk began.
    pub(crate) relative: &'a Path,
    pub(crate) path: &'a Path,
    pub(crate) stat: &'a Stat,
}

/// How the walk goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// With what is in the entry, then with the next.
    On,
    /// With the next.
    Past,
    /// Not at all.
    Stop,
}

/// Who is told what is there.
pub(crate) trait Visitor {
    /// An entry; directories before what is in them.
    fn entry(&mut self, found: &Found<'_>) -> Result<Step, FilesError>;

    /// Something that could not be looked into. An error ends the walk.
    fn unreadable(&mut self, error: FilesError) -> Result<(), FilesError>;
}

impl Tree {
    /// The directory at a path, through links.
    pub(crate) fn open(shared: &Shared, beneath: &Path, path: &Path) -> Result<Self, FilesError> {
        let dir = shared.root.open_at(beneath, OFlags::RDONLY | OFlags::DIRECTORY).at(path)?;
        Ok(Self { dir, path: path.to_owned() })
    }

    /// Walks it. With rules, what they exclude is left out.
    pub(crate) fn walk(
        &self,
        shared: &Shared,
        rules: Option<Rules>,
        visitor: &mut dyn Visitor,
    ) -> Result<(), FilesError> {
        let most = shared.limits.directory_entries;
        let mut walk = Walk { visitor, most, path: self.path.clone(), relative: PathBuf::new() };
        walk.directory(&self.dir, rules, 0).map(drop)
    }
}

struct Walk<'a> {
    visitor: &'a mut dyn Visitor,
    most: usize,
    /// Where we are.
    path: PathBuf,
    relative: PathBuf,
}

impl Walk<'_> {
    fn directory(&mut self, dir: &OwnedFd, above: Option<Rules>, depth: usize) -> Result<Step, FilesError> {
        let mut names = match names(dir, self.most, &self.path) {
            Ok(names) => names,
            Err(error) => return self.visitor.unreadable(error).map(|()| Step::On),
        };
        names.sort_unstable();
        let rules = above.map(|rules| rules.within(dir, &self.path));
        let mut step = Step::On;
        for name in names {
            self.path.push(&name);
            self.relative.push(&name);
            step = self.entry(dir, &name, rules.as_ref(), depth)?;
            self.path.pop();
            self.relative.pop();
            if step == Step::Stop {
                break;
            }
        }
        Ok(step)
    }

    fn entry(
        &mut self,
        dir: &OwnedFd,
        name: &OsStr,
        rules: Option<&Rules>,
        depth: usize,
    ) -> Result<Step, FilesError> {
        let stat = match rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            // Deleted meanwhile.
            Err(Errno::NOENT) => return Ok(Step::Past),
            Err(errno) => return self.unreadable(errno),
        };
        let is_dir = kind(&stat) == Kind::Directory;
        if rules.is_some_and(|rules| rules.exclude(&self.path, is_dir)) {
            return Ok(Step::Past);
        }
        let found = Found { dir, name, relative: &self.relative, path: &self.path, stat: &stat };
        match self.visitor.entry(&found)? {
            Step::On if is_dir => {}
            step => return Ok(step),
        }
        if depth >= DEPTH {
            return self.unreadable(Errno::NAMETOOLONG);
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match rustix::fs::openat(dir, name, flags, Mode::empty()) {
            Ok(child) => self.directory(&child, rules.cloned(), depth + 1),
            Err(Errno::NOENT) => Ok(Step::Past),
            Err(errno) => self.unreadable(errno),
        }
    }

    fn unreadable(&mut self, errno: Errno) -> Result<Step, FilesError> {
        let error = Err::<(), _>(errno).at(&self.path);
        error.or_else(|error| self.visitor.unreadable(error)).map(|()| Step::Past)
    }
}
