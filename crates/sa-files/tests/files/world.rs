//! A directory to be confined to, and one beside it that nobody must reach.

use sa_files::{Files, FilesLimits, FilesOptions};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// What must never be seen from inside.
pub(crate) const SECRET: &[u8] = b"the secret outside";

/// The two directories.
pub(crate) struct World {
    pub(crate) files: Files,
    home: TempDir,
}

impl World {
    /// With the limits that tests need.
    pub(crate) fn new(by_steps: bool) -> Self {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("inside")).unwrap();
        std::fs::create_dir(home.path().join("outside")).unwrap();
        std::fs::write(home.path().join("outside/secret"), SECRET).unwrap();
        let limits = FilesLimits { archive_bytes: 16 << 20, archive_entries: 1000, ..FilesLimits::default() };
        let root = Some(home.path().join("inside"));
        let files = Files::open(FilesOptions { workspace: None, root, by_steps, limits }).unwrap();
        Self { files, home }
    }

    pub(crate) fn inside(&self) -> PathBuf {
        self.home.path().canonicalize().unwrap().join("inside")
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.home.path().canonicalize().unwrap().join("outside")
    }

    /// Nothing outside was added, removed or changed.
    pub(crate) fn check(&self) {
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

    /// No name that only exists while something is written is left.
    pub(crate) fn check_tidy(&self) {
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

/// Runs a future to its end.
pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    thread_local! {
        static RUNTIME: tokio::runtime::Runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    }
    RUNTIME.with(|runtime| runtime.block_on(future))
}
