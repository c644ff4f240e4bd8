//! Reading files whole and in parts.

use crate::fs::Fs;
use anyhow::Result;
use http::Method;

#[tokio::test]
async fn a_file_comes_as_it_is() -> Result<()> {
    let fs = Fs::start().await?;
    let bytes: Vec<u8> = (0..=255).cycle().take(3_000_001).collect();
    std::fs::write(fs.path("data.bin"), &bytes)?;
    let reply = fs.read("data.bin").await?.expect_status(200)?;
    assert_eq!(reply.body, bytes);
    assert_eq!(reply.header("content-type"), "application/octet-stream");
    assert_eq!(reply.header("content-length"), "3000001");
    assert_eq!(reply.header("accept-ranges"), "bytes");
    assert!(reply.header("etag").starts_with('"') && reply.header("last-modified").ends_with("GMT"));
    assert_eq!(reply.header("x-content-type-options"), "nosniff");
    let absolute = fs.read(fs.path("data.bin")).await?.expect_status(200)?;
    assert_eq!(absolute.body.len(), bytes.len());
    let empty = fs.path("empty");
    std::fs::write(&empty, "")?;
    let reply = fs.read(&empty).await?.expect_status(200)?;
    assert_eq!((reply.header("content-length"), reply.body.len()), ("0", 0));
    Ok(())
}

#[tokio::test]
async fn head_says_what_get_would_send() -> Result<()> {
    let fs = Fs::start().await?;
    std::fs::write(fs.path("f"), "12345")?;
    let head = |path: &str| fs.daemon.http().request(Method::HEAD, &format!("/v1/fs/file?path={path}"));
    let reply = head("f").send().await?.expect_status(200)?;
    assert_eq!((reply.header("content-length"), reply.body.len()), ("5", 0));
    let read = fs.read("f").await?;
    for name in ["content-length", "content-type", "etag", "last-modified", "accept-ranges"] {
        assert_eq!(reply.header(name), read.header(name), "{name}");
    }
    let unchanged = head("f").header("if-none-match", read.header("etag")).send().await?;
    assert_eq!((unchanged.status, unchanged.body.len()), (304, 0));
    assert_eq!(head("f").header("if-match", "\"other\"").send().await?.status, 412);
    assert_eq!(head("none").send().await?.status, 404);
    Ok(())
}

#[tokio::test]
async fn parts_are_sent_on_request() -> Result<()> {
    let fs = Fs::start().await?;
    std::fs::write(fs.path("f"), "0123456789")?;
    let range = |range: &str| fs.get("file", "f").header("range", range).send();
    for (header, place, body) in [
        ("bytes=0-0", "bytes 0-0/10", "0"),
        ("bytes=4-6", "bytes 4-6/10", "456"),
        ("bytes=7-", "bytes 7-9/10", "789"),
        ("bytes=-2", "bytes 8-9/10", "89"),
        ("bytes=8-500", "bytes 8-9/10", "89"),
    ] {
        let reply = range(header).await?.expect_status(206)?;
        assert_eq!((reply.header("content-range"), reply.text().as_str()), (place, body), "{header}");
        assert_eq!(reply.header("content-length"), body.len().to_string());
    }
    let beyond = range("bytes=10-").await?;
    beyond.expect_problem(416, "range_not_satisfiable")?;
    assert_eq!(beyond.header("content-range"), "bytes */10");
    assert_eq!(range("bytes=0-1,4-5").await?.expect_status(200)?.text(), "0123456789");
    Ok(())
}

#[tokio::test]
async fn conditions_save_bytes_and_keep_versions_apart() -> Result<()> {
    let fs = Fs::start().await?;
    std::fs::write(fs.path("f"), "0123456789")?;
    let tag = fs.read("f").await?.header("etag").to_owned();
    let get = |name: &str, value: &str| fs.get("file", "f").header(name, value).send();
    let unchanged = get("if-none-match", &format!("\"x\", W/{tag}")).await?.expect_status(304)?;
    assert_eq!((unchanged.header("etag"), unchanged.body.len()), (tag.as_str(), 0));
    get("if-match", &tag).await?.expect_status(200)?;
    get("if-match", "\"other\"").await?.expect_problem(412, "precondition_failed")?;
    get("if-match", "nonsense").await?.expect_problem(400, "invalid_request")?;
    let part = |tag: &str| fs.get("file", "f").header("range", "bytes=0-3").header("if-range", tag).send();
    assert_eq!(part(&tag).await?.expect_status(206)?.text(), "0123");
    fs.write("f", "abcdefghij").await?.expect_status(200)?;
    assert_eq!(part(&tag).await?.expect_status(200)?.text(), "abcdefghij");
    assert_ne!(fs.read("f").await?.header("etag"), tag);
    Ok(())
}

#[tokio::test]
async fn what_is_no_regular_file_is_refused_at_once() -> Result<()> {
    let fs = Fs::start().await?;
    std::fs::create_dir(fs.path("dir"))?;
    let made = std::process::Command::new("mkfifo").arg(fs.path("pipe")).status()?;
    assert!(made.success());
    let _socket = std::os::unix::net::UnixListener::bind(fs.path("socket"))?;
    for name in ["dir", "pipe", "socket", "/dev/zero"] {
        fs.read(name).await?.expect_problem(409, "conflict")?;
    }
    fs.read("missing").await?.expect_problem(404, "not_found")?;
    fs.daemon.http().get("/v1/fs/file").send().await?.expect_problem(400, "invalid_request")?;
    Ok(())
}

#[tokio::test]
async fn files_of_unknown_size_are_read_to_their_end() -> Result<()> {
    let fs = Fs::start().await?;
    let reply = fs.read("/proc/self/status").await?.expect_status(200)?;
    assert!(reply.text().starts_with("Name:") && reply.text().contains("VmRSS"), "{}", reply.text());
    assert_eq!(reply.header("content-length"), "");
    Ok(())
}
