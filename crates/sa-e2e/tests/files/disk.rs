//! A disk that is full, and files larger than memory should see.

use crate::fs::Fs;
use crate::tarball::Tarball;
use anyhow::{Context, Result};
use sa_testkit::{Daemon, Sandbox, daemon_path};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::sync::Arc;

mod heavy {
    use super::*;

    /// Starts a daemon whose `small` is a file system of one megabyte, in a new namespace so that no privilege is
    /// needed. Nothing where the system does not even allow that.
    async fn with_small_disk() -> Result<Option<Fs>> {
        let works = Command::new("unshare").args(["-Urm", "true"]).status();
        if !works.is_ok_and(|status| status.success()) {
            eprintln!("skipped: this test may not mount a small disk");
            return Ok(None);
        }
        let sandbox = Arc::new(Sandbox::new()?);
        let small = sandbox.home().join("small");
        std::fs::create_dir(&small)?;
        let wrapper = sandbox.path("daemon.sh");
        let (small, daemon) = (small.display().to_string(), daemon_path()?.display().to_string());
        let script = format!(
            "#!/bin/sh\nexec unshare -Urm sh -c 'mount -t tmpfs -o size=1m none \"$0\" && exec \"$@\"' '{small}' '{daemon}' \"$@\"\n"
        );
        std::fs::write(&wrapper, script)?;
        std::fs::set_permissions(&wrapper, std::fs::Permissions::from_mode(0o755))?;
        let daemon = Daemon::builder().sandbox(sandbox).binary(wrapper).start().await?;
        Ok(Some(Fs::new(daemon)))
    }

    #[tokio::test]
    async fn a_full_disk_is_named_and_nothing_remains() -> Result<()> {
        let Some(fs) = with_small_disk().await? else { return Ok(()) };
        fs.write("small/kept", "old").await?.expect_status(201)?;
        for path in ["small/kept", "small/new"] {
            fs.write(path, vec![1; 3_000_000]).await?.expect_problem(507, "insufficient_storage")?;
        }
        let archive = Tarball::default().file("a", &vec![1; 600_000]).file("b", &vec![1; 600_000]).finish();
        fs.unpack("small", archive).await?.expect_problem(507, "insufficient_storage")?;
        assert_eq!(fs.read("small/kept").await?.text(), "old");
        let listing = fs.list("small").await?.json()?;
        assert_eq!(listing.as_array().context("a listing")?.len(), 1, "{listing}");
        fs.write("small/fits", vec![1; 900_000]).await?.expect_status(201)?;
        Ok(())
    }

    /// Large files go through in pieces, both ways.
    #[tokio::test]
    async fn memory_does_not_grow_with_files() -> Result<()> {
        const SIZE: usize = 192 << 20;
        let fs = Fs::start().await?;
        fs.write("warm", vec![1; 1 << 20]).await?.expect_status(201)?;
        fs.read("warm").await?.expect_status(200)?;
        let before = fs.daemon.peak_rss_bytes()?;
        let large = bytes_of(SIZE);
        let reply =
            fs.put("large", large).header("x-test", "large").within(std::time::Duration::from_secs(120));
        assert_eq!(reply.send().await?.expect_status(201)?.json()?["bytesWritten"], SIZE);
        let mut reply = fs.get("file", "large").open().await?;
        let mut read = 0;
        while let Some(chunk) = reply.chunk(sa_testkit::DEADLINE).await? {
            read += chunk.len();
        }
        assert_eq!(read, SIZE);
        let mut reply = fs.get("download-batch", ".").open().await?;
        while reply.chunk(sa_testkit::DEADLINE).await?.is_some() {}
        let grown = fs.daemon.peak_rss_bytes()?.saturating_sub(before);
        assert!(grown <= 16 << 20, "{} KiB", grown >> 10);
        Ok(())
    }

    fn bytes_of(size: usize) -> Vec<u8> {
        (0..=255).cycle().take(size).collect()
    }
}
