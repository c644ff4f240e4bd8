//! The command line.

use crate::faults::Fault;
use clap::Parser;
use std::path::PathBuf;
use std::time::Duration;

/// Checks the daemon with random clients and faults against a model.
#[derive(Debug, Parser)]
#[command(name = "sa-chaos")]
pub(crate) struct Options {
    /// Seed of all random choices.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Length of the run in minutes, such as 0.5.
    #[arg(long, default_value_t = 2.0)]
    minutes: f64,
    /// Faults to use, separated by commas. All by default.
    #[arg(long, value_enum, value_delimiter = ',')]
    faults: Option<Vec<Fault>>,
    /// Measure steady load without faults, and fail if memory, descriptors or processes grow.
    #[arg(long, conflicts_with = "faults")]
    pub(crate) soak: bool,
    /// Write the result into the tables of this page.
    #[arg(long, value_name = "PAGE")]
    pub(crate) update: Option<PathBuf>,
    /// Date of the run, for the page.
    #[arg(long)]
    pub(crate) date: Option<String>,
    /// Set by the program itself when it runs in its own mount namespace.
    #[arg(long = "inside-namespace", hide = true)]
    pub(crate) inside_namespace: bool,
}

impl Options {
    pub(crate) fn length(&self) -> Duration {
        Duration::from_secs_f64(self.minutes.clamp(0.05, 100_000.0) * 60.0)
    }

    /// Returns the arguments that make this another kind of run.
    pub(crate) fn kind(&self) -> String {
        match &self.faults {
            _ if self.soak => " --soak".to_owned(),
            Some(faults) => {
                let names: Vec<String> = faults.iter().map(Fault::to_string).collect();
                format!(" --faults {}", names.join(","))
            }
            None => String::new(),
        }
    }

    pub(crate) fn faults(&self) -> Vec<Fault> {
        match &self.faults {
            _ if self.soak => Vec::new(),
            Some(faults) => faults.clone(),
            None => Fault::ALL.to_vec(),
        }
    }
}
