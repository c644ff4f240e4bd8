//! Bounds of the bounds: values of `[limits]`, `[files]` and `[sessions]` that cannot work are refused when the daemon
//! starts, not met later as a panic or a flood.

use super::SettingsError;
use sa_api::ProcessConfig;
use serde::Serialize;

/// Times are added to clocks, which overflow far beyond this.
const LONGEST_MS: u64 = 365 * 24 * 60 * 60 * 1000;
/// Far above every file, log and database.
const MOST_BYTES: u64 = 1 << 50;
/// Far above all that a machine can have of anything. Semaphores panic beyond 2^61.
const MOST: u64 = 1 << 32;
/// Buffers of this size are allocated for each file that is read.
const LARGEST_CHUNK: u64 = 64 << 20;
/// Keys for which 0 has a meaning: never, no limit, no pause, or none of these at all.
const ZERO_HAS_A_MEANING: [&str; 14] = [
    "archives",
    "connection-grace-ms",
    "drain-ms",
    "early-answer-ms",
    "ended-ms",
    "file-bytes",
    "idle-ms",
    "reader-stall-ms",
    "silence-ms",
    "stop-grace-ms",
    "stream-wait-ms",
    "replay-bytes",
    "searches",
    "watches",
];
/// Shorter pauses than this would flood every stream.
const SHORTEST_HEARTBEAT_MS: u64 = 10;

/// Checks the limits of processes, which the API can change and has its own bounds for.
pub(super) fn check_processes(config: &ProcessConfig) -> Result<(), SettingsError> {
    let wrong = config.bounds().find(|(_, value, least, most)| !(least..=most).contains(&value));
    if let Some((name, number, least, most)) = wrong {
        return Err(SettingsError::Limit {
            table: "processes",
            key: name.replace('_', "-"),
            number,
            least,
            most,
        });
    }
    Ok(sa_processes::check_config(config)?)
}

/// Checks every number of a table. The keys say what they are: times end in `-ms`, sizes in `-bytes`.
pub(super) fn check(table: &'static str, limits: &impl Serialize) -> Result<(), SettingsError> {
    let Ok(serde_json::Value::Object(values)) = serde_json::to_value(limits) else { return Ok(()) };
    for (key, value) in values {
        let Some(number) = value.as_u64() else { continue };
        let least = match key.as_str() {
            "heartbeat-ms" => SHORTEST_HEARTBEAT_MS,
            key => u64::from(!ZERO_HAS_A_MEANING.contains(&key)),
        };
        let most = match key.as_str() {
            "chunk-bytes" => LARGEST_CHUNK,
            key if key.ends_with("-ms") => LONGEST_MS,
            key if key.ends_with("-bytes") => MOST_BYTES,
            _ => MOST,
        };
        if number < least || number > most {
            return Err(SettingsError::Limit { table, key, number, least, most });
        }
    }
    Ok(())
}
