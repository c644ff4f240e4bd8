//! The store of universal sessions, opened as the settings say.

use crate::settings::SessionSettings;
use anyhow::Context;
use sa_sessions::SessionLimits;
use sa_store::{Meaning, Retention, Store, StoreOptions};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// The file of sessions, in the data directory.
const STORE_FILE: &str = "sessions.db";

/// Returns a number that no event of an earlier daemon with these settings can have reached. For the first daemon that
/// is 0; later ones take the time in microseconds, which no agent's messages overtake and JavaScript holds exactly.
pub(crate) fn numbers_after(settings: &SessionSettings, data_dir: &Path) -> u64 {
    if settings.kept && !data_dir.join(STORE_FILE).exists() {
        return 0;
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_micros()).unwrap_or(0)
}

/// Opens the store of sessions.
pub(crate) async fn open_store(settings: &SessionSettings, data_dir: &Path) -> anyhow::Result<Store> {
    let SessionSettings { limits, kept } = settings;
    let options = StoreOptions {
        synchronous: limits.synchronous,
        retention: retention(limits),
        meaning: Meaning { mark: sa_sessions::stored_mark, listing: sa_sessions::stored_listing },
    };
    if *kept {
        let advice = "cannot keep sessions (--no-store does without)";
        Store::open(&data_dir.join(STORE_FILE), options).await.context(advice)
    } else {
        Store::in_memory(options).await.context("cannot keep sessions in memory")
    }
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
