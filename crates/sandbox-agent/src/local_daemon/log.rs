//! The log of a daemon in the background: a file of bounded size and the one before it.
//!
//! The file is the daemon's standard error, so it also gets what is not written by the log: panics, and errors before
//! the log exists.

use super::place::{DaemonFolder, DaemonFolderError};
use std::fs::{self, File};
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval};

/// Size at which a new file is begun. Two files are kept.
pub(crate) const LOG_BYTES: u64 = 10 << 20;
/// Time between two looks at the size.
const LOOK: Duration = Duration::from_secs(1);

/// Opens the log for appending; it belongs to the user alone, as it may quote anything.
pub(crate) fn open_log(place: &DaemonFolder) -> Result<File, DaemonFolderError> {
    append(&place.log()).map_err(|error| DaemonFolderError::Io(place.log(), error))
}

/// Returns the file that the log was moved to when a new one was begun.
pub(crate) fn older_log(log: &Path) -> PathBuf {
    let mut name = log.as_os_str().to_owned();
    name.push(".1");
    name.into()
}

/// Begins a new file whenever the log has become too large or was deleted, forever.
pub(crate) async fn keep_log_small(log: PathBuf) {
    let mut looks = interval(LOOK);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        looks.tick().await;
        let (rotated, path) = (rotate(&log, LOG_BYTES), log.display());
        match rotated {
            Ok(true) => tracing::info!("the log before this line is in {path}.1"),
            Ok(false) => {}
            // The next look tries again.
            Err(error) => tracing::debug!("cannot begin a new log in {path}: {error}"),
        }
    }
}

/// Moves standard error to a new file if the one it writes to has `limit` bytes or no name.
fn rotate(log: &Path, limit: u64) -> std::io::Result<bool> {
    let written = File::from(std::io::stderr().as_fd().try_clone_to_owned()?).metadata()?;
    let named = fs::metadata(log).ok();
    let is_named = named.is_some_and(|named| (named.dev(), named.ino()) == (written.dev(), written.ino()));
    if is_named && written.len() < limit {
        return Ok(false);
    }
    if is_named {
        fs::rename(log, older_log(log))?;
    }
    rustix::stdio::dup2_stderr(append(log)?)?;
    Ok(is_named)
}

fn append(path: &Path) -> std::io::Result<File> {
    File::options().create(true).append(true).mode(0o600).open(path)
}
