//! Runs steps in order, at the same time where cores are left for it.
//!
//! ```text
//! next step takes one core  ─► a core is free ─► own process, output kept, printed as a whole at its end
//! next step takes all cores ─► wait for the others ─► this process, output as it comes
//! ```

use super::{BUILD, Cores, Extent, Step};
use crate::shell::Program;
use anyhow::Result;
use std::fmt;
use std::num::NonZero;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

/// How a step ended.
pub(super) struct Report {
    step: &'static Step,
    took: Duration,
    /// Why it failed.
    failure: Option<String>,
}

impl Report {
    fn new(step: &'static Step, started: Instant, outcome: Result<()>) -> Self {
        let failure = outcome.err().map(|error| format!("{error:#}"));
        Self { step, took: started.elapsed(), failure }
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failure.is_some()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.has_failed() { "FAILED" } else { "ok" };
        let line = format!("{word:<8} {:<12} {:>7.1} s", self.step.name, self.took.as_secs_f64());
        match &self.failure {
            Some(why) => write!(f, "{line}  {why}"),
            None => f.write_str(&line),
        }
    }
}

/// Runs all steps and returns a report of each, in the same order.
pub(super) fn run(steps: &[&'static Step], extent: Extent) -> Vec<Report> {
    // Its file may be replaced by a build; the path stays.
    let own = std::env::current_exe().unwrap_or_else(|_| "xtask".into());
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let mut reports = Vec::new();
    let (sender, ended) = sync_channel(cores);
    thread::scope(|scope| {
        let mut running = 0;
        for step in steps {
            let most = if step.cores == Cores::All { 0 } else { cores - 1 };
            while running > most {
                reports.extend(wait(&ended));
                running -= 1;
            }
            let is_built = reports.iter().any(|report| report.step.name == BUILD && !report.has_failed());
            if step.binaries && !is_built {
                // Old binaries must not pass for new ones.
                let failure = Some("not tried, because the build failed".to_owned());
                reports.push(Report { step, took: Duration::ZERO, failure });
                continue;
            }
            println!("\n=== {}: {}", step.name, step.what);
            if step.cores == Cores::All {
                let started = Instant::now();
                reports.push(Report::new(step, started, (step.run)(extent)));
                println!("=== {}", reports[reports.len() - 1]);
            } else {
                start(scope, step, &own, sender.clone());
                running += 1;
            }
        }
        while running > 0 {
            reports.extend(wait(&ended));
            running -= 1;
        }
    });
    let place = |report: &Report| steps.iter().position(|step| step.name == report.step.name);
    reports.sort_by_key(place);
    reports
}

fn start<'s>(
    scope: &'s Scope<'s, '_>,
    step: &'static Step,
    own: &'s Path,
    sender: SyncSender<(Report, String)>,
) {
    scope.spawn(move || {
        let started = Instant::now();
        let (output, outcome) = match Program::new(own).args(&["step", step.name]).transcript() {
            Ok((output, true)) => (output, Ok(())),
            Ok((output, false)) => {
                let last = output.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no output");
                let why = last.strip_prefix("error: ").unwrap_or(last).to_owned();
                (output, Err(anyhow::Error::msg(why)))
            }
            Err(error) => (String::new(), Err(error)),
        };
        // The receiver outlives all senders.
        let _received = sender.send((Report::new(step, started, outcome), output));
    });
}

/// Waits for the end of a step and prints what it wrote.
fn wait(ended: &Receiver<(Report, String)>) -> Option<Report> {
    let (report, output) = ended.recv().ok()?;
    println!("\n=== output of {}\n{}\n=== {report}", report.step.name, output.trim_end());
    Some(report)
}
