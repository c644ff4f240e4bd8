//! A staging directory next to the target, in which nothing of others can interfere. Dropping it removes it.

use super::member::{BadArchive, Member, MemberKind, Members};
use crate::error::{At, Fault, FilesError, Result};
use crate::removal::remove_tree;
use crate::root::{Last, NameInDir, Root};
use crate::writing::DIRECTORY;
use rustix::fs::{AtFlags, Mode, OFlags, Timespec, Timestamps};
use rustix::io::Errno;
use sa_disk::{hold, temporary_name};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

const BUFFER: usize = 128 * 1024;

/// A directory that an archive is unpacked to.
#[derive(Debug)]
pub(super) struct Staging {
    target: OwnedFd,
    name: OsString,
    path: PathBuf,
    root: Root,
    /// The directory of the last member; the next one is often in the same.
    recent: Option<(PathBuf, OwnedFd)>,
    buffer: Vec<u8>,
}

impl Staging {
    pub(super) fn create(outer: &Root, target: &OwnedFd, path: &Path) -> Result<Self> {
        let name = OsString::from(temporary_name());
        rustix::fs::mkdirat(target, &name, Mode::from_raw_mode(0o700)).at(path)?;
        let dir = hold(target, &name).at(path)?;
        Ok(Self {
            target: target.try_clone().at(path)?,
            name,
            path: path.to_owned(),
            root: outer.beneath(dir),
            recent: None,
            buffer: vec![0; BUFFER],
        })
    }

    pub(super) fn dir(&self) -> &OwnedFd {
        &self.root.dir
    }

    /// Writes one member, and its contents from the stream.
    pub(super) fn add<R: Read>(&mut self, member: &Member, contents: &mut Members<R>) -> Result<()> {
        let path = self.path.join(&member.path);
        if member.kind == MemberKind::Directory {
            self.recent = None;
            let mode = DIRECTORY & Mode::from_raw_mode((member.mode | 0o700) as _);
            return match self.root.make_dirs(&member.path, mode) {
                Ok((_, made)) => {
                    made.keep();
                    Ok(())
                }
                Err(fault) => Err(refuse(fault, &path)),
            };
        }
        let place = self.place(&member.path)?;
        match &member.kind {
            MemberKind::Directory => Ok(()),
            MemberKind::File => self.file(&place, member, contents, &path),
            MemberKind::Symlink(target) => {
                clear(&place, &path)?;
                rustix::fs::symlinkat(OsStr::from_bytes(target), &place.dir, &place.name).at(&path)
            }
            MemberKind::HardLink(of) => {
                let dangling = "is a hard link to an entry that the archive does not have";
                let source = self.root.place(of, Last::Keep).map_err(|fault| {
                    if fault.is_missing() { invalid(&path, dangling) } else { refuse(fault, &path) }
                })?;
                clear(&place, &path)?;
                rustix::fs::linkat(&source.dir, &source.name, &place.dir, &place.name, AtFlags::empty())
                    .map_err(|errno| match errno {
                        Errno::NOENT => invalid(&path, dangling),
                        errno => Fault::from(errno).at(&path),
                    })
            }
        }
    }

    /// Returns the place of a member. Links that the archive itself made may lead anywhere in it, and nowhere else.
    fn place(&mut self, member: &Path) -> Result<NameInDir> {
        let path = self.path.join(member);
        let (Some(parent), Some(name)) = (member.parent(), member.file_name()) else {
            return Err(invalid(&path, "has no name"));
        };
        let name = name.to_owned();
        if let Some((recent, dir)) = &self.recent
            && recent == parent
        {
            return Ok(NameInDir { dir: dir.try_clone().at(&path)?, name });
        }
        let (dir, made) = self.root.make_dirs(parent, DIRECTORY).map_err(|fault| refuse(fault, &path))?;
        made.keep();
        self.recent = Some((parent.to_owned(), dir.try_clone().at(&path)?));
        Ok(NameInDir { dir, name })
    }

    fn file<R: Read>(
        &mut self,
        place: &NameInDir,
        member: &Member,
        contents: &mut Members<R>,
        path: &Path,
    ) -> Result<()> {
        clear(place, path)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(member.mode as _);
        let mut file = File::from(rustix::fs::openat(&place.dir, &place.name, flags, mode).at(path)?);
        while contents.left() > 0 {
            let read = contents.read(&mut self.buffer).map_err(unreadable)?;
            let Some(bytes) = self.buffer.get(..read).filter(|bytes| !bytes.is_empty()) else {
                return Err(unreadable(std::io::ErrorKind::UnexpectedEof.into()));
            };
            file.write_all(bytes).at(path)?;
        }
        let modified = Timespec { tv_sec: member.modified, tv_nsec: 0 };
        let times = Timestamps { last_access: modified, last_modification: modified };
        // Times that the file system cannot keep are not worth failing for.
        let _ = rustix::fs::futimens(&file, &times);
        Ok(())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if let Err(error) = remove_tree(&self.target, &self.name, &self.path) {
            tracing::warn!(%error, name = ?self.name, "what was unpacked could not be removed");
        }
    }
}

/// Removes an earlier member of the same name, as every tar does.
fn clear(place: &NameInDir, path: &Path) -> Result<()> {
    match rustix::fs::unlinkat(&place.dir, &place.name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(Errno::ISDIR | Errno::PERM) => {
            Err(invalid(path, "is a directory and a file in the same archive"))
        }
        Err(errno) => Err(Fault::from(errno).at(path)),
    }
}

/// Reports a link of the archive that must not be followed.
fn refuse(fault: Fault, path: &Path) -> FilesError {
    match fault {
        Fault::Outside => invalid(path, "goes through a link that leads out of the archive"),
        Fault::Os(error) if Errno::from_io_error(&error) == Some(Errno::NOTDIR) => {
            invalid(path, "lies below an entry that is no directory")
        }
        fault => fault.at(path),
    }
}

fn invalid(path: &Path, why: &str) -> FilesError {
    FilesError::Invalid(format!("the archive's entry for '{}' {why}", path.to_string_lossy()))
}

/// Returns an error of the stream, as one about the archive.
fn unreadable(error: std::io::Error) -> FilesError {
    super::unpacking::refused(BadArchive::Read(error))
}
