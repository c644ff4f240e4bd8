//! The figures of a run as a table for the terminal, as Markdown, and as JSON.

use crate::comparison::{Comparison, Measured};
use crate::figures::{Figure, Goal};
use crate::machine::Machine;
use crate::run::Section;
use sa_bench::page::number;
use serde::Serialize;
use std::fmt::Write;

/// A whole run, as `--json` prints it.
#[derive(Debug, Serialize)]
pub(crate) struct Report<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) sections: &'a [Section],
    pub(crate) contenders: &'a [&'static str],
    pub(crate) comparisons: &'a [Comparison],
    pub(crate) problems: &'a [String],
}

const HEADINGS: [&str; 7] = ["", "daemon", "pipe floor", "HTTP floor", "ratio", "goal", "met"];

impl Report<'_> {
    /// Columns aligned for a terminal.
    pub(crate) fn table(&self) -> String {
        let figures = self.figures(|_| true);
        let tables = [figures, self.comparison()]
            .map(|rows| if rows.len() > 1 { aligned(&rows) } else { String::new() });
        format!("{}\n\n{}\n{}", self.machine.line(), tables[0], tables[1]).trim_end().to_owned() + "\n"
    }

    /// Returns a block for the documentation.
    pub(crate) fn markdown(&self) -> String {
        let mut out = format!("Measured on {}.\n", self.machine.line());
        for rows in [self.figures(|_| true), self.comparison()] {
            if rows.len() > 1 {
                out.push('\n');
                out.push_str(&table(&rows));
            }
        }
        out
    }

    /// Returns the headings and the rows of some scenarios.
    pub(crate) fn figures(&self, wanted: impl Fn(&str) -> bool) -> Vec<Vec<String>> {
        let sections = self.sections.iter().filter(|section| wanted(section.scenario));
        let rows = sections.flat_map(|section| section.figures.iter().map(|figure| cells(section, figure)));
        std::iter::once(HEADINGS.map(str::to_owned)).chain(rows).map(Vec::from).collect()
    }

    /// Returns the headings and the rows of the comparison with other servers.
    pub(crate) fn comparison(&self) -> Vec<Vec<String>> {
        let headings = std::iter::once("").chain(self.contenders.iter().copied()).map(str::to_owned);
        let mut rows = vec![headings.collect()];
        for comparison in self.comparisons {
            let values = comparison.values.iter().map(|value| measured(*value, comparison.unit));
            rows.push(std::iter::once(comparison.name.to_owned()).chain(values).collect());
        }
        rows
    }

    /// Returns the raw figures.
    pub(crate) fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }
}

/// Aligns the columns of a table, the first one to the left.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..columns)
        .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
        .collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (index, (cell, width)) in row.iter().zip(&widths).enumerate() {
            // Writing to a string cannot fail.
            let _ =
                if index == 0 { write!(line, "{cell:<width$}") } else { write!(line, "  {cell:>width$}") };
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// Returns the rows as a table in Markdown, the first one as its head.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let mut out = String::new();
    for (index, row) in rows.iter().enumerate() {
        let _ = writeln!(out, "|{}|", row.join("|"));
        if index == 0 {
            // Numbers to the right; whether a goal is met is no number.
            let columns = row.iter().enumerate().map(|(column, heading)| match (column, heading.as_str()) {
                (0, _) | (_, "met") => "---",
                _ => "---:",
            });
            let _ = writeln!(out, "|{}|", columns.collect::<Vec<_>>().join("|"));
        }
    }
    out
}

/// Returns a value of a comparison with its unit.
pub(crate) fn measured(value: Measured, unit: &str) -> String {
    match value {
        Measured::Value(value) => format!("{} {unit}", number(value)).trim_end().to_owned(),
        Measured::Over(bound) => format!("> {} {unit}", number(bound)),
        Measured::NotOffered => "–".to_owned(),
    }
}

fn cells(section: &Section, figure: &Figure) -> [String; 7] {
    let floor = |value: Option<f64>| value.map(number).unwrap_or_default();
    let value = format!("{} {}", number(figure.value), figure.unit);
    [
        format!("{}: {}", section.scenario, figure.name),
        value.trim_end().to_owned(),
        floor(figure.pipe),
        floor(figure.http),
        figure.ratio.map(|ratio| format!("{ratio:.2} ×")).unwrap_or_default(),
        figure.goal.map(|goal| goal_text(goal, figure.unit)).unwrap_or_default(),
        figure.met.map(|met| if met { "yes" } else { "no" }.to_owned()).unwrap_or_default(),
    ]
}

fn goal_text(goal: Goal, unit: &str) -> String {
    match goal {
        Goal::AtMost(limit) => format!("≤ {} {unit}", number(limit)),
        Goal::AtLeast(limit) => format!("≥ {} {unit}", number(limit)),
        Goal::RatioAtLeast(limit) => format!("≥ {limit} ×"),
        Goal::RatioAtMost(limit) => format!("≤ {limit} ×"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::Against;

    #[test]
    fn figures_stand_beside_floor_ratio_and_goal() {
        let machine = Machine::example();
        let fast = Figure::new("200 B", "msg/s", 1_234_567.0)
            .floors(Some(3_000_000.0), Some(2_000_000.0), Against::Lower)
            .goal(Goal::RatioAtLeast(0.4));
        let large = Figure::new("peak", "MB", 123.4).goal(Goal::AtMost(100.0));
        let sections = [Section { scenario: "stream", figures: vec![fast, large] }];
        let comparison = Comparison {
            name: "DELETE",
            unit: "ms",
            values: vec![Measured::Value(2.5), Measured::Over(10_000.0), Measured::NotOffered],
        };
        let report = Report {
            machine: &machine,
            sections: &sections,
            contenders: &["ours", "theirs", "others"],
            comparisons: &[comparison],
            problems: &[],
        };
        assert_eq!(
            report.markdown(),
            "Measured on 2 cores of Some CPU, Linux 6.1, rustc 1.90.0, load 1.25, 2026-01-31.\n\n\
             ||daemon|pipe floor|HTTP floor|ratio|goal|met|\n\
             |---|---:|---:|---:|---:|---:|---|\n\
             |stream: 200 B|1,234,567 msg/s|3,000,000|2,000,000|0.62 ×|≥ 0.4 ×|yes|\n\
             |stream: peak|123 MB||||≤ 100 MB|no|\n\n\
             ||ours|theirs|others|\n\
             |---|---:|---:|---:|\n\
             |DELETE|2.50 ms|> 10,000 ms|–|\n"
        );
        assert!(report.table().lines().all(|line| line.chars().count() < 110));
    }

    #[test]
    fn numbers_keep_three_digits() {
        let shown: Vec<String> =
            [0.0, 0.754, 9.999, 63.0, 12.34, 123.4, 999_999.6].into_iter().map(number).collect();
        assert_eq!(shown, ["0", "0.75", "10.00", "63", "12.3", "123", "1,000,000"]);
    }
}
