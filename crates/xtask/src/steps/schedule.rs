//! Runs steps in order, at the same time where cores are left for it.
//!
//! ```text
//! next step takes one core  ─► no more others run than cores ─► own process, output kept, printed as a whole at its end
//! next step takes all cores ─► wait for the others ─► this process, output as it comes
//! ```
//!
//! A step that has nothing to run next to prints as it goes, too.

use super::load::Ticks;
use super::{BUILD, Cores, Extent, Step};
use crate::shell::Program;
use anyhow::Result;
use std::fmt;
use std::num::NonZero;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

/// The end of a step.
pub(super) struct Report {
    step: &'static Step,
    took: Duration,
    /// The percentage of the cores' time that was used meanwhile, by this step and all others.
    busy: Option<u64>,
    failure: Option<String>,
}

/// The beginning of a step.
struct Start {
    time: Instant,
    ticks: Option<Ticks>,
}

impl Start {
    fn now() -> Self {
        Self { time: Instant::now(), ticks: Ticks::now() }
    }

    fn report(self, step: &'static Step, outcome: Result<()>) -> Report {
        let busy = self.ticks.zip(Ticks::now()).and_then(|(then, now)| now.busy_since(then));
        let failure = outcome.err().map(|error| format!("{error:#}"));
        Report { step, took: self.time.elapsed(), busy, failure }
    }
}

impl Report {
    pub(super) fn has_failed(&self) -> bool {
        self.failure.is_some()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.has_failed() { "FAILED" } else { "ok" };
        write!(f, "{word:<8} {:<12} {:>7.1} s", self.step.name, self.took.as_secs_f64())?;
        if let Some(busy) = self.busy {
            write!(f, "  cores {busy:>3} % busy")?;
        }
        self.failure.as_ref().map_or(Ok(()), |why| write!(f, "  {why}"))
    }
}

/// Runs all steps and returns a report of each, in the same order.
pub(super) fn run(steps: &[&'static Step], extent: Extent) -> Vec<Report> {
    // A build may replace this program's file, but not its path.
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
            let is_alone = step.cores == Cores::All || cores == 1 || steps.len() == 1;
            // One more than there are cores: npm, browsers and servers that stop are waited for, not computed.
            let most = if is_alone { 0 } else { cores };
            while running > most {
                reports.extend(wait(&ended));
                running -= 1;
            }
            let is_built = reports.iter().any(|report| report.step.name == BUILD && !report.has_failed());
            if step.binaries && !is_built {
                // Old binaries must not pass for new ones.
                let failure = Some("not tried, because the build failed".to_owned());
                reports.push(Report { step, took: Duration::ZERO, busy: None, failure });
                continue;
            }
            println!("\n=== {}: {}", step.name, step.what);
            if is_alone {
                let start = Start::now();
                let report = start.report(step, (step.run)(extent));
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
        let start = Start::now();
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
        let _received = sender.send((start.report(step, outcome), output));
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
        Step { name: "small", what: "", binaries: false, cores: Cores::One, run: |_| bail!("run here") };
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
        for cores in [2, 8] {
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
        let silent = Some("no output".to_owned());
        assert_eq!(outcomes(2, "false", &[&BUILT, &FIRST]), [(BUILD, None), ("first", silent)]);
        let [_, (_, Some(why))] = &outcomes(2, "ls", &[&BUILT, &FIRST])[..] else { panic!("one failure") };
        assert!(why.contains("first"), "{why}");
    }

    #[test]
    fn a_step_without_company_runs_in_this_process() {
        let here = Some("run here".to_owned());
        assert_eq!(outcomes(2, "echo", &[&FIRST]), [("first", here.clone())]);
        assert_eq!(outcomes(1, "echo", &[&FIRST, &SECOND]), [("first", here.clone()), ("second", here)]);
    }
}
