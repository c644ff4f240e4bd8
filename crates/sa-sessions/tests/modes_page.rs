//! The tables of `docs/modes.md` are those that the daemon goes by.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use sa_agents::Catalog;
use sa_api::{ModeCombination, ModeEffect, ModeEnforcer};
use sa_sessions::modes::{combinations, known_choices, mode_table};
use std::fmt::Write;

fn cell(one: &ModeCombination) -> String {
    let (Some(native), Some(effect)) = (&one.native_mode, one.effect) else { return "refused".to_owned() };
    let effect = match (effect, one.enforced_by) {
        (ModeEffect::Asks, _) => "asks",
        (ModeEffect::ReadOnly, _) => "reads only",
        (ModeEffect::NeverAsks, Some(ModeEnforcer::Daemon)) => "never asks (daemon)",
        (ModeEffect::NeverAsks, _) => "never asks",
        (ModeEffect::Refuses, _) => "refuses",
    };
    format!("`{native}`: {effect}")
}

/// The table of an agent: a line for each `agentMode`, a column for each `permissionMode`.
fn table(agent: &str) -> String {
    let catalog = Catalog::shipped().unwrap();
    let agent = catalog.get(agent).unwrap();
    let all = combinations(&mode_table(agent), &known_choices(agent));
    let mut text = "| `agentMode` | `default` | `plan` | `bypass` |\n|---|---|---|---|\n".to_owned();
    for line in all.chunks(3) {
        let cells: Vec<String> = line.iter().map(cell).collect();
        writeln!(text, "| `{}` | {} |", line[0].agent_mode, cells.join(" | ")).unwrap();
    }
    text
}

#[test]
fn the_page_has_the_table_of_every_agent_that_the_catalog_knows() {
    let page = include_str!("../../../docs/modes.md");
    for agent in ["claude", "codex", "opencode", "amp", "pi", "demo"] {
        let table = table(agent);
        assert!(page.contains(&table), "docs/modes.md should have for {agent}:\n{table}");
    }
}
