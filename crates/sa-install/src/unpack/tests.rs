//! Whatever an archive holds, in whichever order, nothing outside the directory can be reached.
#![allow(clippy::unwrap_used)]

use super::select::Selection;
use super::tree::Tree;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

#[derive(Debug, Clone)]
enum Entry {
    Directory(String),
    File(String),
    Symlink(String, String),
    HardLink(String, String),
}

/// Few names, so that entries meet.
fn path() -> impl Strategy<Value = String> {
    let part = select(vec!["a", "b", "c", "a", "b", "..", ".", ""]);
    vec(part, 1..5).prop_map(|parts| parts.join("/"))
}

fn entry() -> impl Strategy<Value = Entry> {
    prop_oneof![
        path().prop_map(Entry::Directory),
        path().prop_map(Entry::File),
        (path(), path()).prop_map(|(name, target)| Entry::Symlink(name, target)),
        (path(), path()).prop_map(|(name, target)| Entry::HardLink(name, target)),
    ]
}

/// Adds all of them, also after one that was refused: more than any archive gets.
fn fill(root: &Path, entries: &[Entry]) {
    let mut tree = Tree::new(root, Selection::everything(), 1 << 20, &|_| ());
    for entry in entries {
        let _ = match entry {
            Entry::Directory(name) => tree.directory(name.as_bytes()),
            Entry::File(name) => tree.file(name.as_bytes(), 0o644, &mut "new".as_bytes()),
            Entry::Symlink(name, target) => tree.symlink(name.as_bytes(), target.as_bytes()),
            Entry::HardLink(name, target) => tree.hard_link(name.as_bytes(), target.as_bytes()),
        };
    }
}

/// Everything beneath a directory, without following links.
fn everything(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        found.push(entry.path());
        if entry.file_type().unwrap().is_dir() {
            found.extend(everything(&entry.path()));
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn nothing_outside_can_be_reached(entries in vec(entry(), 1..12)) {
        let outside = TempDir::new().unwrap();
        let outside = fs::canonicalize(outside.path()).unwrap();
        let root = outside.join("deep/root");
        fs::create_dir_all(&root).unwrap();
        for name in ["a", "deep/b"] {
            fs::write(outside.join(name), "old").unwrap();
        }
        fill(&root, &entries);
        for path in everything(&root) {
            match fs::canonicalize(&path) {
                Ok(real) => prop_assert!(real.starts_with(&root), "{path:?} is {real:?}"),
                // A link to nothing: a later write there must not get out either.
                Err(_) => drop(fs::write(&path, "later")),
            }
        }
        prop_assert_eq!(fs::read_to_string(outside.join("a")).unwrap(), "old");
        prop_assert_eq!(fs::read_to_string(outside.join("deep/b")).unwrap(), "old");
        prop_assert_eq!(fs::read_dir(&outside).unwrap().count(), 2);
        prop_assert_eq!(fs::read_dir(outside.join("deep")).unwrap().count(), 2);
    }
}
