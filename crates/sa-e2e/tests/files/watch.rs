//! Watching what changes.

use crate::fs::{Fs, address};
use anyhow::{Context, Result};
use sa_testkit::Sse;
use serde_json::Value;
use std::collections::BTreeSet;

/// A watch, and its events.
struct Watch {
    stream: Sse,
    home: String,
    seen: BTreeSet<(String, String)>,
}

impl Watch {
    async fn start(fs: &Fs, query: &str) -> Result<(Self, Value)> {
        let mut stream = Sse::open(fs.daemon.http().get(&format!("/v1/fs/watch?{query}"))).await?;
        let ready = stream.event().await?;
        assert_eq!(ready.event, "ready");
        let home = format!("{}/", fs.home.display());
        Ok((Self { stream, home, seen: BTreeSet::new() }, serde_json::from_str(&ready.data)?))
    }

    /// Waits until all of these were reported.
    async fn sees(&mut self, expected: &[(&str, &str)]) -> Result<()> {
        let told = |seen: &BTreeSet<(String, String)>| {
            expected.iter().all(|(kind, path)| seen.contains(&((*kind).to_owned(), (*path).to_owned())))
        };
        while !told(&self.seen) {
            let event =
                self.stream.event().await.with_context(|| format!("{expected:?} of {:?}", self.seen))?;
            assert_eq!(event.event, "change", "{}", event.data);
            let change: Value = serde_json::from_str(&event.data)?;
            let path = change["path"].as_str().unwrap().replace(&self.home, "");
            self.seen.insert((change["kind"].as_str().unwrap().to_owned(), path));
        }
        Ok(())
    }

    fn has_seen(&self, part: &str) -> bool {
        self.seen.iter().any(|(_, path)| path.contains(part))
    }
}

#[tokio::test]
async fn changes_are_reported_wherever_they_are() -> Result<()> {
    let fs = Fs::start().await?;
    std::fs::create_dir_all(fs.path("w/a/b"))?;
    std::fs::write(fs.path("w/a/old"), "x")?;
    let (mut watch, ready) = Watch::start(&fs, "path=w").await?;
    assert_eq!((ready["path"].as_str(), ready["directories"].as_u64()), (fs.path("w").to_str(), Some(3)));
    fs.write("w/a/b/new", "x").await?.expect_status(201)?;
    watch.sees(&[("created", "w/a/b/new")]).await?;
    std::fs::write(fs.path("w/a/old"), "y")?;
    watch.sees(&[("modified", "w/a/old")]).await?;
    std::fs::remove_file(fs.path("w/a/old"))?;
    watch.sees(&[("removed", "w/a/old")]).await?;
    // The contents of a new directory are reported, however quickly they got there.
    std::fs::create_dir_all(fs.path("w/n/e/w"))?;
    std::fs::write(fs.path("w/n/e/w/file"), "x")?;
    watch.sees(&[("created", "w/n"), ("created", "w/n/e/w/file")]).await?;
    std::fs::rename(fs.path("w/n"), fs.path("w/moved"))?;
    watch.sees(&[("removed", "w/n"), ("created", "w/moved"), ("created", "w/moved/e/w/file")]).await?;
    std::fs::write(fs.path("w/moved/e/w/later"), "x")?;
    watch.sees(&[("created", "w/moved/e/w/later")]).await?;
    assert!(!watch.has_seen(".sandbox-agent"), "{:?}", watch.seen);
    std::fs::remove_dir_all(fs.path("w"))?;
    watch.sees(&[("removed", "w")]).await?;
    assert_eq!(watch.stream.next_event().await?, None, "what was watched is gone");
    Ok(())
}

