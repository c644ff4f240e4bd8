//! One run of the benchmarks: its settings, and where scenarios leave figures and losses.

use crate::comparison::Comparison;
use crate::figures::Figure;
use crate::process::{Programs, SCRATCH_BYTES, Server};
use anyhow::Result;
use sa_bench::Tally;
use serde::Serialize;
use std::time::Duration;

/// The figures of one scenario.
#[derive(Debug, Serialize)]
pub(crate) struct Section {
    pub(crate) scenario: &'static str,
    pub(crate) figures: Vec<Figure>,
}

/// A run that is under way.
pub(crate) struct Run {
    pub(crate) programs: Programs,
    quick: bool,
    /// One read buffer for all connections.
    pub(crate) scratch: Vec<u8>,
    pub(crate) sections: Vec<Section>,
    /// The servers of `comparisons`, the daemon first.
    pub(crate) contenders: Vec<&'static str>,
    pub(crate) comparisons: Vec<Comparison>,
    /// Failures: a scenario that failed, a message that was lost.
    pub(crate) problems: Vec<String>,
}

impl Run {
    /// Creates a run with nothing measured yet.
    pub(crate) fn new(programs: Programs, quick: bool) -> Self {
        Self {
            programs,
            quick,
            scratch: vec![0; SCRATCH_BYTES],
            sections: Vec::new(),
            contenders: Vec::new(),
            comparisons: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// Returns the daemon, just started.
    pub(crate) fn daemon(&self) -> Result<Server> {
        self.daemon_with(&[])
    }

    pub(crate) fn daemon_with(&self, flags: &[&str]) -> Result<Server> {
        Server::daemon(&self.programs, flags)
    }

    /// Returns the HTTP floor, just started.
    pub(crate) fn floor(&self) -> Result<Server> {
        Server::floor(&self.programs)
    }

    /// `full`, or `quick` in a smoke run.
    pub(crate) fn pick<T>(&self, full: T, quick: T) -> T {
        if self.quick { quick } else { full }
    }

    pub(crate) fn rounds(&self) -> usize {
        self.pick(5, 2)
    }

    /// Length of a round that is bounded by time.
    pub(crate) fn round_time(&self) -> Duration {
        Duration::from_millis(self.pick(600, 120))
    }

    /// Adds a figure to the scenario that is under way.
    pub(crate) fn figure(&mut self, figure: Figure) {
        if let Some(section) = self.sections.last_mut() {
            section.figures.push(figure);
        }
    }

    /// Holds a reader to the promise that nothing is lost in silence and nothing comes twice.
    pub(crate) fn check(&mut self, who: &str, tally: &Tally) {
        if tally.lost() > 0 || tally.duplicated() > 0 {
            self.problems.push(format!("{who}: {} lost, {} twice", tally.lost(), tally.duplicated()));
        }
    }
}
