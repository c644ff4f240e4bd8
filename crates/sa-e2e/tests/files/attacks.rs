//! Archives that try to get out, to take too much, or to be what they are not: refused, and nothing of them stays.

use crate::fs::Fs;
use crate::tarball::Tarball;
use anyhow::Result;
use sa_testkit::RawConnection;
use std::io::Write;
use std::os::unix::fs::symlink;

const SECRET: &str = "outside";

/// Returns a daemon, a directory to unpack to, and one outside of it.
async fn target() -> Result<Fs> {
    let fs = Fs::start().await?;
    std::fs::create_dir_all(fs.path("outside"))?;
    std::fs::create_dir_all(fs.path("w"))?;
    std::fs::write(fs.path("outside/secret"), SECRET)?;
    Ok(fs)
}

impl Fs {
    /// An archive that must be refused; neither the target nor what is around it changes.
    async fn refused(&self, archive: Vec<u8>, status: u16, why: &str) -> Result<()> {
        let before = self.names("w");
        let code = if status == 413 { "payload_too_large" } else { "invalid_request" };
        let problem = self.unpack("w", archive).await?.expect_problem(status, code)?;
        assert!(problem.detail.contains(why), "{}", problem.detail);
        assert_eq!(self.names("w"), before);
        assert_eq!(self.names("outside"), ["secret"]);
        assert_eq!(std::fs::read_to_string(self.path("outside/secret"))?, SECRET);
        Ok(())
    }
}

fn tar() -> Tarball {
    Tarball::default().file("good", b"this one is fine")
}

#[tokio::test]
async fn names_that_lead_out_are_refused() -> Result<()> {
    let fs = target().await?;
    let absolute = fs.path("outside/new");
    fs.refused(tar().file(absolute.to_str().unwrap(), b"x").finish(), 400, "absolute").await?;
    fs.refused(tar().file("../outside/new", b"x").finish(), 400, "climbs").await?;
    fs.refused(tar().file("a/../../outside/new", b"x").finish(), 400, "climbs").await?;
    fs.refused(tar().directory("../outside/new").finish(), 400, "climbs").await?;
    fs.refused(tar().file(&format!("{}x", "../".repeat(50)), b"x").finish(), 400, "climbs").await?;
    fs.refused(tar().file(&format!("{}x", "d/".repeat(200)), b"x").finish(), 400, "too deep").await?;
    fs.refused(tar().file("./", b"x").entry(".", b'0', "", b"x").finish(), 400, "no name").await
}

#[tokio::test]
async fn links_that_lead_out_are_not_followed() -> Result<()> {
    let fs = target().await?;
    let outside = fs.path("outside").to_str().unwrap().to_owned();
    let through = |link: &str| tar().symlink("esc", link).file("esc/new", b"x").finish();
    fs.refused(through(&outside), 400, "leads out").await?;
    fs.refused(through("../outside"), 400, "leads out").await?;
    fs.refused(tar().symlink("esc", "..").directory("esc/outside/new").finish(), 400, "leads out").await?;
    fs.refused(tar().symlink("a", "b").symlink("b", "..").file("a/new", b"x").finish(), 400, "leads out")
        .await?;
    let hard = |link: &str| tar().hard_link("h", link).finish();
    fs.refused(hard(&format!("{outside}/secret")), 400, "hard link").await?;
    fs.refused(hard("../outside/secret"), 400, "hard link").await?;
    fs.refused(hard("not/there"), 400, "hard link").await?;
    fs.refused(tar().symlink("esc", &outside).hard_link("h", "esc/secret").finish(), 400, "leads out")
        .await?;
    // A link that was there before is no way out either.
    symlink(&outside, fs.path("w/there"))?;
    let reply = fs.unpack("w", tar().file("there/new", b"x").finish()).await?;
    reply.expect_problem(403, "permission_denied")?;
    assert_eq!(fs.names("w"), ["there"]);
    assert_eq!(fs.names("outside"), ["secret"]);
    // The link itself may be replaced by a file of its name; what it pointed to stays.
    fs.unpack("w", tar().file("there", b"now a file").finish()).await?.expect_status(200)?;
    assert_eq!(std::fs::read_to_string(fs.path("w/there"))?, "now a file");
    assert_eq!(std::fs::read_to_string(fs.path("outside/secret"))?, SECRET);
    Ok(())
}

