//! Content of a workspace that is made to take the daemon down. It must still answer afterwards.

use crate::fs::{Fs, address, encode};
use anyhow::{Context, Result};
use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use sa_testkit::Sse;
use std::path::Path;

impl Fs {
    async fn is_healthy(&self) -> Result<()> {
        let health = self.daemon.http().get("/v1/health").send().await;
        health.with_context(|| format!("no answer: {}", self.daemon.stderr()))?.expect_status(200)?;
        Ok(())
    }
}

/// A directory with as many others inside each other as no path can name.
fn deep_tree(path: &Path, depth: usize) {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    std::fs::create_dir(path).unwrap();
    let mut here = openat(CWD, path, flags, Mode::empty()).unwrap();
    for _ in 0..depth {
        mkdirat(&here, "d", Mode::RWXU).unwrap();
        here = openat(&here, "d", flags, Mode::empty()).unwrap();
    }
}

fn nested(depth: usize) -> String {
    format!("{}x{}", "{".repeat(depth), "}".repeat(depth))
}

#[tokio::test]
async fn nested_braces_in_ignore_rules_harm_nobody() -> Result<()> {
    let fs = Fs::start().await?;
    for file in [".gitignore", ".ignore", ".git/info/exclude"] {
        let name = file.replace('/', "-");
        let file = fs.path(format!("{name}/{file}"));
        std::fs::create_dir_all(file.parent().unwrap())?;
        std::fs::write(&file, format!("{}\n*.log\n", nested(20_000)))?;
        std::fs::write(fs.path(format!("{name}/a.txt")), "x")?;
        std::fs::write(fs.path(format!("{name}/a.log")), "x")?;
        let found = fs.daemon.http().get(&format!("/v1/fs/search?path={name}&name=a.*")).send().await;
        let found = found.with_context(|| fs.daemon.stderr())?.expect_status(200)?.json()?;
        assert_eq!(found["matches"].as_array().map(Vec::len), Some(1), "the other rules hold: {found}");
        let packed = format!("{}&ignored=false", address("download-batch", &name));
        fs.daemon.http().get(&packed).send().await?.expect_status(200)?;
        // Also while it is watched: one rename brings the rules in.
        std::fs::create_dir_all(fs.path("w"))?;
        let mut watch = Sse::open(fs.get("watch", "w")).await?;
        assert_eq!(watch.event().await?.event, "ready");
        std::fs::rename(fs.path(&name), fs.path("w").join(&name))?;
        watch.find("the file", |event| event.data.contains("a.txt")).await?;
        fs.is_healthy().await?;
    }
    Ok(())
}

#[tokio::test]
async fn braces_in_ignore_rules_are_plain_characters() -> Result<()> {
    let fs = Fs::start().await?;
    std::fs::create_dir(fs.path("r"))?;
    std::fs::write(fs.path("r/.gitignore"), "{a,b}\n*.{x,y}\n[{]c\n\\{d\n")?;
    for name in ["a", "b", "{a,b}", "1.x", "1.{x,y}", "{c", "{d"] {
        std::fs::write(fs.path("r").join(name), "")?;
    }
    let found = fs.daemon.http().get("/v1/fs/search?path=r&name=%3F*").send().await?.json()?;
    let names: Vec<&str> = found["matches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| found["path"].as_str().unwrap().rsplit('/').next().unwrap())
        .collect();
    assert_eq!(names, [".gitignore", "1.x", "a", "b"]);
    Ok(())
}

#[tokio::test]
async fn a_tree_deeper_than_any_path_harms_nobody() -> Result<()> {
    let fs = Fs::start().await?;
    raise_open_files();
    deep_tree(&fs.path("deep"), 3_500);
    std::fs::create_dir(fs.path("w"))?;
    let mut watch = Sse::open(fs.get("watch", "w")).await?;
    assert_eq!(watch.event().await?.event, "ready");
    std::fs::rename(fs.path("deep"), fs.path("w/deep"))?;
    watch.find("an overflow", |event| event.event == "overflow").await?;
    fs.is_healthy().await?;
    let mut again = Sse::open(fs.get("watch", "w")).await?;
    assert_eq!(again.event().await?.event, "ready");
    assert_eq!(again.event().await?.event, "overflow");
    let found = fs.daemon.http().get("/v1/fs/search?path=w&name=none").send().await?.expect_status(200)?;
    assert_eq!(found.json()?["skipped"], 1);
    // An incomplete archive must not look complete.
    assert!(fs.get("download-batch", "w").send().await.is_err());
    let moved = serde_json::json!({"from": "w/deep", "to": "w/moved"}).to_string();
    fs.daemon.http().post("/v1/fs/move").json(moved).send().await?.expect_status(200)?;
    let removed = format!("{}&recursive=true", address("entry", "w/moved"));
    fs.daemon.http().delete(&removed).send().await?.expect_status(200)?;
    fs.is_healthy().await
}

/// The daemon inherits it only from its parent, which is this process; the tests of one process share it.
fn raise_open_files() {
    let most = rustix::process::getrlimit(Resource::Nofile).maximum;
    let _ = rustix::process::setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most });
}

