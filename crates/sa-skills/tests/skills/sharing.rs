//! Several sessions in one directory: what each finds there, from its start to its end.

use crate::stage::{Stage, local, only, set};
use sa_api::SkillsConfig;
use sa_skills::{Displaced, Placed, Skills, SkillsError, SkillsOptions};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

const PLACE: &str = ".claude/skills";

type Configured = BTreeMap<String, SkillsConfig>;

async fn start(
    stage: &Stage,
    skills: &Skills,
    session: &str,
    configured: &Configured,
) -> Result<Placed, SkillsError> {
    skills.place_for(session, "claude", &stage.cwd(), configured).await
}

/// Skills of that name from two sources, and one that only the first has.
fn rivals(stage: &Stage) -> (Configured, Configured) {
    stage.skill("project/a", "both");
    stage.skill("project/a", "alone");
    stage.skill("project/b", "both");
    (set(vec![local("a")]), set(vec![local("b")]))
}

fn leads_to(stage: &Stage, skill: &str) -> PathBuf {
    let link = fs::read_link(stage.cwd().join(PLACE).join(skill)).unwrap();
    link.strip_prefix(stage.cwd()).unwrap().to_owned()
}

#[tokio::test]
async fn a_session_without_skills_leaves_those_of_others() {
    let stage = Stage::new();
    stage.skill("project/mine", "one");
    let skills = stage.skills();
    start(&stage, &skills, "works", &set(vec![local("mine")])).await.unwrap();
    let placed = start(&stage, &skills, "plain", &Configured::new()).await.unwrap();
    assert_eq!(placed, Placed::default());
    assert_eq!(stage.placed(PLACE), ["one"]);
    skills.release("plain").await.unwrap();
    assert_eq!(stage.placed(PLACE), ["one"]);
}

#[tokio::test]
async fn each_finds_its_own_until_it_ends() {
    let stage = Stage::new();
    for name in ["one", "two", "three"] {
        stage.skill("project/mine", name);
    }
    let skills = stage.skills();
    let mine = |names: &[&str]| set(vec![only(names, local("mine"))]);
    start(&stage, &skills, "a", &mine(&["one", "two"])).await.unwrap();
    start(&stage, &skills, "b", &mine(&["two", "three"])).await.unwrap();
    assert_eq!(stage.placed(PLACE), ["one", "three", "two"]);
    // A skill that no session wants any more is removed.
    start(&stage, &skills, "b", &mine(&["three"])).await.unwrap();
    assert_eq!(stage.placed(PLACE), ["one", "three", "two"]);
    skills.release("a").await.unwrap();
    assert_eq!(stage.placed(PLACE), ["three"]);
    skills.release("a").await.unwrap();
    skills.release("unknown").await.unwrap();
    assert_eq!(stage.placed(PLACE), ["three"]);
    skills.release("b").await.unwrap();
    assert_eq!(stage.placed(""), ["mine"]);
    assert_eq!(crate::stage::names(&stage.path("home/placed")), ["lock"]);
}

#[tokio::test]
async fn under_one_name_the_newest_has_its_own_and_the_older_is_reported() {
    let stage = Stage::new();
    let (first, second) = rivals(&stage);
    let skills = stage.skills();
    assert_eq!(start(&stage, &skills, "old", &first).await.unwrap(), Placed::default());
    let placed = start(&stage, &skills, "new", &second).await.unwrap();
    assert_eq!(leads_to(&stage, "both"), PathBuf::from("b/both"));
    assert_eq!(leads_to(&stage, "alone"), PathBuf::from("a/alone"));
    assert!(matches!(&placed.warnings[..], [one] if one.contains("`both`") && one.contains("`old`")));
    let [Displaced { session, warning }] = &placed.displaced[..] else { panic!("{placed:?}") };
    assert_eq!(session, "old");
    for part in ["`both`", "(local a)", "(local b)", "`new`"] {
        assert!(warning.contains(part), "{warning}");
    }
    // The older one has been notified, and is not notified again.
    assert_eq!(start(&stage, &skills, "new", &second).await.unwrap().displaced, []);
    skills.release("new").await.unwrap();
    assert_eq!(leads_to(&stage, "both"), PathBuf::from("a/both"));
    assert_eq!(stage.placed(PLACE), ["alone", "both"]);
}

