//! Bar charts as SVG: the daemon next to its floors, and next to other servers.

use crate::comparison::{Comparison, Measured};
use crate::figures::Goal;
use crate::report::{Report, measured};
use sa_bench::page::number;
use std::fmt::Write;

const WIDTH: f64 = 840.0;
/// The beginning of bars; names stand left of it.
const LEFT: f64 = 300.0;
/// Room for a value right of the longest bar.
const VALUE: f64 = 190.0;
const LINE: f64 = 22.0;
const BAR: f64 = 14.0;

/// Returns the charts that a run has the figures for, by file name.
pub(crate) fn of(report: &Report<'_>) -> Vec<(&'static str, String)> {
    let floors = floors(report).map(|chart| ("benchmarks-floors.svg", chart));
    let peers = peers(report).map(|chart| ("benchmarks-peers.svg", chart));
    floors.into_iter().chain(peers).collect()
}

/// One bar: its color is that of a class in the style sheet.
struct Bar {
    name: String,
    class: &'static str,
    /// The share of the longest bar.
    length: f64,
    value: String,
}

/// Throughput as a share of the lower floor.
fn floors(report: &Report<'_>) -> Option<String> {
    let figures = report.sections.iter().flat_map(|section| {
        section.figures.iter().filter_map(move |figure| match (figure.goal, figure.ratio) {
            (Some(Goal::RatioAtLeast(goal)), Some(ratio)) => Some((section.scenario, figure, goal, ratio)),
            _ => None,
        })
    });
    let figures: Vec<_> = figures.collect();
    let longest = figures.iter().map(|(.., ratio)| *ratio).fold(1.0, f64::max);
    let bars: Vec<Bar> = figures
        .into_iter()
        .map(|(scenario, figure, goal, ratio)| Bar {
            name: format!("{scenario}: {}", figure.name),
            class: if ratio >= goal { "ours" } else { "missed" },
            length: ratio / longest,
            value: format!("{ratio:.2} × ({} {})", number(figure.value), figure.unit),
        })
        .collect();
    let title =
        "Throughput as a share of the lower floor; 1 is as fast as a pipe or a server that does nothing";
    (!bars.is_empty()).then(|| draw(title, &[], &[("", bars)]))
}

/// Each kind of work as a group of bars, the longest of a group as long as those of others.
fn peers(report: &Report<'_>) -> Option<String> {
    const CLASSES: [&str; 3] = ["ours", "second", "third"];
    let group = |comparison: &Comparison| {
        let values: Vec<f64> = comparison.values.iter().map(|value| length(*value)).collect();
        let longest = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let bars = comparison.values.iter().zip(&values).zip(CLASSES).map(|((value, length), class)| Bar {
            name: String::new(),
            class,
            length: length / longest,
            value: measured(*value, comparison.unit),
        });
        (comparison.name, bars.collect())
    };
    let groups: Vec<(&str, Vec<Bar>)> = report.comparisons.iter().map(group).collect();
    let legend: Vec<(&str, &str)> = CLASSES.into_iter().zip(report.contenders.iter().copied()).collect();
    (!groups.is_empty()).then(|| draw("The same work by other servers, in one run", &legend, &groups))
}

fn length(value: Measured) -> f64 {
    match value {
        Measured::Value(value) | Measured::Over(value) => value,
        Measured::NotOffered => 0.0,
    }
}

fn draw(title: &str, legend: &[(&str, &str)], groups: &[(&str, Vec<Bar>)]) -> String {
    let mut body = String::new();
    let mut y = 28.0;
    text(&mut body, "title", 12.0, y, "start", title);
    y += LINE;
    let mut x = 12.0;
    for (class, name) in legend {
        rect(&mut body, class, x, y - 11.0, 12.0, 12.0);
        text(&mut body, "name", x + 18.0, y, "start", name);
        x += 40.0 + 7.0 * name.chars().count() as f64;
    }
    if !legend.is_empty() {
        y += LINE;
    }
    for (group, bars) in groups {
        for (index, bar) in bars.iter().enumerate() {
            let name = if index == 0 && bar.name.is_empty() { group } else { &bar.name.as_str() };
            text(&mut body, "name", LEFT - 10.0, y, "end", name);
            let width = (bar.length * (WIDTH - LEFT - VALUE)).max(1.0);
            rect(&mut body, bar.class, LEFT, y - 11.0, width, BAR);
            text(&mut body, "value", LEFT + width + 6.0, y, "start", &bar.value);
            y += LINE - 3.0;
        }
        y += if group.is_empty() { 0.0 } else { 10.0 };
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {y}\" role=\"img\" aria-label=\"{}\">\n{STYLE}{body}</svg>\n",
        escape(title)
    )
}

const STYLE: &str = "<style>
text{font:13px system-ui,sans-serif;fill:#3b3b3b}
.title{font-weight:600;fill:#111}
.value{font-variant-numeric:tabular-nums}
.ours{fill:#2563eb}
.missed{fill:#d97706}
.second{fill:#94a3b8}
.third{fill:#cbd5e1}
@media (prefers-color-scheme:dark){text{fill:#c9d1d9}.title{fill:#f0f6fc}.second{fill:#64748b}.third{fill:#475569}}
</style>
";

fn text(out: &mut String, class: &str, x: f64, y: f64, anchor: &str, content: &str) {
    if content.is_empty() {
        return;
    }
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<text class=\"{class}\" x=\"{x:.0}\" y=\"{y:.0}\" text-anchor=\"{anchor}\">{}</text>",
        escape(content)
    );
}

fn rect(out: &mut String, class: &str, x: f64, y: f64, width: f64, height: f64) {
    let _ = writeln!(
        out,
        "<rect class=\"{class}\" x=\"{x:.0}\" y=\"{y:.0}\" width=\"{width:.1}\" height=\"{height}\" rx=\"2\"/>"
    );
}

/// Returns text for SVG, without the marks of code in Markdown.
fn escape(text: &str) -> String {
    text.replace('`', "")
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
