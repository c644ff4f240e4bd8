//! `sandbox-agent api processes config`.

use super::print;
use crate::args::ConfigArgs;
use crate::commands::render::Table;
use crate::failure::Failure;
use sa_api::{ProcessConfig, ProcessConfigChange};
use sa_client::Client;
use std::io;

/// Shows the limits; with a flag changes them first.
pub(super) async fn config(client: &Client, args: ConfigArgs) -> Result<(), Failure> {
    let change = ProcessConfigChange {
        max_concurrent_processes: args.max_concurrent_processes,
        default_run_timeout_ms: args.default_run_timeout_ms,
        max_run_timeout_ms: args.max_run_timeout_ms,
        max_output_bytes: args.max_output_bytes,
        max_log_bytes_per_process: args.max_log_bytes_per_process,
        max_input_bytes_per_request: args.max_input_bytes_per_request,
        max_ended_processes: args.max_ended_processes,
        stop_grace_ms: args.stop_grace_ms,
    };
    let config = if change == ProcessConfigChange::default() {
        client.get_process_config().await
    } else {
        client.set_process_config(&change).await
    };
    print(args.output, &config?, describe)
}

fn describe(config: &ProcessConfig) -> io::Result<()> {
    let rows = config.bounds().map(|(name, value, ..)| (name.replace('_', "-"), value.to_string()));
    Table::of_pairs(rows).print()
}
