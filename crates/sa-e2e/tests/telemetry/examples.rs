//! The dashboard and the alerts of `examples/observability`: they name metrics that exist.

use crate::metrics::{file, samples, served};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::collections::BTreeSet;

/// Returns the names of metrics in an expression.
fn named(expression: &str) -> BTreeSet<&str> {
    let words = expression.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with("sandbox_agent_") || word.starts_with("gen_ai_client_")).collect()
}

async fn known() -> Result<BTreeSet<String>> {
    Ok(served().await?.iter().flat_map(|(name, kind)| samples(name, kind)).collect())
}

#[tokio::test]
async fn the_dashboard_shows_metrics_that_exist() -> Result<()> {
    let dashboard: Value =
        serde_json::from_str(&file("examples/observability/grafana/dashboards/sandbox-agent.json")?)?;
    let known = known().await?;
    let panels = dashboard["panels"].as_array().context("panels")?;
    ensure!(panels.len() > 10);
    let mut ids = BTreeSet::new();
    for panel in panels {
        ensure!(ids.insert(panel["id"].as_u64()), "two panels have the id of {}", panel["title"]);
        for target in panel["targets"].as_array().context("targets")? {
            let expression = target["expr"].as_str().context("an expression")?;
            ensure!(!named(expression).is_empty(), "{expression}");
            for name in named(expression) {
                ensure!(known.contains(name), "{name} of the panel {} does not exist", panel["title"]);
            }
        }
    }
    Ok(())
}

#[tokio::test]
async fn the_alerts_watch_metrics_that_exist() -> Result<()> {
    let rules = file("examples/observability/rules.yaml")?;
    let known = known().await?;
    let names = named(&rules);
    ensure!(names.len() > 5, "{names:?}");
    for name in names {
        ensure!(known.contains(name), "{name} does not exist");
    }
    Ok(())
}
