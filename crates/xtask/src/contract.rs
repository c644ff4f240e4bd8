//! `cargo xtask contract`: compares the OpenAPI document with the last accepted one and reports breaking changes.

mod document;
mod operations;
mod schemas;
#[cfg(test)]
mod tests;

use crate::shell::{Program, root};
use anyhow::{Context, Result, bail};
use document::Document;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::process::ExitCode;

const CURRENT: &str = "openapi/openapi.json";
const BASELINE: &str = "openapi/baseline.json";
const CHANGELOG: &str = "CHANGELOG.md";
const ACCEPT: &str = "`cargo xtask contract --accept`";

/// Runs the check, or makes the current document the accepted one.
pub(crate) fn run(accept: bool) -> Result<ExitCode> {
    if accept {
        accept_current()?
    } else {
        check()?
    }
    Ok(ExitCode::SUCCESS)
}

/// Fails with a list of the changes that break a client of the accepted contract.
pub(crate) fn check() -> Result<()> {
    let Some(baseline) = baseline()? else {
        bail!("{BASELINE} is missing; run {ACCEPT} to create it");
    };
    let changes = breaking(&baseline, &read(CURRENT)?);
    if changes.is_empty() {
        println!("no breaking change since {BASELINE}");
        return Ok(());
    }
    for change in &changes {
        println!("  {change}");
    }
    bail!(
        "{} that clients of {BASELINE} do not survive; keep the old form next to the new one. \
         To break clients on purpose, describe it in {CHANGELOG} under \"Changed\" and run {ACCEPT}",
        count(changes.len())
    );
}

fn accept_current() -> Result<()> {
    let current = read(CURRENT)?;
    let changes = match baseline()? {
        Some(baseline) => breaking(&baseline, &current),
        None => Vec::new(),
    };
    if !changes.is_empty() && !changelog_moved()? {
        let list = changes.join("\n  ");
        bail!(
            "{CHANGELOG} has no new entry since {BASELINE} was written; describe these changes first:\n  {list}"
        );
    }
    fs::copy(root().join(CURRENT), root().join(BASELINE)).context(BASELINE)?;
    println!("{BASELINE} is now the accepted contract; {} accepted", count(changes.len()));
    Ok(())
}

/// Returns whether the changelog differs from its state in the commit that last wrote the baseline.
fn changelog_moved() -> Result<bool> {
    let commit = Program::new("git").args(&["log", "-1", "--format=%H", "--", BASELINE]).output()?;
    let commit = commit.trim();
    if commit.is_empty() {
        return Ok(true);
    }
    let difference = Program::new("git").args(&["diff", "--name-only", commit, "--", CHANGELOG]).output()?;
    Ok(!difference.trim().is_empty())
}

fn count(changes: usize) -> String {
    format!("{changes} change{}", if changes == 1 { "" } else { "s" })
}

fn read(path: &str) -> Result<Value> {
    let text = fs::read_to_string(root().join(path)).with_context(|| path.to_owned())?;
    serde_json::from_str(&text).with_context(|| path.to_owned())
}

fn baseline() -> Result<Option<Value>> {
    if root().join(BASELINE).exists() { read(BASELINE).map(Some) } else { Ok(None) }
}

/// Lists what of `new` breaks a client that was written for `old`, each as `place: change`.
fn breaking(old: &Value, new: &Value) -> Vec<String> {
    let mut comparison = Comparison::new(old, new);
    operations::compare(&mut comparison);
    comparison.changes.into_iter().collect()
}

/// The writer of the values that a schema describes.
///
/// A request written for the old contract must stay valid under the new one. An answer under the new contract must be
/// readable by a client of the old one, which ignores members and variants that it does not know.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Direction {
    Request,
    Answer,
}

/// Two documents, and the breaking changes found so far.
struct Comparison<'a> {
    old: Document<'a>,
    new: Document<'a>,
    changes: BTreeSet<String>,
    /// Pairs of components that were compared, or are being compared: a schema may contain itself.
    seen: BTreeSet<(String, String, Direction)>,
}

impl<'a> Comparison<'a> {
    fn new(old: &'a Value, new: &'a Value) -> Self {
        let (changes, seen) = (BTreeSet::new(), BTreeSet::new());
        Self { old: Document(old), new: Document(new), changes, seen }
    }

    fn report(&mut self, place: &str, change: impl AsRef<str>) {
        self.changes.insert(format!("{place}: {}", change.as_ref()));
    }
}
