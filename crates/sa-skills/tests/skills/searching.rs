//! Sources that hold more than directories: links to files, links to nowhere, pipes, and directories that cannot be read.

use crate::stage::{Stage, git, local, place};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

/// Adds what real repositories have next to their skills, such as `CLAUDE.md` as a link to `AGENTS.md`.
fn clutter(directory: &Path) {
    fs::write(directory.join("AGENTS.md"), "Be brief.").unwrap();
    symlink("AGENTS.md", directory.join("CLAUDE.md")).unwrap();
    symlink("nowhere", directory.join("dangling")).unwrap();
    symlink("circle", directory.join("circle")).unwrap();
    assert!(Command::new("mkfifo").arg(directory.join("pipe")).status().unwrap().success());
    symlink("pipe", directory.join("link-to-pipe")).unwrap();
}

#[tokio::test]
async fn links_to_other_things_than_directories_are_passed_over() {
    let stage = Stage::new();
    stage.skill("project/mine/inner", "one");
    for directory in ["project/mine", "project/mine/inner"] {
        clutter(&stage.path(directory));
    }
    let warnings = place(&stage, &stage.skills(), local("mine")).await.unwrap();
    assert_eq!(warnings, [""; 0]);
    assert_eq!(stage.placed(".claude/skills"), ["one"]);
}

#[tokio::test]
async fn a_repository_may_have_links_to_files() {
    let stage = Stage::new();
    let address = stage.repository("origin", &["one"]);
    for directory in ["origin", "origin/skills"] {
        fs::write(stage.path(directory).join("AGENTS.md"), "Be brief.").unwrap();
        symlink("AGENTS.md", stage.path(directory).join("CLAUDE.md")).unwrap();
    }
    stage.commit("origin");
    let warnings = place(&stage, &stage.skills(), git(&address)).await.unwrap();
    assert_eq!(warnings, [""; 0]);
    assert_eq!(stage.placed(".claude/skills"), ["one"]);
}

#[tokio::test]
async fn a_link_to_a_directory_within_is_searched() {
    let stage = Stage::new();
    // Too deep to be found without the link.
    stage.skill("project/mine/a/b/c/d/e/f", "deep");
    symlink("a/b/c/d/e/f", stage.path("project/mine/near")).unwrap();
    place(&stage, &stage.skills(), local("mine")).await.unwrap();
    assert_eq!(stage.placed(".claude/skills"), ["deep"]);
}

#[tokio::test]
async fn a_link_to_a_file_elsewhere_is_passed_over() {
    let stage = Stage::new();
    stage.skill("project/mine", "one");
    stage.write("AGENTS.md", "Be brief.");
    symlink(stage.path("AGENTS.md"), stage.path("project/mine/AGENTS.md")).unwrap();
    let warnings = place(&stage, &stage.skills(), local("mine")).await.unwrap();
    assert_eq!(warnings, [""; 0]);
    assert_eq!(stage.placed(".claude/skills"), ["one"]);
}

/// Takes all permissions from a directory. Returns whether that keeps this user out; it does not keep out root.
fn close(directory: &Path) -> bool {
    fs::set_permissions(directory, fs::Permissions::from_mode(0o000)).unwrap();
    fs::read_dir(directory).is_err()
}

fn open(directory: &Path) {
    fs::set_permissions(directory, fs::Permissions::from_mode(0o700)).unwrap();
}

#[tokio::test]
async fn a_directory_that_cannot_be_read_is_left_out_with_a_warning() {
    let stage = Stage::new();
    stage.skill("project/mine", "one");
    stage.skill("project/mine/closed", "two");
    let closed = stage.path("project/mine/closed");
    let keeps_out = close(&closed);
    let placed = place(&stage, &stage.skills(), local("mine")).await;
    open(&closed);
    let warnings = placed.unwrap();
    if keeps_out {
        let named = |warning: &String| warning.contains("mine/closed") && warning.contains("denied");
        assert!(matches!(&warnings[..], [one] if named(one)), "{warnings:?}");
        assert_eq!(stage.placed(".claude/skills"), ["one"]);
    }
}

#[tokio::test]
async fn a_source_that_cannot_be_read_is_an_error() {
    let stage = Stage::new();
    stage.skill("project/mine", "one");
    let mine = stage.path("project/mine");
    let keeps_out = close(&mine);
    let placed = place(&stage, &stage.skills(), local("mine")).await;
    open(&mine);
    if keeps_out {
        let error = placed.unwrap_err().to_string();
        assert!(error.contains("project/mine") && error.contains("denied"), "{error}");
    }
}
