//! Directories of thousands of files: listing one, and unpacking one from an archive.

use crate::acp::expect;
use crate::figures::{Against, Figure, median};
use crate::process::Server;
use crate::run::Run;
use crate::wire;
use anyhow::{Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const ENTRY_BYTES: usize = 1024;

fn entries(run: &Run) -> usize {
    run.pick(10_000, 1_000)
}

/// Returns a directory of files of a kilobyte each.
fn fill(server: &Server, count: usize) -> Result<PathBuf> {
    let directory = server.home().join("many");
    std::fs::create_dir(&directory)?;
    for number in 0..count {
        std::fs::write(directory.join(format!("entry-{number:05}.txt")), [b'x'; ENTRY_BYTES])?;
    }
    Ok(directory)
}

/// All entries of a large directory in one answer.
pub(crate) fn listing(run: &mut Run) -> Result<()> {
    let (daemon, floor) = (run.daemon()?, run.floor()?);
    let count = entries(run);
    let directory = fill(&daemon, count)?;
    let (mut ours, mut http, mut bare) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=run.rounds() {
        let samples = [
            list(run, &daemon, "/v1/fs/entries", &directory, count)?,
            list(run, &floor, "/entries", &directory, count)?,
            look(&directory, count)?,
        ];
        if round > 0 {
            for (all, seconds) in [&mut ours, &mut http, &mut bare].into_iter().zip(samples) {
                all.push(seconds * 1e3);
            }
        }
    }
    run.figure(Figure::new(format!("{count} entries"), "ms", median(&ours)).floors(
        Some(median(&bare)),
        Some(median(&http)),
        Against::Http,
    ));
    Ok(())
}

fn list(run: &mut Run, server: &Server, operation: &str, directory: &Path, count: usize) -> Result<f64> {
    let mut connection = server.connect()?;
    let start = Instant::now();
    let request = wire::get(&format!("{operation}?path={}", directory.display()));
    let answer = connection.exchange(&request, &mut run.scratch)?;
    let seconds = start.elapsed().as_secs_f64();
    expect(&answer, 200, "listing")?;
    let listed: Vec<serde_json::Value> = serde_json::from_slice(&answer.body)?;
    ensure!(listed.len() == count, "{} entries instead of {count}", listed.len());
    Ok(seconds)
}

/// Names and sizes without a server.
fn look(directory: &Path, count: usize) -> Result<f64> {
    let start = Instant::now();
    let mut bytes = 0;
    for entry in std::fs::read_dir(directory)? {
        bytes += entry?.metadata()?.len();
    }
    ensure!(bytes == (count * ENTRY_BYTES) as u64, "the directory changed");
    Ok(start.elapsed().as_secs_f64())
}

/// An archive of many files, compared with `tar -x`.
pub(crate) fn unpack(run: &mut Run) -> Result<()> {
    let daemon = run.daemon()?;
    let count = entries(run);
    let archive = daemon.home().join("many.tar");
    fill(&daemon, count)?;
    tar(&["-c", "-f"], &archive, daemon.home(), &["many"])?;
    let bytes = std::fs::read(&archive)?;
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for round in 0..=run.rounds() {
        let (one, two) = (daemon.home().join("one"), daemon.home().join("two"));
        let samples = [upload(run, &daemon, &one, &bytes)?, {
            std::fs::create_dir(&two)?;
            tar(&["-x", "-f"], &archive, &two, &[])?
        }];
        for directory in [one, two] {
            ensure!(std::fs::read_dir(directory.join("many"))?.count() == count, "not all was unpacked");
            std::fs::remove_dir_all(directory)?;
        }
        if round > 0 {
            ours.push(samples[0] * 1e3);
            bare.push(samples[1] * 1e3);
        }
    }
    run.figure(Figure::new(format!("{count} files of 1 KiB"), "ms", median(&ours)).floors(
        Some(median(&bare)),
        None,
        Against::Only,
    ));
    Ok(())
}

fn upload(run: &mut Run, server: &Server, to: &Path, archive: &[u8]) -> Result<f64> {
    let mut connection = server.connect()?;
    let start = Instant::now();
    let path = format!("/v1/fs/upload-batch?path={}", to.display());
    connection.send(&wire::post_head(&path, "application/x-tar", archive.len() as u64))?;
    connection.send_more(archive)?;
    let answer = connection.finish(&mut run.scratch)?;
    let seconds = start.elapsed().as_secs_f64();
    expect(&answer, 200, "upload of an archive")?;
    Ok(seconds)
}

/// Returns the seconds that `tar` takes.
fn tar(options: &[&str], archive: &Path, directory: &Path, names: &[&str]) -> Result<f64> {
    let start = Instant::now();
    let status =
        Command::new("tar").args(options).arg(archive).arg("-C").arg(directory).args(names).status()?;
    ensure!(status.success(), "tar: {status}");
    Ok(start.elapsed().as_secs_f64())
}
