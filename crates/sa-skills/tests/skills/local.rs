//! Directories as sources, and what is done in the directory that an agent works in.

use crate::stage::{Stage, below, local, only, place, set};
use sa_skills::{Placed, Places, SkillsError, SkillsOptions};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use tokio::task::JoinSet;

#[tokio::test]
async fn skills_are_linked_where_the_agent_looks() {
    let stage = Stage::new();
    stage.skill("shared", "review");
    stage.skill("shared", "deploy");
    let skills = stage.skills();
    let shared = stage.path("shared").display().to_string();
    for (agent, place) in [
        ("claude", ".claude/skills"),
        ("codex", ".agents/skills"),
        ("amp", ".agents/skills"),
        ("opencode", ".opencode/skills"),
        ("somebody-new", ".agents/skills"),
    ] {
        let placed = skills.place_for("s", agent, &stage.cwd(), &set(vec![local(&shared)])).await.unwrap();
        assert_eq!(placed, Placed::default());
        assert_eq!(stage.placed(place), ["deploy", "review"], "{agent}");
        let link = stage.cwd().join(place).join("review");
        assert_eq!(fs::read_link(&link).unwrap(), stage.path("shared/review"));
        assert!(fs::read_to_string(link.join("SKILL.md")).unwrap().contains("does review"));
    }
}

#[tokio::test]
async fn a_place_can_be_chosen() {
    let stage = Stage::new();
    stage.skill("project/mine", "review");
    let places = Places::default().with("own", "tools/skills").unwrap();
    let skills = stage.skills_with(SkillsOptions { places, ..SkillsOptions::default() });
    skills.place_for("s", "own", &stage.cwd(), &set(vec![local("mine")])).await.unwrap();
    assert_eq!(stage.placed("tools/skills"), ["review"]);
}

#[tokio::test]
async fn what_is_no_longer_configured_goes_and_nothing_else() {
    let stage = Stage::new();
    for name in ["one", "two"] {
        stage.skill("project/mine", name);
    }
    stage.skill("project/.claude/skills", "theirs");
    let skills = stage.skills();
    place(&stage, &skills, local("mine")).await.unwrap();
    place(&stage, &skills, local("mine")).await.unwrap();
    assert_eq!(stage.placed(".claude/skills"), ["one", "theirs", "two"]);
    place(&stage, &skills, only(&["two"], local("mine"))).await.unwrap();
    assert_eq!(stage.placed(".claude/skills"), ["theirs", "two"]);
    // Another program of the same data directory knows what the first one has placed.
    stage.skills().place_for("s", "claude", &stage.cwd(), &BTreeMap::new()).await.unwrap();
    assert_eq!(stage.placed(".claude/skills"), ["theirs"]);
    assert!(stage.path("project/mine/two/SKILL.md").exists());
}

#[tokio::test]
async fn directories_that_were_made_go_when_they_are_empty() {
    let stage = Stage::new();
    stage.skill("shared", "one");
    let shared = stage.path("shared").display().to_string();
    let skills = stage.skills();
    place(&stage, &skills, local(&shared)).await.unwrap();
    assert_eq!(stage.placed(""), [".claude"]);
    skills.place_for("s", "claude", &stage.cwd(), &BTreeMap::new()).await.unwrap();
    assert_eq!(stage.placed(""), [""; 0]);
    skills.place_for("s", "claude", &stage.cwd(), &BTreeMap::new()).await.unwrap();
    assert_eq!(stage.placed(""), [""; 0]);
}

#[tokio::test]
async fn what_is_not_ours_is_left_and_people_are_reported() {
    let stage = Stage::new();
    for name in ["file", "directory", "link", "free"] {
        stage.skill("shared", name);
    }
    stage.write("project/.claude/skills/file", "mine");
    stage.write("project/.claude/skills/directory/SKILL.md", "mine");
    symlink("/nowhere", stage.path("project/.claude/skills/link")).unwrap();
    let shared = stage.path("shared").display().to_string();
    let skills = stage.skills();
    for _ in 0..2 {
        let warnings = place(&stage, &skills, local(&shared)).await.unwrap();
        assert_eq!(warnings.len(), 3, "{warnings:?}");
        assert!(warnings.iter().all(|warning| warning.contains("not ours")), "{warnings:?}");
    }
    skills.place_for("s", "claude", &stage.cwd(), &BTreeMap::new()).await.unwrap();
    assert_eq!(stage.placed(".claude/skills"), ["directory", "file", "link"]);
    assert_eq!(fs::read_to_string(stage.path("project/.claude/skills/directory/SKILL.md")).unwrap(), "mine");
}

