//! `/metrics`, and what the documentation says of it.

use anyhow::{Context, Result};
use sa_testkit::Daemon;
use std::collections::BTreeSet;
use std::path::Path;

/// Reads a file of the repository.
pub(crate) fn file(path: &str) -> Result<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(path)).with_context(|| path.to_owned())
}

/// Returns the metrics that the daemon serves, each with its type.
pub(crate) async fn served() -> Result<BTreeSet<(String, String)>> {
    let daemon = Daemon::builder().start().await?;
    let text = daemon.http().get("/metrics").send().await?.expect_status(200)?.text();
    let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
    Ok(types.map(|(name, kind)| (name.to_owned(), kind.to_owned())).collect())
}

/// Returns the names of a metric's samples.
pub(crate) fn samples(name: &str, kind: &str) -> Vec<String> {
    let suffixes: &[&str] = match kind {
        "counter" => &["_total"],
        "histogram" => &["_bucket", "_sum", "_count"],
        _ => &[""],
    };
    suffixes.iter().map(|suffix| format!("{name}{suffix}")).collect()
}

#[tokio::test]
async fn every_metric_is_documented_and_every_documented_metric_is_served() -> Result<()> {
    let page = file("docs/observability.md")?;
    let row = |line: &str| {
        let mut cells = line.strip_prefix("| `")?.split('|').map(str::trim);
        let name = cells.next()?.strip_suffix('`')?.to_owned();
        Some((name, cells.next()?.to_owned()))
    };
    let is_metric = |(_, kind): &(String, String)| ["counter", "gauge", "histogram"].contains(&kind.as_str());
    let documented: BTreeSet<_> = page.lines().filter_map(row).filter(is_metric).collect();
    let served = served().await?.into_iter().map(|(name, kind)| match kind.as_str() {
        "counter" => (format!("{name}_total"), kind),
        _ => (name, kind),
    });
    assert_eq!(documented, served.collect::<BTreeSet<_>>());
    Ok(())
}
