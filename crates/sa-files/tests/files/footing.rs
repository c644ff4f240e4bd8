//! The workspace and the directories above it stay, whichever path a request names them by.

use sa_files::testing::run;
use sa_files::{Existing, Files, FilesError, FilesLimits, FilesOptions, Removal};
use std::fmt::Debug;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A workspace two directories below `home`, with an alias of the directory above it.
struct Home {
    files: Files,
    home: TempDir,
}

impl Home {
    fn new(by_steps: bool) -> Self {
        let home = tempfile::tempdir().unwrap();
        let workspace = home.path().join("mid/ws");
        std::fs::create_dir_all(workspace.join("sub")).unwrap();
        std::fs::write(workspace.join("sub/kept"), "kept").unwrap();
        std::fs::write(home.path().join("file"), "file").unwrap();
        std::fs::create_dir(home.path().join("empty")).unwrap();
        symlink("..", workspace.join("up")).unwrap();
        symlink(home.path().join("mid"), home.path().join("alias")).unwrap();
        let options =
            FilesOptions { workspace: Some(workspace), root: None, by_steps, limits: FilesLimits::default() };
        Self { files: Files::open(options).unwrap(), home }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().canonicalize().unwrap().join(name)
    }

    /// The workspace and the directory above it, by all kinds of paths.
    fn names(&self) -> Vec<PathBuf> {
        let relative = ["../ws", "up/ws", "../../mid", "up/../mid", "sub/../../ws", "../../alias/ws"];
        let mut names = relative.map(PathBuf::from).to_vec();
        let absolute = ["mid", "mid/ws", "mid/ws/sub/../../ws", "alias/ws", "mid/../mid/ws"];
        names.extend(absolute.map(|name| self.path(name)));
        names
    }

    fn check(&self) {
        assert_eq!(std::fs::read_to_string(self.path("mid/ws/sub/kept")).unwrap(), "kept");
        assert_eq!(std::fs::read_to_string(self.path("file")).unwrap(), "file");
    }
}

fn refused<T: Debug>(outcome: Result<T, FilesError>, name: &Path) {
    match outcome {
        Err(FilesError::Invalid(why)) => assert!(why.contains("holds the workspace"), "{why}"),
        other => panic!("{name:?}: {other:?}"),
    }
}

#[test]
fn the_workspace_and_what_is_above_it_cannot_be_removed() {
    for by_steps in [false, true] {
        let home = Home::new(by_steps);
        for name in home.names() {
            for removal in [Removal::Tree, Removal::Entry] {
                refused(run(home.files.remove(name.as_os_str(), removal)), &name);
            }
            home.check();
        }
    }
}

#[test]
fn the_workspace_and_what_is_above_it_cannot_be_moved_or_replaced() {
    for by_steps in [false, true] {
        let home = Home::new(by_steps);
        for name in home.names() {
            let moved = home.path("moved");
            let outcome = home.files.relocate(name.as_os_str(), moved.as_os_str(), Existing::Replace);
            refused(run(outcome), &name);
            for source in ["file", "empty"] {
                let source = home.path(source);
                let outcome = home.files.relocate(source.as_os_str(), name.as_os_str(), Existing::Replace);
                refused(run(outcome), &name);
            }
            home.check();
        }
    }
}

#[test]
fn an_empty_workspace_cannot_be_replaced_by_a_directory() {
    let home = Home::new(false);
    std::fs::remove_dir_all(home.path("mid/ws")).unwrap();
    std::fs::create_dir(home.path("mid/ws")).unwrap();
    let (from, to) = (home.path("empty"), home.path("alias/ws"));
    refused(run(home.files.relocate(from.as_os_str(), to.as_os_str(), Existing::Replace)), &to);
}

#[test]
fn a_link_to_the_workspace_may_be_removed_and_replaced() {
    let home = Home::new(false);
    run(home.files.remove("up".as_ref(), Removal::Tree)).unwrap();
    let (file, alias) = (home.path("empty"), home.path("alias"));
    run(home.files.relocate(file.as_os_str(), alias.as_os_str(), Existing::Replace)).unwrap();
    assert!(alias.symlink_metadata().unwrap().is_dir());
    home.check();
}

/// The directories above a workspace that is gone stay.
#[test]
fn the_way_to_a_workspace_that_is_gone_stays() {
    let home = Home::new(false);
    std::fs::remove_dir_all(home.path("mid/ws")).unwrap();
    let name = home.path("alias/../mid");
    refused(run(home.files.remove(name.as_os_str(), Removal::Tree)), &name);
    assert!(home.path("mid").is_dir());
}
