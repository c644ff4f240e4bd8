//! Repositories as sources: what is fetched, when, and what happens when it cannot be.

use crate::stage::{Answer, Stage, at, below, git, names, only, place, set, web_server};
use sa_api::SkillSource;
use sa_skills::{SkillsError, SkillsFault, SkillsLimits, SkillsOptions};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// Returns options that fetch a branch each time.
fn eager() -> SkillsOptions {
    let limits =
        SkillsLimits { branch_age: Duration::ZERO, failure_pause: Duration::ZERO, ..SkillsLimits::default() };
    SkillsOptions { limits, ..SkillsOptions::default() }
}

fn text_of(stage: &Stage, skill: &str) -> String {
    fs::read_to_string(stage.cwd().join(".claude/skills").join(skill).join("SKILL.md")).unwrap()
}

/// Returns the directory of the one repository in the cache.
fn source_of(stage: &Stage) -> PathBuf {
    let sources = stage.path("home/sources");
    let [name] = &names(&sources)[..] else { panic!("{:?}", names(&sources)) };
    sources.join(name)
}

#[tokio::test]
async fn a_repository_is_fetched_and_linked() {
    let stage = Stage::new();
    let address = stage.repository("origin", &["one", "two"]);
    let warnings = place(&stage, &stage.skills(), git(&address)).await.unwrap();
    assert_eq!(warnings, [""; 0]);
    assert_eq!(stage.placed(".claude/skills"), ["one", "two"]);
    assert!(text_of(&stage, "one").contains("does one"));
    let link = fs::read_link(stage.cwd().join(".claude/skills/one")).unwrap();
    assert!(link.starts_with(stage.path("home/placed")), "{link:?}");
    // Neither git's own files nor what fetching needed is left.
    let source = source_of(&stage);
    assert_eq!(names(&source.join("current")), ["skills"]);
    assert_eq!(names(&source).len(), 4, "{:?}", names(&source));
}

#[tokio::test]
async fn branches_tags_and_commits_can_be_named() {
    let stage = Stage::new();
    let address = stage.repository("origin", &["one"]);
    let first = stage.git("origin", &["rev-parse", "HEAD"]);
    stage.git("origin", &["tag", "--annotate", "v1.0", "--message", "x"]);
    stage.git("origin", &["checkout", "--quiet", "-b", "feature/x"]);
    stage.skill("origin/skills", "two");
    stage.commit("origin");
    stage.git("origin", &["checkout", "--quiet", "main"]);
    stage.skill("origin/skills", "three");
    stage.commit("origin");
    let skills = stage.skills();
    let cases = [
        ("main", vec!["one", "three"]),
        ("v1.0", vec!["one"]),
        ("feature/x", vec!["one", "two"]),
        ("refs/heads/feature/x", vec!["one", "two"]),
        (first.as_str(), vec!["one"]),
    ];
    for (reference, expected) in cases {
        place(&stage, &skills, at(reference, git(&address))).await.unwrap();
        assert_eq!(stage.placed(".claude/skills"), expected, "{reference}");
    }
    let unknown = place(&stage, &skills, at("v2", git(&address))).await.unwrap_err();
    assert!(matches!(&unknown, SkillsError::NoReference { .. }), "{unknown}");
    let commit = "0123456789".repeat(4);
    let unknown = place(&stage, &skills, at(&commit, git(&address))).await.unwrap_err();
    assert!(unknown.to_string().contains("fetching failed"), "{unknown}");
    assert_eq!(stage.placed(".claude/skills"), ["one"]);
}

#[tokio::test]
async fn subpath_and_names_narrow_it_down() {
    let stage = Stage::new();
    let address = stage.repository("origin", &["one", "two"]);
    stage.skill("origin/more/deep", "three");
    stage.commit("origin");
    let skills = stage.skills();
    place(&stage, &skills, only(&["two"], below("skills", git(&address)))).await.unwrap();
    assert_eq!(stage.placed(".claude/skills"), ["two"]);
    place(&stage, &skills, below("more", git(&address))).await.unwrap();
    assert_eq!(stage.placed(".claude/skills"), ["three"]);
    let unknown = place(&stage, &skills, only(&["two"], below("more", git(&address)))).await.unwrap_err();
    assert!(unknown.to_string().ends_with("there are three"), "{unknown}");
}

