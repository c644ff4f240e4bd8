//! `sandbox-agent daemon status`.

use super::activity::Activity;
use super::{block_on, client};
use crate::commands::render::{Format, Table, age, print_json};
use crate::failure::Failure;
use crate::local_daemon::{DaemonFolder, Found, Record};
use sa_api::Timestamp;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;

const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// The state of the daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
enum State {
    Running,
    /// Alive, but does not answer.
    Unresponsive,
    /// About to start or to end.
    Changing,
    Stopped,
}

/// The known facts about the daemon.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    state: State,
    data_dir: PathBuf,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    daemon: Option<Daemon>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    activity: Option<Activity>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Daemon {
    pid: u32,
    version: String,
    endpoint: String,
    started_at_ms: u64,
    background: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    token_file: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    log_file: Option<PathBuf>,
}

impl From<Record> for Daemon {
    fn from(record: Record) -> Self {
        Self {
            pid: record.pid,
            endpoint: record.endpoint(),
            started_at_ms: record.started_at_ms,
            background: record.log_file().is_some(),
            log_file: record.log_file().cloned(),
            version: record.version,
            token_file: record.token_file,
        }
    }
}

pub(super) fn run(place: &DaemonFolder, format: Format) -> Result<(), Failure> {
    let status = status(place)?;
    match format {
        Format::Json => print_json(&status)?,
        Format::Text => Table::of_pairs(rows(&status)).print()?,
    }
    if status.state == State::Running { Ok(()) } else { Err(Failure::Exit(1)) }
}

fn status(place: &DaemonFolder) -> Result<Status, Failure> {
    let data_dir = place.folder().parent().unwrap_or(place.folder()).to_owned();
    let without = |state| Status { state, data_dir: data_dir.clone(), daemon: None, activity: None };
    let record = match place.find()? {
        Found::Running(record) => record,
        Found::Unready => return Ok(without(State::Changing)),
        Found::Nobody => return Ok(without(State::Stopped)),
    };
    let client = client(&record)?;
    let (answers, activity) = block_on(async {
        let answers =
            tokio::time::timeout(ANSWER_TIMEOUT, client.health()).await.is_ok_and(|health| health.is_ok());
        // A daemon whose token is not written down is known to run, and no more.
        let activity = tokio::time::timeout(ANSWER_TIMEOUT, Activity::of(&client)).await;
        (answers, activity.ok().and_then(Result::ok))
    })?;
    let state = if answers { State::Running } else { State::Unresponsive };
    Ok(Status { daemon: Some(record.into()), activity, ..without(state) })
}

fn rows(status: &Status) -> Vec<(&'static str, String)> {
    let state = match (status.state, &status.daemon) {
        (State::Running, Some(daemon)) if daemon.background => "running in the background",
        (State::Running, _) => "running in the foreground",
        (State::Unresponsive, _) => "running, but it does not answer; see 'sandbox-agent daemon logs'",
        (State::Changing, _) => "starting or stopping",
        (State::Stopped, _) => "not running; start it with 'sandbox-agent daemon start'",
    };
    let mut rows = vec![("state", state.to_owned())];
    if let Some(daemon) = &status.daemon {
        let up = Timestamp::now().as_millis().saturating_sub(daemon.started_at_ms);
        rows.extend([
            ("pid", daemon.pid.to_string()),
            ("version", daemon.version.clone()),
            ("address", daemon.endpoint.clone()),
            ("inspector", format!("{}/ui/", daemon.endpoint)),
            ("up", age(up)),
        ]);
        rows.extend(daemon.token_file.as_ref().map(|path| ("token", format!("in {}", path.display()))));
        rows.extend(daemon.log_file.as_ref().map(|path| ("log", path.display().to_string())));
    }
    if let Some(activity) = &status.activity {
        let busy = if activity.is_none() { "no turn is running".to_owned() } else { activity.in_words() };
        rows.push(("busy", busy));
    }
    rows.push(("data", status.data_dir.display().to_string()));
    rows
}
