//! Going through a directory that begins to be watched: each directory in it is observed before its entries are read, so
//! that nothing happens between the two unseen.

use super::changes::Changes;
use super::notice::Id;
use super::observer::Observer;
use crate::entry::kind;
use crate::error::{FilesError, Result};
use crate::rules::Rules;
use crate::tree::{Opened, Step, Tree, TreeEntry, Visitor};
use rustix::io::Errno;
use sa_api::FsEntryType;
use sa_disk::is_temporary_name;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const NOT_ALL: &str = "there are more directories than one watch observes; see files.watch-directories";
const NO_MORE: &str = "the system observes no more directories; see fs.inotify.max_user_watches";
const TOO_LONG: &str = "it takes too long to look through the directory";

/// Timeout of one scan.
const PATIENCE: Duration = Duration::from_secs(30);

/// One scan, for an observer.
pub(super) struct Scan<'a> {
    observer: &'a mut Observer,
    /// The directory that the first one is in, and its name there. None at the start of a watch.
    place: Option<(Id, &'a OsStr)>,
    /// Takes the entries as created. None at the start of a watch.
    changes: Option<&'a mut Changes>,
    /// The directories from the first one to where the scan is.
    ids: Vec<Id>,
    deadline: Instant,
}

impl<'a> Scan<'a> {
    /// Scans the directory that a watch is for.
    pub(super) fn first(observer: &'a mut Observer) -> Self {
        let deadline = Instant::now() + PATIENCE;
        Self { observer, place: None, changes: None, ids: Vec::new(), deadline }
    }

    /// Scans a directory that appeared in one that is observed.
    pub(super) fn below(
        observer: &'a mut Observer,
        parent: Id,
        name: &'a OsStr,
        changes: &'a mut Changes,
    ) -> Self {
        let (place, changes) = (Some((parent, name)), Some(changes));
        Self { place, changes, ..Self::first(observer) }
    }

    /// Observes a directory and, where that is wanted, those below it.
    pub(super) fn walk(mut self, tree: Tree, rules: Option<Rules>) -> Result<()> {
        let shared = Arc::clone(&self.observer.shared);
        tree.walk(&shared, rules, &mut self)
    }

    /// Returns whether the time is up. The rest of the tree is not watched then.
    fn is_late(&mut self, path: &Path) -> bool {
        let is_late = Instant::now() >= self.deadline;
        if is_late {
            self.observer.overflow(path.to_owned(), TOO_LONG);
        }
        is_late
    }
}

impl Visitor for Scan<'_> {
    fn enter(&mut self, opened: &Opened<'_>) -> Result<Step> {
        self.ids.truncate(opened.depth);
        let observer = &mut *self.observer;
        if observer.nodes.len() >= observer.shared.limits.watch_directories {
            observer.overflow(opened.path.to_owned(), NOT_ALL);
            return Ok(Step::Past);
        }
        let id = match observer.source.add(opened.dir) {
            Ok(id) => id,
            Err(Errno::NOSPC | Errno::NOMEM) => {
                observer.overflow(opened.path.to_owned(), NO_MORE);
                return Ok(Step::Past);
            }
            // Gone before it could be observed.
            Err(Errno::NOENT) => return Ok(Step::Past),
            Err(errno) => {
                let error = FilesError::from_io(&io::Error::from(errno), opened.path);
                observer.unwatched(opened.path.to_owned(), &error);
                return Ok(Step::Past);
            }
        };
        let parent = self.ids.last().copied().zip(opened.relative.file_name()).or(self.place);
        if !observer.nodes.add(id, parent, opened.rules.cloned()) {
            return Ok(Step::Past);
        }
        if parent.is_none() {
            observer.root = Some(id);
        }
        self.ids.push(id);
        Ok(if observer.options.recursive { Step::On } else { Step::Past })
    }

    fn entry(&mut self, found: &TreeEntry<'_>) -> Result<Step> {
        if is_temporary_name(found.name.as_bytes()) {
            return Ok(Step::Past);
        }
        if self.is_late(found.path) {
            return Ok(Step::Stop);
        }
        let most = self.observer.shared.limits.watch_pending;
        if let Some(changes) = self.changes.as_mut().filter(|changes| !changes.is_full(most)) {
            changes.add(
                found.path.to_owned(),
                sa_api::FsChangeKind::Created,
                kind(found.stat) == FsEntryType::Directory,
            );
        }
        Ok(Step::On)
    }

    fn excluded(&mut self, path: &Path) -> Step {
        if self.is_late(path) { Step::Stop } else { Step::Past }
    }

    fn unreadable(&mut self, path: &Path, error: FilesError) -> Result<()> {
        self.observer.unwatched(path.to_owned(), &error);
        Ok(())
    }
}
