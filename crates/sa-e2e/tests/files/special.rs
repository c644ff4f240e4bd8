//! Files that are no ordinary ones: pipes where a file is expected, sizes beyond any disk, names of every kind, and more
//! entries than anybody lists at once. `SA_ENTRIES` sets their number.

use crate::fs::{Fs, address, encode};
use anyhow::{Context, Result};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use sa_testkit::Sse;
use serde_json::json;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, Instant};

/// A bound on what must not wait for anybody. Far above the usual, as machines differ.
const PROMPTLY: Duration = Duration::from_secs(30);

fn pipe(path: &Path) -> Result<()> {
    mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0).with_context(|| path.display().to_string())
}

/// Nobody writes to these pipes, and nobody reads from them.
#[tokio::test]
async fn pipes_sockets_and_devices_are_waited_for_nowhere() -> Result<()> {
    let fs = Fs::start().await?;
    std::fs::create_dir_all(fs.path("w/.git/info"))?;
    for name in ["w/.gitignore", "w/.git/info/exclude", "w/pipe"] {
        pipe(&fs.path(name))?;
    }
    symlink("/dev/zero", fs.path("w/.ignore"))?;
    symlink("/dev/zero", fs.path("w/endless"))?;
    let _socket = std::os::unix::net::UnixListener::bind(fs.path("w/socket"))?;
    std::fs::write(fs.path("w/a.txt"), "needle")?;
    let http = fs.daemon.http();
    let search = |query: &str| http.get(&format!("/v1/fs/search?path=w&{query}")).within(PROMPTLY).send();
    let found = search("name=a.txt").await?.expect_status(200)?.json()?;
    assert_eq!(found["matches"].as_array().map(Vec::len), Some(1), "{found}");
    let found = search("content=needle").await?.expect_status(200)?.json()?;
    assert_eq!(found["matches"].as_array().map(Vec::len), Some(1), "{found}");
    let listed = fs.get("entries", "w").within(PROMPTLY).send().await?.expect_status(200)?.json()?;
    assert_eq!(listed.as_array().map(Vec::len), Some(7), "{listed}");
    let mut watch = Sse::open(fs.get("watch", "w")).await?;
    assert_eq!(watch.event().await?.event, "ready");
    for name in ["w/pipe", "w/socket", "w/endless"] {
        let kept = fs.path(name).symlink_metadata()?.file_type();
        let status = fs.put(name, "x").within(PROMPTLY).send().await?.status;
        let now = fs.path(name).symlink_metadata()?.file_type();
        assert!(status == 409 && kept == now, "{name}: {status}, {kept:?} became {now:?}");
        fs.get("stat", name).within(PROMPTLY).send().await?.expect_status(200)?;
    }
    let moved = json!({"from": "w/pipe", "to": "w/moved"}).to_string();
    http.post("/v1/fs/move").json(moved).within(PROMPTLY).send().await?.expect_status(200)?;
    // It is packed without them, or refused: but it ends.
    let packed = fs.get("download-batch", "w").within(PROMPTLY).send().await;
    assert!(packed.is_ok_and(|reply| reply.body.len() < 1 << 20));
    let removed = format!("{}&recursive=true", address("entry", "w"));
    http.delete(&removed).within(PROMPTLY).send().await?.expect_status(200)?;
    Ok(())
}

/// A file of a tebibyte that takes no space.
#[tokio::test]
async fn a_file_larger_than_the_disk_costs_neither_time_nor_memory() -> Result<()> {
    const SIZE: u64 = 1 << 40;
    let fs = Fs::with_limits("search-ms = 1000\narchive-bytes = 1000000").await?;
    std::fs::create_dir(fs.path("w"))?;
    let file = std::fs::File::create(fs.path("w/sparse"))?;
    file.set_len(SIZE).context("a file system with sparse files")?;
    let http = fs.daemon.http();
    let before = fs.daemon.peak_rss_bytes()?;
    let stat = fs.stat("w/sparse").await?.expect_status(200)?.json()?;
    assert_eq!(stat["size"], SIZE);
    let end = fs.get("file", "w/sparse").header("range", "bytes=-4").send().await?.expect_status(206)?;
    assert_eq!(end.body.to_vec(), [0; 4]);
    let started = Instant::now();
    let search = http.get("/v1/fs/search?path=w&content=needle").within(PROMPTLY);
    let found = search.send().await?.expect_status(200)?.json()?;
    assert_eq!(found["matches"], json!([]), "{found}");
    assert!(started.elapsed() < PROMPTLY);
    // A client that leaves ends the work for it.
    let mut reply = fs.get("file", "w/sparse").open().await?;
    reply.chunk(sa_testkit::DEADLINE).await?.context("a first chunk")?;
    drop(reply);
    let packed = fs.get("download-batch", "w").open().await;
    if let Ok(mut reply) = packed {
        reply.chunk(sa_testkit::DEADLINE).await?;
    }
    let moved = json!({"from": "w/sparse", "to": "sparse"}).to_string();
    http.post("/v1/fs/move").json(moved).send().await?.expect_status(200)?;
    http.delete(&address("entry", "sparse")).send().await?.expect_status(200)?;
    let grown = fs.daemon.peak_rss_bytes()?.saturating_sub(before);
    assert!(grown < 64 << 20, "{} MiB", grown >> 20);
    Ok(())
}

