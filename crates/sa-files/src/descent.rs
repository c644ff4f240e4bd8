//! The way down, one name after the other, each opened in the directory before it and never through a link. Links are
//! read and walked here, `..` goes back to a directory that is still open. Nobody who swaps names meanwhile can make
//! it leave its root. Used where the kernel cannot resolve a path beneath a directory, where an absolute link has to
//! be followed, and where directories are made on the way.

use crate::error::Fault;
use crate::made::Made;
use crate::root::{HOLD, Last, NameInDir, Root};
use rustix::fs::Mode;
use rustix::io::Errno;
use sa_disk::hold;
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};
use std::sync::Arc;

/// Links that one path may go through, as in the kernel.
const LINKS: u32 = 40;
/// Directories that one path may go through; each is held open.
const DEPTH: usize = 512;

/// One way down.
pub(crate) struct Descent<'a> {
    root: &'a Root,
    /// The directories from the root to where we are.
    open: Vec<Arc<OwnedFd>>,
    /// Names to come, the next one last.
    ahead: Vec<Step>,
    links: u32,
    makes: usize,
    missing: Missing,
    made: Made,
    /// The directory, by device and inode, that the way must not enter.
    shunned: Option<(u64, u64)>,
    /// The number of directories that were open when it was entered, while we are in it.
    shunned_at: Option<usize>,
}

/// The treatment of a directory on the way that does not exist.
enum Missing {
    Fail,
    /// The way ends there.
    Stop,
    Make(Mode),
}

enum Step {
    Up,
    Name(OsString),
}

/// The kind of a name.
enum Found {
    Directory(OwnedFd),
    Link(OsString),
    Other,
    Nothing,
}

impl<'a> Descent<'a> {
    pub(crate) fn new(root: &'a Root) -> Result<Self, Fault> {
        let first = rustix::fs::openat(&root.dir, ".", HOLD, Mode::empty())?;
        Ok(Self {
            root,
            open: vec![Arc::new(first)],
            ahead: Vec::new(),
            links: 0,
            makes: 0,
            missing: Missing::Fail,
            made: Made::default(),
            shunned: None,
            shunned_at: None,
        })
    }

    /// Makes missing directories on the way. They are removed again unless they are taken (`into_made`) and kept.
    pub(crate) fn making(mut self, mode: Mode) -> Self {
        self.missing = Missing::Make(mode);
        self
    }

    /// Ends at the first name that is missing, in the last directory that is there.
    pub(crate) fn stopping(mut self) -> Self {
        self.missing = Missing::Stop;
        self
    }

    /// Returns the directories that were made.
    pub(crate) fn into_made(self) -> Made {
        self.made
    }

    /// Fails when the way ends in this directory or makes one in it.
    pub(crate) fn shunning(mut self, directory: (u64, u64)) -> Self {
        self.shunned = Some(directory);
        self
    }

    /// Returns the directory at the path; its last name is one, too.
    pub(crate) fn directory(&mut self, path: &Path) -> Result<OwnedFd, Fault> {
        self.look_ahead(path)?;
        while let Some(step) = self.ahead.pop() {
            match step {
                Step::Up => self.up()?,
                Step::Name(name) => match self.find(&name)? {
                    Found::Directory(fd) => self.enter(fd)?,
                    Found::Link(target) => self.follow(&target)?,
                    Found::Other => return Err(Errno::NOTDIR.into()),
                    Found::Nothing => self.make(name)?,
                },
            }
        }
        self.leave()
    }

    /// Returns the place that the path ends at.
    pub(crate) fn place(&mut self, path: &Path, last: Last) -> Result<NameInDir, Fault> {
        self.look_ahead(path)?;
        while let Some(step) = self.ahead.pop() {
            let name = match step {
                Step::Up => {
                    self.up()?;
                    continue;
                }
                Step::Name(name) => name,
            };
            let at_end = self.ahead.is_empty();
            if at_end && last == Last::Keep {
                return self.end(name);
            }
            match self.find(&name)? {
                Found::Link(target) => self.follow(&target)?,
                _ if at_end => return self.end(name),
                Found::Directory(fd) => self.enter(fd)?,
                Found::Other => return Err(Errno::NOTDIR.into()),
                Found::Nothing if matches!(self.missing, Missing::Stop) => return self.end(name),
                Found::Nothing => self.make(name)?,
            }
        }
        self.end(OsString::from("."))
    }

