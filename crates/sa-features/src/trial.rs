//! One trial: a feature against a subject, as expected.

use crate::expected::{Expected, expected};
use crate::feature::Feature;
use crate::stage::Stage;
use crate::subject::Subject;
use anyhow::{Context, Result, bail};

/// Runs a feature's body against a subject. What works must work; what is lacking must not, so that the table stays true.
pub fn run(subject: &'static Subject, feature: &'static Feature) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let outcome = runtime.block_on(async {
        let stage = Stage::set(subject, feature.setup).await.context("setting the stage")?;
        let outcome = (feature.body)(&stage).await;
        anyhow::Ok(outcome.and_then(|()| stage.log().check()))
    })?;
    match (expected(subject, feature), outcome) {
        (Expected::Works, outcome) => outcome,
        (Expected::Lacks(_), Err(error)) => {
            println!("lacking, as expected: {error:#}");
            Ok(())
        }
        (Expected::Lacks(why), Ok(())) => bail!("it works, although the table says: {why}"),
    }
}