#[tokio::test]
async fn github_is_a_repository_by_owner_and_name() {
    let stage = Stage::new();
    stage.repository("hub/owner/name.git", &["one", "two"]);
    let github = format!("file://{}", stage.path("hub").display());
    let skills = stage.skills_with(SkillsOptions { github, ..SkillsOptions::default() });
    let source = |source: &str| SkillSource {
        kind: "github".to_owned(),
        source: source.to_owned(),
        ..SkillSource::default()
    };
    place(&stage, &skills, source("owner/name")).await.unwrap();
    assert_eq!(stage.placed(".claude/skills"), ["one", "two"]);
    place(&stage, &skills, source("owner/name/skills/two")).await.unwrap();
    assert_eq!(stage.placed(".claude/skills"), ["two"]);
}

#[tokio::test]
async fn a_branch_is_followed_and_a_tag_is_not() {
    let stage = Stage::new();
    let address = stage.repository("origin", &["one"]);
    stage.git("origin", &["tag", "v1"]);
    let skills = stage.skills_with(eager());
    let both = set(vec![at("main", git(&address))]);
    skills.place_for("s", "claude", &stage.cwd(), &both).await.unwrap();
    skills.place_for("s", "codex", &stage.cwd(), &set(vec![at("v1", git(&address))])).await.unwrap();
    for round in 0..4 {
        stage.write(
            "origin/skills/one/SKILL.md",
            &format!("---\nname: one\ndescription: round {round}\n---\n"),
        );
        stage.commit("origin");
        stage.git("origin", &["tag", "--force", "v1"]);
        skills.place_for("s", "claude", &stage.cwd(), &both).await.unwrap();
        assert!(text_of(&stage, "one").contains(&format!("round {round}")));
    }
    skills.place_for("s", "codex", &stage.cwd(), &set(vec![at("v1", git(&address))])).await.unwrap();
    let tagged = fs::read_to_string(stage.cwd().join(".agents/skills/one/SKILL.md")).unwrap();
    assert!(tagged.contains("does one"), "{tagged}");
    // Only the present tree and the one before stay on the disk.
    let sources = stage.path("home/sources");
    let trees = |name: &String| names(&sources.join(name)).iter().filter(|name| name.len() == 40).count();
    let mut trees: Vec<usize> = names(&sources).iter().map(trees).collect();
    trees.sort();
    assert_eq!(trees, [1, 2]);
    // Of the copies for agents only those in use do.
    let copies = names(&stage.path("home/placed")).into_iter().filter(|name| name.len() == 32);
    for copies in copies {
        assert_eq!(names(&stage.path("home/placed").join(copies)).len(), 1);
    }
}

#[tokio::test]
async fn a_young_copy_of_a_branch_is_used_as_it_is() {
    let stage = Stage::new();
    let address = stage.repository("origin", &["one"]);
    let skills = stage.skills();
    place(&stage, &skills, git(&address)).await.unwrap();
    fs::remove_dir_all(stage.path("origin")).unwrap();
    assert_eq!(place(&stage, &skills, git(&address)).await.unwrap(), [""; 0]);
}

#[tokio::test]
async fn a_copy_serves_when_the_repository_cannot_be_reached() {
    let stage = Stage::new();
    let address = stage.repository("origin", &["one"]);
    let skills = stage.skills_with(eager());
    place(&stage, &skills, git(&address)).await.unwrap();
    fs::rename(stage.path("origin"), stage.path("away")).unwrap();
    for _ in 0..2 {
        let warnings = place(&stage, &skills, git(&address)).await.unwrap();
        assert!(matches!(&warnings[..], [one] if one.contains("the copy of commit")), "{warnings:?}");
        assert_eq!(stage.placed(".claude/skills"), ["one"]);
    }
    fs::rename(stage.path("away"), stage.path("origin")).unwrap();
    assert_eq!(place(&stage, &skills, git(&address)).await.unwrap(), [""; 0]);
}

