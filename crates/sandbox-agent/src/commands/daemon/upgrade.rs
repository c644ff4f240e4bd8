//! `sandbox-agent daemon upgrade`: the running daemon makes room for this program.

use super::activity::Activity;
use super::launch::Launch;
use super::start::print_where;
use super::stop::stop;
use super::{block_on, client, settled};
use crate::commands::render::print_text;
use crate::diagnostics::diagnose;
use crate::failure::Failure;
use crate::local_daemon::{DaemonFolder, Record, Standing};
use crate::settings::Settings;
use anyhow::{Context, anyhow};
use sa_client::Client;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

/// Time between two checks if turns still run.
const LOOK: Duration = Duration::from_secs(1);
/// Time that the old daemon gets to end its agents.
const STOP_TIMEOUT: Duration = Duration::from_secs(30);

pub(super) fn run(place: &DaemonFolder, when_busy: WhenBusy) -> Result<(), Failure> {
    place.create()?;
    let turn = place.operate()?;
    let Some(old) = settled(place, &turn)? else {
        return Err(failed("no daemon is running; 'sandbox-agent daemon start' starts this version"));
    };
    if matches!(old.standing, Standing::Foreground) {
        return Err(failed(
            "the daemon was not started by 'sandbox-agent daemon start': restart it where it was started",
        ));
    }
    if runs_this_program(&old) {
        let Record { version, pid, .. } = old;
        let said = format!("the daemon already runs this program, version {version} (pid {pid})");
        return Ok(print_text(&said)?);
    }
    let mut launch = Launch::of(place)?;
    // Port 0 took a free one, and that is the address that clients know.
    launch.args.host = Some(old.address.ip().to_string());
    launch.args.port = Some(old.address.port());
    std::env::set_current_dir(&launch.directory)
        .with_context(|| format!("cannot use {}", launch.directory.display()))?;
    let settings = Settings::load(launch.args.clone(), |name| std::env::var_os(name))
        .context("this version does not accept the daemon's settings, so it was left running")?;
    if !settings.sessions.kept && when_busy != WhenBusy::Interrupt {
        return Err(failed(
            "sessions are kept in memory only (--no-store) and would be lost; pass --force to restart anyway",
        ));
    }
    if when_busy != WhenBusy::Interrupt {
        let client = client(&old)?;
        block_on(wait_for_turns(&client, when_busy))??;
    }
    let env = environment(old.pid);
    stop(&old, STOP_TIMEOUT)?;
    let new = launch.start(place, env).map_err(|failure| after_stop(failure, &old))?;
    print_text(&format!(
        "upgraded from {} (pid {}) to {} (pid {})",
        old.version, old.pid, new.version, new.pid
    ))?;
    print_where(&new, None)
}

fn failed(message: &'static str) -> Failure {
    Failure::Failed(anyhow!(message))
}

/// The policy while turns run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WhenBusy {
    Interrupt,
    Wait,
    Refuse,
}

/// Returns once no turn runs.
async fn wait_for_turns(client: &Client, when_busy: WhenBusy) -> Result<(), Failure> {
    let mut announced = false;
    loop {
        let activity = Activity::of(client).await?;
        if activity.is_none() {
            return Ok(());
        }
        let busy = activity.in_words();
        if when_busy == WhenBusy::Refuse {
            return Err(Failure::Failed(anyhow!(
                "turns are running in {busy}: pass --wait to wait for them, or --force to interrupt them"
            )));
        }
        if !announced {
            diagnose!("waiting for {busy}; Ctrl-C leaves the daemon as it is");
            announced = true;
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Returns true if the file that the daemon runs is the one of this program.
fn runs_this_program(record: &Record) -> bool {
    let file = |path: String| std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino()));
    match (file(format!("/proc/{}/exe", record.pid)), file("/proc/self/exe".to_owned())) {
        (Some(running), Some(own)) => running == own,
        _ => record.version == env!("CARGO_PKG_VERSION"),
    }
}

/// Returns the environment that a daemon was started with, which holds its agents' credentials; this command's own
/// where that is not known.
fn environment(pid: u32) -> Vec<(OsString, OsString)> {
    let Ok(block) = std::fs::read(format!("/proc/{pid}/environ")) else {
        return std::env::vars_os().collect();
    };
    let entries = block.split(|byte| *byte == 0).filter_map(|entry| {
        let at = entry.iter().position(|byte| *byte == b'=')?;
        let (name, value) = entry.split_at_checked(at)?;
        Some((OsString::from_vec(name.to_vec()), OsString::from_vec(value.get(1..)?.to_vec())))
    });
    entries.collect()
}

fn after_stop(failure: Failure, old: &Record) -> Failure {
    let note = format!("the daemon of version {} was stopped, and this one did not start", old.version);
    match failure {
        Failure::Usage(error) | Failure::Failed(error) => Failure::Failed(error.context(note)),
        exit @ Failure::Exit(_) => exit,
    }
}
