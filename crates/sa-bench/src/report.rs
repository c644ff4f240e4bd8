//! The figures of a run as a table for the terminal, as Markdown, and as JSON.

use crate::figures::{Figure, Goal};
use crate::machine::Machine;
use crate::run::Section;
use serde::Serialize;
use std::fmt::Write;

/// A whole run, as `--json` prints it.
#[derive(Debug, Serialize)]
pub(crate) struct Report<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) sections: &'a [Section],
    pub(crate) problems: &'a [String],
}

const HEADINGS: [&str; 7] = ["", "daemon", "pipe floor", "HTTP floor", "ratio", "goal", "met"];

impl Report<'_> {
    /// Columns aligned for a terminal.
    pub(crate) fn table(&self) -> String {
        let rows: Vec<[String; 7]> = self
            .sections
            .iter()
            .flat_map(|section| section.figures.iter().map(|figure| cells(section, figure)))
            .collect();
        let mut widths = HEADINGS.map(|heading| heading.chars().count());
        for row in &rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let mut out = format!("{}\n\n", self.machine.line());
        for row in std::iter::once(&HEADINGS.map(str::to_owned)).chain(&rows) {
            let [first, rest @ ..] = row;
            let [width, widths @ ..] = &widths;
            let mut line = format!("{first:<width$}");
            for (cell, width) in rest.iter().zip(widths) {
                // Writing to a string cannot fail.
                let _ = write!(line, "  {cell:>width$}");
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }

    /// Returns a block for the documentation.
    pub(crate) fn markdown(&self) -> String {
        let mut out = format!("Measured on {}.\n\n|{}|\n", self.machine.line(), HEADINGS.join("|"));
        out.push_str("|---|---:|---:|---:|---:|---:|---|\n");
        for section in self.sections {
            for figure in &section.figures {
                let _ = writeln!(out, "|{}|", cells(section, figure).join("|"));
            }
        }
        out
    }

    /// Returns the raw figures.
    pub(crate) fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
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

/// Three significant digits or a whole number, and thousands grouped.
fn number(value: f64) -> String {
    let decimals = if value.fract() == 0.0 || value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    let text = format!("{value:.decimals$}");
    let (whole, rest) = text
        .split_once('.')
        .map_or((text.as_str(), String::new()), |(whole, rest)| (whole, format!(".{rest}")));
    let digits = whole.chars().count();
    let grouped: String = whole
        .chars()
        .enumerate()
        .flat_map(|(index, digit)| {
            let comma = index > 0 && (digits - index) % 3 == 0;
            comma.then_some(',').into_iter().chain(std::iter::once(digit))
        })
        .collect();
    grouped + &rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::Against;

    #[test]
    fn figures_stand_beside_floor_ratio_and_goal() {
        let machine = Machine {
            cores: 2,
            cpu: "Some CPU".to_owned(),
            kernel: "6.1".to_owned(),
            rustc: "rustc 1.90.0".to_owned(),
            load: "1.25".to_owned(),
            date: Some("2026-01-31".to_owned()),
        };
        let fast = Figure::new("200 B", "msg/s", 1_234_567.0)
            .floors(Some(3_000_000.0), Some(2_000_000.0), Against::Lower)
            .goal(Goal::RatioAtLeast(0.4));
        let large = Figure::new("peak", "MB", 123.4).goal(Goal::AtMost(100.0));
        let sections = [Section { scenario: "stream", figures: vec![fast, large] }];
        let report = Report { machine: &machine, sections: &sections, problems: &[] };
        assert_eq!(
            report.markdown(),
            "Measured on 2 cores of Some CPU, Linux 6.1, rustc 1.90.0, load 1.25, 2026-01-31.\n\n\
             ||daemon|pipe floor|HTTP floor|ratio|goal|met|\n\
             |---|---:|---:|---:|---:|---:|---|\n\
             |stream: 200 B|1,234,567 msg/s|3,000,000|2,000,000|0.62 ×|≥ 0.4 ×|yes|\n\
             |stream: peak|123 MB||||≤ 100 MB|no|\n"
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
