//! The files of a store: the database, its write-ahead log beside it, and the lock that one process holds.

use crate::error::OpenError;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// The right to use a database. The system takes it back when the process ends, however it does.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes it, or says who has it.
    pub(crate) fn take(database: &Path) -> Result<Self, OpenError> {
        let path = beside(database, "-lock");
        let mut file = private().read(true).truncate(false).open(&path).map_err(at(&path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut said = String::new();
                let holder = file.read_to_string(&mut said).ok().and_then(|_| said.trim().parse().ok());
                return Err(OpenError::InUse { path: database.to_owned(), holder });
            }
            Err(TryLockError::Error(error)) => return Err(at(&path)(error)),
        }
        // For the message only, so a full disk is no obstacle.
        let _ = file.set_len(0).and_then(|()| write!(file, "{}", std::process::id()));
        Ok(Self { _file: file })
    }
}

/// How the files are before SQLite looks at them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condition {
    /// There is none yet.
    Missing,
    /// As a clean end leaves it.
    Clean,
    /// It was not closed, or its size is not what its header says.
    Doubtful,
}

/// Looks at the files. What cannot be a store of ours is refused here.
pub(crate) fn inspect(database: &Path) -> Result<Condition, OpenError> {
    let corrupt = |detail: &str| OpenError::Corrupt { path: database.to_owned(), detail: detail.to_owned() };
    let log = beside(database, "-wal");
    let unclean = match fs::metadata(&log) {
        Ok(log) => log.len() > 0,
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => return Err(at(&log)(error)),
    };
    let mut file = match File::open(database) {
        Ok(file) => file,
        // A new database would take the old one's log for its own.
        Err(error) if error.kind() == ErrorKind::NotFound && unclean => {
            return Err(corrupt("the database is gone, only its -wal file is left"));
        }
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Condition::Missing),
        Err(error) => return Err(at(database)(error)),
    };
    let size = file.metadata().map_err(at(database))?.len();
    let mut header = [0; 100];
    if let Err(error) = file.read_exact(&mut header) {
        let short = error.kind() == ErrorKind::UnexpectedEof;
        return Err(if short { corrupt("it is cut off within its header") } else { at(database)(error) });
    }
    if !header.starts_with(b"SQLite format 3\0") {
        return Err(corrupt("it does not begin as a database does"));
    }
    let said = said_size(&header);
    Ok(if unclean || said != Some(size) { Condition::Doubtful } else { Condition::Clean })
}

/// The size that a database's header says it has: the page size at byte 16, the number of pages at byte 28.
fn said_size(header: &[u8; 100]) -> Option<u64> {
    let page = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65_536,
        size => u64::from(size),
    };
    let pages = u32::from_be_bytes([header[28], header[29], header[30], header[31]]);
    page.checked_mul(u64::from(pages))
}

/// Makes the directory that a database is to lie in, for its owner only.
pub(crate) fn make_directory(database: &Path) -> Result<(), OpenError> {
    let Some(directory) = database.parent().filter(|parent| !parent.as_os_str().is_empty()) else {
        return Ok(());
    };
    DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(at(directory))
}

/// Makes an empty file that only its owner can read; one that is there is emptied.
pub(crate) fn make_private(path: &Path) -> Result<(), OpenError> {
    private().truncate(true).open(path).map(drop).map_err(at(path))
}

/// Takes others' rights to a file away; SQLite gives its other files the same ones.
pub(crate) fn narrow(path: &Path) -> Result<(), OpenError> {
    fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(at(path))
}

/// Writes a finished database to the disk, then gives it its name, for good.
pub(crate) fn publish(made: &Path, database: &Path) -> Result<(), OpenError> {
    File::open(made).and_then(|file| file.sync_all()).map_err(at(made))?;
    fs::rename(made, database).map_err(at(database))?;
    let directory = database.parent().filter(|parent| !parent.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    File::open(directory).and_then(|directory| directory.sync_all()).map_err(at(directory))
}

/// Whether a file can no longer grow beyond the size of the database and its log, for want of room.
///
/// SQLite reports only `ENOSPC` as a full disk; a used-up quota or file-size limit is to it an error of writing like any other.
pub(crate) fn has_no_room(database: &Path) -> bool {
    let size = |path: &Path| fs::metadata(path).map_or(0, |file| file.len());
    let offset = size(database).max(size(&beside(database, "-wal")));
    let path = beside(database, "-room");
    let probe = || -> io::Result<()> {
        let mut file = private().truncate(true).open(&path)?;
        file.seek(SeekFrom::Start(offset))?;
        file.write_all(&[1; 65_536])
    };
    let refused = probe().err().map(|error| error.kind());
    let _ = fs::remove_file(&path);
    matches!(refused, Some(ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge))
}

/// A file beside the database, with its name and an ending.
pub(crate) fn beside(database: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(database);
    name.push(ending);
    PathBuf::from(name)
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true).mode(0o600);
    options
}

fn at(path: &Path) -> impl Fn(io::Error) -> OpenError + '_ {
    move |error| match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => OpenError::Full,
        _ => OpenError::Io(format!("{}: {error}", path.display())),
    }
}
