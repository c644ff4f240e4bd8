//! How answers look on a terminal.

use serde::Serialize;
use serde_json::Value;
use std::io::{self, Write};

/// Form of a command's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Json,
}

impl Format {
    /// Returns the form that `--json` selects.
    pub(crate) fn of_flag(json: bool) -> Self {
        if json { Self::Json } else { Self::Text }
    }
}

/// Rows of cells, aligned in columns.
pub(super) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with a line of headings.
    pub(super) fn new(headings: &[&str]) -> Self {
        let mut table = Self { rows: Vec::new() };
        table.add(headings);
        table
    }

    /// Names and values, one pair per line.
    pub(super) fn of_pairs(pairs: impl IntoIterator<Item = (impl AsRef<str>, impl AsRef<str>)>) -> Self {
        let row =
            |(name, value): (_, _)| vec![printable(AsRef::as_ref(&name)), printable(AsRef::as_ref(&value))];
        Self { rows: pairs.into_iter().map(row).collect() }
    }

    pub(super) fn add(&mut self, cells: &[&str]) {
        self.rows.push(cells.iter().map(|cell| printable(cell)).collect());
    }

    pub(super) fn print(&self) -> io::Result<()> {
        print_text(&self.text())
    }

    fn text(&self) -> String {
        let mut widths: Vec<usize> = Vec::new();
        for row in &self.rows {
            widths.resize(widths.len().max(row.len()), 0);
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let line = |row: &Vec<String>| {
            let cells: Vec<_> =
                row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
            cells.join("  ").trim_end().to_owned()
        };
        self.rows.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

/// Stands for a value that there is not.
pub(super) const NONE: &str = "-";

/// Returns a value as the text of a cell.
pub(super) fn or_none(value: Option<impl ToString>) -> String {
    value.map_or_else(|| NONE.to_owned(), |value| value.to_string())
}

pub(super) fn yes_or_no(fact: bool) -> String {
    if fact { "yes" } else { "no" }.to_owned()
}

/// Replaces characters that could control the terminal.
fn printable(cell: &str) -> String {
    cell.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// A program and its arguments as one line.
pub(super) fn command_line(program: &str, args: &[String]) -> String {
    std::iter::once(program).chain(args.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
}

/// The end of a program.
pub(super) fn exited(code: Option<i32>, signal: Option<i32>) -> String {
    match (code, signal) {
        (Some(code), _) => format!("exited ({code})"),
        (None, Some(signal)) => format!("exited (signal {signal})"),
        (None, None) => "exited".to_owned(),
    }
}

/// A span of time in its two largest units.
pub(super) fn age(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86400);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds}s"),
        (0, 0, _) => format!("{minutes}m {}s", seconds % 60),
        (0, _, _) => format!("{hours}h {}m", minutes % 60),
        _ => format!("{days}d {}h", hours % 24),
    }
}

/// Writes text as lines of its own.
pub(super) fn print_text(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", text.trim_end_matches('\n'))?;
    out.flush()
}

/// Writes bytes as they are.
pub(super) fn print_bytes(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// Writes an answer as indented JSON.
pub(super) fn print_json(answer: &impl Serialize) -> io::Result<()> {
    print_text(&indented(&serde_json::to_vec(answer)?)?)
}

/// Indents a tree and not the answer itself, which would need a second writer of every type of answer.
fn indented(json: &[u8]) -> io::Result<String> {
    let tree: Value = serde_json::from_slice(json)?;
    Ok(serde_json::to_string_pretty(&tree)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indenting_changes_neither_order_nor_numbers() {
        let json = br#"{"z":18446744073709551615,"a":[1.0,-0.5],"m":"\u00e9"}"#;
        let lines = indented(json).unwrap();
        let joined: String = lines.lines().map(str::trim_start).collect();
        assert_eq!(joined, r#"{"z": 18446744073709551615,"a": [1.0,-0.5],"m": "é"}"#);
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(&["ID", "NAME"]);
        table.add(&["long id", "ü\u{1b}[31m"]);
        table.add(&["x", ""]);
        assert_eq!(table.text(), "ID       NAME\nlong id  ü\u{fffd}[31m\nx");
    }

    #[test]
    fn an_age_has_two_units() {
        let ages = [999, 61_000, 3_725_000, 90_000_000].map(age);
        assert_eq!(ages, ["0s", "1m 1s", "1h 2m", "1d 1h"]);
    }
}