#[tokio::test]
async fn a_session_that_starts_again_is_the_newest() {
    let stage = Stage::new();
    let (first, second) = rivals(&stage);
    let skills = stage.skills();
    start(&stage, &skills, "one", &first).await.unwrap();
    start(&stage, &skills, "two", &second).await.unwrap();
    let placed = start(&stage, &skills, "one", &first).await.unwrap();
    assert_eq!(placed.displaced.iter().map(|other| other.session.as_str()).collect::<Vec<_>>(), ["two"]);
    assert_eq!(leads_to(&stage, "both"), PathBuf::from("a/both"));
    skills.release("one").await.unwrap();
    assert_eq!(leads_to(&stage, "both"), PathBuf::from("b/both"));
    assert_eq!(stage.placed(PLACE), ["both"]);
}

#[tokio::test]
async fn sessions_that_exist_no_more_are_dropped_everywhere() {
    let stage = Stage::new();
    stage.skill("project/mine", "one");
    fs::create_dir(stage.path("elsewhere")).unwrap();
    let source = set(vec![local(&stage.path("project/mine").display().to_string())]);
    let skills = stage.skills();
    for (session, agent, cwd) in [
        ("gone", "claude", "project"),
        ("gone", "codex", "elsewhere"),
        ("stays", "claude", "elsewhere"),
        ("gone", "claude", "elsewhere"),
    ] {
        skills.place_for(session, agent, &stage.path(cwd), &source).await.unwrap();
    }
    // Another daemon, which knows of one of them only.
    stage.skills().retain(|session| session == "stays").await.unwrap();
    assert_eq!(stage.placed(""), ["mine"]);
    assert_eq!(crate::stage::names(&stage.path("elsewhere")), [".claude"]);
    assert_eq!(crate::stage::names(&stage.path("elsewhere/.claude/skills")), ["one"]);
}

#[tokio::test]
async fn an_end_harms_nobody_whatever_has_become_of_the_directory() {
    let stage = Stage::new();
    let (first, second) = rivals(&stage);
    let skills = stage.skills();
    skills.release("before anything").await.unwrap();
    start(&stage, &skills, "a", &first).await.unwrap();
    start(&stage, &skills, "b", &second).await.unwrap();
    // The source of the older one is gone: nothing takes the place of the newer one's skill.
    fs::remove_dir_all(stage.path("project/a/both")).unwrap();
    skills.release("b").await.unwrap();
    assert_eq!(stage.placed(PLACE), ["alone"]);
    fs::remove_file(stage.path("project/.claude/skills/alone")).unwrap();
    stage.write("project/.claude/skills/alone/SKILL.md", "mine now");
    skills.release("a").await.unwrap();
    assert_eq!(stage.placed(PLACE), ["alone"]);

    start(&stage, &skills, "c", &second).await.unwrap();
    start(&stage, &skills, "d", &second).await.unwrap();
    fs::remove_dir_all(stage.cwd()).unwrap();
    skills.release("c").await.unwrap();
    skills.release("d").await.unwrap();
    assert!(!stage.cwd().exists());
}

#[tokio::test]
async fn a_skill_of_another_session_is_no_reason_not_to_start() {
    let stage = Stage::new();
    let (first, second) = rivals(&stage);
    let skills = stage.skills_with(SkillsOptions { copies: true, ..SkillsOptions::default() });
    start(&stage, &skills, "a", &first).await.unwrap();
    stage.write("project/.claude/skills/alone/kept", "in use");
    // It could not be copied again.
    fs::remove_dir_all(stage.path("project/a/alone")).unwrap();
    start(&stage, &skills, "b", &second).await.unwrap();
    assert!(stage.path("project/.claude/skills/alone/kept").exists());
    skills.release("b").await.unwrap();
    assert_eq!(stage.placed(PLACE), ["alone", "both"]);
}