#[tokio::test]
async fn what_is_ignored_is_not_watched_unless_wanted() -> Result<()> {
    let fs = Fs::start().await?;
    for directory in ["w/.git", "w/node_modules/deep", "w/src"] {
        std::fs::create_dir_all(fs.path(directory))?;
    }
    std::fs::write(fs.path("w/.gitignore"), "node_modules\n*.log\n")?;
    let (mut watch, ready) = Watch::start(&fs, "path=w").await?;
    assert_eq!(ready["directories"], 2);
    let (mut everything, _) = Watch::start(&fs, "path=w&ignored=true").await?;
    let (mut flat, _) = Watch::start(&fs, "path=w&recursive=false").await?;
    for name in ["w/.git/index", "w/node_modules/deep/x", "w/x.log", "w/src/y.log", "w/src/code"] {
        std::fs::write(fs.path(name), "x")?;
    }
    std::fs::write(fs.path("w/last"), "x")?;
    watch.sees(&[("created", "w/src/code"), ("created", "w/last")]).await?;
    assert_eq!(watch.seen.len(), 2, "{:?}", watch.seen);
    everything
        .sees(&[("created", "w/.git/index"), ("created", "w/node_modules/deep/x"), ("created", "w/x.log")])
        .await?;
    flat.sees(&[("created", "w/last")]).await?;
    assert!(!flat.has_seen("src/"));
    Ok(())
}

#[tokio::test]
async fn one_file_is_watched_also_when_it_is_replaced() -> Result<()> {
    let fs = Fs::start().await?;
    fs.write("w/file", "1").await?;
    fs.write("w/other", "1").await?;
    let (mut watch, _) = Watch::start(&fs, "path=w/file").await?;
    fs.write("w/other", "2").await?.expect_status(200)?;
    fs.write("w/file", "2").await?.expect_status(200)?;
    watch.sees(&[("created", "w/file")]).await?;
    std::fs::remove_file(fs.path("w/file"))?;
    watch.sees(&[("removed", "w/file")]).await?;
    assert!(!watch.has_seen("other"));
    Ok(())
}

#[tokio::test]
async fn what_cannot_be_told_is_said() -> Result<()> {
    let fs = Fs::with_limits("watch-directories = 4\nwatch-pending = 50\nwatches = 1\nwatch-gather-ms = 500")
        .await?;
    for number in 0..10 {
        std::fs::create_dir_all(fs.path(format!("w/d{number}")))?;
    }
    let mut stream = Sse::open(fs.get("watch", "w")).await?;
    assert_eq!(stream.event().await?.event, "ready");
    let overflow = stream.event().await?;
    assert_eq!(overflow.event, "overflow");
    assert!(overflow.data.contains("files.watch-directories"), "{}", overflow.data);
    fs.get("watch", "w").send().await?.expect_problem(429, "too_many_requests")?;
    for number in 0..500 {
        std::fs::write(fs.path(format!("w/file{number}")), "x")?;
    }
    stream.find("lost changes", |event| event.event == "overflow" && event.data.contains("at once")).await?;
    drop(stream);
    // The slot is free again.
    sa_e2e::poll("a free seat", async || Ok(Sse::attempt(fs.get("watch", "w")).await?.ok())).await?;
    Ok(())
}

#[tokio::test]
async fn a_watch_ends_with_the_daemon() -> Result<()> {
    let mut fs = Fs::start().await?;
    let mut stream = Sse::open(fs.daemon.http().get(&address("watch", "."))).await?;
    assert_eq!(stream.event().await?.event, "ready");
    let stopped = fs.daemon.stop().await?;
    assert!(stopped.status.success() && stopped.elapsed.as_secs() < 4, "{stopped:?}");
    assert_eq!(stream.next_event().await?, None);
    Ok(())
}

#[tokio::test]
async fn what_cannot_be_watched_is_refused() -> Result<()> {
    let fs = Fs::start().await?;
    fs.get("watch", "none").send().await?.expect_problem(404, "not_found")?;
    let json = fs.get("watch", ".").header("accept", "application/json").send().await?;
    json.expect_problem(406, "not_acceptable")?;
    Ok(())
}
