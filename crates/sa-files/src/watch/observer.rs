//! Which directories are observed, and what their notices mean.

use super::changes::Changes;
use super::source::{Id, Notice, Source, What};
use super::{ChangeKind, WatchEvent, WatchOptions};
use crate::draft::is_passing_name;
use crate::entry::{Kind, kind};
use crate::error::{At, FilesError};
use crate::files::{Located, Shared};
use crate::listing::names;
use crate::root::{HOLD, Last};
use crate::rules::Rules;
use rustix::fs::{AtFlags, OFlags};
use rustix::io::Errno;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const NOT_ALL: &str = "there are more directories than one watch observes; see files.watch-directories";
const NO_MORE: &str = "the system observes no more directories; see fs.inotify.max_user_watches";
const LOST: &str = "more changed at once than could be told";

/// One observed directory.
#[derive(Debug)]
struct Node {
    /// From where the watch began.
    relative: PathBuf,
    rules: Option<Rules>,
}

/// All that one watch observes.
#[derive(Debug)]
pub(super) struct Observer {
    shared: Arc<Shared>,
    located: Located,
    options: WatchOptions,
    /// The one name that is watched, where it is no directory.
    only: Option<OsString>,
    source: Source,
    nodes: HashMap<Id, Node>,
    root: Option<Id>,
    /// What is to be told beside changes.
    overflows: Vec<WatchEvent>,
    over: bool,
    /// The last look did not see everything.
    unread: bool,
}

impl Observer {
    /// Observes what is at a path, and all below it.
    pub(super) fn start(
        shared: Arc<Shared>,
        located: Located,
        options: WatchOptions,
    ) -> Result<Self, FilesError> {
        let path = located.absolute.clone();
        let place = shared.root.place(&located.beneath, Last::Follow).at(&path)?;
        let is_dir = kind(&place.stat().at(&path)?) == Kind::Directory;
        let source = Source::new().at(&path)?;
        let mut observer = Self {
            options: WatchOptions { recursive: options.recursive && is_dir, ..options },
            only: (!is_dir).then_some(place.name.clone()),
            source,
            nodes: HashMap::new(),
            root: None,
            overflows: Vec::new(),
            over: false,
            unread: false,
            located,
            shared,
        };
        let dir = if is_dir {
            observer
                .shared
                .root
                .open_at(&observer.located.beneath, OFlags::RDONLY | OFlags::DIRECTORY)
                .at(&path)?
        } else {
            place.dir
        };
        let rules = || Rules::above(&observer.shared.root, &observer.located.beneath, &path);
        let rules = (!options.with_ignored && is_dir).then(rules);
        let mut first = Changes::default();
        observer.root = observer.observe(&dir, PathBuf::new(), rules.as_ref(), &mut first);
        if observer.root.is_none() {
            return Err(FilesError::TooMany(format!(
                "'{}' cannot be watched: {NO_MORE}",
                path.to_string_lossy()
            )));
        }
        Ok(observer)
    }

    /// What is told first.
    pub(super) fn ready(&mut self) -> Vec<WatchEvent> {
        let ready = WatchEvent::Ready { path: self.located.absolute.clone(), directories: self.nodes.len() };
        std::iter::once(ready).chain(std::mem::take(&mut self.overflows)).collect()
    }

    /// Waits until something happened.
    pub(super) async fn readable(&self) -> io::Result<()> {
        if self.unread { Ok(()) } else { self.source.readable().await }
    }

    /// Whether what was watched is gone.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// What happened since the last look.
    pub(super) fn look(&mut self) -> Vec<WatchEvent> {
        let mut changes = Changes::default();
        let most = self.shared.limits.watch_pending.max(1);
        let mut notices = Vec::new();
        self.unread = !self.source.read(most, |notice| notices.push(notice));
        for notice in notices {
            self.take(notice, &mut changes);
            if changes.len() > most {
                self.overflow(Path::new(""), LOST);
                changes = Changes::default();
            }
        }
        std::mem::take(&mut self.overflows).into_iter().chain(changes.into_events()).collect()
    }

    fn take(&mut self, notice: Notice, changes: &mut Changes) {
        match notice {
            Notice::Lost => self.overflow(Path::new(""), LOST),
            Notice::Gone { id } if Some(id) == self.root => {
                self.over = true;
                if self.only.is_none() {
                    changes.add(self.located.absolute.clone(), ChangeKind::Removed, true);
                }
            }
            // Its parent tells the same.
            Notice::Gone { .. } => {}
            Notice::Entry { id, name, what, directory } => self.entry(id, &name, what, directory, changes),
        }
    }

