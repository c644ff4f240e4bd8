//! `cargo xtask bench size`: what each part of the shipped program weighs, next to its budget.
//!
//! The program is built as `dist` builds it, with symbols whose names say which crate a generic function was made for. The
//! budgets are those of the table in `docs/benchmarks.md`; a part that exceeds its own fails the command.

mod families;
mod symbols;

use crate::dist::{self, Platform, Symbols};
use crate::shell::{Program, root};
use anyhow::{Context, Result, bail, ensure};
use families::family;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use symbols::{Section, Symbol};

/// The page that holds the budgets, and the heading above them.
const PAGE: &str = "docs/benchmarks.md";
const HEADING: &str = "## Size";

/// A part's name for the whole file.
const WHOLE: &str = "whole program";

/// Measures the program at `binary`, or builds it first.
pub(crate) fn run(binary: Option<PathBuf>) -> Result<ExitCode> {
    let binary = binary.map_or_else(build, Ok)?;
    let parts = weigh(&binary)?;
    let page = std::fs::read_to_string(root().join(PAGE)).context(PAGE)?;
    let budgets = budgets(&page)?;
    print!("{}", table(&parts, &budgets));
    let complaints = complaints(&parts, &budgets);
    for complaint in &complaints {
        eprintln!("error: {complaint}");
    }
    Ok(if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Builds the program as `dist` does.
fn build() -> Result<PathBuf> {
    dist::build(Platform::host()?, Symbols::Readable { folder: "size" })
}

/// Adds up the bytes of each part: code by family, all other sections by what they hold.
fn weigh(binary: &Path) -> Result<BTreeMap<&'static str, u64>> {
    let list = Program::new("nm").args(&["--print-size", "--radix=d"]).args(&[binary]).output()?;
    let sections = Program::new("size").args(&["--format=sysv", "--radix=10"]).args(&[binary]).output()?;
    let mut parts = BTreeMap::new();
    let (mut named, mut seen) = (0, HashSet::new());
    let is_new = |symbol: &Symbol<'_>| symbol.is_code() && seen.insert(symbol.address.to_owned());
    for symbol in list.lines().filter_map(Symbol::parse).filter(is_new) {
        *parts.entry(family(&symbol)).or_insert(0) += symbol.bytes;
        named += symbol.bytes;
    }
    ensure!(named > 0, "{} has no symbols: build it with `-C strip=none`", binary.display());
    for section in sections.lines().filter_map(Section::parse) {
        let (part, bytes) = match section.part() {
            // Padding between functions, and what the linker adds.
            Some(symbols::CODE) => ("other", section.bytes.saturating_sub(named)),
            Some(part) => (part, section.bytes),
            None => continue,
        };
        *parts.entry(part).or_insert(0) += bytes;
    }
    let whole = parts.values().sum();
    parts.insert(WHOLE, whole);
    Ok(parts)
}

/// Returns the budgets in megabytes: the last column of the table under the heading, by its first column.
fn budgets(page: &str) -> Result<BTreeMap<&str, f64>> {
    let (_, chapter) = page.split_once(HEADING).with_context(|| format!("no '{HEADING}' in {PAGE}"))?;
    let mut budgets = BTreeMap::new();
    for line in chapter.lines().skip_while(|line| !line.starts_with("|---")).skip(1) {
        let Some(row) = line.strip_prefix('|').and_then(|row| row.strip_suffix('|')) else { break };
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let (Some(part), Some(budget)) = (cells.first(), cells.last()) else { bail!("{PAGE}: empty row") };
        let budget =
            budget.parse().with_context(|| format!("{PAGE}: the budget of '{part}' is '{budget}'"))?;
        budgets.insert(*part, budget);
    }
    Ok(budgets)
}

fn table(parts: &BTreeMap<&str, u64>, budgets: &BTreeMap<&str, f64>) -> String {
    let mut rows: Vec<_> = parts.iter().collect();
    rows.sort_by_key(|(_, bytes)| std::cmp::Reverse(**bytes));
    let mut text = String::from("|part|size, MB|budget, MB|\n|---|---:|---:|\n");
    for (part, bytes) in rows {
        let budget = budgets.get(part).map(f64::to_string).unwrap_or_default();
        text.push_str(&format!("|{part}|{:.2}|{budget}|\n", megabytes(*bytes)));
    }
    text
}

/// Returns the parts above their budgets. A part without a budget is only shown; a budget without a part is a
/// misspelled one.
fn complaints(parts: &BTreeMap<&str, u64>, budgets: &BTreeMap<&str, f64>) -> Vec<String> {
    let judged = budgets.iter().filter_map(|(part, budget)| match parts.get(part) {
        None => Some(format!("{PAGE} has a budget for '{part}', which does not exist")),
        Some(bytes) if megabytes(*bytes) > *budget => {
            Some(format!("'{part}' weighs {:.2} MB, its budget is {budget} MB", megabytes(*bytes)))
        }
        Some(_) => None,
    });
    judged.collect()
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str =
        "## Size\n\n|part|holds|budget, MB|\n|---|---|---:|\n|SQLite|C|1.5|\n|HTTP|axum|4|\n\n|x|y|\n";

    #[test]
    fn a_part_over_its_budget_and_an_unknown_one_are_reported() {
        let budgets = budgets(PAGE).unwrap();
        assert_eq!(budgets, BTreeMap::from([("SQLite", 1.5), ("HTTP", 4.0)]));
        let fits = BTreeMap::from([("SQLite", 1_500_000), ("HTTP", 1), ("TLS", 1)]);
        assert_eq!(complaints(&fits, &budgets), Vec::<String>::new());
        let grown = BTreeMap::from([("SQLite", 1_510_000), ("TLS", 1)]);
        assert_eq!(complaints(&grown, &budgets).len(), 2);
    }

    #[test]
    fn the_page_names_only_parts_that_exist() {
        let page = std::fs::read_to_string(root().join(super::PAGE)).unwrap();
        let parts: Vec<_> = families::NAMES.iter().chain(symbols::PARTS).chain([&WHOLE]).collect();
        for part in budgets(&page).unwrap().keys() {
            assert!(parts.contains(&part), "{part}");
        }
    }
}
