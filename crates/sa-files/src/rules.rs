//! The entries that `.gitignore` and similar files exclude. The files are read through descriptors, like all others, and
//! within bounds: the author of the rules may be hostile and must not be able to waste memory or time.

mod pattern;

use crate::entry::kind;
use crate::files::Located;
use crate::root::Root;
use pattern::Pattern;
use rustix::fs::{Mode, OFlags};
use sa_api::FsEntryType;
use sa_disk::hold;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The repository's own directory, which nobody wants to search or watch.
const REPOSITORY: &str = ".git";
/// The files that hold rules, the later ones stronger.
const FILES: [&[&str]; 3] = [&[REPOSITORY, "info", "exclude"], &[".gitignore"], &[".ignore"]];
/// Bytes of rules that one walk or watch keeps at a time.
const RULES_BYTES: usize = 512 * 1024;
/// Steps that are taken to find out whether one entry is excluded. Ordinary rules take some thousand.
const STEPS: u32 = 1 << 18;

/// The rules in force at a directory: its own and those of the directories above it. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Rules {
    level: Option<Arc<Level>>,
    /// Bytes of rules that may still be read.
    left: Arc<AtomicUsize>,
}

#[derive(Debug)]
struct Level {
    patterns: Vec<Pattern>,
    /// Bytes of a path that lead to this directory.
    prefix: usize,
    above: Option<Arc<Level>>,
    bytes: usize,
    left: Arc<AtomicUsize>,
}

impl Drop for Level {
    fn drop(&mut self) {
        self.left.fetch_add(self.bytes, Ordering::Relaxed);
        // One after the other: the chain is as long as the tree is deep.
        let mut above = self.above.take();
        while let Some(mut level) = above.and_then(Arc::into_inner) {
            above = level.above.take();
        }
    }
}

/// Set if all rules of a directory are in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    All,
    /// There are more than one walk or watch keeps. The entries that the others exclude are not.
    Part,
}

impl Rules {
    /// Reads the rules of the directories above one, as far up as its repository goes.
    pub(crate) fn above(root: &Root, Located { beneath, absolute }: &Located) -> Self {
        let mut rules = Self { level: None, left: Arc::new(AtomicUsize::new(RULES_BYTES)) };
        let holds_repository = |beneath: &&Path| {
            let open = root.open_at(&beneath.join(REPOSITORY), OFlags::RDONLY | OFlags::NONBLOCK);
            open.is_ok()
        };
        let Some(repository) = beneath.ancestors().find(holds_repository) else { return rules };
        let pairs = beneath.ancestors().zip(absolute.ancestors()).skip(1);
        let above: Vec<(&Path, &Path)> =
            pairs.take_while(|(beneath, _)| beneath.starts_with(repository)).collect();
        for (beneath, absolute) in above.into_iter().rev() {
            if let Ok(dir) = root.open_at(beneath, OFlags::RDONLY | OFlags::DIRECTORY) {
                rules = rules.within(&dir, absolute).0;
            }
        }
        rules
    }

    /// Returns the rules in force in a directory below.
    pub(crate) fn within(&self, dir: &OwnedFd, path: &Path) -> (Self, Extent) {
        let (mut patterns, mut bytes, mut extent) = (Vec::new(), 0, Extent::All);
        for file in FILES {
            let Some(file) = open(dir, file) else { continue };
            let left = self.left.load(Ordering::Relaxed);
            let mut text = Vec::new();
            let read = file.take(left as u64 + 1).read_to_end(&mut text);
            if text.len() > left {
                extent = Extent::Part;
                text.truncate(left);
                // The last line is not all there.
                text.truncate(text.iter().rposition(|byte| *byte == b'\n').unwrap_or(0));
            }
            if read.is_err() || text.is_empty() {
                continue;
            }
            self.left.fetch_sub(text.len().min(left), Ordering::Relaxed);
            bytes += text.len();
            let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
            let lines = text.split(|byte| *byte == b'\n');
            patterns
                .extend(lines.filter_map(|line| Pattern::parse(line.strip_suffix(b"\r").unwrap_or(line))));
        }
        if bytes == 0 {
            return (self.clone(), extent);
        }
        let length = path.as_os_str().len();
        let prefix = if path.as_os_str().as_bytes().ends_with(b"/") { length } else { length + 1 };
        let (above, left) = (self.level.clone(), Arc::clone(&self.left));
        let level = Level { patterns, prefix, above, bytes, left: Arc::clone(&left) };
        (Self { level: Some(Arc::new(level)), left }, extent)
    }

    /// Returns whether an entry of the directory is excluded.
    pub(crate) fn exclude(&self, path: &Path, is_dir: bool) -> bool {
        if path.file_name() == Some(OsStr::new(REPOSITORY)) {
            return true;
        }
        let bytes = path.as_os_str().as_bytes();
        let name = path.file_name().unwrap_or_default().as_bytes();
        let mut steps = STEPS;
        let mut level = &self.level;
        while let Some(here) = level {
            let relative = bytes.get(here.prefix..).unwrap_or_default();
            let fits = |pattern: &&Pattern| {
                (is_dir || !pattern.is_for_directories)
                    && pattern.matches(if pattern.is_for_paths { relative } else { name }, &mut steps)
            };
            if let Some(pattern) = here.patterns.iter().rev().find(fits) {
                return !pattern.is_negated;
            }
            level = &here.above;
        }
        false
    }
}

/// Opens a plain file below a directory, along no link: rules from elsewhere are not this directory's.
fn open(dir: &OwnedFd, names: &[&str]) -> Option<File> {
    let (name, directories) = names.split_last()?;
    let mut below = None;
    for name in directories {
        let dir = below.as_ref().unwrap_or(dir);
        below = Some(hold(dir, OsStr::new(name)).ok()?);
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let fd = rustix::fs::openat(below.as_ref().unwrap_or(dir), *name, flags, Mode::empty()).ok()?;
    let is_file = rustix::fs::fstat(&fd).is_ok_and(|stat| kind(&stat) == FsEntryType::File);
    is_file.then(|| File::from(fd))
}

/// Single rules, for the properties in `testing`.
#[cfg(feature = "testing")]
pub(crate) mod testing {
    use super::Pattern;

    /// Returns whether a rule matches a path and how many steps are left; nothing if the line is no rule.
    pub(crate) fn matches_within(rule: &[u8], path: &[u8], steps: u32) -> Option<(bool, u32)> {
        let pattern = Pattern::parse(rule)?;
        let mut left = steps;
        let matches = pattern.matches(path, &mut left);
        Some((matches, left))
    }
}
