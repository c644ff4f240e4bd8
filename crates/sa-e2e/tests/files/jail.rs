//! `--fs-root`: nothing outside is reached, by no path and through no link.

use crate::fs::{Fs, address};
use crate::tarball::Tarball;
use anyhow::Result;
use sa_testkit::{Daemon, Sandbox};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const SECRET: &str = "outside of the jail";

/// Starts a daemon confined to `jail`, next to `outside` with a secret.
async fn confined() -> Result<(Fs, PathBuf)> {
    let sandbox = Arc::new(Sandbox::new()?);
    let home = sandbox.home().canonicalize()?;
    let (jail, outside) = (home.join("jail"), home.join("outside"));
    std::fs::create_dir(&jail)?;
    std::fs::create_dir(&outside)?;
    std::fs::write(outside.join("secret"), SECRET)?;
    let daemon =
        Daemon::builder().sandbox(sandbox).arg("--fs-root").arg(jail.to_str().unwrap()).start().await?;
    let mut fs = Fs::new(daemon);
    fs.home = jail;
    Ok((fs, outside))
}

#[tokio::test]
async fn relative_paths_start_at_the_root_and_absolute_ones_lie_beneath() -> Result<()> {
    let (fs, _) = confined().await?;
    fs.write("a/b", "inside").await?.expect_status(201)?;
    assert_eq!(fs.read(fs.path("a/b")).await?.expect_status(200)?.text(), "inside");
    assert_eq!(fs.read("a/../a/./b").await?.expect_status(200)?.text(), "inside");
    assert_eq!(fs.stat(&fs.home).await?.expect_status(200)?.json()?["entryType"], "directory");
    Ok(())
}

#[tokio::test]
async fn links_within_are_followed_relative_or_absolute() -> Result<()> {
    let (fs, _) = confined().await?;
    std::fs::create_dir_all(fs.path("real/deep"))?;
    std::fs::write(fs.path("real/file"), "inside")?;
    symlink("real", fs.path("relative"))?;
    symlink(fs.path("real"), fs.path("absolute"))?;
    symlink("../../real/file", fs.path("real/deep/up"))?;
    for name in ["relative/file", "absolute/file", "real/deep/up", "absolute/deep/../file"] {
        assert_eq!(fs.read(name).await?.expect_status(200)?.text(), "inside", "{name}");
    }
    fs.write("absolute/new/file", "x").await?.expect_status(201)?;
    assert_eq!(std::fs::read_to_string(fs.path("real/new/file"))?, "x");
    Ok(())
}

#[tokio::test]
async fn no_path_and_no_link_leads_out() -> Result<()> {
    let (fs, outside) = confined().await?;
    symlink(&outside, fs.path("absolute"))?;
    symlink("../outside", fs.path("relative"))?;
    symlink("../outside/secret", fs.path("file"))?;
    symlink(".", fs.path("here"))?;
    symlink("/proc/self/root", fs.path("magic"))?;
    let paths = [
        "..",
        "../outside/secret",
        "a/../../outside/secret",
        "absolute/secret",
        "relative/secret",
        "here/here/../../outside/secret",
        "file",
        "/etc/passwd",
        outside.join("secret").to_str().unwrap(),
        fs.path("../outside/secret").to_str().unwrap(),
    ]
    .map(str::to_owned);
    for path in &paths {
        for reply in [fs.read(path).await?, fs.write(path, "x").await?, fs.list(path).await?] {
            assert!(!reply.text().contains(SECRET), "{path}");
            assert!(matches!(reply.status, 403 | 404), "{path}: {} {}", reply.status, reply.text());
        }
    }
    fs.read("magic/etc/passwd").await?.expect_problem(403, "permission_denied")?;
    fs.write("relative/new", "x").await?.expect_problem(403, "permission_denied")?;
    fs.write("relative/new/deeper", "x").await?.expect_problem(403, "permission_denied")?;
    assert_eq!(std::fs::read_to_string(outside.join("secret"))?, SECRET);
    assert_eq!(fs.names(&outside), ["secret"]);
    Ok(())
}

/// Time for which links are swapped. Neither side takes a core for itself meanwhile, so that other tests can run,
/// too.
const RACE: Duration = Duration::from_secs(30);
const BREATH: Duration = Duration::from_micros(200);

/// A directory and a link to the outside change places all the time while others use paths through them.
#[tokio::test]
async fn swapping_a_directory_for_a_link_gets_nobody_out() -> Result<()> {
    let (fs, outside) = confined().await?;
    std::fs::write(outside.join("marker"), "only outside")?;
    std::fs::create_dir(fs.path("real"))?;
    std::fs::write(fs.path("real/secret"), "inside")?;
    symlink("../outside", fs.path("bait"))?;
    symlink("real", fs.path("swap"))?;
    let stop = Arc::new(AtomicBool::new(false));
    let swapper = std::thread::spawn({
        let (stop, jail) = (Arc::clone(&stop), fs.home.clone());
        move || swap(&jail, &stop)
    });
    let started = Instant::now();
    let (mut inside, mut refused) = (0_u32, 0_u32);
    while started.elapsed() < RACE {
        let read = fs.read("swap/secret").await?;
        assert!(!read.text().contains(SECRET), "read the secret after {inside} good reads");
        inside += u32::from(read.status == 200);
        refused += u32::from(read.status == 403);
        use_everything(&fs).await?;
        tokio::time::sleep(BREATH).await;
    }
    stop.store(true, Ordering::Relaxed);
    let swaps = swapper.join().unwrap();
    assert!(swaps > 1000 && inside > 0 && refused > 0, "{swaps} swaps, {inside} inside, {refused} refused");
    assert_eq!(fs.names(&outside), ["marker", "secret"], "nothing was written or removed outside");
    assert_eq!(std::fs::read_to_string(outside.join("secret"))?, SECRET);
    assert!(!fs.path("stolen").exists());
    Ok(())
}

/// Lets `swap` lead inside and outside in turn, directly and by another link; counts how often.
fn swap(jail: &Path, stop: &AtomicBool) -> u64 {
    let mut swaps = 0;
    while !stop.load(Ordering::Relaxed) {
        for target in ["bait", "real", "../outside"] {
            symlink(target, jail.join("next")).unwrap();
            std::fs::rename(jail.join("next"), jail.join("swap")).unwrap();
            swaps += 1;
        }
        std::thread::sleep(BREATH);
    }
    swaps
}

/// Runs every operation that could reveal the outside or change it.
async fn use_everything(fs: &Fs) -> Result<()> {
    let listing = fs.list("swap").await?.text();
    assert!(!listing.contains("marker"), "{listing}");
    let found = fs.daemon.http().get("/v1/fs/search?path=swap&name=marker").send().await?.text();
    assert!(!found.contains("/marker"), "{found}");
    assert_ne!(fs.stat("swap/marker").await?.status, 200);
    fs.write("swap/written", "x").await?;
    fs.write("swap/new/dir/file", "x").await?;
    fs.write("swap/secret", "inside").await?;
    fs.post("mkdir", "swap/made/deep").send().await?;
    fs.unpack("swap", Tarball::default().file("unpacked", b"x").finish()).await?;
    fs.daemon.http().delete(&address("entry", "swap/marker")).send().await?;
    let theft = r#"{"from": "swap/marker", "to": "stolen"}"#;
    assert_ne!(fs.daemon.http().post("/v1/fs/move").json(theft).send().await?.status, 200);
    Ok(())
}
