//! Moving files and directories. Everything is checked before anything is touched, and what is replaced is kept until
//! the new is in its place.

use crate::copying::copy_tree;
use crate::descent::{Descent, identity};
use crate::entry::kind;
use crate::error::{At, Fault, FilesError, Result, about, text};
use crate::files::{Files, Located, Shared};
use crate::made::Made;
use crate::removal::remove_tree;
use crate::root::{Last, NameInDir};
use crate::writing::DIRECTORY;
use parking_lot::MutexGuard;
use rustix::fs::Stat;
use rustix::io::Errno;
use sa_api::{FsEntryType, FsMoveResponse};
use sa_disk::{first_names, hold, temporary_name};
use std::ffi::{OsStr, OsString};

/// The treatment of a file that is at the new path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// The move is refused.
    Keep,
    Replace,
}

impl Files {
    /// Moves what is at one path to another; a link itself. Directories that are missing above the new path are made.
    pub async fn relocate(&self, from: &OsStr, to: &OsStr, existing: Existing) -> Result<FsMoveResponse> {
        let (from, to) = (self.locate(from)?, self.locate(to)?);
        self.run(move |shared| {
            Move { shared, from: &from, to: &to, existing }.run()?;
            Ok(FsMoveResponse { from: text(&from.absolute), to: text(&to.absolute) })
        })
        .await
    }
}

struct Move<'a> {
    shared: &'a Shared,
    from: &'a Located,
    to: &'a Located,
    existing: Existing,
}

/// The outcome of a rename.
enum Put {
    Done {
        /// The name of what was replaced, if it is still there.
        aside: Option<OsString>,
    },
    OtherDevice,
}