#[tokio::test]
async fn after_a_failed_look_the_next_one_waits() {
    let stage = Stage::new();
    let address = stage.repository("origin", &["one"]);
    let limits = SkillsLimits { branch_age: Duration::ZERO, ..SkillsLimits::default() };
    let skills = stage.skills_with(SkillsOptions { limits, ..SkillsOptions::default() });
    place(&stage, &skills, git(&address)).await.unwrap();
    fs::rename(stage.path("origin"), stage.path("away")).unwrap();
    assert_eq!(place(&stage, &skills, git(&address)).await.unwrap().len(), 1);
    fs::rename(stage.path("away"), stage.path("origin")).unwrap();
    let warnings = place(&stage, &skills, git(&address)).await.unwrap();
    assert_eq!(warnings.len(), 1, "it is told again, without another look");
}

#[tokio::test]
async fn plain_web_servers_will_do() {
    let stage = Stage::new();
    stage.repository("www/origin", &["one"]);
    let commit = stage.git("www/origin", &["rev-parse", "HEAD"]);
    stage.skill("www/origin/skills", "two");
    stage.commit("www/origin");
    stage.git("www/origin", &["update-server-info"]);
    let (server, requests) = web_server(Answer::File(stage.path("www"))).await;
    let address = format!("{server}/origin/.git");
    let skills = stage.skills();
    place(&stage, &skills, at("main", git(&address))).await.unwrap();
    assert_eq!(stage.placed(".claude/skills"), ["one", "two"]);
    place(&stage, &skills, at(&commit, git(&address))).await.unwrap();
    assert_eq!(stage.placed(".claude/skills"), ["one"]);
    let before = requests.load(Ordering::SeqCst);
    place(&stage, &skills, at(&commit, git(&address))).await.unwrap();
    assert_eq!(requests.load(Ordering::SeqCst), before, "a commit is asked for once");
}

#[tokio::test]
async fn nobody_is_asked_for_a_password() {
    let stage = Stage::new();
    let refusal = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    let (server, _) = web_server(Answer::Head(refusal)).await;
    let error = place(&stage, &stage.skills(), git(&format!("{server}/x"))).await.unwrap_err();
    assert!(matches!(&error, SkillsError::Git { fault: SkillsFault::Configuration, .. }), "{error}");
    assert!(error.to_string().contains("give git credentials"), "{error}");
}

#[tokio::test]
async fn passwords_in_addresses_are_not_repeated() {
    let stage = Stage::new();
    let (server, _) =
        web_server(Answer::Head("HTTP/1.1 500 No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")).await;
    let address = format!("{}/x", server.replace("http://", "http://me:s3cret@"));
    let error = place(&stage, &stage.skills(), git(&address)).await.unwrap_err().to_string();
    assert!(error.contains("asking the repository failed") && !error.contains("s3cret"), "{error}");
    let mut left = vec![stage.path("home")];
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            assert!(!String::from_utf8_lossy(&fs::read(&path).unwrap()).contains("s3cret"), "{path:?}");
        }
    }
}

