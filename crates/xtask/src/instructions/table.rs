//! Counts as a table that is checked in.

use anyhow::{Context, Result};
use std::fmt::Write as _;

/// The most that an operation may cost more than accepted, in percent.
const TOLERANCE: u64 = 5;

const TOOLS: &str = "Counted with ";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    /// The versions of the tools that the counts depend on.
    pub(super) tools: String,
    pub(super) rows: Vec<Row>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) operation: String,
    pub(super) instructions: u64,
}

impl Table {
    pub(super) fn to_markdown(&self) -> String {
        let mut text = format!(
            "# Instructions of single operations\n\n\
            Written by `cargo xtask bench instructions --accept`. `cargo xtask test` fails if a count grows by more than {TOLERANCE} %.\n\n\
            {TOOLS}{}.\n\n|workload|operation|instructions|\n|---|---|---:|\n",
            self.tools
        );
        for Row { name, operation, instructions } in &self.rows {
            let _ = writeln!(text, "|`{name}`|{operation}|{instructions}|");
        }
        text
    }

    pub(super) fn from_markdown(text: &str) -> Result<Self> {
        let tools = text.lines().find_map(|line| line.strip_prefix(TOOLS)?.strip_suffix('.'));
        let tools = tools.context("the line that names the tools is missing")?.to_owned();
        let rows = text.lines().filter_map(|line| line.strip_prefix("|`")).map(Row::read);
        Ok(Self { tools, rows: rows.collect::<Result<_>>()? })
    }

    fn find(&self, name: &str) -> Option<u64> {
        self.rows.iter().find(|row| row.name == name).map(|row| row.instructions)
    }

    /// Both counts of each operation and the change in percent.
    pub(super) fn compared_with(&self, accepted: &Self) -> String {
        let mut text = format!("{:<20} {:>12} {:>12} {:>8}\n", "workload", "accepted", "here", "change");
        for Row { name, instructions, .. } in &self.rows {
            let (before, change) = match accepted.find(name) {
                Some(before) => (before.to_string(), format!("{:+.1} %", change(before, *instructions))),
                None => (String::new(), "new".to_owned()),
            };
            let _ = writeln!(text, "{name:<20} {before:>12} {instructions:>12} {change:>8}");
        }
        text
    }

    /// Returns the differences from the accepted table that have to be accepted on purpose.
    pub(super) fn complaints(&self, accepted: &Self) -> Vec<String> {
        let grown = self.rows.iter().filter_map(|Row { name, instructions, .. }| {
            let Some(before) = accepted.find(name) else {
                return Some(format!("{name} is not in the table"));
            };
            let too_much = instructions * 100 > before * (100 + TOLERANCE);
            too_much.then(|| format!("{name} grew from {before} to {instructions} instructions"))
        });
        let gone = accepted.rows.iter().filter(|row| self.find(&row.name).is_none());
        grown.chain(gone.map(|row| format!("{} is in the table but is not counted", row.name))).collect()
    }
}

impl Row {
    /// Reads what follows "|`".
    fn read(line: &str) -> Result<Self> {
        let mut cells = line.split('|');
        let mut cell = || cells.next().with_context(|| format!("a row of three cells: {line}"));
        let name = cell()?.trim_end_matches('`').to_owned();
        let operation = cell()?.to_owned();
        let instructions = cell()?.parse().with_context(|| format!("the count of {name}"))?;
        Ok(Self { name, operation, instructions })
    }
}

fn change(before: u64, now: u64) -> f64 {
    (now as f64 / before as f64 - 1.0) * 100.0
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn table(rows: &[(&str, u64)]) -> Table {
        let row = |(name, instructions): &(&str, u64)| Row {
            name: (*name).to_owned(),
            operation: "one message".to_owned(),
            instructions: *instructions,
        };
        Table { tools: "rustc 1, valgrind-2".to_owned(), rows: rows.iter().map(row).collect() }
    }

    #[test]
    fn a_table_is_read_as_it_was_written() {
        let written = table(&[("relay", 1000), ("claude-line", 20)]);
        assert_eq!(Table::from_markdown(&written.to_markdown()).unwrap(), written);
        assert!(Table::from_markdown("nothing").is_err());
    }

    #[test]
    fn growth_beyond_the_tolerance_is_a_complaint() {
        let accepted = table(&[("relay", 1000)]);
        assert_eq!(table(&[("relay", 1050)]).complaints(&accepted), [""; 0]);
        assert_eq!(table(&[("relay", 10)]).complaints(&accepted), [""; 0]);
        assert_eq!(
            table(&[("relay", 1051)]).complaints(&accepted),
            ["relay grew from 1000 to 1051 instructions"]
        );
    }

    #[test]
    fn workloads_must_be_in_the_table_and_the_other_way_round() {
        let complaints = table(&[("new", 1)]).complaints(&table(&[("old", 1)]));
        assert_eq!(complaints, ["new is not in the table", "old is in the table but is not counted"]);
    }
}
