//! One trial: a feature against a subject, as expected.

use crate::expected::{Expected, expected};
use crate::feature::Feature;
use crate::stage::Stage;
use crate::subject::Subject;
use crate::way::Way;
use anyhow::{Context, Result, bail};
use sa_testkit::within;
use std::time::Duration;

/// Time for a step that is not expected to work.
const LACKING: Duration = Duration::from_secs(5);

/// Timeout of a body.
pub(crate) const PATIENCE: Duration = Duration::from_secs(90);

/// Runs a feature's body against a subject. A feature that works must work; one that is lacking must not, so that the
/// table stays true.
pub fn run(subject: &'static Subject, feature: &'static Feature, way: Way) -> Result<()> {
    let expected = way.lacks(subject, feature).map_or_else(|| expected(subject, feature), Expected::Lacks);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let outcome = runtime.block_on(async {
        let stage = Stage::set(subject, feature.setup, way).await.context("setting the stage")?;
        let patience = if expected == Expected::Works { PATIENCE } else { LACKING };
        anyhow::Ok(perform(&stage, feature, patience).await)
    })?;
    match (expected, outcome) {
        (Expected::Works, outcome) => outcome,
        (Expected::Lacks(_), Err(error)) => {
            println!("lacking, as expected: {error:#}");
            Ok(())
        }
        (Expected::Lacks(why), Ok(())) => bail!("it works, although the table says: {why}"),
    }
}

/// Runs a body on a stage.
pub(crate) async fn perform(stage: &Stage, feature: &Feature, patience: Duration) -> Result<()> {
    let body = async {
        (feature.body)(stage).await?;
        stage.log().check()
    };
    let outcome = within(feature.title, patience, body).await.flatten();
    outcome.with_context(|| format!("the last messages:\n{}", stage.log().tail(0)))
}
