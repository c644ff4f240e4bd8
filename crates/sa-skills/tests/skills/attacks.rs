//! Repositories, configurations and workspaces that were made to do harm.

use crate::stage::{Stage, at, below, git, local, only, place};
use sa_skills::{SkillsError, SkillsOptions};
use std::fs::{self, OpenOptions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tokio::time::timeout;

fn secret(stage: &Stage) -> String {
    stage.write("secret/SKILL.md", "---\nname: secret\ndescription: x\n---\n");
    stage.path("secret").display().to_string()
}

#[tokio::test]
async fn links_out_of_a_repository_are_refused() {
    let stage = Stage::new();
    let secret = secret(&stage);
    let address = stage.repository("origin", &["good", "file", "chain", "climber", "high"]);
    let skills_of = |inner: &str| stage.path("origin/skills").join(inner);
    symlink(format!("{secret}/SKILL.md"), skills_of("file/data")).unwrap();
    symlink("../outer/x", skills_of("chain/data")).unwrap();
    symlink("/", skills_of("outer")).unwrap();
    // Climbs only by way of another link: as text it seems to stay.
    symlink("good", skills_of("near")).unwrap();
    symlink("../near/../../../../secret", skills_of("climber/data")).unwrap();
    symlink(format!("{}etc/passwd", "../".repeat(40)), skills_of("high/data")).unwrap();
    symlink(&secret, skills_of("whole")).unwrap();
    stage.commit("origin");
    let skills = stage.skills();
    for name in ["file", "chain", "climber", "high"] {
        let error = place(&stage, &skills, only(&[name], git(&address))).await.unwrap_err();
        let refused =
            matches!(&error, SkillsError::LeadsOut { link, .. } if *link == format!("skills/{name}/data"));
        assert!(refused, "{error}");
    }
    for subpath in ["skills/whole", "skills/outer/etc"] {
        let error = place(&stage, &skills, below(subpath, git(&address))).await.unwrap_err();
        assert!(matches!(&error, SkillsError::LeadsOut { .. }), "{error}");
    }
    place(&stage, &skills, only(&["good"], git(&address))).await.unwrap();
    assert_eq!(stage.placed(".claude/skills"), ["good"]);
    // Nothing that leads out is in the cache, either.
    for source in crate::stage::names(&stage.path("home/sources")) {
        let whole = stage.path("home/sources").join(source).join("current/skills/whole");
        assert!(!whole.is_symlink());
    }
}

#[tokio::test]
async fn a_mark_that_leads_out_makes_no_skill() {
    let stage = Stage::new();
    let secret = secret(&stage);
    let address = stage.repository("origin", &[]);
    fs::create_dir(stage.path("origin/evil")).unwrap();
    symlink(format!("{secret}/SKILL.md"), stage.path("origin/evil/SKILL.md")).unwrap();
    stage.commit("origin");
    let error = place(&stage, &stage.skills(), git(&address)).await.unwrap_err();
    assert!(matches!(&error, SkillsError::NoSkills { .. }), "{error}");
}

#[tokio::test]
async fn links_within_a_repository_are_fine() {
    let stage = Stage::new();
    let address = stage.repository("origin", &["one"]);
    stage.write("origin/shared/text.md", "shared");
    symlink("../../shared/text.md", stage.path("origin/skills/one/text.md")).unwrap();
    symlink("skills", stage.path("origin/latest")).unwrap();
    stage.commit("origin");
    let skills = stage.skills();
    place(&stage, &skills, git(&address)).await.unwrap();
    let linked = stage.cwd().join(".claude/skills/one/text.md");
    assert_eq!(fs::read_to_string(linked).unwrap(), "shared");
    place(&stage, &skills, below("latest", git(&address))).await.unwrap();
    assert_eq!(stage.placed(".claude/skills"), ["one"]);
}

#[tokio::test]
async fn links_out_of_a_directory_are_left_out() {
    let stage = Stage::new();
    let secret = secret(&stage);
    stage.skill("project/mine", "one");
    symlink(&secret, stage.path("project/mine/evil")).unwrap();
    let skills = stage.skills();
    let warnings = place(&stage, &skills, local("mine")).await.unwrap();
    assert!(matches!(&warnings[..], [one] if one.contains("mine/evil")), "{warnings:?}");
    assert_eq!(stage.placed(".claude/skills"), ["one"]);
    let error = place(&stage, &skills, below("evil", local("mine"))).await.unwrap_err();
    assert!(matches!(&error, SkillsError::LeadsOut { .. }), "{error}");
}

#[tokio::test]
async fn a_workspace_cannot_have_links_made_elsewhere() {
    let stage = Stage::new();
    stage.skill("project/mine", "one");
    for place_of_link in ["project/.claude", "project/.claude/skills"] {
        let elsewhere = stage.path("elsewhere");
        fs::create_dir_all(&elsewhere).unwrap();
        fs::create_dir_all(stage.path(place_of_link).parent().unwrap()).unwrap();
        symlink(&elsewhere, stage.path(place_of_link)).unwrap();
        let error = place(&stage, &stage.skills(), local("mine")).await.unwrap_err();
        assert!(matches!(&error, SkillsError::Place { .. }), "{error}");
        assert_eq!(crate::stage::names(&elsewhere), [""; 0]);
        fs::remove_file(stage.path(place_of_link)).unwrap();
    }
}

#[tokio::test]
async fn names_cannot_climb() {
    let stage = Stage::new();
    let address = stage.repository("origin", &[]);
    for (directory, name) in
        [("a", "../../../../evil"), ("b", "/evil"), ("c", ".."), ("d", "x/y"), ("e", "-x")]
    {
        let text = format!("---\nname: {name}\ndescription: x\n---\n");
        stage.write(&format!("origin/{directory}/SKILL.md"), &text);
    }
    stage.commit("origin");
    place(&stage, &stage.skills(), git(&address)).await.unwrap();
    assert_eq!(stage.placed(".claude/skills"), ["a", "b", "c", "d", "e"]);
    let wanted = only(&["../../../../evil"], git(&address));
    let error = place(&stage, &stage.skills(), wanted).await.unwrap_err();
    assert!(matches!(&error, SkillsError::NoSuchSkill { .. }), "{error}");
}

/// Each of these would run a program if it reached git as it is.
#[tokio::test]
async fn neither_addresses_nor_references_are_options() {
    let stage = Stage::new();
    let address = stage.repository("origin", &["one"]);
    let program = stage.path("program");
    fs::write(&program, format!("#!/bin/sh\ntouch {}\n", stage.path("ran").display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let program = program.display();
    let skills = stage.skills();
    let sources = [
        git(&format!("--upload-pack={program}")),
        git(&format!("-u{program}")),
        git(&format!("ext::{program}")),
        git(&format!("ssh://-oProxyCommand={program}/x")),
        at(&format!("--upload-pack={program}"), git(&address)),
        at(&format!("main --upload-pack={program}"), git(&address)),
        at(&format!("main:{program}"), git(&address)),
    ];
    for source in sources {
        let error = place(&stage, &skills, source).await.unwrap_err();
        let refused = matches!(&error, SkillsError::Address { .. } | SkillsError::Reference { .. });
        assert!(refused, "{error}");
    }
    assert!(!stage.path("ran").exists());
}

/// The user's own configuration may name hooks and templates for their work; a fetch runs none of it.
#[tokio::test]
async fn no_hook_runs_and_no_submodule_is_fetched() {
    let stage = Stage::new();
    let address = stage.repository("origin", &["one"]);
    let ran = stage.path("ran");
    let modules = format!("[submodule \"x\"]\n\tpath = x\n\turl = ext::sh -c touch% {}\n", ran.display());
    stage.write("origin/.gitmodules", &modules);
    let commit = stage.git("origin", &["rev-parse", "HEAD"]);
    stage.git("origin", &["update-index", "--add", "--cacheinfo", &format!("160000,{commit},x")]);
    stage.git("origin", &["commit", "--quiet", "--message", "x"]);
    for hook in ["post-checkout", "post-merge", "reference-transaction", "pre-auto-gc"] {
        for directory in ["user/hooks", "user/template/hooks"] {
            let file = format!("{directory}/{hook}");
            stage.write(&file, &format!("#!/bin/sh\ntouch {}\n", ran.display()));
            fs::set_permissions(stage.path(&file), fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
    let (hooks, template) = (stage.path("user/hooks"), stage.path("user/template"));
    let configuration = format!(
        "[core]\nhooksPath = {}\n[init]\ntemplateDir = {}\n[submodule]\nrecurse = true\n[protocol \"ext\"]\nallow = always\n",
        hooks.display(),
        template.display()
    );
    stage.write("user/.gitconfig", &configuration);
    place(&stage, &stage.skills(), git(&address)).await.unwrap();
    assert_eq!(stage.placed(".claude/skills"), ["one"]);
    assert!(!ran.exists());
}

/// An address that is harmless can be made another by the user's own configuration; protocols stay limited.
#[tokio::test]
async fn rewritten_addresses_keep_to_known_protocols() {
    let stage = Stage::new();
    let ran = stage.path("ran");
    let configuration = format!(
        "[protocol \"ext\"]\nallow = always\n[url \"ext::touch {} #\"]\ninsteadOf = https://host.invalid/\n",
        ran.display()
    );
    stage.write("user/.gitconfig", &configuration);
    let error = place(&stage, &stage.skills(), git("https://host.invalid/x")).await.unwrap_err();
    assert!(error.to_string().contains("not allowed"), "{error}");
    assert!(!ran.exists());
}

#[tokio::test]
async fn copies_hold_nothing_from_outside() {
    let stage = Stage::new();
    let secret = secret(&stage);
    stage.skill("project/mine", "one");
    symlink(&secret, stage.path("project/mine/one/evil")).unwrap();
    symlink("..", stage.path("project/mine/one/circle")).unwrap();
    let skills = stage.skills_with(SkillsOptions { copies: true, ..SkillsOptions::default() });
    let error = place(&stage, &skills, local("mine")).await.unwrap_err();
    assert!(error.to_string().contains("too large"), "{error}");
    fs::remove_file(stage.path("project/mine/one/circle")).unwrap();
    place(&stage, &skills, local("mine")).await.unwrap();
    assert_eq!(stage.placed(".claude/skills/one"), ["SKILL.md"]);
}

/// Far longer than reading a few files takes.
const PATIENCE: Duration = Duration::from_secs(20);

fn make_pipe(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Lets a reader that waits at a pipe continue.
fn free(pipe: &Path) {
    drop(OpenOptions::new().read(true).write(true).open(pipe).unwrap());
}

#[tokio::test]
async fn a_pipe_is_no_skill_and_nobody_waits_for_it() {
    let stage = Stage::new();
    stage.skill("project/mine", "one");
    let pipe = stage.path("project/mine/pipe/SKILL.md");
    make_pipe(&pipe);
    stage.skill("project/mine/pipe", "inner");
    let placed = timeout(PATIENCE, place(&stage, &stage.skills(), local("mine"))).await;
    free(&pipe);
    placed.expect("nobody waits for a pipe").unwrap();
    assert_eq!(stage.placed(".claude/skills"), ["inner", "one"]);
}

#[tokio::test]
async fn a_pipe_in_the_repository_holds_up_nobody() {
    for pipe in [".git/info/exclude", ".git"] {
        let stage = Stage::new();
        stage.skill("project/mine", "one");
        if pipe != ".git" {
            stage.write("project/.git/HEAD", "ref: refs/heads/main\n");
        }
        let pipe = stage.cwd().join(pipe);
        make_pipe(&pipe);
        let placed = timeout(PATIENCE, place(&stage, &stage.skills(), local("mine"))).await;
        free(&pipe);
        let warnings = placed.expect("nobody waits for a pipe").unwrap();
        assert!(matches!(&warnings[..], [one] if one.contains("git status")), "{warnings:?}");
        assert_eq!(stage.placed(".claude/skills"), ["one"]);
    }
}
