//! Which directories are observed, and what their notices mean.

use super::changes::Changes;
use super::nodes::Nodes;
use super::notice::{Id, Notice, What};
use super::scan::Scan;
use super::source::Source;
use super::{WatchEvent, WatchOptions};
use crate::entry::kind;
use crate::error::{At, Fault, FilesError, Result, text};
use crate::files::{Located, Shared};
use crate::root::Last;
use crate::rules::Rules;
use crate::tree::Tree;
use rustix::fs::OFlags;
use rustix::io::Errno;
use sa_api::{FsChangeKind, FsEntryType, FsOverflow, FsWatchReady};
use sa_disk::is_temporary_name;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;

const LOST: &str = "more changed at once than could be reported";
/// Overflows that are sent at once; the next one stands for all.
const OVERFLOWS: usize = 16;

/// All that one watch observes.
#[derive(Debug)]
pub(super) struct Observer {
    pub(super) shared: Arc<Shared>,
    located: Located,
    pub(super) options: WatchOptions,
    /// The one name that is watched, where it is no directory.
    only: Option<OsString>,
    pub(super) source: Source,
    pub(super) nodes: Nodes,
    pub(super) root: Option<Id>,
    /// Events to send in addition to changes.
    overflows: Vec<FsOverflow>,
    over: bool,
    /// The last look did not see everything.
    unread: bool,
}

impl Observer {
    /// Observes what is at a path, and all below it.
    pub(super) fn start(shared: Arc<Shared>, located: Located, options: WatchOptions) -> Result<Self> {
        let path = located.absolute.clone();
        let place = shared.root.place(&located.beneath, Last::Follow).at(&path)?;
        let is_dir = kind(&place.stat().at(&path)?) == FsEntryType::Directory;
        let source = Source::new().at(&path)?;
        let mut observer = Self {
            options: WatchOptions { recursive: options.recursive && is_dir, ..options },
            only: (!is_dir).then_some(place.name.clone()),
            source,
            nodes: Nodes::default(),
            root: None,
            overflows: Vec::new(),
            over: false,
            unread: false,
            located,
            shared,
        };
        let tree = match is_dir {
            true => Tree::open(&observer.shared, &observer.located)?,
            false => Tree::new(place.dir, path.clone()),
        };
        let rules = || Rules::above(&observer.shared.root, &observer.located);
        let rules = (!options.with_ignored && is_dir).then(rules);
        Scan::first(&mut observer).walk(tree, rules)?;
        if observer.root.is_none() {
            let path = text(&path);
            return Err(match observer.overflows.pop() {
                Some(FsOverflow { reason, .. }) => {
                    FilesError::TooMany(format!("'{path}' cannot be watched: {reason}"))
                }
                None => FilesError::NotFound(path),
            });
        }
        Ok(observer)
    }

    pub(super) fn ready(&mut self) -> Vec<WatchEvent> {
        let directories = self.nodes.len() as u64;
        let ready = FsWatchReady { path: text(&self.located.absolute), directories };
        std::iter::once(WatchEvent::Ready(ready)).chain(self.take_overflows()).collect()
    }

    /// Waits until something happened.
    pub(super) async fn readable(&self) -> io::Result<()> {
        if self.unread { Ok(()) } else { self.source.readable().await }
    }

    /// Returns whether the watched entry is gone.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// Returns the changes since the last call.
    pub(super) fn look(&mut self) -> Vec<WatchEvent> {
        let mut changes = Changes::default();
        let most = self.shared.limits.watch_pending.max(1);
        let mut notices = Vec::new();
        self.unread = !self.source.read(most, |notice| notices.push(notice));
        for notice in notices {
            self.take(notice, &mut changes);
            if changes.is_full(most) {
                self.overflow(self.located.absolute.clone(), LOST);
                changes = Changes::default();
            }
        }
        self.take_overflows().chain(changes.into_events()).collect()
    }

    fn take_overflows(&mut self) -> impl Iterator<Item = WatchEvent> + use<> {
        std::mem::take(&mut self.overflows).into_iter().map(WatchEvent::Overflow)
    }

    fn take(&mut self, notice: Notice, changes: &mut Changes) {
        match notice {
            Notice::Lost => self.overflow(self.located.absolute.clone(), LOST),
            Notice::Gone { id } if Some(id) == self.root => {
                self.over = true;
                if self.only.is_none() {
                    changes.add(self.located.absolute.clone(), FsChangeKind::Removed, true);
                }
            }
            // The parent reports the same.
            Notice::Gone { .. } => {}
            Notice::Entry { id, name, what, directory } => self.entry(id, &name, what, directory, changes),
        }
    }

    fn entry(&mut self, id: Id, name: &OsStr, what: What, directory: bool, changes: &mut Changes) {
        if !self.nodes.has(id) {
            return;
        }
        let other = self.only.as_deref().is_some_and(|only| only != name);
        if other || is_temporary_name(name.as_bytes()) {
            return;
        }
        let relative = self.nodes.relative(id).join(name);
        let absolute = &self.located.absolute;
        let path = if self.only.is_some() { absolute.clone() } else { absolute.join(&relative) };
        let rules = self.nodes.rules(id).cloned();
        if rules.as_ref().is_some_and(|rules| rules.exclude(&path, directory)) {
            return;
        }
        let kind = match what {
            What::Appeared => FsChangeKind::Created,
            What::Changed => FsChangeKind::Modified,
            What::Disappeared => FsChangeKind::Removed,
        };
        changes.add(path.clone(), kind, directory);
        if !directory || !self.options.recursive {
            return;
        }
        match what {
            What::Disappeared => {
                for id in self.nodes.remove(id, name) {
                    self.source.remove(id);
                }
            }
            What::Appeared => {
                let beneath = self.located.beneath.join(&relative);
                let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW;
                match self.shared.root.open_at(&beneath, flags) {
                    Ok(dir) => {
                        let scanned = Scan::below(self, id, name, changes).walk(Tree::new(dir, path), rules);
                        if let Err(error) = scanned {
                            tracing::warn!(%error, "a directory is not watched");
                        }
                    }
                    Err(fault) if is_gone(&fault) => {}
                    Err(fault) => {
                        let error = fault.at(&path);
                        self.unwatched(path, &error);
                    }
                }
            }
            What::Changed => {}
        }
    }

    /// Notes that a directory is not observed because it could not be opened or read.
    pub(super) fn unwatched(&mut self, path: PathBuf, error: &FilesError) {
        self.overflow(path, &format!("not watched: {error}"));
    }

    pub(super) fn overflow(&mut self, path: PathBuf, reason: &str) {
        let overflow = FsOverflow { path: text(&path), reason: reason.to_owned() };
        if self.overflows.contains(&overflow) {
            return;
        }
        match self.overflows.len() {
            ..OVERFLOWS => self.overflows.push(overflow),
            OVERFLOWS => {
                let (path, reason) = (text(&self.located.absolute), "parts of it are not watched".to_owned());
                self.overflows.push(FsOverflow { path, reason });
            }
            _ => {}
        }
    }
}

/// Returns whether the directory no longer exists. The watch of its parent reports that too.
fn is_gone(fault: &Fault) -> bool {
    let Fault::Os(error) = fault else { return true };
    matches!(Errno::from_io_error(error), Some(Errno::NOENT | Errno::NOTDIR | Errno::LOOP))
}
