//! The files of a store: the database, its write-ahead log next to it, and the lock that one process holds.

use crate::error::OpenError;
use sa_disk::{FileLock, at, sync};
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Takes the right to use a database, or says which process has it.
pub(crate) fn lock(database: &Path) -> Result<FileLock, OpenError> {
    let path = beside(database, "-lock");
    let Some(lock) = FileLock::try_take(&path)? else {
        let holder = fs::read_to_string(&path).ok().and_then(|pid| pid.trim().parse().ok());
        return Err(OpenError::InUse { path: database.to_owned(), holder });
    };
    // For the message only, so a full disk is no obstacle.
    let _ = fs::write(&path, std::process::id().to_string());
    Ok(lock)
}

/// The condition of the files before SQLite opens them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condition {
    /// There is none yet.
    Missing,
    /// The database was closed properly.
    Clean,
    /// The database was not closed, or its size is not the one in its header.
    Doubtful,
}

/// Inspects the files. Refuses a file that cannot be a store.
pub(crate) fn inspect(database: &Path) -> Result<Condition, OpenError> {
    let corrupt = |detail: &str| OpenError::Corrupt { path: database.to_owned(), detail: detail.to_owned() };
    let log = beside(database, "-wal");
    let unclean = match fs::metadata(&log) {
        Ok(log) => log.len() > 0,
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => return Err(at(log)(error).into()),
    };
    let mut file = match File::open(database) {
        Ok(file) => file,
        // A new database would take the old one's log for its own.
        Err(error) if error.kind() == ErrorKind::NotFound && unclean => {
            return Err(corrupt("the database is gone, only its -wal file is left"));
        }
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Condition::Missing),
        Err(error) => return Err(at(database)(error).into()),
    };
    let size = file.metadata().map_err(at(database))?.len();
    let mut header = [0; 100];
    if let Err(error) = file.read_exact(&mut header) {
        let short = error.kind() == ErrorKind::UnexpectedEof;
        return Err(if short {
            corrupt("it is cut off within its header")
        } else {
            at(database)(error).into()
        });
    }
    if !header.starts_with(b"SQLite format 3\0") {
        return Err(corrupt("it does not begin as a database does"));
    }
    let said = said_size(&header);
    Ok(if unclean || said != Some(size) { Condition::Doubtful } else { Condition::Clean })
}

/// Returns the size that a database's header says it has: the page size at byte 16, the number of pages at byte 28.
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
    Ok(DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(at(directory))?)
}

/// Makes an empty file that only its owner can read; one that is there is emptied.
pub(crate) fn make_private(path: &Path) -> Result<(), OpenError> {
    private().truncate(true).open(path).map_err(at(path))?;
    Ok(())
}

/// Takes others' rights to a file away; SQLite gives its other files the same ones.
pub(crate) fn narrow(path: &Path) -> Result<(), OpenError> {
    Ok(fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(at(path))?)
}

/// Writes a finished database to the disk, then gives it its name, for good.
pub(crate) fn publish(made: &Path, database: &Path) -> Result<(), OpenError> {
    sync(made)?;
    fs::rename(made, database).map_err(at(database))?;
    let directory = database.parent().filter(|parent| !parent.as_os_str().is_empty());
    Ok(sync(directory.unwrap_or(Path::new(".")))?)
}

/// Returns whether a file can no longer grow beyond the size of the database and its log, because the disk is full.
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

/// Returns a file next to the database, with its name and an ending.
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
