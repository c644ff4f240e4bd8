//! Archives that are what they should be, both ways.

use crate::fs::{Fs, address};
use crate::tarball::Tarball;
use anyhow::Result;
use sa_testkit::Reply;
use serde_json::json;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::process::{Command, Stdio};

impl Fs {
    pub(crate) async fn unpack(&self, path: &str, archive: impl Into<Vec<u8>>) -> Result<Reply> {
        let request = self.post("upload-batch", path).header("content-type", "application/x-tar");
        request.body(archive.into()).send().await
    }
}

fn through(program: &str, arguments: &[&str], input: &[u8]) -> Vec<u8> {
    let mut command = Command::new(program);
    let mut child =
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a program");
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success(), "{program} {arguments:?}");
    output.stdout
}

#[tokio::test]
async fn an_archive_is_unpacked_and_merged() -> Result<()> {
    let fs = Fs::start().await?;
    std::fs::create_dir_all(fs.path("w/sub"))?;
    std::fs::write(fs.path("w/sub/old"), "old")?;
    std::fs::write(fs.path("w/replaced"), "old")?;
    std::fs::create_dir(fs.path("w/elsewhere"))?;
    symlink("elsewhere", fs.path("w/alias"))?;
    let long = format!("deep/{}/{}", "n".repeat(120), "m".repeat(120));
    let archive = Tarball::default()
        .directory("./")
        .directory("empty/")
        .file("replaced", b"new")
        .file("sub/new", &vec![7; 100_000])
        .file("alias/through", b"x")
        .file(&long, b"long")
        .with_mode(0o755, |tar| tar.file("run.sh", b"#!"))
        .symlink("link", "sub/new")
        .symlink("absolute", "/etc/hostname")
        .hard_link("hard", "sub/new")
        .finish();
    let answer = fs.unpack("w", archive).await?.expect_status(200)?.json()?;
    let paths: Vec<_> =
        answer["paths"].as_array().unwrap().iter().map(|path| path.as_str().unwrap()).collect();
    assert!(paths.contains(&fs.path("w/sub/new").to_str().unwrap()), "{paths:?}");
    assert_eq!((&answer["truncated"], &answer["entries"]), (&json!(false), &json!(10)));
    assert_eq!(answer["bytes"], 100_000 + 3 + 1 + 4 + 2);
    assert_eq!(std::fs::read_to_string(fs.path("w/replaced"))?, "new");
    assert_eq!(fs.names("w/sub"), ["new", "old"]);
    assert_eq!(fs.names("w/elsewhere"), ["through"], "a link within the target stands for its directory");
    assert_eq!(std::fs::read_to_string(fs.path("w").join(&long))?, "long");
    assert_eq!(std::fs::metadata(fs.path("w/run.sh"))?.permissions().mode() & 0o777, 0o755);
    assert_eq!(std::fs::metadata(fs.path("w/run.sh"))?.mtime(), 1_700_000_000);
    assert_eq!(std::fs::read_link(fs.path("w/absolute"))?.to_str(), Some("/etc/hostname"));
    assert_eq!(std::fs::metadata(fs.path("w/hard"))?.ino(), std::fs::metadata(fs.path("w/sub/new"))?.ino());
    assert!(fs.path("w/empty").is_dir());
    let names =
        ["absolute", "alias", "deep", "elsewhere", "empty", "hard", "link", "replaced", "run.sh", "sub"];
    assert_eq!(fs.names("w"), names, "and nothing of how it got there");
    Ok(())
}