#[tokio::test]
async fn a_server_that_hangs_is_left() {
    let stage = Stage::new();
    let (server, _) = web_server(Answer::Silence).await;
    let limits = SkillsLimits { git_timeout: Duration::from_secs(1), ..SkillsLimits::default() };
    let skills = stage.skills_with(SkillsOptions { limits, ..SkillsOptions::default() });
    let start = Instant::now();
    let error = place(&stage, &skills, git(&format!("{server}/x"))).await.unwrap_err();
    assert!(matches!(&error, SkillsError::TimedOut { seconds: 1, .. }), "{error}");
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[tokio::test]
async fn a_server_that_talks_nonsense_is_an_error() {
    let stage = Stage::new();
    let nonsense =
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: 5\r\n\r\n<a>!\n";
    let (server, _) = web_server(Answer::Head(nonsense)).await;
    let error = place(&stage, &stage.skills(), git(&format!("{server}/x"))).await.unwrap_err();
    assert!(matches!(&error, SkillsError::Git { fault: SkillsFault::Configuration, .. }), "{error}");
}

#[tokio::test]
async fn a_repository_that_is_too_large_is_refused() {
    let stage = Stage::new();
    let address = stage.repository("origin", &["one"]);
    // Packs to next to nothing.
    stage.write("origin/skills/one/zeros", &"0".repeat(8 * 1024 * 1024));
    stage.commit("origin");
    for limits in [
        SkillsLimits { source_bytes: 1024 * 1024, ..SkillsLimits::default() },
        SkillsLimits { source_files: 2, ..SkillsLimits::default() },
    ] {
        let skills = stage.skills_with(SkillsOptions { limits, ..SkillsOptions::default() });
        let error = place(&stage, &skills, git(&address)).await.unwrap_err();
        assert!(matches!(&error, SkillsError::TooLarge { .. }), "{error}");
    }
    assert_eq!(stage.placed(""), [""; 0]);
    place(&stage, &stage.skills(), git(&address)).await.unwrap();
}

#[tokio::test]
async fn repositories_that_are_not_there_or_empty_are_errors() {
    let stage = Stage::new();
    let skills = stage.skills();
    let missing = place(&stage, &skills, git("file:///nowhere/at/all")).await.unwrap_err();
    assert!(matches!(&missing, SkillsError::Git { fault: SkillsFault::Configuration, .. }), "{missing}");
    fs::create_dir(stage.path("empty")).unwrap();
    stage.git("empty", &["init", "--quiet"]);
    let address = stage.path("empty").display().to_string();
    let empty = place(&stage, &skills, git(&address)).await.unwrap_err();
    assert!(matches!(&empty, SkillsError::NoReference { .. }), "{empty}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sessions_that_start_at_once_fetch_once() {
    let stage = Stage::new();
    stage.repository("www/origin", &["one"]);
    stage.git("www/origin", &["update-server-info"]);
    let (server, requests) = web_server(Answer::File(stage.path("www"))).await;
    let address = format!("{server}/origin/.git");
    place(&stage, &stage.skills(), git(&address)).await.unwrap();
    let alone = requests.swap(0, Ordering::SeqCst);
    fs::remove_dir_all(stage.path("home")).unwrap();
    let mut sessions = JoinSet::new();
    for number in 0..8 {
        let cwd = stage.path(&format!("project-{number}"));
        fs::create_dir(&cwd).unwrap();
        let (skills, sources) = (stage.skills(), set(vec![git(&address)]));
        sessions.spawn(async move {
            skills.place_for("s", "claude", &cwd, &sources).await.unwrap();
            assert_eq!(names(&cwd.join(".claude/skills")), ["one"]);
        });
    }
    while let Some(done) = sessions.join_next().await {
        done.unwrap();
    }
    assert_eq!(requests.load(Ordering::SeqCst), alone);
}

#[tokio::test]
async fn what_a_kill_left_does_not_matter() {
    let stage = Stage::new();
    let address = stage.repository("origin", &["one"]);
    let skills = stage.skills_with(eager());
    place(&stage, &skills, git(&address)).await.unwrap();
    let source = source_of(&stage);
    fs::create_dir(source.join(".staging-half")).unwrap();
    fs::write(source.join("state.json"), "{\"half").unwrap();
    fs::create_dir(stage.cwd().join(".claude/skills/.sandbox-agent-half")).unwrap();
    place(&stage, &skills, git(&address)).await.unwrap();
    assert_eq!(names(&source).len(), 4, "{:?}", names(&source));
    assert_eq!(stage.placed(".claude/skills"), ["one"]);
    // Without its notes, links into the cache are still known to be ours.
    fs::remove_dir_all(stage.path("home/placed")).unwrap();
    assert_eq!(place(&stage, &skills, git(&address)).await.unwrap(), [""; 0]);
}

#[tokio::test]
async fn what_cannot_be_reached_is_reported_from_what_is_wrong() {
    let stage = Stage::new();
    let skills = stage.skills();
    let fault = async |source| place(&stage, &skills, source).await.unwrap_err().fault();
    // Bound once and given back: nobody listens there.
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    assert_eq!(fault(git(&format!("http://{closed}/x"))).await, SkillsFault::Unreachable);
    let (ill, _) = web_server(Answer::Head(
        "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
    ))
    .await;
    assert_eq!(fault(git(&format!("{ill}/x"))).await, SkillsFault::Unreachable);
    let (unknown, _) = web_server(Answer::File(stage.path("nothing"))).await;
    assert_eq!(fault(git(&format!("{unknown}/x"))).await, SkillsFault::Configuration);
    assert_eq!(fault(git("file:///nowhere/at/all")).await, SkillsFault::Configuration);
    assert_eq!(fault(git("ftp://host/x")).await, SkillsFault::Configuration);
}
