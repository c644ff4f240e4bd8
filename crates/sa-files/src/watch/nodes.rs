//! The directories that a watch observes, as a tree. Each knows its name and its parent only: their paths together could
//! take far more memory than they do.

use super::notice::Id;
use crate::rules::Rules;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// More directories than any path that can be opened goes through.
const DEPTH: usize = 8 * 1024;

/// One observed directory.
#[derive(Debug)]
struct Node {
    parent: Option<Id>,
    name: OsString,
    children: HashMap<OsString, Id>,
    rules: Option<Rules>,
}

/// All directories that one watch observes.
#[derive(Debug, Default)]
pub(super) struct Nodes(HashMap<Id, Node>);

impl Nodes {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn has(&self, id: Id) -> bool {
        self.0.contains_key(&id)
    }

    /// Returns the rules in force in a directory.
    pub(super) fn rules(&self, id: Id) -> Option<&Rules> {
        self.0.get(&id)?.rules.as_ref()
    }

    /// Adds a directory, or notes that one that is known has another place. False if it would be inside of itself, as a
    /// mount can make it appear.
    pub(super) fn add(&mut self, id: Id, parent: Option<(Id, &OsStr)>, rules: Option<Rules>) -> bool {
        if parent.is_some_and(|(parent, _)| self.ancestors(parent).any(|above| above == id)) {
            return false;
        }
        let (parent, name) = parent.map_or((None, OsStr::new("")), |(parent, name)| (Some(parent), name));
        let known = self.0.remove(&id);
        if let Some(Node { parent: Some(parent), name, .. }) = &known
            && let Some(parent) = self.0.get_mut(parent)
        {
            parent.children.remove(name);
        }
        if let Some(parent) = parent.and_then(|parent| self.0.get_mut(&parent)) {
            parent.children.insert(name.to_owned(), id);
        }
        let children = known.map(|known| known.children).unwrap_or_default();
        self.0.insert(id, Node { parent, name: name.to_owned(), children, rules });
        true
    }

    /// Forgets the directory of a name in another, and those below it. Returns them.
    pub(super) fn remove(&mut self, parent: Id, name: &OsStr) -> Vec<Id> {
        let mut gone = Vec::new();
        let first = self.0.get_mut(&parent).and_then(|parent| parent.children.remove(name));
        let mut left: Vec<Id> = first.into_iter().collect();
        while let Some(id) = left.pop() {
            if let Some(node) = self.0.remove(&id) {
                left.extend(node.children.into_values());
                gone.push(id);
            }
        }
        gone
    }

    /// Returns the path of a directory from where the watch began.
    pub(super) fn relative(&self, id: Id) -> PathBuf {
        let above: Vec<&Node> = self.ancestors(id).filter_map(|id| self.0.get(&id)).collect();
        above.iter().rev().map(|node| &node.name).collect()
    }

    /// Returns a directory and those above it.
    fn ancestors(&self, id: Id) -> impl Iterator<Item = Id> {
        std::iter::successors(Some(id), |id| self.0.get(id)?.parent).take(DEPTH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_keep_their_place_and_never_contain_themselves() {
        let mut nodes = Nodes::default();
        assert!(nodes.add(1, None, None));
        assert!(nodes.add(2, Some((1, OsStr::new("a"))), None));
        assert!(nodes.add(3, Some((2, OsStr::new("b"))), None));
        assert!(nodes.add(4, Some((3, OsStr::new("c"))), None));
        assert_eq!(nodes.relative(4), PathBuf::from("a/b/c"));
        // A mount shows a directory within itself.
        assert!(!nodes.add(2, Some((4, OsStr::new("d"))), None));
        // One that was moved takes those below along.
        assert!(nodes.add(3, Some((1, OsStr::new("e"))), None));
        assert_eq!(nodes.relative(4), PathBuf::from("e/c"));
        assert_eq!(nodes.remove(2, OsStr::new("b")), [0; 0]);
        assert_eq!(nodes.remove(1, OsStr::new("e")), [3, 4]);
        assert_eq!(nodes.len(), 2);
    }
}