    fn end(&mut self, name: OsString) -> Result<NameInDir, Fault> {
        self.check_shunned()?;
        Ok(NameInDir { dir: self.leave()?, name })
    }

    /// Returns the directory where the way ends.
    fn leave(&mut self) -> Result<OwnedFd, Fault> {
        let last = self.open.pop().ok_or(Errno::NOENT)?;
        // Only a directory in which another was made has a second owner.
        Ok(Arc::try_unwrap(last).or_else(|shared| shared.try_clone())?)
    }

    fn check_shunned(&self) -> Result<(), Fault> {
        if self.shunned_at.is_some() { Err(Fault::IntoItself) } else { Ok(()) }
    }

    fn here(&self) -> Result<&Arc<OwnedFd>, Fault> {
        self.open.last().ok_or_else(|| Errno::NOENT.into())
    }

    fn look_ahead(&mut self, path: &Path) -> Result<(), Fault> {
        for part in path.components().rev() {
            match part {
                Component::Normal(name) => self.ahead.push(Step::Name(name.to_owned())),
                Component::ParentDir => self.ahead.push(Step::Up),
                Component::CurDir => {}
                Component::RootDir | Component::Prefix(_) => return Err(Fault::Outside),
            }
        }
        Ok(())
    }

    fn up(&mut self) -> Result<(), Fault> {
        if self.open.len() > 1 {
            self.open.pop();
            self.shunned_at = self.shunned_at.filter(|depth| *depth < self.open.len());
        } else if self.root.confined {
            return Err(Fault::Outside);
        }
        Ok(())
    }

    fn find(&self, name: &OsStr) -> Result<Found, Fault> {
        let here = self.here()?;
        match hold(here, name) {
            Ok(fd) => return Ok(Found::Directory(fd)),
            Err(Errno::NOENT) => return Ok(Found::Nothing),
            Err(Errno::NOTDIR | Errno::LOOP) => {}
            Err(errno) => return Err(errno.into()),
        }
        match rustix::fs::readlinkat(&**here, name, Vec::new()) {
            Ok(target) => Ok(Found::Link(OsStr::from_bytes(target.to_bytes()).to_owned())),
            Err(Errno::INVAL) => Ok(Found::Other),
            Err(Errno::NOENT) => Ok(Found::Nothing),
            Err(errno) => Err(errno.into()),
        }
    }

    fn enter(&mut self, fd: OwnedFd) -> Result<(), Fault> {
        if let Some(shunned) = self.shunned {
            let stat = rustix::fs::fstat(&fd)?;
            if identity(&stat) == shunned {
                self.shunned_at = Some(self.open.len());
            }
        }
        if self.open.len() >= DEPTH {
            return Err(Errno::NAMETOOLONG.into());
        }
        self.open.push(Arc::new(fd));
        Ok(())
    }

    fn follow(&mut self, target: &OsStr) -> Result<(), Fault> {
        self.links += 1;
        if self.links > LINKS {
            return Err(Errno::LOOP.into());
        }
        let target = Path::new(target);
        if target.is_relative() {
            return self.look_ahead(target);
        }
        let root = self.root.path.as_deref().ok_or(Fault::Outside)?;
        let beneath = target.strip_prefix(root).map_err(|_| Fault::Outside)?;
        self.open.truncate(1);
        self.shunned_at = None;
        self.look_ahead(beneath)
    }

    fn make(&mut self, name: OsString) -> Result<(), Fault> {
        let Missing::Make(mode) = self.missing else { return Err(Errno::NOENT.into()) };
        self.check_shunned()?;
        let here = Arc::clone(self.here()?);
        match rustix::fs::mkdirat(&*here, &name, mode) {
            Ok(()) => self.made.add(here, name.clone()),
            // Made by another meanwhile; whatever it is, it is looked at again.
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno.into()),
        }
        // Another process may remove it each time; that must not continue forever.
        self.makes += 1;
        if self.makes > 2 * DEPTH {
            return Err(Errno::BUSY.into());
        }
        self.ahead.push(Step::Name(name));
        Ok(())
    }
}

pub(crate) fn identity(stat: &rustix::fs::Stat) -> (u64, u64) {
    #[allow(clippy::unnecessary_cast, clippy::cast_lossless)]
    (stat.st_dev as u64, stat.st_ino as u64)
}
