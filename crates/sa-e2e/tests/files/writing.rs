//! Writing files: whole or not at all.

use crate::fs::{Fs, encode};
use anyhow::Result;
use sa_testkit::{DEADLINE, RawConnection, until};
use std::os::unix::fs::{MetadataExt, PermissionsExt};

#[tokio::test]
async fn a_body_becomes_a_file() -> Result<()> {
    let fs = Fs::start().await?;
    let bytes: Vec<u8> = (0..=250).cycle().take(2_500_000).collect();
    let reply = fs.write("new/dirs/data.bin", bytes.clone()).await?.expect_status(201)?;
    let answer = reply.json()?;
    assert_eq!(answer["bytesWritten"], 2_500_000);
    assert_eq!(answer["path"], fs.path("new/dirs/data.bin").to_str().unwrap());
    assert_eq!(std::fs::read(fs.path("new/dirs/data.bin"))?, bytes);
    assert_eq!(fs.names("new/dirs"), ["data.bin"]);
    let again = fs.read("new/dirs/data.bin").await?;
    assert_eq!(
        (again.header("etag"), answer["etag"].as_str().unwrap()),
        (reply.header("etag"), reply.header("etag"))
    );
    fs.write("new/dirs/data.bin", "").await?.expect_status(200)?;
    assert_eq!(std::fs::read(fs.path("new/dirs/data.bin"))?, b"");
    Ok(())
}

#[tokio::test]
async fn replacing_keeps_permissions_and_links() -> Result<()> {
    let fs = Fs::start().await?;
    std::fs::write(fs.path("secret"), "old")?;
    std::fs::set_permissions(fs.path("secret"), std::fs::Permissions::from_mode(0o640))?;
    std::os::unix::fs::symlink("secret", fs.path("link"))?;
    fs.write("link", "new").await?.expect_status(200)?;
    assert!(std::fs::symlink_metadata(fs.path("link"))?.is_symlink());
    assert_eq!(std::fs::read_to_string(fs.path("secret"))?, "new");
    assert_eq!(std::fs::metadata(fs.path("secret"))?.mode() & 0o7777, 0o640);
    let address = format!("/v1/fs/file?path={}&mode=750", encode("script"));
    fs.daemon.http().put(&address).body("#!").send().await?.expect_status(201)?;
    assert_eq!(std::fs::metadata(fs.path("script"))?.mode() & 0o7777, 0o750);
    std::os::unix::fs::symlink("not/yet", fs.path("dangling"))?;
    fs.write("dangling", "there").await?.expect_status(201)?;
    assert_eq!(std::fs::read_to_string(fs.path("not/yet"))?, "there");
    Ok(())
}

#[tokio::test]
async fn conditions_decide_who_wins() -> Result<()> {
    let fs = Fs::start().await?;
    let only_new = || fs.put("f", "first").header("if-none-match", "*").send();
    let tag = only_new().await?.expect_status(201)?.header("etag").to_owned();
    only_new().await?.expect_problem(412, "precondition_failed")?;
    let update = |tag: String, text: &str| fs.put("f", text).header("if-match", &tag).send();
    let next = update(tag.clone(), "second").await?.expect_status(200)?.header("etag").to_owned();
    update(tag, "lost").await?.expect_problem(412, "precondition_failed")?;
    assert_eq!(fs.read("f").await?.text(), "second");
    // Of many that saw the same version exactly one may replace it.
    let writers = (0..16).map(|writer| {
        let request = fs.put("f", format!("writer {writer}")).header("if-match", &next);
        tokio::spawn(async move { request.send().await.unwrap().status })
    });
    let mut statuses = Vec::new();
    for writer in writers.collect::<Vec<_>>() {
        statuses.push(writer.await?);
    }
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| matches!(status, 200 | 412)), "{statuses:?}");
    fs.put("none/f", "x").header("if-match", "*").send().await?.expect_problem(412, "precondition_failed")?;
    assert_eq!(fs.names("."), ["data", "f"], "a refused write makes no directory");
    Ok(())
}

#[tokio::test]
async fn an_upload_that_breaks_off_leaves_the_old_file_and_nothing_else() -> Result<()> {
    let fs = Fs::start().await?;
    fs.write("dir/f", "old").await?.expect_status(201)?;
    let mut request = fs.put("dir/f", "").header("content-length", "1000000").to_wire();
    request.extend_from_slice(&[7; 600_000]);
    let mut raw = RawConnection::connect(fs.daemon.http()).await?;
    raw.write(&request).await?;
    drop(raw);
    // A second one is cut in the middle of a chunk.
    let mut request = fs.put("dir/g", "").header("transfer-encoding", "chunked").to_wire();
    request.extend_from_slice(b"5\r\nhello\r\n40\r\nhalf");
    let mut raw = RawConnection::connect(fs.daemon.http()).await?;
    raw.write(&request).await?;
    drop(raw);
    until("nothing but the old file", || fs.names("dir") == ["f"]).await?;
    assert_eq!(fs.read("dir/f").await?.text(), "old");
    Ok(())
}

#[tokio::test]
async fn a_body_that_stops_coming_is_given_up() -> Result<()> {
    let fs = Fs::with_limits("body-stall-ms = 200").await?;
    let mut request = fs.put("f", "").header("content-length", "10").to_wire();
    request.extend_from_slice(b"12345");
    let mut raw = RawConnection::connect(fs.daemon.http()).await?;
    raw.write(&request).await?;
    let head = raw.read_until(b"\r\n\r\n", DEADLINE).await?;
    assert!(head.starts_with(b"HTTP/1.1 408"), "{}", String::from_utf8_lossy(&head));
    assert_eq!(fs.names("."), ["data"]);
    Ok(())
}

#[tokio::test]
async fn what_cannot_be_written_is_refused_with_the_reason() -> Result<()> {
    let fs = Fs::with_limits("file-bytes = 1000").await?;
    std::fs::create_dir(fs.path("dir"))?;
    std::fs::write(fs.path("file"), "")?;
    fs.write("dir", "x").await?.expect_problem(409, "conflict")?;
    fs.write(".", "x").await?.expect_problem(409, "conflict")?;
    fs.write("file/below", "x").await?.expect_problem(409, "conflict")?;
    fs.write("/dev/null", "x").await?.expect_problem(409, "conflict")?;
    fs.write("large", vec![0; 1001]).await?.expect_problem(413, "payload_too_large")?;
    fs.write("fits", vec![0; 1000]).await?.expect_status(201)?;
    fs.write("n".repeat(300), "x").await?.expect_problem(400, "invalid_request")?;
    fs.write("nul\0byte", "x").await?.expect_problem(400, "invalid_request")?;
    let mode = "/v1/fs/file?path=a&mode=999";
    fs.daemon.http().put(mode).body("x").send().await?.expect_problem(400, "invalid_request")?;
    assert_eq!(fs.names("."), ["data", "dir", "file", "fits"]);
    Ok(())
}
