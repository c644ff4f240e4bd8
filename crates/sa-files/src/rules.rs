//! What `.gitignore` and its like exclude. The files are read through descriptors, like all others.

use crate::root::Root;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::{Mode, OFlags};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files that hold rules, the later ones stronger.
const FILES: [&str; 2] = [".gitignore", ".ignore"];
/// The repository's own directory, which nobody wants to search or watch.
const REPOSITORY: &str = ".git";
/// What is read of one file of rules.
const RULES_BYTES: u64 = 1024 * 1024;

/// The rules in force at a directory: its own and those of the directories above it. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rules(Option<Arc<Level>>);

#[derive(Debug)]
struct Level {
    rules: Gitignore,
    above: Rules,
}

impl Rules {
    /// The rules of the directories above one, as far up as its repository goes.
    pub(crate) fn above(root: &Root, beneath: &Path, absolute: &Path) -> Self {
        let mut above: Vec<(PathBuf, PathBuf)> = beneath
            .ancestors()
            .zip(absolute.ancestors())
            .skip(1)
            .map(|(a, b)| (a.into(), b.into()))
            .collect();
        let holds_repository = |beneath: &Path| {
            let open = root.open_at(&beneath.join(REPOSITORY), OFlags::RDONLY | OFlags::NONBLOCK);
            open.is_ok()
        };
        let start = if holds_repository(beneath) {
            None
        } else {
            above.iter().position(|(a, _)| holds_repository(a))
        };
        above.truncate(start.map_or(0, |index| index + 1));
        let mut rules = Self::default();
        for (beneath, absolute) in above.iter().rev() {
            if let Ok(dir) = root.open_at(beneath, OFlags::RDONLY | OFlags::DIRECTORY) {
                rules = rules.within(&dir, absolute);
            }
        }
        rules
    }

    /// The rules in force in a directory below.
    pub(crate) fn within(&self, dir: &OwnedFd, path: &Path) -> Self {
        let mut builder = GitignoreBuilder::new(path);
        let mut any = false;
        for name in FILES {
            any |= add(&mut builder, dir, OsStr::new(name));
        }
        any |= add(&mut builder, dir, OsStr::new(".git/info/exclude"));
        match builder.build() {
            Ok(rules) if any => Self(Some(Arc::new(Level { rules, above: self.clone() }))),
            _ => self.clone(),
        }
    }

    /// Whether an entry of the directory is excluded.
    pub(crate) fn exclude(&self, path: &Path, is_dir: bool) -> bool {
        if path.file_name() == Some(OsStr::new(REPOSITORY)) {
            return true;
        }
        let mut level = &self.0;
        while let Some(here) = level {
            match here.rules.matched(path, is_dir) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => level = &here.above.0,
            }
        }
        false
    }
}

/// Adds the rules of one file, if it is there. A line that is no rule is none.
fn add(builder: &mut GitignoreBuilder, dir: &OwnedFd, name: &OsStr) -> bool {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(fd) = rustix::fs::openat(dir, name, flags, Mode::empty()) else { return false };
    let mut text = Vec::new();
    if File::from(fd).take(RULES_BYTES).read_to_end(&mut text).is_err() {
        return false;
    }
    for line in String::from_utf8_lossy(&text).lines() {
        let _ = builder.add_line(None, line);
    }
    true
}