    fn entry(&mut self, id: Id, name: &OsStr, what: What, directory: bool, changes: &mut Changes) {
        let Some(node) = self.nodes.get(&id) else { return };
        let other = self.only.as_deref().is_some_and(|only| only != name);
        if other || is_passing_name(name.as_bytes()) {
            return;
        }
        let relative = node.relative.join(name);
        let path = if self.only.is_some() { self.located.absolute.clone() } else { self.path(&relative) };
        let rules = node.rules.clone();
        if rules.as_ref().is_some_and(|rules| rules.exclude(&path, directory)) {
            return;
        }
        let kind = match what {
            What::Appeared => ChangeKind::Created,
            What::Changed => ChangeKind::Modified,
            What::Disappeared => ChangeKind::Removed,
        };
        changes.add(path, kind, directory);
        if !directory || !self.options.recursive {
            return;
        }
        match what {
            What::Disappeared => self.forget(&relative),
            What::Appeared => {
                let beneath = self.located.beneath.join(&relative);
                let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW;
                if let Ok(dir) = self.shared.root.open_at(&beneath, flags) {
                    self.observe(&dir, relative, rules.as_ref(), changes);
                }
            }
            What::Changed => {}
        }
    }

    /// Observes a directory and those in it. What is found in it counts as created.
    fn observe(
        &mut self,
        dir: &OwnedFd,
        relative: PathBuf,
        above: Option<&Rules>,
        changes: &mut Changes,
    ) -> Option<Id> {
        if self.nodes.len() >= self.shared.limits.watch_directories {
            self.overflow(&relative, NOT_ALL);
            return None;
        }
        let id = match self.source.add(dir) {
            Ok(id) => id,
            Err(Errno::NOSPC | Errno::NOMEM) => {
                self.overflow(&relative, NO_MORE);
                return None;
            }
            // Gone before it could be observed.
            Err(_) => return None,
        };
        let rules = above.map(|rules| rules.within(dir, &self.path(&relative)));
        self.nodes.insert(id, Node { relative: relative.clone(), rules: rules.clone() });
        if self.options.recursive {
            self.descend(dir, &relative, rules.as_ref(), changes);
        }
        Some(id)
    }

    fn descend(&mut self, dir: &OwnedFd, relative: &Path, rules: Option<&Rules>, changes: &mut Changes) {
        let Ok(names) = names(dir, self.shared.limits.directory_entries, relative) else { return };
        for name in names {
            let Ok(stat) = rustix::fs::statat(dir, &name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
            let is_dir = kind(&stat) == Kind::Directory;
            let inside = relative.join(&name);
            let path = self.path(&inside);
            let excluded = rules.is_some_and(|rules| rules.exclude(&path, is_dir));
            if excluded || is_passing_name(name.as_bytes()) {
                continue;
            }
            if self.root.is_some() && changes.len() <= self.shared.limits.watch_pending {
                changes.add(path, ChangeKind::Created, is_dir);
            }
            let flags = HOLD | OFlags::NOFOLLOW;
            if is_dir && let Ok(child) = rustix::fs::openat(dir, &name, flags, rustix::fs::Mode::empty()) {
                self.observe(&child, inside, rules, changes);
            }
        }
    }

    /// Stops observing a directory that is gone from here, and those below it.
    fn forget(&mut self, relative: &Path) {
        let gone = self.nodes.iter().filter(|(_, node)| node.relative.starts_with(relative));
        let gone: Vec<Id> = gone.map(|(id, _)| *id).collect();
        for id in gone {
            self.source.remove(id);
            self.nodes.remove(&id);
        }
    }

    fn overflow(&mut self, relative: &Path, reason: &'static str) {
        let path = self.path(relative);
        let event = WatchEvent::Overflow { path, reason };
        // One for each reason is enough; more than a few say nothing new.
        if self.overflows.len() < 16 && !self.overflows.contains(&event) {
            self.overflows.push(event);
        }
    }

    fn path(&self, relative: &Path) -> PathBuf {
        if relative.as_os_str().is_empty() {
            return self.located.absolute.clone();
        }
        self.located.absolute.join(relative)
    }
}
