//! A directory to be confined to, and one next to it that nobody must reach.

use crate::{Files, FilesLimits, FilesOptions};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Contents that must never be seen from inside.
pub const SECRET: &[u8] = b"the secret outside";

/// The two directories.
pub struct World {
    /// Files beneath the inner directory.
    pub files: Files,
    home: TempDir,
}

impl World {
    /// Creates both directories. With `by_steps`, each name of a path is resolved separately.
    pub fn new(by_steps: bool) -> Self {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("inside")).unwrap();
        std::fs::create_dir(home.path().join("outside")).unwrap();
        std::fs::write(home.path().join("outside/secret"), SECRET).unwrap();
        let limits = FilesLimits { archive_bytes: 16 << 20, archive_entries: 1000, ..FilesLimits::default() };
        let root = Some(home.path().join("inside"));
        let files = Files::open(FilesOptions { workspace: None, root, by_steps, limits }).unwrap();
        Self { files, home }
    }

    /// Returns the directory to be confined to.
    pub fn inside(&self) -> PathBuf {
        self.home.path().canonicalize().unwrap().join("inside")
    }

    /// Returns the directory that nobody must reach.
    pub fn outside(&self) -> PathBuf {
        self.home.path().canonicalize().unwrap().join("outside")
    }

    /// Panics if anything outside was added, removed or changed.
    pub fn check(&self) {
        let names = |path: &Path| {
            let mut names: Vec<_> =
                std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        assert_eq!(names(self.home.path()), ["inside", "outside"]);
        assert_eq!(names(&self.outside()), ["secret"]);
        assert_eq!(std::fs::read(self.outside().join("secret")).unwrap(), SECRET);
    }

    /// Panics if a temporary name is left.
    pub fn check_tidy(&self) {
        let mut stack = vec![self.inside()];
        while let Some(directory) = stack.pop() {
            for entry in std::fs::read_dir(directory).unwrap().flatten() {
                assert!(!entry.file_name().to_string_lossy().starts_with(".sandbox-agent-"), "{entry:?}");
                if entry.file_type().unwrap().is_dir() {
                    stack.push(entry.path());
                }
            }
        }
    }
}

pub fn run<T>(future: impl Future<Output = T>) -> T {
    thread_local! {
        static RUNTIME: tokio::runtime::Runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    }
    RUNTIME.with(|runtime| runtime.block_on(future))
}
