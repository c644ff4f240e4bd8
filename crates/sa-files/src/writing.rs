//! Writing a file as its bytes come in, and putting it in place when all of them are there.

use crate::condition::Conditions;
use crate::descent::Descent;
use crate::entry::{Version, kind, mode};
use crate::error::{At, FilesError, Result, about};
use crate::files::{Files, Located, Shared};
use crate::made::Made;
use crate::root::{Last, NameInDir};
use bytes::Bytes;
use rustix::fs::{Gid, Mode, Stat, Uid};
use rustix::io::Errno;
use sa_api::FsEntryType;
use sa_disk::{UnnamedFile, sync_dir};
use std::ffi::{OsStr, OsString};
use std::io::{IoSlice, Write};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use tokio::task::JoinHandle;

/// Options of a write.
#[derive(Debug, Clone, Default)]
pub struct WriteOptions {
    /// Conditions on the existing file.
    pub conditions: Conditions,
    /// The permissions; otherwise those of the file that is replaced, or the usual ones.
    pub mode: Option<u32>,
    /// Do not wait until the bytes are on the disk.
    pub no_sync: bool,
}

/// A file that was written.
#[derive(Debug, Clone)]
pub struct Written {
    pub path: PathBuf,
    /// The size of the file in bytes.
    pub bytes: u64,
    pub version: Version,
    /// False if it replaced another file.
    pub is_new: bool,
}

/// A file in the making. Dropped before it is finished, it leaves nothing behind.
#[derive(Debug)]
pub struct Upload {
    files: Files,
    located: Located,
    options: WriteOptions,
    state: State,
    /// The name in the draft's directory. None if directories above the file are missing: they are made at the end.
    name: Option<OsString>,
    waiting: Vec<Bytes>,
    waiting_bytes: usize,
    bytes: u64,
}

/// The owner of the draft at the moment.
#[derive(Debug)]
enum State {
    Idle(UnnamedFile),
    /// With a thread that writes; the next bytes come in meanwhile.
    Writing(JoinHandle<Result<UnnamedFile>>),
    Broken,
}

/// The usual permissions, before the process's mask.
const USUAL: Mode = Mode::from_raw_mode(0o666);
/// Permissions while a file is written that replaces another, whose own may be narrower than the usual ones.
const PRIVATE: Mode = Mode::from_raw_mode(0o600);
/// Permissions of directories, before the process's mask.
pub(crate) const DIRECTORY: Mode = Mode::from_raw_mode(0o777);

impl Files {
    /// Begins to write the file at a path. Directories that are missing are made.
    pub async fn write(&self, path: &OsStr, options: WriteOptions) -> Result<Upload> {
        let located = self.locate(path)?;
        let (place, checked) = (located.clone(), options.clone());
        let (draft, name) = self.run(move |shared| begin(shared, &place, &checked)).await?;
        Ok(Upload {
            files: self.clone(),
            located,
            options,
            state: State::Idle(draft),
            name,
            waiting: Vec::new(),
            waiting_bytes: 0,
            bytes: 0,
        })
    }
}

fn begin(
    shared: &Shared,
    located: &Located,
    options: &WriteOptions,
) -> Result<(UnnamedFile, Option<OsString>)> {
    let path = &located.absolute;
    let (dir, name, present) = nearest(shared, located)?;
    options.conditions.check(present.as_ref().map(Version::of).as_ref(), path)?;
    let mode = if present.is_some() || options.mode.is_some() { PRIVATE } else { USUAL };
    Ok((UnnamedFile::create(dir, mode).at(path)?, name))
}

/// Returns the directory of the file, its name and the file that is there. Where directories are missing, this is the
/// last one that exists, and no name: they are made when the whole body is there.
fn nearest(shared: &Shared, located: &Located) -> Result<(OwnedFd, Option<OsString>, Option<Stat>)> {
    let path = &located.absolute;
    match shared.root.place(&located.beneath, Last::Follow) {
        Err(fault) if fault.is_missing() => {
            let mut descent = Descent::new(&shared.root).at(path)?.stopping();
            Ok((descent.place(&located.beneath, Last::Follow).at(path)?.dir, None, None))
        }
        place => {
            let place = place.at(path)?;
            let present = present(&place, located)?;
            Ok((place.dir, Some(place.name), present))
        }
    }
}

/// Returns where the draft goes, and the directories that were made for it.
fn destination(
    shared: &Shared,
    located: &Located,
    draft: &UnnamedFile,
    name: Option<OsString>,
) -> Result<(NameInDir, Made)> {
    let path = &located.absolute;
    match name {
        // A request that failed may have removed the directory again, if it had made it.
        Some(name) if rustix::fs::fstat(draft.dir()).at(path)?.st_nlink > 0 => {
            Ok((NameInDir { dir: draft.dir().try_clone().at(path)?, name }, Made::default()))
        }
        _ => shared.root.place_making_parents(&located.beneath, Last::Follow, DIRECTORY).at(path),
    }
}