#[tokio::test]
async fn compressed_archives_are_reported_by_their_bytes() -> Result<()> {
    let fs = Fs::start().await?;
    let plain = Tarball::default().file("f", &vec![1; 300_000]).finish();
    let gzip = through("gzip", &["-c"], &plain);
    for (directory, archive) in [("gz", gzip.clone()), ("twice", [gzip.clone(), Vec::new()].concat())] {
        fs.unpack(directory, archive).await?.expect_status(200)?;
        assert_eq!(std::fs::metadata(fs.path(directory).join("f"))?.len(), 300_000);
    }
    if Command::new("zstd")
        .arg("--version")
        .stdout(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
    {
        let zstd = through("zstd", &["-c", "-19"], &plain);
        fs.unpack("zst", zstd).await?.expect_status(200)?;
        assert_eq!(std::fs::metadata(fs.path("zst/f"))?.len(), 300_000);
    }
    let broken = gzip[..gzip.len() - 10].to_vec();
    fs.unpack("broken", broken).await?.expect_problem(400, "invalid_request")?;
    assert!(!fs.path("broken").exists());
    Ok(())
}

#[tokio::test]
async fn an_archive_needs_no_content_type_of_its_own() -> Result<()> {
    let fs = Fs::start().await?;
    let archive = Command::new("tar").args(["-c", "-C"]).arg(&fs.home).arg("data").output()?.stdout;
    let upload = || fs.post("upload-batch", "out").body(archive.clone());
    for kind in ["application/x-www-form-urlencoded", "application/octet-stream", "application/X-Tar; x=y"] {
        upload().header("content-type", kind).send().await?.expect_status(200)?;
    }
    upload().without_header("content-type").send().await?.expect_status(200)?;
    upload()
        .header("content-type", "application/json")
        .send()
        .await?
        .expect_problem(415, "unsupported_media_type")?;
    Ok(())
}

#[tokio::test]
async fn archives_of_tar_itself_are_understood() -> Result<()> {
    let fs = Fs::start().await?;
    // As long as the oldest format can hold, which is longer than its header's first field.
    let directory = format!("src/a/{}", "d".repeat(80));
    std::fs::create_dir_all(fs.path(&directory))?;
    std::fs::create_dir_all(fs.path("src/a/b"))?;
    for number in 0..50 {
        std::fs::write(fs.path(format!("{directory}/{number}-{}", "x".repeat(80))), number.to_string())?;
    }
    std::fs::write(fs.path("src/grüße \u{1f980}"), "unicode")?;
    symlink("a/b", fs.path("src/link"))?;
    for format in ["gnu", "pax", "ustar", "oldgnu"] {
        let archive = Command::new("tar")
            .args(["-c", "-f", "-", &format!("--format={format}"), "-C"])
            .arg(fs.path("src"))
            .arg(".")
            .output()?;
        let target = format!("out-{format}");
        fs.unpack(&target, archive.stdout).await?.expect_status(200)?;
        let same = Command::new("diff").arg("-r").arg(fs.path("src")).arg(fs.path(&target)).status()?;
        assert!(same.success(), "{format}");
    }
    Ok(())
}

#[tokio::test]
async fn a_directory_is_packed_as_tar_reads_it() -> Result<()> {
    let fs = Fs::start().await?;
    std::fs::create_dir_all(fs.path("src/.git"))?;
    std::fs::create_dir_all(fs.path("src/target/deep"))?;
    std::fs::write(fs.path("src/.git/config"), "x")?;
    std::fs::write(fs.path("src/.gitignore"), "target/\n*.log\n!keep.log\n")?;
    std::fs::write(fs.path("src/target/deep/object"), vec![0; 700_000])?;
    std::fs::write(fs.path("src/a.log"), "x")?;
    std::fs::write(fs.path("src/keep.log"), "x")?;
    std::fs::write(fs.path(format!("src/{}", "long".repeat(50))), "x")?;
    symlink("/etc/hostname", fs.path("src/link"))?;
    let _socket = std::os::unix::net::UnixListener::bind(fs.path("src/socket"))?;
    let reply = fs.get("download-batch", "src").send().await?.expect_status(200)?;
    assert_eq!(reply.header("content-type"), "application/x-tar");
    std::fs::create_dir(fs.path("out"))?;
    through("tar", &["-x", "-f", "-", "-C", fs.path("out").to_str().unwrap()], &reply.body);
    std::fs::remove_file(fs.path("src/socket"))?;
    let same = Command::new("diff")
        .args(["-r", "--no-dereference"])
        .arg(fs.path("src"))
        .arg(fs.path("out"))
        .status()?;
    assert!(same.success());
    let clean = format!("{}&ignored=false&format=tar.gz", address("download-batch", "src"));
    let reply = fs.daemon.http().get(&clean).send().await?.expect_status(200)?;
    assert_eq!(reply.header("content-type"), "application/gzip");
    let listing = String::from_utf8(through("tar", &["-t", "-z", "-f", "-"], &reply.body)).unwrap();
    let mut names: Vec<&str> = listing.lines().filter(|name| !name.starts_with("long")).collect();
    names.sort_unstable();
    assert_eq!(names, [".gitignore", "keep.log", "link"]);
    let one = fs.get("download-batch", "src/a.log").send().await?.expect_status(200)?;
    assert_eq!(through("tar", &["-t", "-f", "-"], &one.body), b"a.log\n");
    fs.get("download-batch", "none").send().await?.expect_problem(404, "not_found")?;
    fs.get("download-batch", "/dev/null").send().await?.expect_problem(409, "conflict")?;
    let format = "/v1/fs/download-batch?format=zip";
    fs.daemon.http().get(format).send().await?.expect_problem(400, "invalid_request")?;
    Ok(())
}

#[tokio::test]
async fn only_so_many_archives_travel_at_once() -> Result<()> {
    let fs = Fs::with_limits("archives = 1").await?;
    std::fs::create_dir(fs.path("src"))?;
    std::fs::File::create(fs.path("src/large"))?.set_len(64 << 20)?;
    let held = fs.get("download-batch", "src").receive_buffer(4096).open().await?;
    held.pace().set(sa_testkit::Pace::Stalled);
    let second = || fs.get("download-batch", "src").send();
    second().await?.expect_problem(429, "too_many_requests")?;
    drop(held);
    sa_e2e::poll("a free seat", async || Ok((second().await?.status == 200).then_some(()))).await
}
