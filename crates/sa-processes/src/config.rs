//! The limits that can be changed while the daemon runs.

use crate::limits::{LONGEST_MS, MOST_BYTES, MOST_PROCESSES};
use serde::Deserialize;
use std::ops::RangeInclusive;
use std::time::Duration;
use thiserror::Error;

const MIB: usize = 1024 * 1024;

/// Bounds on processes. Byte sizes are in bytes, times in milliseconds. Each field is a key of `[processes]` in the
/// configuration file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Config {
    /// Processes that run at once, those of `run` included.
    pub max_concurrent_processes: usize,
    /// Timeout of `run`, unless the caller sets one.
    pub default_run_timeout_ms: u64,
    /// The longest that a caller of `run` may wait.
    pub max_run_timeout_ms: u64,
    /// Bytes that `run` keeps of each output stream.
    pub max_output_bytes: usize,
    /// Log of one process; the oldest output leaves it first. Counts for processes that start later.
    pub max_log_bytes_per_process: usize,
    /// Input that one request may carry.
    pub max_input_bytes_per_request: usize,
    /// Ended processes that are remembered.
    pub max_ended_processes: usize,
    /// Time between SIGTERM and SIGKILL for a process that is stopped.
    pub stop_grace_ms: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            max_concurrent_processes: 64,
            default_run_timeout_ms: 30_000,
            max_run_timeout_ms: 300_000,
            max_output_bytes: MIB,
            max_log_bytes_per_process: 10 * MIB,
            max_input_bytes_per_request: 64 * 1024,
            max_ended_processes: 256,
            stop_grace_ms: 5_000,
        }
    }
}

/// The reason why limits are invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BadConfig {
    /// A value is too small or too large.
    #[error("{name} must be between {least} and {most}")]
    OutOfRange {
        /// The limit, as the API calls it.
        name: &'static str,
        /// The smallest value.
        least: u64,
        /// The largest value.
        most: u64,
    },
    /// The default is more than what is allowed.
    #[error("defaultRunTimeoutMs must not exceed maxRunTimeoutMs")]
    DefaultAboveMost,
}

impl Config {
    /// Returns the time between SIGTERM and SIGKILL for a process that is stopped.
    pub fn stop_grace(&self) -> Duration {
        Duration::from_millis(self.stop_grace_ms)
    }

    /// Refuses limits that would make every request fail, or that are none.
    pub fn check(&self) -> Result<(), BadConfig> {
        let count = 1..=MOST_PROCESSES as u64;
        let bytes = 1..=MOST_BYTES as u64;
        let time = 1..=LONGEST_MS;
        within("maxConcurrentProcesses", self.max_concurrent_processes as u64, &count)?;
        within("maxEndedProcesses", self.max_ended_processes as u64, &count)?;
        within("defaultRunTimeoutMs", self.default_run_timeout_ms, &time)?;
        within("maxRunTimeoutMs", self.max_run_timeout_ms, &time)?;
        within("maxOutputBytes", self.max_output_bytes as u64, &bytes)?;
        within("maxLogBytesPerProcess", self.max_log_bytes_per_process as u64, &bytes)?;
        within("maxInputBytesPerRequest", self.max_input_bytes_per_request as u64, &bytes)?;
        within("stopGraceMs", self.stop_grace_ms, &(0..=LONGEST_MS))?;
        if self.default_run_timeout_ms > self.max_run_timeout_ms {
            return Err(BadConfig::DefaultAboveMost);
        }
        Ok(())
    }
}

fn within(name: &'static str, value: u64, range: &RangeInclusive<u64>) -> Result<(), BadConfig> {
    if range.contains(&value) {
        return Ok(());
    }
    Err(BadConfig::OutOfRange { name, least: *range.start(), most: *range.end() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_make_sense_and_nonsense_is_named() {
        assert_eq!(Config::default().check(), Ok(()));
        let none = Config { max_concurrent_processes: 0, ..Config::default() };
        assert!(
            none.check().is_err_and(|error| error.to_string().starts_with("maxConcurrentProcesses must"))
        );
        let crossed = Config { max_run_timeout_ms: 1_000, ..Config::default() };
        assert_eq!(crossed.check(), Err(BadConfig::DefaultAboveMost));
        let huge = Config { max_log_bytes_per_process: usize::MAX, ..Config::default() };
        assert!(huge.check().is_err());
    }
}
