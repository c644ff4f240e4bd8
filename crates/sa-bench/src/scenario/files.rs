//! Files of gigabytes up and down: speed next to a server that does nothing else and next to `cp`, and memory.

use crate::acp::expect;
use crate::figures::{Against, Figure, Goal, median};
use crate::process::Server;
use crate::run::Run;
use crate::wire;
use anyhow::{Context, Result, ensure};
use sa_bench::Progress;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// The goal of both directions.
const SHARE_OF_FLOOR: f64 = 0.7;
/// Megabytes that the daemon may grow by, however large the file.
const GROWTH: f64 = 16.0;
/// Bytes of one write of the load generator.
const PIECE: usize = 1 << 20;
/// Bytes of the file that rounds are made with which do not wait for the disk.
const CACHED: u64 = 1 << 30;

/// A server, and where it has files.
#[derive(Clone, Copy)]
struct Place<'a> {
    server: &'a Server,
    operation: &'static str,
    /// The status for a file that did not exist.
    created: u16,
}

impl Place<'_> {
    fn address(self, name: &str, more: &str) -> String {
        format!("{}?path={}{more}", self.operation, self.server.home().join(name).display())
    }
}

pub(crate) fn measure(run: &mut Run) -> Result<()> {
    let (daemon, floor) = (run.daemon()?, run.floor()?);
    let ours = Place { server: &daemon, operation: "/v1/fs/file", created: 201 };
    let plain = Place { server: &floor, operation: "/file", created: 200 };
    let size = run.pick(5 << 30, 128 << 20);
    let name = format!("{} MiB", size >> 20);
    // Memory that is allocated once is not the cost of a file.
    upload(ours, "small", 1 << 20, true)?;
    download(run, ours, "small", 1 << 20)?;

    let before = daemon.resident()?;
    daemon.reset_peak();
    let up = upload(ours, "large", size, true)?;
    let up_growth = growth(&daemon, before)?;
    let up_floor = upload(plain, "large", size, true)?;
    let up_cp = copy(&daemon.home().join("large"), &floor.home().join("large"), true)?;
    run.figure(
        Figure::new(format!("{name} up, on the disk"), "MB/s", rate(size, up))
            .floors(Some(rate(size, up_cp)), Some(rate(size, up_floor)), Against::Http)
            .goal(Goal::RatioAtLeast(SHARE_OF_FLOOR)),
    );
    run.figure(
        Figure::new(format!("{name} up, growth of memory"), "MB", up_growth).goal(Goal::AtMost(GROWTH)),
    );
    down(run, ours, plain, size, &name)?;
    for server in [&daemon, &floor] {
        std::fs::remove_file(server.home().join("large"))?;
    }
    cached(run, ours, plain)
}

/// Reads the same file from both, which is in the system's cache as far as there is room.
fn down(run: &mut Run, ours: Place<'_>, plain: Place<'_>, size: u64, name: &str) -> Result<()> {
    let (mut daemon, mut floor, mut cp) = (Vec::new(), Vec::new(), Vec::new());
    download(run, ours, "large", size)?;
    let before = ours.server.resident()?;
    ours.server.reset_peak();
    for _ in 0..run.pick(3, 2) {
        daemon.push(rate(size, download(run, ours, "large", size)?));
        floor.push(rate(size, download(run, plain, "large", size)?));
        cp.push(rate(size, copy(&ours.server.home().join("large"), Path::new("/dev/null"), false)?));
    }
    run.figure(
        Figure::new(format!("{name} down"), "MB/s", median(&daemon))
            .floors(Some(median(&cp)), Some(median(&floor)), Against::Http)
            .goal(Goal::RatioAtLeast(SHARE_OF_FLOOR)),
    );
    let growth = growth(ours.server, before)?;
    run.figure(
        Figure::new(format!("{name} down, growth of memory"), "MB", growth).goal(Goal::AtMost(GROWTH)),
    );
    Ok(())
}

/// Uploads that end in the system's cache: what the disk does not hide.
fn cached(run: &mut Run, ours: Place<'_>, plain: Place<'_>) -> Result<()> {
    let size = run.pick(CACHED, CACHED / 8);
    let (mut daemon, mut floor, mut cp) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=run.rounds() {
        let samples = [
            upload(ours, "cached", size, false)?,
            upload(plain, "cached", size, false)?,
            copy(&ours.server.home().join("cached"), &ours.server.home().join("copy"), false)?,
        ];
        for file in [ours.server.home().join("copy"), plain.server.home().join("cached")] {
            std::fs::remove_file(file)?;
        }
        // The first round finds the memory.
        if round > 0 {
            for (all, seconds) in [&mut daemon, &mut floor, &mut cp].into_iter().zip(samples) {
                all.push(rate(size, seconds));
            }
        }
    }
    run.figure(
        Figure::new(format!("{} MiB up, not waiting for the disk", size >> 20), "MB/s", median(&daemon))
            .floors(Some(median(&cp)), Some(median(&floor)), Against::Http)
            .goal(Goal::RatioAtLeast(SHARE_OF_FLOOR)),
    );
    Ok(())
}

/// Sends a file of that size; returns the seconds until the answer.
fn upload(place: Place<'_>, name: &str, size: u64, sync: bool) -> Result<f64> {
    let path = place.server.home().join(name);
    if path.exists() {
        std::fs::remove_file(&path)?;
    }
    let piece: Vec<u8> = (0..=255).cycle().take(PIECE).collect();
    let mut connection = place.server.connect()?;
    let start = Instant::now();
    connection.send(&wire::put_head(&place.address(name, &format!("&sync={sync}")), size))?;
    let mut left = size;
    while left > 0 {
        let part = piece.get(..usize::try_from(left)?.min(PIECE)).context("a piece")?;
        connection.send_more(part)?;
        left -= part.len() as u64;
    }
    let answer = connection.finish(&mut [0; 4096])?;
    let seconds = start.elapsed().as_secs_f64();
    expect(&answer, place.created, "PUT of a new file")?;
    ensure!(std::fs::metadata(&path)?.len() == size, "the file does not have its size");
    Ok(seconds)
}

/// Reads a file of that size; returns the seconds.
fn download(run: &mut Run, place: Place<'_>, name: &str, size: u64) -> Result<f64> {
    let mut connection = place.server.connect()?;
    let start = Instant::now();
    connection.send(&wire::get(&place.address(name, "")))?;
    let mut read = 0;
    while connection.read(&mut run.scratch, |part| read += part.len() as u64)? == Progress::Open {}
    let seconds = start.elapsed().as_secs_f64();
    ensure!(connection.status() == Some(200), "GET of a file: status {:?}", connection.status());
    ensure!(read == size, "{read} bytes came instead of {size}");
    Ok(seconds)
}

/// Returns the seconds that `cp` takes, and `sync` after it.
fn copy(from: &Path, to: &Path, sync: bool) -> Result<f64> {
    if to.is_file() {
        std::fs::remove_file(to)?;
    }
    let start = Instant::now();
    let mut done = Command::new("cp").arg(from).arg(to).status()?.success();
    if sync {
        done &= Command::new("sync").arg("-d").arg(to).status()?.success();
    }
    ensure!(done, "cp failed");
    Ok(start.elapsed().as_secs_f64())
}

fn rate(size: u64, seconds: f64) -> f64 {
    size as f64 / 1e6 / seconds
}

/// Megabytes that a server has had more than before, at its highest.
fn growth(server: &Server, before: f64) -> Result<f64> {
    Ok((server.peak()? - before).max(0.0) * 1024.0 / 1e6)
}