/// Returns the file that is to be replaced; anything but a regular file is not.
fn present(place: &NameInDir, located: &Located) -> Result<Option<Stat>> {
    let path = &located.absolute;
    let refuse = |what: &str| Err(FilesError::Conflict(about(path, what)));
    let stat = match place.stat() {
        Err(Errno::NOENT) => return Ok(None),
        other => other.at(path)?,
    };
    match kind(&stat) {
        FsEntryType::File => Ok(Some(stat)),
        FsEntryType::Directory => refuse("is a directory"),
        // It was resolved just now, so it was put there in this moment.
        FsEntryType::Symlink => refuse("is a symbolic link that changes"),
        FsEntryType::Other => refuse("is not a regular file"),
    }
}

impl Upload {
    /// Takes the next bytes; waits for the disk when enough of them are there.
    pub async fn push(&mut self, bytes: Bytes) -> Result<()> {
        self.bytes += bytes.len() as u64;
        if let Some(largest) = self.files.limits().largest_file()
            && self.bytes > largest
        {
            return Err(FilesError::TooLarge(format!(
                "the file exceeds {largest} bytes; see files.file-bytes"
            )));
        }
        self.waiting_bytes += bytes.len();
        self.waiting.push(bytes);
        if self.waiting_bytes >= self.files.limits().chunk_bytes { self.flush().await } else { Ok(()) }
    }

    /// Has what waits written, as soon as what came before it is.
    async fn flush(&mut self) -> Result<()> {
        let mut draft = self.settle().await?;
        self.waiting_bytes = 0;
        let waiting = std::mem::take(&mut self.waiting);
        let path = self.located.absolute.clone();
        // Not counted among the operations that wait for each other: a transfer that has begun continues.
        self.state = State::Writing(tokio::task::spawn_blocking(move || {
            let mut slices: Vec<IoSlice<'_>> = waiting.iter().map(|bytes| IoSlice::new(bytes)).collect();
            write_all(&mut draft.file, &mut slices).at(&path)?;
            Ok(draft)
        }));
        Ok(())
    }

    /// Returns the draft, once nothing writes to it.
    async fn settle(&mut self) -> Result<UnnamedFile> {
        match std::mem::replace(&mut self.state, State::Broken) {
            State::Idle(draft) => Ok(draft),
            State::Writing(writing) => writing.await.map_err(|_| broken())?,
            State::Broken => Err(broken()),
        }
    }

    /// Puts the file in place.
    pub async fn finish(mut self) -> Result<Written> {
        if !self.waiting.is_empty() {
            self.flush().await?;
        }
        let draft = self.settle().await?;
        let Self { files, located, options, name, bytes, .. } = self;
        files.run(move |shared| commit(shared, &located, &options, draft, name, bytes)).await
    }
}

fn commit(
    shared: &Shared,
    located: &Located,
    options: &WriteOptions,
    draft: UnnamedFile,
    name: Option<OsString>,
    bytes: u64,
) -> Result<Written> {
    let path = &located.absolute;
    let file = draft.file.try_clone().at(path)?;
    if !options.no_sync {
        file.sync_data().at(path)?;
    }
    let names = shared.lock_names();
    let (place, made) = destination(shared, located, &draft, name)?;
    let replaced = present(&place, located)?;
    options.conditions.check(replaced.as_ref().map(Version::of).as_ref(), path)?;
    adopt(&draft, replaced.as_ref(), options.mode).at(path)?;
    if options.conditions.must_be_new() {
        match draft.link_as(&place.dir, &place.name) {
            Err(Errno::EXIST) => return Err(Conditions::not_new(path)),
            other => other.at(path)?,
        }
    } else {
        draft.rename_to(&place.dir, &place.name).at(path)?;
    }
    made.keep();
    drop(names);
    if !options.no_sync {
        sync_dir(&place.dir).at(path)?;
    }
    // Naming it changed the time of its last change, which is part of its version.
    let version = Version::of(&rustix::fs::fstat(&file).at(path)?);
    Ok(Written { path: path.clone(), bytes, version, is_new: replaced.is_none() })
}

/// Gives the new file the permissions and, as far as the system lets us, the owner of the one it replaces.
fn adopt(draft: &UnnamedFile, replaced: Option<&Stat>, chosen: Option<u32>) -> Result<(), Errno> {
    let Some(bits) = chosen.or(replaced.map(mode)) else { return Ok(()) };
    if let Some(stat) = replaced {
        let own = rustix::fs::fstat(&draft.file)?;
        if (own.st_uid, own.st_gid) != (stat.st_uid, stat.st_gid) {
            let (owner, group) = (Uid::from_raw(stat.st_uid), Gid::from_raw(stat.st_gid));
            // Only root may give files away; for others the file is theirs from now on.
            let _ = rustix::fs::fchown(&draft.file, Some(owner), Some(group));
        }
    }
    rustix::fs::fchmod(&draft.file, Mode::from_raw_mode(bits as _))
}

/// Writes all slices with as few system calls as the system needs.
fn write_all(file: &mut std::fs::File, mut slices: &mut [IoSlice<'_>]) -> std::io::Result<()> {
    while !slices.is_empty() {
        match file.write_vectored(slices) {
            Ok(0) => return Err(std::io::ErrorKind::WriteZero.into()),
            Ok(written) => IoSlice::advance_slices(&mut slices, written),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn broken() -> FilesError {
    FilesError::Io { path: "upload".to_owned(), reason: "an earlier write failed".to_owned() }
}