impl Move<'_> {
    fn run(&self) -> Result<()> {
        let source = self.shared.root.place(&self.from.beneath, Last::Keep).at(&self.from.absolute)?;
        self.shared.refuse_footing(&source, self.from)?;
        let moved = source.stat().at(&self.from.absolute)?;
        let (names, target, made) = self.target(&moved)?;
        match self.put(&source, &moved, &target)? {
            Put::Done { aside } => {
                made.keep();
                drop(names);
                self.discard(&target, aside)
            }
            Put::OtherDevice => {
                // Nobody is to wait for the copy. It keeps the directories from being empty while it is made.
                drop(names);
                self.copy(&source, &target)?;
                made.keep();
                Ok(())
            }
        }
    }

    /// Gives the source its new name, if that does not take a copy.
    fn put(&self, source: &NameInDir, moved: &Stat, target: &NameInDir) -> Result<Put> {
        let replaced = match target.stat() {
            Ok(stat) => Some(stat),
            Err(Errno::NOENT) => None,
            Err(errno) => return Err(self.about_target(errno)),
        };
        if let Some(replaced) = &replaced {
            if same_place(source, target)? {
                return Ok(Put::Done { aside: None });
            }
            self.check_replaced(target, moved, replaced)?;
            if identity(replaced) == identity(moved) && !is_directory(moved) {
                // Two names of one file: a rename would leave both.
                remove_tree(&source.dir, &source.name, &self.from.absolute)?;
                return Ok(Put::Done { aside: None });
            }
        }
        match self.rename(source, moved, target, replaced.as_ref()) {
            Err(Errno::XDEV) => Ok(Put::OtherDevice),
            Err(errno) => Err(self.about_target(errno)),
            Ok(aside) => Ok(Put::Done { aside }),
        }
    }

    /// Returns the destination and the directories that were made above it. From then on names do not change.
    fn target(&self, moved: &Stat) -> Result<(MutexGuard<'_, ()>, NameInDir, Made)> {
        let path = &self.to.absolute;
        // Looked up without the lock: a file system that hangs must not stop other requests.
        let found = self.way(moved)?.place(&self.to.beneath, Last::Keep);
        let names = self.shared.lock_names();
        let (target, made) = match found {
            Err(fault) if fault.is_missing() => {
                let mut way = self.way(moved)?.making(DIRECTORY);
                (way.place(&self.to.beneath, Last::Keep).at(path)?, way.into_made())
            }
            found => (found.at(path)?, Made::default()),
        };
        if target.is_nameless() {
            return Err(FilesError::Conflict(about(path, "cannot be replaced")));
        }
        Ok((names, target, made))
    }

    /// Returns the way to the destination. A directory must not be moved into itself, not even through a link.
    fn way(&self, moved: &Stat) -> Result<Descent<'_>> {
        let descent = Descent::new(&self.shared.root).at(&self.to.absolute)?;
        Ok(if is_directory(moved) { descent.shunning(identity(moved)) } else { descent })
    }

    /// Checks that what has the new name may go. A directory with something in it may not, but whether it has only the
    /// system can decide, in the moment of the rename.
    fn check_replaced(&self, target: &NameInDir, moved: &Stat, replaced: &Stat) -> Result<()> {
        if self.existing == Existing::Keep {
            return Err(FilesError::Conflict(about(&self.to.absolute, "exists; `overwrite` replaces it")));
        }
        self.shared.refuse_footing(target, self.to)?;
        if is_directory(replaced) && !is_directory(moved) {
            return Err(self.about_target(Errno::ISDIR));
        }
        Ok(())
    }

    /// Renames, and returns the name that what was replaced has now, if it could not be replaced in one step.
    fn rename(
        &self,
        source: &NameInDir,
        moved: &Stat,
        target: &NameInDir,
        replaced: Option<&Stat>,
    ) -> Result<Option<OsString>, Errno> {
        let Some(replaced) = replaced else {
            return rename_new(source, target).map(|()| None);
        };
        // A directory takes the place of another in one step, and only of one that is empty.
        if is_directory(moved) == is_directory(replaced) {
            rustix::fs::renameat(&source.dir, &source.name, &target.dir, &target.name)?;
            return Ok(None);
        }
        if identity(&rustix::fs::fstat(&source.dir)?).0 != identity(&rustix::fs::fstat(&target.dir)?).0 {
            return Err(Errno::XDEV);
        }
        let aside = OsString::from(temporary_name());
        rustix::fs::renameat(&target.dir, &target.name, &target.dir, &aside)?;
        match rename_new(source, target) {
            Ok(()) => Ok(Some(aside)),
            Err(errno) => {
                // Everything as it was; should even that fail, nothing is lost but the name.
                if let Err(error) = rustix::fs::renameat(&target.dir, &aside, &target.dir, &target.name) {
                    tracing::error!(%error, ?aside, "a file that was to be replaced keeps another name");
                }
                Err(errno)
            }
        }
    }

    fn discard(&self, target: &NameInDir, aside: Option<OsString>) -> Result<()> {
        aside.map_or(Ok(()), |aside| remove_tree(&target.dir, &aside, &self.to.absolute))
    }

    /// Moves to another device: a copy next to the target takes its name, then the source is removed.
    fn copy(&self, source: &NameInDir, target: &NameInDir) -> Result<()> {
        // The rename at the end decides, but before it comes a copy that may take long.
        refuse_filled(target).map_err(|errno| self.about_target(errno))?;
        let stand_in =
            NameInDir { dir: target.dir.try_clone().at(&self.to.absolute)?, name: temporary_name().into() };
        let copied =
            copy_tree(source, &stand_in, &self.from.absolute).and_then(|()| self.settle(&stand_in, target));
        if let Err(error) = copied {
            // The copy is worth nothing, and the source is as it was.
            let _ = remove_tree(&stand_in.dir, &stand_in.name, &self.to.absolute);
            return Err(error);
        }
        remove_tree(&source.dir, &source.name, &self.from.absolute)
    }

    fn settle(&self, stand_in: &NameInDir, target: &NameInDir) -> Result<()> {
        let moved = stand_in.stat().at(&self.to.absolute)?;
        let names = self.shared.lock_names();
        let replaced = target.stat().ok();
        if let Some(replaced) = &replaced {
            self.check_replaced(target, &moved, replaced)?;
        }
        let aside = self
            .rename(stand_in, &moved, target, replaced.as_ref())
            .map_err(|errno| self.about_target(errno))?;
        drop(names);
        self.discard(target, aside)
    }

    fn about_target(&self, errno: Errno) -> FilesError {
        match errno {
            Errno::INVAL => Fault::IntoItself.at(&self.to.absolute),
            errno => Fault::from(errno).at(&self.to.absolute),
        }
    }
}

/// Renames where nothing may be replaced.
fn rename_new(source: &NameInDir, target: &NameInDir) -> Result<(), Errno> {
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    {
        let flags = rustix::fs::RenameFlags::NOREPLACE;
        match rustix::fs::renameat_with(&source.dir, &source.name, &target.dir, &target.name, flags) {
            // Not all file systems can do this.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {}
            other => return other,
        }
    }
    match target.stat() {
        Ok(_) => Err(Errno::EXIST),
        Err(Errno::NOENT) => rustix::fs::renameat(&source.dir, &source.name, &target.dir, &target.name),
        Err(errno) => Err(errno),
    }
}

fn is_directory(stat: &Stat) -> bool {
    kind(stat) == FsEntryType::Directory
}

/// Fails for a directory with something in it.
fn refuse_filled(place: &NameInDir) -> Result<(), Errno> {
    match hold(&place.dir, &place.name) {
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(()),
        Err(errno) => Err(errno),
        Ok(dir) if first_names(&dir, 1)?.is_empty() => Ok(()),
        Ok(_) => Err(Errno::NOTEMPTY),
    }
}

/// Returns whether two places are the same name in the same directory.
fn same_place(one: &NameInDir, other: &NameInDir) -> Result<bool> {
    let path = std::path::Path::new(&one.name);
    let directory = |place: &NameInDir| rustix::fs::fstat(&place.dir).map(|stat| identity(&stat)).at(path);
    Ok(one.name == other.name && directory(one)? == directory(other)?)
}
