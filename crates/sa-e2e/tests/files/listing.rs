//! Listing directories and describing what is in them.

use crate::fs::{Fs, encode};
use anyhow::Result;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};

fn names(listing: &Value) -> Vec<&str> {
    listing.as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_directory_is_listed_with_what_is_in_it() -> Result<()> {
    let fs = Fs::start().await?;
    std::fs::create_dir_all(fs.path("w/sub"))?;
    std::fs::write(fs.path("w/b.txt"), "four")?;
    std::fs::set_permissions(fs.path("w/b.txt"), std::fs::Permissions::from_mode(0o4711))?;
    symlink("nowhere", fs.path("w/a"))?;
    let _socket = std::os::unix::net::UnixListener::bind(fs.path("w/s"))?;
    let listing = fs.list("w").await?.expect_status(200)?.json()?;
    assert_eq!(names(&listing), ["a", "b.txt", "s", "sub"]);
    let kinds: Vec<_> = listing.as_array().unwrap().iter().map(|entry| &entry["entryType"]).collect();
    assert_eq!(kinds, ["symlink", "file", "other", "directory"]);
    assert_eq!(listing[0]["target"], "nowhere");
    assert_eq!(listing[1]["path"], fs.path("w/b.txt").to_str().unwrap());
    assert_eq!((&listing[1]["size"], &listing[1]["mode"]), (&json!(4), &json!("4711")));
    let modified = listing[1]["modified"].as_str().unwrap();
    assert!(modified.starts_with("20") && modified.ends_with('Z') && modified.contains('T'), "{modified}");
    let here = fs.daemon.http().get("/v1/fs/entries").send().await?.expect_status(200)?.json()?;
    assert_eq!(names(&here), ["data", "w"]);
    fs.list("w/b.txt").await?.expect_problem(409, "conflict")?;
    fs.list("none").await?.expect_problem(404, "not_found")?;
    Ok(())
}

#[tokio::test]
async fn a_large_directory_is_listed_in_pages() -> Result<()> {
    let fs = Fs::with_limits("listed-entries = 40").await?;
    std::fs::create_dir(fs.path("d"))?;
    let expected: Vec<String> = (0..100).map(|number| format!("f{number:03}")).collect();
    for name in &expected {
        std::fs::write(fs.path("d").join(name), "")?;
    }
    let refused = fs.list("d").await?;
    assert!(refused.expect_problem(413, "payload_too_large")?.detail.contains("`limit`"));
    let (mut seen, mut after) = (Vec::new(), String::new());
    loop {
        let address = format!("/v1/fs/entries?path=d&limit=30&after={}", encode(&after));
        let page = fs.daemon.http().get(&address).send().await?.expect_status(200)?.json()?;
        let page: Vec<String> = names(&page).into_iter().map(str::to_owned).collect();
        let Some(last) = page.last() else { break };
        after.clone_from(last);
        seen.extend(page);
    }
    assert_eq!(seen, expected);
    let mut linked = Vec::new();
    let mut next = Some("entries?path=d&limit=25".to_owned());
    while let Some(address) = next {
        let reply = fs.daemon.http().get(&format!("/v1/fs/{address}")).send().await?.expect_status(200)?;
        linked.push(names(&reply.json()?).len());
        let link = reply.headers.get("link").map(|link| link.to_str().unwrap().to_owned());
        next = link.map(|link| {
            let target = link.strip_prefix('<').and_then(|link| link.strip_suffix(">; rel=\"next\""));
            target.unwrap_or_else(|| panic!("{link}")).to_owned()
        });
    }
    assert_eq!(linked, [25, 25, 25, 25], "the last page says that it is the last");
    Ok(())
}

#[tokio::test]
async fn links_are_described_themselves_or_followed() -> Result<()> {
    let fs = Fs::start().await?;
    std::fs::write(fs.path("file"), "12345")?;
    symlink("file", fs.path("link"))?;
    symlink("gone", fs.path("dangling"))?;
    symlink("loop", fs.path("loop"))?;
    let link = fs.stat("link").await?.expect_status(200)?.json()?;
    assert_eq!(
        (&link["entryType"], &link["target"], link.get("etag")),
        (&json!("symlink"), &json!("file"), None)
    );
    let follow = |name: &str| fs.daemon.http().get(&format!("/v1/fs/stat?follow=true&path={name}")).send();
    let file = follow("link").await?.expect_status(200)?.json()?;
    assert_eq!((&file["entryType"], &file["size"]), (&json!("file"), &json!(5)));
    assert_eq!(file["etag"], fs.read("file").await?.header("etag"));
    assert_eq!(fs.stat("dangling").await?.expect_status(200)?.json()?["entryType"], "symlink");
    follow("dangling").await?.expect_problem(404, "not_found")?;
    follow("loop").await?.expect_problem(400, "invalid_request")?;
    assert_eq!(fs.stat("/").await?.expect_status(200)?.json()?["entryType"], "directory");
    assert_eq!(fs.stat(".").await?.expect_status(200)?.json()?["path"], fs.home.to_str().unwrap());
    fs.stat("").await?.expect_problem(400, "invalid_request")?;
    Ok(())
}

#[tokio::test]
async fn names_may_be_any_bytes() -> Result<()> {
    let fs = Fs::start().await?;
    for name in [&b"new\nline"[..], b"\xff\xfe", b"plus+and space", b"a&b=c%41#?", "grüße".as_bytes()] {
        let name = OsStr::from_bytes(name);
        fs.write(name, name.as_bytes()).await?.expect_status(201)?;
        assert_eq!(fs.read(name).await?.expect_status(200)?.body, name.as_bytes());
        fs.stat(name).await?.expect_status(200)?;
    }
    let listing = fs.list(".").await?.json()?;
    assert_eq!(
        names(&listing),
        ["a&b=c%41#?", "data", "grüße", "new\nline", "plus+and space", "\u{fffd}\u{fffd}"]
    );
    // A name that JSON cannot carry has a form that can be sent back.
    let encoded = listing[5]["encodedPath"].as_str().unwrap();
    let reply =
        fs.daemon.http().get(&format!("/v1/fs/file?path={encoded}")).send().await?.expect_status(200)?;
    assert_eq!(reply.body, &b"\xff\xfe"[..]);
    assert_eq!(listing[0].get("encodedPath"), None);
    let found = fs.daemon.http().get("/v1/fs/search?name=*").send().await?.expect_status(200)?.json()?;
    let matches = found["matches"].as_array().unwrap();
    let paths: Vec<&str> = matches.iter().filter_map(|found| found["encodedPath"].as_str()).collect();
    assert_eq!(paths, [encoded]);
    // A page that ends with any name leads to the next one.
    let (mut next, mut pages) = ("entries?path=.&limit=1".to_owned(), 1);
    loop {
        let reply = fs.daemon.http().get(&format!("/v1/fs/{next}")).send().await?.expect_status(200)?;
        assert_eq!(reply.json()?[0]["name"], listing[pages - 1]["name"]);
        let Some(link) = reply.headers.get("link") else { break };
        next = link.to_str()?.trim_start_matches('<').split('>').next().unwrap().to_owned();
        pages += 1;
    }
    assert_eq!(pages, 6);
    // A replacement character is not the byte that it stands for.
    fs.read("\u{fffd}\u{fffd}").await?.expect_problem(404, "not_found")?;
    for query in ["path=%", "path=%zz", "path=a&path=b", "path=f&follow=maybe"] {
        let reply = fs.daemon.http().get(&format!("/v1/fs/stat?{query}")).send().await?;
        reply.expect_problem(400, "invalid_request")?;
    }
    Ok(())
}