#[tokio::test]
async fn something_that_took_the_place_of_a_link_is_not_removed() {
    let stage = Stage::new();
    stage.skill("shared", "one");
    let shared = stage.path("shared").display().to_string();
    let skills = stage.skills();
    place(&stage, &skills, local(&shared)).await.unwrap();
    fs::remove_file(stage.path("project/.claude/skills/one")).unwrap();
    stage.write("project/.claude/skills/one/SKILL.md", "mine now");
    skills.place_for("s", "claude", &stage.cwd(), &BTreeMap::new()).await.unwrap();
    assert_eq!(stage.placed(".claude/skills"), ["one"]);
}

#[tokio::test]
async fn a_source_that_is_where_the_agent_looks_is_already_in_place() {
    let stage = Stage::new();
    stage.skill("project/.claude/skills", "one");
    let skills = stage.skills();
    let warnings = place(&stage, &skills, local(".claude/skills")).await.unwrap();
    assert_eq!(warnings, [""; 0]);
    skills.place_for("s", "claude", &stage.cwd(), &BTreeMap::new()).await.unwrap();
    assert_eq!(stage.placed(".claude/skills"), ["one"]);
}

#[tokio::test]
async fn a_whole_workspace_can_be_a_source_again_and_again() {
    let stage = Stage::new();
    stage.skill("project/a/b", "one");
    stage.skill("project/node_modules/x", "foreign");
    let skills = stage.skills();
    for _ in 0..3 {
        assert_eq!(place(&stage, &skills, local(".")).await.unwrap(), [""; 0]);
        assert_eq!(stage.placed(".claude/skills"), ["one"]);
    }
}

#[tokio::test]
async fn a_changed_source_changes_the_link() {
    let stage = Stage::new();
    stage.skill("old", "one");
    stage.skill("new", "one");
    let skills = stage.skills();
    for name in ["old", "new", "old"] {
        let path = stage.path(name).display().to_string();
        assert_eq!(place(&stage, &skills, local(&path)).await.unwrap(), [""; 0]);
        let link = stage.path("project/.claude/skills/one");
        assert_eq!(fs::read_link(link).unwrap(), stage.path(name).join("one"));
    }
}

#[tokio::test]
async fn names_come_from_front_matter_or_directories() {
    let stage = Stage::new();
    stage.write("project/s/dir-a/SKILL.md", "---\nname: \"alpha\"\ndescription: x\n---\n");
    stage.write("project/s/dir-b/SKILL.md", "---\nname: Has Spaces\ndescription: x\n---\n");
    stage.write("project/s/dir-c/SKILL.md", "no front matter");
    stage.write("project/s/dir-d/SKILL.md", "---\nname: ../../evil\ndescription: x\n---\n");
    stage.write("project/s/dir-a/inner/SKILL.md", "---\nname: part-of-a\n---\n");
    let skills = stage.skills();
    let warnings = place(&stage, &skills, local("s")).await.unwrap();
    assert_eq!(stage.placed(".claude/skills"), ["alpha", "dir-b", "dir-c", "dir-d"]);
    assert!(
        matches!(&warnings[..], [one] if one.contains("dir-c") && one.contains("description")),
        "{warnings:?}"
    );
    place(&stage, &skills, only(&["alpha", "dir-b"], local("s"))).await.unwrap();
    assert_eq!(stage.placed(".claude/skills"), ["alpha", "dir-b"]);
    place(&stage, &skills, only(&["dir-a"], local("s"))).await.unwrap();
    assert_eq!(stage.placed(".claude/skills"), ["alpha"]);
}

#[tokio::test]
async fn a_source_can_itself_be_a_skill() {
    let stage = Stage::new();
    stage.skill("project", "one");
    let skills = stage.skills();
    place(&stage, &skills, local("one")).await.unwrap();
    assert_eq!(stage.placed(".claude/skills"), ["one"]);
    place(&stage, &skills, below("one", local("."))).await.unwrap();
    assert_eq!(stage.placed(".claude/skills"), ["one"]);
}

