//! Looking at what is there: one entry, or all of a directory.

use crate::entry::{Entry, kind};
use crate::error::{At, FilesError, Result, about};
use crate::files::{Files, Shared};
use crate::root::{Last, NameInDir};
use rustix::fs::{AtFlags, OFlags};
use rustix::io::Errno;
use sa_api::FsEntryType;
use sa_disk::first_names;
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A part of a listing.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// Only names that come after this one, in the order of their bytes.
    pub after: Option<OsString>,
    /// At most so many.
    pub limit: Option<usize>,
}

/// A part of a listing.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// Sorted by the bytes of their names.
    pub entries: Vec<Entry>,
    /// The name after which the next page begins; none on the last page.
    pub next: Option<OsString>,
}

impl Files {
    /// Returns the metadata of the file at a path.
    pub async fn stat(&self, path: &OsStr, last: Last) -> Result<Entry> {
        let located = self.locate(path)?;
        self.run(move |shared| {
            let place = shared.root.place(&located.beneath, last).at(&located.absolute)?;
            entry(&place, &located.absolute).at(&located.absolute)
        })
        .await
    }

    pub async fn list(&self, path: &OsStr, page: Page) -> Result<Listing> {
        let located = self.locate(path)?;
        self.run(move |shared| {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY;
            let dir = shared.root.open_at(&located.beneath, flags).at(&located.absolute)?;
            list(shared, dir, &located.absolute, &page)
        })
        .await
    }
}

/// Returns the metadata of the file at a place.
pub(crate) fn entry(place: &NameInDir, path: &Path) -> Result<Entry, Errno> {
    look(&place.dir, &place.name, path)
}

fn look(dir: &OwnedFd, name: &OsStr, path: &Path) -> Result<Entry, Errno> {
    let stat = rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
    let target = match kind(&stat) {
        FsEntryType::Symlink => rustix::fs::readlinkat(dir, name, Vec::new()).ok(),
        _ => None,
    };
    let target = target.map(|target| OsStr::from_bytes(target.to_bytes()).to_owned());
    Ok(Entry::new(path.to_owned(), &stat, target))
}

fn list(shared: &Shared, dir: OwnedFd, path: &Path, page: &Page) -> Result<Listing> {
    let mut names = names(&dir, shared.limits.directory_entries, path)?;
    names.sort_unstable();
    if let Some(after) = &page.after {
        let start = names.partition_point(|name| name <= after);
        names.drain(..start);
    }
    let most = shared.limits.listed_entries;
    let all = names.len();
    match page.limit {
        Some(limit) => names.truncate(limit.min(most)),
        None if all > most => {
            let why = format!("has {all} entries; ask for at most {most} at once with `limit` and `after`");
            return Err(FilesError::TooLarge(about(path, why)));
        }
        None => {}
    }
    let next = names.last().filter(|_| names.len() < all).cloned();
    // A missing entry was deleted while the listing was made.
    let found = names.iter().filter_map(|name| match look(&dir, name, &path.join(name)) {
        Err(Errno::NOENT) => None,
        other => Some(other.at(path)),
    });
    Ok(Listing { entries: found.collect::<Result<_, _>>()?, next })
}

/// Reads the names in a directory, in no order.
pub(crate) fn names(dir: &OwnedFd, most: usize, path: &Path) -> Result<Vec<OsString>> {
    let names = first_names(dir, most.saturating_add(1)).at(path)?;
    if names.len() > most {
        let why = format!("has more than {most} entries; see files.directory-entries");
        return Err(FilesError::TooLarge(about(path, why)));
    }
    Ok(names)
}
