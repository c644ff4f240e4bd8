//! `sandbox-agent api usage`.

use super::show;
use crate::args::UsageArgs;
use crate::commands::render::{NONE, Table, or_none};
use crate::failure::Failure;
use sa_api::{UsageFigures, UsageFilter, UsageGroup, UsageGrouping, UsageReport};
use sa_client::Client;

/// Prints tokens and cost, over as many pages as it takes.
pub(super) async fn sum_up(client: &Client, args: UsageArgs) -> Result<(), Failure> {
    let filter = UsageFilter {
        from: args.from,
        to: args.to,
        sessions: args.session,
        agents: args.agent,
        models: args.model,
        group_by: args.by,
    };
    show(args.output, client.all_usage(&filter), |report| table(report, &filter.group_by).print()).await
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
    by.iter().map(|by| value(by).as_deref().unwrap_or(NONE)).collect::<Vec<_>>().join(" ")
}

fn add(table: &mut Table, name: String, usage: &UsageFigures) {
    let costs: Vec<String> =
        usage.costs.iter().map(|cost| format!("{:.4} {}", cost.amount, cost.currency)).collect();
    table.add(&[
        &name,
        &usage.turns.to_string(),
        &or_none(usage.tokens.input_tokens),
        &or_none(usage.tokens.output_tokens),
        &or_none(usage.tokens.cached_read_tokens),
        &or_none(usage.tokens.cached_write_tokens),
        &or_none(usage.tokens.thought_tokens),
        &or_none(usage.tokens.total_tokens),
        &or_none((!costs.is_empty()).then(|| costs.join(" + "))),
    ]);
}
