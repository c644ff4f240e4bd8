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
    run_on(thread::available_parallelism().map_or(1, NonZero::get), &own, steps, extent)
}

/// Runs steps on so many cores; `own` is the program that runs one step.
fn run_on(cores: usize, own: &Path, steps: &[&'static Step], extent: Extent) -> Vec<Report> {
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
                let report = Report::new(step, started, (step.run)(extent));
                println!("=== {report}");
                reports.push(report);
            } else {
                start(scope, step, own, sender.clone());
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

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;

    const SMALL: Step =
        Step { name: "small", what: "", binaries: false, cores: Cores::One, run: |_| bail!("not run here") };
    static FIRST: Step = Step { name: "first", ..SMALL };
    static SECOND: Step = Step { name: "second", ..SMALL };
    static USER: Step = Step { name: "user", binaries: true, ..SMALL };
    static BUILT: Step = Step { name: BUILD, cores: Cores::All, run: |_| Ok(()), ..SMALL };
    static BROKEN: Step = Step { name: BUILD, cores: Cores::All, run: |_| bail!("no such crate"), ..SMALL };

    fn outcomes(cores: usize, own: &str, steps: &[&'static Step]) -> Vec<(&'static str, Option<String>)> {
        let reports = run_on(cores, Path::new(own), steps, Extent::Whole);
        reports.into_iter().map(|report| (report.step.name, report.failure)).collect()
    }

    #[test]
    fn every_step_is_reported_in_order() {
        for cores in [1, 2, 8] {
            let steps = [&FIRST, &SECOND, &BUILT, &USER];
            let names = ["first", "second", BUILD, "user"];
            assert_eq!(outcomes(cores, "echo", &steps), names.map(|name| (name, None)));
        }
    }

    #[test]
    fn a_failed_build_keeps_others_from_using_old_binaries() {
        let not_tried = Some("not tried, because the build failed".to_owned());
        let expected = [(BUILD, Some("no such crate".to_owned())), ("user", not_tried), ("first", None)];
        assert_eq!(outcomes(2, "echo", &[&BROKEN, &USER, &FIRST]), expected);
    }

    #[test]
    fn a_failure_is_the_last_line_that_the_step_wrote() {
        let reports = outcomes(2, "false", &[&FIRST]);
        assert_eq!(reports, [("first", Some("no output".to_owned()))]);
        let [(_, Some(why))] = &outcomes(2, "ls", &[&FIRST])[..] else { panic!("one failure") };
        assert!(why.contains("first"), "{why}");
    }
}
