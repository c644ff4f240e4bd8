//! The log: on standard error, and nowhere else.

use crate::args::LogFormat;
use crate::failure::Failure;
use std::io::IsTerminal;
use tracing_subscriber::EnvFilter;

/// Starts logging.
pub(crate) fn start(format: LogFormat, filter: &str) -> Result<(), Failure> {
    let parsed = EnvFilter::try_new(filter)
        .map_err(|error| Failure::usage(format_args!("'{filter}' is not a log filter: {error}")))?;
    let log = tracing_subscriber::fmt().with_env_filter(parsed).with_writer(std::io::stderr);
    let started = match format {
        LogFormat::Text => log.with_ansi(std::io::stderr().is_terminal()).try_init(),
        LogFormat::Json => log.json().flatten_event(true).try_init(),
    };
    started.map_err(|error| Failure::Failed(anyhow::anyhow!("cannot start the log: {error}")))
}
