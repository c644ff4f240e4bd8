//! `sandbox-agent api usage`.

use super::show;
use crate::args::UsageArgs;
use crate::commands::render::Table;
use crate::failure::Failure;
use sa_api::{UsageFigures, UsageGroup, UsageGrouping, UsageReport};
use sa_client::{Client, UsageQuery};

/// The largest page that the daemon returns.
const LARGEST_PAGE: usize = 1000;

/// Prints tokens and cost, over as many pages as it takes.
pub(super) async fn sum_up(client: &Client, args: UsageArgs) -> Result<(), Failure> {
    let query = UsageQuery {
        from: args.from,
        to: args.to,
        group_by: args.by.clone(),
        sessions: args.session,
        agents: args.agent,
        models: args.model,
        limit: Some(LARGEST_PAGE),
        after: None,
    };
    show(args.output, client.all_usage(query), |report| table(report, &args.by).print()).await
}

fn table(report: &UsageReport, by: &[UsageGrouping]) -> Table {
    let headings =
        &["GROUP", "TURNS", "INPUT", "OUTPUT", "CACHE READ", "CACHE WRITE", "REASONING", "TOTAL", "COST"];
    let mut table = Table::new(headings);
    for group in &report.groups {
        add(&mut table, name(group, by), &group.usage);
    }
    add(&mut table, "total".to_owned(), &report.total);
    table
}

/// The values of a group, in the order in which the user named the properties.
fn name(group: &UsageGroup, by: &[UsageGrouping]) -> String {
    let value = |by: &UsageGrouping| match by {
        UsageGrouping::Session => &group.session_id,
        UsageGrouping::Agent => &group.agent,
        UsageGrouping::Model => &group.model,
        UsageGrouping::Day => &group.day,
    };
    by.iter().map(|by| value(by).as_deref().unwrap_or("-")).collect::<Vec<_>>().join(" ")
}

fn add(table: &mut Table, name: String, usage: &UsageFigures) {
    let count = |count: Option<u64>| count.map_or_else(|| "-".to_owned(), |count| count.to_string());
    let costs: Vec<String> =
        usage.costs.iter().map(|cost| format!("{:.4} {}", cost.amount, cost.currency)).collect();
    table.add(&[
        &name,
        &usage.turns.to_string(),
        &count(usage.input_tokens),
        &count(usage.output_tokens),
        &count(usage.cached_read_tokens),
        &count(usage.cached_write_tokens),
        &count(usage.thought_tokens),
        &count(usage.total_tokens),
        &if costs.is_empty() { "-".to_owned() } else { costs.join(" + ") },
    ]);
}
