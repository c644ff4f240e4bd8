//! Gathers changes for a moment: several changes of one path are reported once.

use super::WatchEvent;
use crate::entry::encoded;
use crate::error::text;
use sa_api::{FsChange, FsChangeKind};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Changes in the order in which their paths first came up.
#[derive(Debug, Default)]
pub(super) struct Changes {
    order: Vec<PathBuf>,
    kinds: BTreeMap<PathBuf, (FsChangeKind, bool)>,
    bytes: usize,
}

/// Bytes of paths that are gathered: paths in a deep tree can be long.
const PATH_BYTES: usize = 8 * 1024 * 1024;

impl Changes {
    /// Returns whether there are more than `most` changes, or their paths take too much memory.
    pub(super) fn is_full(&self, most: usize) -> bool {
        self.order.len() > most || self.bytes > PATH_BYTES
    }

    /// Adds one, on top of what happened to the path before.
    pub(super) fn add(&mut self, path: PathBuf, kind: FsChangeKind, directory: bool) {
        let before = self.kinds.get(&path).map(|(kind, _)| *kind);
        let kind = match (before, kind) {
            (Some(FsChangeKind::Created), FsChangeKind::Modified) => FsChangeKind::Created,
            (Some(FsChangeKind::Removed), FsChangeKind::Created) => FsChangeKind::Modified,
            (Some(FsChangeKind::Created), FsChangeKind::Removed) => {
                // It came and went.
                self.kinds.remove(&path);
                return;
            }
            (_, kind) => kind,
        };
        if before.is_none() {
            self.bytes += path.as_os_str().len();
            self.order.push(path.clone());
        }
        self.kinds.insert(path, (kind, directory));
    }

    pub(super) fn into_events(mut self) -> Vec<WatchEvent> {
        let mut events = Vec::with_capacity(self.order.len());
        for path in self.order {
            if let Some((kind, directory)) = self.kinds.remove(&path) {
                let encoded_path = encoded(&path);
                events.push(WatchEvent::Change(FsChange {
                    path: text(&path),
                    kind,
                    directory,
                    encoded_path,
                }));
            }
        }
        events
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use FsChangeKind::{Created, Modified, Removed};
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    fn reported(changes: &[(&str, FsChangeKind)]) -> Vec<(String, FsChangeKind)> {
        let mut gathered = Changes::default();
        for (path, kind) in changes {
            gathered.add(PathBuf::from(path), *kind, false);
        }
        let events = gathered.into_events().into_iter();
        let reported = events.filter_map(|event| match event {
            WatchEvent::Change(change) => Some((change.path, change.kind)),
            _ => None,
        });
        reported.collect()
    }

    #[test]
    fn a_path_that_is_no_utf8_can_be_sent_back() {
        let mut gathered = Changes::default();
        gathered.add(PathBuf::from(OsStr::from_bytes(b"/\xff")), Created, false);
        let [WatchEvent::Change(change)] = &gathered.into_events()[..] else { panic!("not one change") };
        assert_eq!((change.path.as_str(), change.encoded_path.as_deref()), ("/\u{fffd}", Some("/%FF")));
    }

    #[test]
    fn what_happens_several_times_is_reported_once() {
        let all = [
            ("b", Created),
            ("a", Modified),
            ("b", Modified),
            ("gone", Created),
            ("gone", Removed),
            ("swap", Removed),
            ("swap", Created),
            ("a", Removed),
        ];
        let expected = [("b", Created), ("a", Removed), ("swap", Modified)];
        assert_eq!(reported(&all), expected.map(|(path, kind)| (path.to_owned(), kind)));
        assert_eq!(reported(&[("x", Created), ("x", Removed), ("x", Created)]), [("x".to_owned(), Created)]);
    }
}