#[tokio::test]
async fn patterns_for_names_are_bounded() -> Result<()> {
    let fs = Fs::start().await?;
    std::fs::write(fs.path("a.rs"), "")?;
    let search = async |pattern: &str| {
        let reply = fs.daemon.http().get(&format!("/v1/fs/search?name={pattern}")).send().await;
        reply.with_context(|| fs.daemon.stderr())
    };
    for (pattern, why) in [
        (nested(20_000), "1024 bytes"),
        (nested(400), "nested"),
        ("%7B".repeat(20), "nested"),
        (encode("a".repeat(1025)), "1024 bytes"),
        (encode("{a"), "name"),
        (encode("[z-a]"), "name"),
    ] {
        let problem = search(&pattern).await?.expect_problem(400, "invalid_request")?;
        assert!(problem.detail.contains(why), "{}", problem.detail);
        fs.is_healthy().await?;
    }
    for pattern in [nested(8), encode("{a,b}.{rs,{c,h}}"), encode(format!("a{}", "*".repeat(1000)))] {
        search(&pattern).await?.expect_status(200)?;
    }
    let content = |depth: usize| encode(format!("{}a{}", "(".repeat(depth), ")".repeat(depth)));
    for content in [content(5_000), content(200), encode("(?:a{1000}){1000}"), encode("b".repeat(9_000))] {
        let reply = fs.daemon.http().get(&format!("/v1/fs/search?content={content}")).send().await;
        reply.with_context(|| fs.daemon.stderr())?.expect_problem(400, "invalid_request")?;
    }
    fs.is_healthy().await
}

#[tokio::test]
async fn directories_that_cannot_be_opened_are_an_overflow() -> Result<()> {
    let fs = Fs::start().await?;
    for number in 0..300 {
        std::fs::create_dir_all(fs.path(format!("w/{number}/a/b/c/d/e/f/g")))?;
    }
    let pid = Pid::from_raw(fs.daemon.pid().try_into()?);
    // Enough to serve a request and too few to go eight levels down.
    let open = fs.daemon.open_fds()? as u64;
    let mut watches = Vec::new();
    let mut overflows = 0;
    for spare in [7, 9, 11, 13, 40] {
        let now = Rlimit { current: Some(open + spare), maximum: None };
        prlimit(pid, Resource::Nofile, Rlimit { maximum: Some(4096), ..now })?;
        let Ok(mut watch) = Sse::attempt(fs.get("watch", "w")).await? else { continue };
        let ready = watch.event().await?;
        let directories = serde_json::from_str::<serde_json::Value>(&ready.data)?["directories"].as_u64();
        if directories < Some(1 + 300 * 8) {
            assert_eq!(watch.event().await?.event, "overflow", "{directories:?} directories, {spare} spare");
            overflows += 1;
        }
        watches.push(watch);
    }
    assert!(overflows > 0, "no watch ran out of descriptors");
    Ok(())
}
