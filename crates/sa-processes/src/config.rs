//! The limits that can be changed while the daemon runs.

use sa_api::ProcessConfig;
use serde::{Deserialize, Deserializer};
use thiserror::Error;

/// The keys of `[processes]` in the configuration file.
#[derive(Deserialize)]
#[serde(
    remote = "ProcessConfig",
    deny_unknown_fields,
    default = "ProcessConfig::default",
    rename_all = "kebab-case"
)]
struct FileKeys {
    max_concurrent_processes: usize,
    default_run_timeout_ms: u64,
    max_run_timeout_ms: u64,
    max_output_bytes: usize,
    max_log_bytes_per_process: usize,
    max_input_bytes_per_request: usize,
    max_ended_processes: usize,
    stop_grace_ms: u64,
}

/// Reads limits from a configuration file, for `#[serde(deserialize_with)]`.
pub fn read_file_keys<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ProcessConfig, D::Error> {
    FileKeys::deserialize(deserializer)
}

/// Reasons why limits cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BadConfig {
    /// A value is too small or too large.
    #[error("{name} must be between {least} and {most}")]
    OutOfRange {
        /// The limit, as the API calls it.
        name: String,
        /// The smallest value.
        least: u64,
        /// The largest value.
        most: u64,
    },
    /// The default is more than the most.
    #[error("defaultRunTimeoutMs must not exceed maxRunTimeoutMs")]
    DefaultAboveMost,
}

/// Refuses limits that would make every request fail, or that do not limit anything.
pub fn check_config(config: &ProcessConfig) -> Result<(), BadConfig> {
    if let Some((name, _, least, most)) =
        config.bounds().find(|(_, value, least, most)| !(least..=most).contains(&value))
    {
        return Err(BadConfig::OutOfRange { name: camel_case(name), least, most });
    }
    if config.default_run_timeout_ms > config.max_run_timeout_ms {
        return Err(BadConfig::DefaultAboveMost);
    }
    Ok(())
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| {
        let (initial, rest) = word.split_at(1);
        name + &initial.to_uppercase() + rest
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_make_sense_and_nonsense_is_named() {
        assert_eq!(check_config(&ProcessConfig::default()), Ok(()));
        let none = ProcessConfig { max_concurrent_processes: 0, ..ProcessConfig::default() };
        assert!(
            check_config(&none)
                .is_err_and(|error| error.to_string().starts_with("maxConcurrentProcesses must"))
        );
        let crossed = ProcessConfig { max_run_timeout_ms: 1_000, ..ProcessConfig::default() };
        assert_eq!(check_config(&crossed), Err(BadConfig::DefaultAboveMost));
        let huge = ProcessConfig { max_log_bytes_per_process: usize::MAX, ..ProcessConfig::default() };
        assert!(check_config(&huge).is_err());
    }
}
