//! The flags of `sandbox-agent api usage`.

use super::{Output, wire};
use clap::Args;
use sa_api::{Timestamp, UsageGrouping};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error;

/// The arguments of `api usage`.
#[derive(Debug, Args)]
pub(crate) struct UsageArgs {
    /// Start of the period, inclusive, as an RFC 3339 time [default: the first turn]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) from: Option<Timestamp>,
    /// End of the period, exclusive, as an RFC 3339 time [default: now]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) to: Option<Timestamp>,
    /// Properties that the turns of a group share, separated by commas
    #[arg(long, value_name = "PROPERTIES", value_delimiter = ',', default_value = "day", value_parser = wire(UsageGrouping::ALL, UsageGrouping::name))]
    pub(crate) by: Vec<UsageGrouping>,
    /// Only turns of this session (repeatable)
    #[arg(long, value_name = "ID")]
    pub(crate) session: Vec<String>,
    /// Only turns of this agent (repeatable)
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Vec<String>,
    /// Only turns with this model (repeatable)
    #[arg(long, value_name = "ID")]
    pub(crate) model: Vec<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

fn time(text: &str) -> Result<Timestamp, String> {
    let time: Result<Timestamp, Error> = Timestamp::deserialize(text.into_deserializer());
    time.map_err(|error| format!("{error} such as 2026-03-14T00:00:00Z"))
}
