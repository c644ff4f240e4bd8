//! Opening a database: whose it is, whether it is whole, and which version it has.

use crate::error::{OpenError, Result, StoreError};
use crate::files::{self, Condition, beside};
use crate::limits::{BUSY_WAIT, CHECKED_BYTES, LOG_FILE_BYTES};
use crate::options::{Meaning, StoreOptions, Synchronous};
use crate::schema::{self, standing};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use sa_disk::FileLock;
use std::path::{Path, PathBuf};

/// A file that was opened for the writer.
pub(crate) struct Opened {
    pub(crate) connection: Connection,
    pub(crate) lock: FileLock,
    pub(crate) path: PathBuf,
    pub(crate) condition: Condition,
}

/// Opens a file for the writer, and makes it if there is none.
pub(crate) fn open(path: &Path, options: &StoreOptions) -> Result<Opened, OpenError> {
    files::make_directory(path)?;
    let path = std::path::absolute(path).map_err(|error| OpenError::Io(error.to_string()))?;
    let lock = files::lock(&path)?;
    let condition = files::inspect(&path)?;
    if condition == Condition::Missing {
        create(&path)?;
    }
    files::narrow(&path)?;
    let said = |error: StoreError| refused(&path, error);
    let mut connection = connect(&path).map_err(|error| said(error.into()))?;
    check(&connection, condition, &path)?;
    prepare(&mut connection, options).map_err(said)?;
    Ok(Opened { connection, lock, path, condition })
}

/// Returns a store without a file. It is gone with its connection.
pub(crate) fn in_memory() -> Result<Connection, OpenError> {
    let make = || -> Result<Connection> {
        let mut connection = Connection::open_in_memory()?;
        schema::migrate(&mut connection, &Meaning::default())?;
        configure(&connection)?;
        Ok(connection)
    };
    make().map_err(|error| OpenError::Io(error.to_string()))
}

/// Returns a connection that only reads.
pub(crate) fn reader(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_WAIT)?;
    configure(&connection)?;
    Ok(connection)
}

/// Returns a connection that copies the log of one that writes.
pub(crate) fn copier(path: &Path) -> Result<Connection> {
    let connection = connect(path)?;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", 0, |_| Ok(()))?;
    // One that has never read does not know that there is a log, and copies nothing.
    connection.pragma_query_value(None, "user_version", |_| Ok(()))?;
    Ok(connection)
}

/// Makes an empty database next to its place and moves it there once it is whole. So a file of that name that is empty or
/// lacks a table was once more than that. Nothing reads the file before it has its name, so it is synced once, at the end:
/// a journal would sync each step of the schema, which took most of a first start.
fn create(path: &Path) -> Result<(), OpenError> {
    let new = beside(path, "-new");
    files::make_private(&new)?;
    let make = || -> Result<()> {
        let mut connection = connect(&new)?;
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
        connection.pragma_update(None, "synchronous", "OFF")?;
        connection.pragma_update_and_check(None, "journal_mode", "MEMORY", |_| Ok(()))?;
        schema::migrate(&mut connection, &Meaning::default())?;
        // The mode is kept in the file, so the connection that opens it next changes nothing.
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
        connection.close().map_err(|(_, error)| error.into())
    };
    make().map_err(|error| refused(path, error))?;
    files::publish(&new, path)
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_WAIT)?;
    Ok(connection)
}

/// Refuses what is damaged or not for this version, before anything is written.
fn check(connection: &Connection, condition: Condition, path: &Path) -> Result<(), OpenError> {
    let corrupt = |detail: String| OpenError::Corrupt { path: path.to_owned(), detail };
    let said = |error: rusqlite::Error| refused(path, error.into());
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).map_err(said);
    // The first statement that reads: what the log of an unclean end holds is put in place here.
    let (application, found) = (number("application_id")?, number("user_version")?);
    if application != schema::APPLICATION || found < 1 {
        return Err(corrupt("it is a database of something else".to_owned()));
    }
    if found > schema::VERSION {
        return Err(OpenError::Newer { found, known: schema::VERSION });
    }
    if !schema::is_whole(connection, found).map_err(|error| refused(path, error))? {
        return Err(corrupt(format!("its tables are not those of version {found}")));
    }
    if !schema::has_order(connection, found).map_err(said)? {
        return Err(corrupt("its rows are out of order".to_owned()));
    }
    let size = number("page_count")?.saturating_mul(number("page_size")?).cast_unsigned();
    let on_disk = std::fs::metadata(path).map_or(0, |file| file.len());
    // One that is shorter than it says has lost something, whatever its size.
    if condition == Condition::Doubtful && (size <= CHECKED_BYTES || on_disk < size) {
        let found: String =
            connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(said)?;
        if found != "ok" {
            return Err(corrupt(found.lines().collect::<Vec<_>>().join("; ")));
        }
    }
    Ok(())
}

fn prepare(connection: &mut Connection, options: &StoreOptions) -> Result<()> {
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    let level = match options.synchronous {
        Synchronous::Normal => "NORMAL",
        Synchronous::Full => "FULL",
    };
    connection.pragma_update(None, "synchronous", level)?;
    // The writer copies the log itself, after it has answered.
    connection.pragma_update_and_check(None, "wal_autocheckpoint", 0, |_| Ok(()))?;
    connection.pragma_update_and_check(None, "journal_size_limit", LOG_FILE_BYTES, |_| Ok(()))?;
    schema::migrate(connection, &options.meaning)?;
    // The remains of an import that was cut off.
    let doom = "UPDATE sessions SET standing = ?1 WHERE standing = ?2";
    connection.execute(doom, [standing::DOOMED, standing::STAGED])?;
    Ok(configure(connection)?)
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "cell_size_check", true)?;
    // Plans that do not depend on parameters. Otherwise statements are prepared again for each value, half of a
    // commit's cost.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

fn refused(path: &Path, error: StoreError) -> OpenError {
    match error {
        StoreError::Corrupt(detail) => OpenError::Corrupt { path: path.to_owned(), detail },
        StoreError::Full => OpenError::Full,
        StoreError::Exhausted(_) | StoreError::Io(_) if files::has_no_room(path) => OpenError::Full,
        // A file that cannot be opened at the start most likely belongs to somebody else.
        StoreError::Exhausted(said) => OpenError::Io(StoreError::Io(said).to_string()),
        other => OpenError::Io(other.to_string()),
    }
}
