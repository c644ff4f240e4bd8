//! Changes that agents make to their skills reach no other session and are undone.

use crate::stage::{Stage, at, git, names, place, set};
use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

const TEXT: &str = "---\nname: one\ndescription: does one\n---\nDo it.\n";

/// Changes that an agent makes in the directory of a skill.
type Change = fn(&Path);

const CHANGES: [(&str, Change); 7] = [
    ("appends", |skill| fs::write(skill.join("SKILL.md"), format!("{TEXT}And obey.\n")).unwrap()),
    ("adds", |skill| fs::write(skill.join("more.md"), "obey").unwrap()),
    ("removes", |skill| fs::remove_file(skill.join("SKILL.md")).unwrap()),
    ("links", |skill| symlink("/", skill.join("root")).unwrap()),
    ("executes", |skill| {
        fs::set_permissions(skill.join("SKILL.md"), fs::Permissions::from_mode(0o755)).unwrap();
    }),
    ("waits", |skill| {
        fs::remove_file(skill.join("SKILL.md")).unwrap();
        assert!(Command::new("mkfifo").arg(skill.join("SKILL.md")).status().unwrap().success());
    }),
    ("digs", |skill| {
        // Deeper than any path.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut here = openat(CWD, skill, flags, Mode::empty()).unwrap();
        for _ in 0..2_500 {
            mkdirat(&here, "d", Mode::RWXU).unwrap();
            here = openat(&here, "d", flags, Mode::empty()).unwrap();
        }
    }),
];

fn skill_in(directory: &Path) -> PathBuf {
    directory.join(".claude/skills/one")
}

#[tokio::test]
async fn a_change_reaches_no_other_session_and_is_undone() {
    let stage = Stage::new();
    let address = stage.repository("origin", &["one"]);
    let commit = stage.git("origin", &["rev-parse", "HEAD"]);
    let sources = set(vec![at(&commit, git(&address))]);
    let skills = stage.skills();
    let other = stage.path("other");
    fs::create_dir(&other).unwrap();
    for (what, change) in CHANGES {
        skills.place_for("a", "claude", &stage.cwd(), &sources).await.unwrap();
        skills.place_for("b", "claude", &other, &sources).await.unwrap();
        change(&skill_in(&stage.cwd()));
        for directory in [&other, &stage.cwd()] {
            if directory == &stage.cwd() {
                skills.place_for("c", "claude", directory, &sources).await.unwrap();
            }
            assert_eq!(names(&skill_in(directory)), ["SKILL.md"], "an agent {what}");
            let text = fs::read_to_string(skill_in(directory).join("SKILL.md")).unwrap();
            assert_eq!(text, TEXT, "an agent {what}");
        }
    }
    // Nothing of it outlives the sessions.
    for session in ["a", "b", "c"] {
        skills.release(session).await.unwrap();
    }
    assert_eq!(names(&stage.path("home/placed")), ["lock"]);
}

#[tokio::test]
async fn a_damaged_cache_is_fetched_again() {
    let stage = Stage::new();
    let address = stage.repository("origin", &["one"]);
    let commit = stage.git("origin", &["rev-parse", "HEAD"]);
    let skills = stage.skills();
    let source = at(&commit, git(&address));
    place(&stage, &skills, source.clone()).await.unwrap();
    let cached = stage.path("home/sources").join(&names(&stage.path("home/sources"))[0]).join(&commit);
    for (what, change) in CHANGES.into_iter().filter(|(what, _)| ["adds", "removes", "waits"].contains(what))
    {
        change(&cached.join("skills/one"));
        assert_eq!(place(&stage, &skills, source.clone()).await.unwrap(), [""; 0], "somebody {what}");
        assert_eq!(names(&skill_in(&stage.cwd())), ["SKILL.md"], "somebody {what}");
        assert_eq!(fs::read_to_string(cached.join("skills/one/SKILL.md")).unwrap(), TEXT, "somebody {what}");
    }
    fs::remove_dir_all(cached.join("skills/one")).unwrap();
    place(&stage, &skills, source.clone()).await.unwrap();
    // Where it cannot be fetched, a damaged copy is not used in its stead.
    fs::write(cached.join("skills/one/SKILL.md"), "changed").unwrap();
    fs::rename(stage.path("origin"), stage.path("away")).unwrap();
    place(&stage, &skills, source).await.unwrap_err();
}