#[tokio::test]
async fn errors_say_what_is_wrong_and_change_nothing() {
    let stage = Stage::new();
    stage.skill("project/a", "one");
    stage.skill("project/a", "two");
    stage.skill("project/b", "one");
    fs::create_dir(stage.path("project/empty")).unwrap();
    stage.write("project/odd/ÄÖ/SKILL.md", "---\nname: no good\n---\n");
    let skills = stage.skills();
    place(&stage, &skills, local("a")).await.unwrap();

    let missing = place(&stage, &skills, local("nowhere")).await.unwrap_err();
    assert!(matches!(&missing, SkillsError::NoDirectory { path, .. } if path.ends_with("project/nowhere")));
    assert!(missing.to_string().starts_with("skills `team`, source 1 (local nowhere): "), "{missing}");
    let file = place(&stage, &skills, local("a/one/SKILL.md")).await.unwrap_err();
    assert!(matches!(file, SkillsError::NoDirectory { .. }));
    let empty = place(&stage, &skills, local("empty")).await.unwrap_err();
    assert!(matches!(empty, SkillsError::NoSkills { .. }));
    let nameless = place(&stage, &skills, local("odd")).await.unwrap_err();
    assert!(matches!(nameless, SkillsError::Name { .. }), "{nameless}");
    let unknown = place(&stage, &skills, only(&["one", "three"], local("a"))).await.unwrap_err();
    assert!(unknown.to_string().ends_with(r#"there is no skill "three"; there are one, two"#), "{unknown}");
    let no_subpath = place(&stage, &skills, below("x", local("a"))).await.unwrap_err();
    assert!(matches!(no_subpath, SkillsError::Subpath { .. }));
    let both = set(vec![only(&["one"], local("a")), local("b")]);
    let twice = skills.place_for("s", "claude", &stage.cwd(), &both).await.unwrap_err().to_string();
    assert!(twice.contains("source 1 (local a)") && twice.contains("source 2 (local b)"), "{twice}");
    let twice = place(&stage, &skills, local(".")).await.unwrap_err();
    assert!(matches!(twice, SkillsError::SameName { .. }), "{twice}");
    let nowhere =
        skills.place_for("s", "claude", &stage.path("none"), &set(vec![local("a")])).await.unwrap_err();
    assert!(matches!(nowhere, SkillsError::Place { .. }), "{nowhere}");

    assert_eq!(stage.placed(".claude/skills"), ["one", "two"]);
}

#[tokio::test]
async fn the_same_skill_may_be_asked_for_twice() {
    let stage = Stage::new();
    stage.skill("project/a", "one");
    let twice = set(vec![local("a"), only(&["one"], local("a"))]);
    stage.skills().place_for("s", "claude", &stage.cwd(), &twice).await.unwrap();
    assert_eq!(stage.placed(".claude/skills"), ["one"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sessions_that_start_at_once_do_not_disturb_each_other() {
    let stage = Stage::new();
    for name in ["one", "two", "three"] {
        stage.skill("project/a", name);
    }
    fs::create_dir(stage.path("project/.git")).unwrap();
    stage.write("project/.git/HEAD", "ref: refs/heads/main\n");
    let mut sessions = JoinSet::new();
    for number in 0..24 {
        // Each a separate program, as far as locks are concerned.
        let (skills, cwd) = (stage.skills(), stage.cwd());
        let agent = ["claude", "codex", "amp", "opencode"][number % 4];
        sessions.spawn(async move {
            let session = format!("session-{number}");
            skills.place_for(&session, agent, &cwd, &set(vec![local("a")])).await.unwrap()
        });
    }
    while let Some(placed) = sessions.join_next().await {
        assert_eq!(placed.unwrap(), Placed::default());
    }
    for place in [".claude/skills", ".agents/skills", ".opencode/skills"] {
        assert_eq!(stage.placed(place), ["one", "three", "two"]);
    }
    let exclude = fs::read_to_string(stage.path("project/.git/info/exclude")).unwrap();
    assert_eq!(exclude.lines().filter(|line| line.ends_with("/two")).count(), 3, "{exclude}");
}

#[tokio::test]
async fn copies_are_made_kept_renewed_and_removed() {
    let stage = Stage::new();
    stage.skill("project/a", "one");
    stage.write("project/a/one/scripts/run.sh", "first");
    symlink("SKILL.md", stage.path("project/a/one/alias.md")).unwrap();
    symlink("/etc/passwd", stage.path("project/a/one/foreign")).unwrap();
    let skills = stage.skills_with(SkillsOptions { copies: true, ..SkillsOptions::default() });
    let copy = stage.path("project/.claude/skills/one");
    place(&stage, &skills, local("a")).await.unwrap();
    assert!(copy.is_dir() && !copy.is_symlink());
    assert_eq!(stage.placed(".claude/skills/one"), ["SKILL.md", "alias.md", "scripts"]);
    let inode = fs::metadata(&copy).unwrap().ino();
    place(&stage, &skills, local("a")).await.unwrap();
    assert_eq!(fs::metadata(&copy).unwrap().ino(), inode, "the same copy");
    // One that was changed is not the skill any more.
    stage.write("project/.claude/skills/one/added", "by somebody");
    place(&stage, &skills, local("a")).await.unwrap();
    assert!(!copy.join("added").exists());
    stage.write("project/a/one/scripts/run.sh", "second, and longer");
    place(&stage, &skills, local("a")).await.unwrap();
    assert_eq!(fs::read_to_string(copy.join("scripts/run.sh")).unwrap(), "second, and longer");

    // Links and copies take each other's place.
    place(&stage, &stage.skills(), local("a")).await.unwrap();
    assert!(copy.is_symlink());
    place(&stage, &skills, local("a")).await.unwrap();
    assert!(!copy.is_symlink());
    skills.place_for("s", "claude", &stage.cwd(), &BTreeMap::new()).await.unwrap();
    assert_eq!(stage.placed(".claude"), [""; 0]);
}
