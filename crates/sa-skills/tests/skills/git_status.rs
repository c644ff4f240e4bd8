//! Placed skills do not show up as changes of the user's.

use crate::stage::{Stage, local, place};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;

fn status(stage: &Stage, directory: &str) -> String {
    stage.git(directory, &["status", "--porcelain", "--untracked-files=all"])
}

#[tokio::test]
async fn git_status_stays_clean() {
    let stage = Stage::new();
    stage.skill("shared", "one");
    stage.git("project", &["init", "--quiet"]);
    fs::write(stage.path("project/.git/info/exclude"), "*.mine\n").unwrap();
    let skills = stage.skills();
    let shared = local(&stage.path("shared").display().to_string());
    assert_eq!(place(&stage, &skills, shared.clone()).await.unwrap(), [""; 0]);
    assert_eq!(status(&stage, "project"), "");
    stage.write("project/.claude/skills/own/SKILL.md", "mine");
    assert_eq!(status(&stage, "project"), "?? .claude/skills/own/SKILL.md");
    skills.place_for("s", "claude", &stage.cwd(), &BTreeMap::new()).await.unwrap();
    assert_eq!(fs::read_to_string(stage.path("project/.git/info/exclude")).unwrap(), "*.mine\n");
}

#[tokio::test]
async fn also_beneath_the_root_and_in_further_work_trees() {
    let stage = Stage::new();
    stage.skill("shared", "one");
    stage.repository("origin", &[]);
    stage.git("origin", &["worktree", "add", "--quiet", "../tree"]);
    let skills = stage.skills();
    let shared = local(&stage.path("shared").display().to_string());
    let odd = "tree/a dir [x]";
    fs::create_dir(stage.path(odd)).unwrap();
    for directory in ["tree", odd] {
        let sources = crate::stage::set(vec![shared.clone()]);
        let warnings =
            skills.place_for("s", "codex", &stage.path(directory), &sources).await.unwrap().warnings;
        assert_eq!(warnings, [""; 0]);
    }
    assert_eq!(crate::stage::names(&stage.path(odd).join(".agents/skills")), ["one"]);
    assert_eq!(status(&stage, "tree"), "");
}

#[tokio::test]
async fn also_in_submodules() {
    let stage = Stage::new();
    stage.skill("shared", "one");
    let inner = stage.repository("inner", &[]);
    stage.repository("outer", &[]);
    stage.git("outer", &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &inner, "sub"]);
    let sources = crate::stage::set(vec![local(&stage.path("shared").display().to_string())]);
    let placed = stage.skills().place_for("s", "codex", &stage.path("outer/sub"), &sources).await;
    let warnings = placed.unwrap().warnings;
    assert_eq!(warnings, [""; 0]);
    assert_eq!(status(&stage, "outer/sub"), "");
}

/// The author of a project's files must not choose which file of the user's is written.
#[tokio::test]
async fn only_the_repository_itself_is_written_to() {
    let stage = Stage::new();
    stage.skill("shared", "one");
    let shared = local(&stage.path("shared").display().to_string());
    let skills = stage.skills();
    stage.repository("victim", &[]);
    let victim = stage.path("victim/.git/info/exclude");
    let before = fs::read_to_string(&victim).unwrap();

    stage.git("victim", &["worktree", "add", "--quiet", "../tree"]);
    for directory in ["victim/.git", "victim/.git/worktrees/tree"] {
        stage.write("project/.git", &format!("gitdir: {}\n", stage.path(directory).display()));
        let warnings = place(&stage, &skills, shared.clone()).await.unwrap();
        assert!(matches!(&warnings[..], [one] if one.contains("git status")), "{warnings:?}");
    }

    fs::remove_file(stage.path("project/.git")).unwrap();
    stage.write("project/.git/HEAD", "ref: refs/heads/main\n");
    symlink(stage.path("victim/.git/info"), stage.path("project/.git/info")).unwrap();
    let warnings = place(&stage, &skills, shared).await.unwrap();
    assert!(matches!(&warnings[..], [one] if one.contains("is a link")), "{warnings:?}");
    assert_eq!(fs::read_to_string(&victim).unwrap(), before);
}
