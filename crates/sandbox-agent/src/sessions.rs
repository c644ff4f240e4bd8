//! The universal sessions, put together from settings and the parts they are built on.

use crate::settings::SessionSettings;
use anyhow::Context;
use sa_config::ConfigStore;
use sa_credentials::Host;
use sa_hub::Hub;
use sa_otlp::Exporter;
use sa_sessions::{SessionLimits, Sessions, SessionsOptions};
use sa_skills::{Places, Skills};
use sa_store::{Meaning, Retention, Store, StoreOptions};
use sa_supervisor::Supervisor;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The file of sessions, in the data directory.
const STORE_FILE: &str = "sessions.db";

/// The parts that sessions are built on.
pub(crate) struct Around {
    pub(crate) hub: Hub,
    pub(crate) configs: ConfigStore,
    pub(crate) host: Host,
    pub(crate) supervisor: Supervisor,
    pub(crate) workspace: PathBuf,
    pub(crate) data_dir: PathBuf,
    pub(crate) telemetry: Option<Exporter>,
    /// Texts that are never exported.
    pub(crate) secrets: Vec<String>,
}

/// Returns a number that no event of an earlier daemon with these settings can have reached. For the first daemon that
/// is 0; later ones take the time in microseconds, which no agent's messages overtake and JavaScript holds exactly.
pub(crate) fn numbers_after(settings: &SessionSettings, data_dir: &Path) -> u64 {
    if settings.kept && !data_dir.join(STORE_FILE).exists() {
        return 0;
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_micros()).unwrap_or(0)
}

/// Opens the store and takes up the sessions in it.
pub(crate) async fn open(settings: SessionSettings, around: Around) -> anyhow::Result<Sessions> {
    let SessionSettings { limits, kept } = settings;
    let options = StoreOptions {
        synchronous: limits.synchronous,
        retention: retention(&limits),
        meaning: Meaning { mark: sa_sessions::stored_mark, listing: sa_sessions::stored_listing },
    };
    let store = if kept {
        let advice = "cannot keep sessions (--no-store does without)";
        Store::open(&around.data_dir.join(STORE_FILE), options).await.context(advice)?
    } else {
        Store::in_memory(options).await.context("cannot keep sessions in memory")?
    };
    let sessions = Sessions::open(SessionsOptions {
        hub: around.hub,
        store,
        configs: around.configs,
        skills: Skills::new(around.data_dir.join("skills"), around.supervisor, Places::default()),
        webhooks: sa_webhooks::Client::new(),
        limits,
        workspace: around.workspace,
        host: around.host,
        telemetry: around.telemetry,
        secrets: around.secrets,
    });
    sessions.await.context("cannot take up the sessions that are kept")
}

fn retention(limits: &SessionLimits) -> Retention {
    Retention {
        events_per_session: limits.events,
        bytes_per_session: limits.event_bytes,
        ended_sessions_ms: (limits.ended_ms > 0).then_some(limits.ended_ms),
        total_bytes: limits.total_bytes,
        ..Retention::default()
    }
}
