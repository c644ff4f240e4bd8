//! The files of the project, as the rules look at them.

use crate::shell::{Program, root};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Folders that never hold sources.
const SKIPPED: [&str; 4] = [".git", "target", "node_modules", "dist"];

/// Every text file that is, or would be, checked in.
pub(super) struct Sources {
    pub(super) root: PathBuf,
    pub(super) files: Vec<File>,
}

/// A file of the repository.
pub(super) struct File {
    /// Relative to the root, with `/`.
    pub(super) path: String,
    pub(super) text: String,
}

impl Sources {
    /// Reads them from the workspace.
    pub(super) fn read() -> Result<Self> {
        let root = root();
        let listing = Program::new("git").args(&["ls-files", "--cached", "--others", "--exclude-standard"]);
        let mut paths = match listing.output() {
            Ok(listing) => listing.lines().map(str::to_owned).collect(),
            // An unpacked archive has no history; its files count all the same.
            Err(_) => walk(&root)?,
        };
        paths.sort();
        paths.dedup();
        let text = |path: &String| fs::read_to_string(root.join(path)).ok();
        let files = paths.into_iter().filter_map(|path| Some(File { text: text(&path)?, path })).collect();
        Ok(Self { root, files })
    }

    pub(super) fn text(&self, path: &str) -> Result<&str> {
        let file = self.files.iter().find(|file| file.path == path);
        file.map(|file| file.text.as_str()).with_context(|| format!("{path} is missing"))
    }

    /// Returns the places of one file at which a rule is broken.
    #[cfg(test)]
    pub(super) fn places(rule: super::Check, path: &str, text: &str) -> Vec<String> {
        Self::judged_by(rule, path, text).into_iter().map(|finding| finding.place).collect()
    }

    /// Returns what a rule finds in one file, as it is printed.
    #[cfg(test)]
    pub(super) fn messages(rule: super::Check, path: &str, text: &str) -> Vec<String> {
        Self::judged_by(rule, path, text).iter().map(ToString::to_string).collect()
    }

    #[cfg(test)]
    fn judged_by(rule: super::Check, path: &str, text: &str) -> Vec<super::Finding> {
        rule(&Self::of(&[(path, text)])).unwrap_or_default()
    }

    /// Sources for a test of a rule.
    #[cfg(test)]
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        let file = |(path, text): &(&str, &str)| File { path: (*path).to_owned(), text: (*text).to_owned() };
        Self { root: PathBuf::from("/srv/checkout"), files: files.iter().map(file).collect() }
    }
}

impl File {
    /// Returns the part of the name after its last dot.
    pub(super) fn extension(&self) -> &str {
        self.path.rsplit_once('.').map_or("", |(_, extension)| extension)
    }

    /// Returns whether this is TypeScript or JavaScript.
    pub(super) fn is_script(&self) -> bool {
        matches!(self.extension(), "ts" | "tsx" | "mts" | "js" | "jsx" | "mjs" | "cjs")
    }

    /// Returns whether this is a style sheet.
    pub(super) fn is_style(&self) -> bool {
        self.extension() == "css"
    }

    /// Made by a tool: nobody writes it, so no rule on writing applies.
    pub(super) fn is_generated(&self) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        let locked = matches!(name, "Cargo.lock" | "package-lock.json");
        locked || name.contains(".gen.") || self.text.lines().take(3).any(|line| line.contains("@generated"))
    }

    /// Returns whether this is a file of tests only.
    pub(super) fn is_test(&self) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        let folder = |part: &str| matches!(part, "tests" | "test" | "__tests__");
        name == "tests.rs"
            || name.contains(".test.")
            || name.contains(".spec.")
            || self.path.split('/').any(folder)
    }

    /// Returns the crate it belongs to and whether it is in that crate's `src`.
    pub(super) fn krate(&self) -> Option<(&str, bool)> {
        let (name, rest) = self.path.strip_prefix("crates/")?.split_once('/')?;
        Some((name, rest.starts_with("src/")))
    }

    /// Returns the numbered lines that ship: all before the module of unit tests at the end.
    pub(super) fn production(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines: Vec<&str> = self.text.lines().collect();
        let tests = lines.iter().position(|line| *line == "#[cfg(test)]").filter(|at| {
            let after = lines.iter().skip(at + 1).find(|line| !line.starts_with("#["));
            after.is_some_and(|line| line.starts_with("mod ") && line.ends_with('{'))
        });
        let end = tests.unwrap_or(lines.len());
        lines.into_iter().take(end).enumerate().map(|(at, line)| (at + 1, line))
    }
}

fn walk(root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let skipped = SKIPPED.iter().any(|name| entry.file_name() == *name);
            if entry.file_type()?.is_dir() {
                folders.extend((!skipped).then(|| entry.path()));
            } else if let Ok(path) = entry.path().strip_prefix(root) {
                found.push(path.to_string_lossy().into_owned());
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_tests_are_no_production() {
        let sources = Sources::of(&[
            ("a.rs", "one\n#[cfg(test)]\nfn only_in_tests() {}\ntwo\n"),
            ("b.rs", "one\n#[cfg(test)]\n#[allow(x)]\nmod tests {\n two\n}\n"),
        ]);
        let lines = |at: usize| sources.files.get(at).map_or(0, |file| file.production().count());
        assert_eq!((lines(0), lines(1)), (4, 1));
    }
}