#[tokio::test]
async fn devices_pipes_and_unknown_kinds_are_refused() -> Result<()> {
    let fs = target().await?;
    for (kind, why) in [(b'3', "device"), (b'4', "device"), (b'6', "pipe"), (b'S', "sparse"), (b'Z', "kind")]
    {
        fs.refused(tar().entry("special", kind, "", &[]).finish(), 400, why).await?;
    }
    let sparse = b"22 GNU.sparse.major=1\n";
    let sparse =
        tar().header(b"pax", b'x', "", sparse.len() as u64).contents(sparse).file("f", b"x").finish();
    fs.refused(sparse, 400, "sparse").await
}

#[tokio::test]
async fn what_is_no_archive_is_refused() -> Result<()> {
    let fs = target().await?;
    fs.refused(Vec::new(), 400, "empty").await?;
    fs.refused(b"PK\x03\x04 is something else".repeat(100), 400, "checksum").await?;
    fs.refused(tar().unfinished()[..700].to_vec(), 400, "it is incomplete").await?;
    fs.refused(tar().header(b"f", b'0', "", 10_000).unfinished(), 400, "cannot be read").await?;
    let mut wrong = tar().file("f", b"x").finish();
    wrong[1024] ^= 1;
    fs.refused(wrong, 400, "checksum").await?;
    // Two gigabytes of a name would be two gigabytes of memory.
    let long = tar().header(b"././@LongLink", b'L', "", 2_000_000_000).unfinished();
    fs.refused(long, 400, "too long").await?;
    fs.refused(tar().directory("good").finish(), 400, "no directory").await?;
    fs.refused(tar().file("good/below", b"x").finish(), 400, "no directory").await?;
    let request = fs.post("upload-batch", "w").header("content-type", "text/plain").body(tar().finish());
    request.send().await?.expect_problem(415, "unsupported_media_type")?;
    Ok(())
}

#[tokio::test]
async fn contradictions_are_found_before_anything_is_moved() -> Result<()> {
    let fs = target().await?;
    std::fs::create_dir(fs.path("w/dir"))?;
    std::fs::write(fs.path("w/file"), "old")?;
    for archive in [tar().file("dir", b"x"), tar().file("file/below", b"x")] {
        fs.unpack("w", archive.finish()).await?.expect_problem(409, "conflict")?;
        assert_eq!(fs.names("w"), ["dir", "file"]);
    }
    assert_eq!(std::fs::read_to_string(fs.path("w/file"))?, "old");
    Ok(())
}

#[tokio::test]
async fn an_archive_that_breaks_off_leaves_nothing() -> Result<()> {
    let fs = target().await?;
    let archive = tar().file("more", &vec![1; 1_000_000]).unfinished();
    let request = fs.post("upload-batch", "new").header("content-type", "application/x-tar");
    let mut wire = request.header("content-length", "5000000").to_wire();
    wire.extend_from_slice(&archive);
    let mut raw = RawConnection::connect(fs.daemon.http()).await?;
    raw.write(&wire).await?;
    drop(raw);
    sa_testkit::until("the target to be gone again", || !fs.path("new").exists()).await
}

mod heavy {
    use super::*;

    #[tokio::test]
    async fn too_many_entries_are_refused() -> Result<()> {
        let fs = target().await?;
        let mut archive = Tarball::default();
        for number in 0..200_000 {
            archive = archive.directory(&format!("{}", number % 100));
        }
        fs.refused(archive.finish(), 413, "100000 entries").await
    }

    #[tokio::test]
    async fn a_bomb_is_stopped_early_and_costs_little() -> Result<()> {
        let fs = target().await?;
        let gigabytes = 4_u64 << 30;
        let head = Tarball::default().header(b"zeros", b'0', "", gigabytes).unfinished();
        let mut gzip = std::process::Command::new("gzip")
            .args(["-c", "-1"])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()?;
        let mut stdin = gzip.stdin.take().unwrap();
        let writer = std::thread::spawn(move || {
            stdin.write_all(&head)?;
            let zeros = vec![0; 1 << 20];
            (0..512).try_for_each(|_| stdin.write_all(&zeros))
        });
        let bomb = gzip.wait_with_output()?.stdout;
        writer.join().unwrap()?;
        let before = fs.daemon.rss_bytes()?;
        fs.refused(bomb, 413, "200 times its size").await?;
        let grown = fs.daemon.rss_bytes()?.saturating_sub(before);
        assert!(grown < 48 << 20, "{} MiB", grown >> 20);
        Ok(())
    }
}