#[tokio::test]
async fn names_with_line_breaks_and_of_full_length_do_not_break_formats() -> Result<()> {
    let fs = Fs::start().await?;
    std::fs::create_dir(fs.path("w"))?;
    let long = "x".repeat(255);
    let names = ["a\nevent: forged\ndata: {}", "b\r\n\r\nHTTP 200 OK", "c\u{1b}[2J", long.as_str(), "d\"}],"];
    let mut watch = Sse::open(fs.get("watch", "w")).await?;
    assert_eq!(watch.event().await?.event, "ready");
    for name in names {
        std::fs::write(fs.path("w").join(name), "needle")?;
        let event = watch.find("the file", |event| event.data.contains("\"path\"")).await?;
        assert_ne!(event.event, "forged");
        let reply = fs.read(Path::new("w").join(name)).await?.expect_status(200)?;
        assert_eq!(reply.text(), "needle");
    }
    let http = fs.daemon.http();
    let listed = fs.list("w").await?.expect_status(200)?.json()?;
    assert_eq!(listed.as_array().map(Vec::len), Some(names.len()), "{listed}");
    let found = http.get("/v1/fs/search?path=w&content=needle").send().await?.expect_status(200)?.json()?;
    assert_eq!(found["matches"].as_array().map(Vec::len), Some(names.len()), "{found}");
    let pages = http.get(&format!("/v1/fs/entries?path=w&limit=1&after={}", encode("a"))).send().await?;
    assert!(pages.headers.values().all(|value| !value.as_bytes().contains(&b'\n')), "{:?}", pages.headers);
    fs.get("download-batch", "w").send().await?.expect_status(200)?;
    fs.write(format!("w/{}", "y".repeat(256)), "x").await?.expect_problem(400, "invalid_request")?;
    Ok(())
}

mod heavy {
    use super::*;

    /// A hundred thousand files in one directory, or `SA_ENTRIES`.
    #[tokio::test]
    async fn a_directory_of_very_many_entries_is_served_in_bounded_memory() -> Result<()> {
        let entries: usize = std::env::var("SA_ENTRIES").ok().map_or(Ok(100_000), |text| text.parse())?;
        let fs = Fs::with_limits("listed-entries = 10000").await?;
        std::fs::create_dir(fs.path("w"))?;
        for number in 0..entries {
            std::fs::File::create(fs.path(format!("w/{number:07}")))?;
        }
        let http = fs.daemon.http();
        let before = fs.daemon.peak_rss_bytes()?;
        fs.list("w").await?.expect_problem(413, "payload_too_large")?;
        let page = http.get("/v1/fs/entries?path=w&limit=1000").within(PROMPTLY).send().await?;
        assert_eq!(page.expect_status(200)?.json()?.as_array().map(Vec::len), Some(1000));
        let last = format!("/v1/fs/entries?path=w&limit=1000&after={:07}", entries - 10);
        let page = http.get(&last).within(PROMPTLY).send().await?.expect_status(200)?.json()?;
        assert_eq!(page.as_array().map(Vec::len), Some(9), "{page}");
        let found = http.get("/v1/fs/search?path=w&name=*99&limit=100").within(2 * PROMPTLY).send().await?;
        assert_eq!(found.expect_status(200)?.json()?["matches"].as_array().map(Vec::len), Some(100));
        let mut watch = Sse::open(fs.get("watch", "w")).await?;
        assert_eq!(watch.event().await?.event, "ready");
        let removed = format!("{}&recursive=true", address("entry", "w"));
        http.delete(&removed).within(Duration::from_secs(120)).send().await?.expect_status(200)?;
        let grown = fs.daemon.peak_rss_bytes()?.saturating_sub(before);
        let allowed = (64 << 20) + 100 * entries as u64;
        assert!(grown < allowed, "{} MiB for {entries} entries", grown >> 20);
        Ok(())
    }
}
