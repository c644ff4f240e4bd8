//! Trials that share one agent. Where the product serves many sessions by one process, so do the trials: starting OpenCode
//! takes longer than most of them.

use crate::expected::{Expected, expected};
use crate::feature::{FEATURES, Feature};
use crate::stage::{Setup, Stage};
use crate::subject::Subject;
use crate::trial::{PATIENCE, perform};
use crate::way::Way;
use anyhow::{Context, Result, bail};
use std::time::Instant;

/// Features whose bodies count processes or sessions, end the agent, or change settings that it reads when it starts or first
/// works in a directory.
const ALONE: [&str; 11] = [
    "close",
    "commands",
    "crash",
    "delete",
    "list",
    "load",
    "load_tools",
    "plan_read_only",
    "resume",
    "user_settings",
    "several_sessions",
];

/// A part of the trials of a subject that share an agent, so that several parts can run at once.
#[derive(Debug, Clone, Copy)]
pub struct Share {
    subject: &'static Subject,
    way: Way,
    part: usize,
}

/// The most trials of one part: enough to be worth an agent, few enough that the parts keep all cores busy.
const TRIALS: usize = 30;

impl Share {
    /// Returns all parts of all subjects.
    pub fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for way in Way::ALL {
            for subject in &crate::SUBJECTS {
                let count = FEATURES.iter().filter(|feature| is_shared(subject, feature, way)).count();
                all.extend((0..count.div_ceil(TRIALS)).map(|part| Self { subject, way, part }));
            }
        }
        all
    }

    /// Returns the name of the test that runs the part.
    pub fn name(&self) -> String {
        let prefix = if self.way == Way::Sessions { "sessions::" } else { "" };
        format!("{prefix}{}::shared_{}", self.subject.name, self.part + 1)
    }

    /// Runs the trials one after the other. A trial that fails costs the agent its place: the next one gets a new stage.
    pub fn run(self) -> Result<()> {
        let Self { subject, way, part } = self;
        let features: Vec<_> = FEATURES.iter().filter(|feature| is_shared(subject, feature, way)).collect();
        let parts = features.len().div_ceil(TRIALS).max(1);
        // Every so many: neighbors are alike, and so are the times they take.
        let features = features.into_iter().skip(part).step_by(parts);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let mut failures = Vec::new();
        runtime.block_on(async {
            let mut stage = None;
            for feature in features {
                let name = way.trial(subject, feature);
                let started = Instant::now();
                let outcome = match ready(&mut stage, subject, way).await {
                    Ok(stage) => perform(stage, feature, PATIENCE).await,
                    Err(error) => Err(error.context("setting the stage")),
                };
                let verdict = if outcome.is_ok() { "ok" } else { "FAILED" };
                println!("{verdict:6} {:6.1} s  {name}", started.elapsed().as_secs_f64());
                if let Err(error) = outcome {
                    failures.push(format!("{name}: {error:#}"));
                    stage = None;
                }
            }
        });
        if failures.is_empty() { Ok(()) } else { bail!("{}", failures.join("\n\n")) }
    }
}

/// Returns a stage on which nothing has happened yet.
async fn ready<'s>(stage: &'s mut Option<Stage>, subject: &'static Subject, way: Way) -> Result<&'s Stage> {
    match stage {
        Some(stage) => stage.start_over()?,
        None => *stage = Some(Stage::set(subject, Setup::default(), way).await?),
    }
    stage.as_ref().context("a stage")
}

/// Returns whether a trial runs with others on one agent.
pub fn is_shared(subject: &Subject, feature: &Feature, way: Way) -> bool {
    subject.shares_process()
        && way.tries(subject, feature)
        && feature.setup == Setup::default()
        && !ALONE.contains(&feature.id)
        // An agent that cannot do something may be left in the middle of it.
        && expected(subject, feature) == Expected::Works
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_names_what_there_is() {
        for id in ALONE {
            assert!(FEATURES.iter().any(|feature| feature.id == id), "no feature {id}");
        }
    }
}
