//! Compiles and lints in one pass.
//!
//! Clippy is the compiler with more lints. Cargo runs it in place of `rustc` for the crates of this workspace, so
//! that a separate check is not needed. Every command that uses what was built names the same compiler: cargo keeps
//! the artifacts of different ones apart.

use crate::shell::{self, Program};
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::Path;

const EVERYTHING: [&str; 3] = ["build", "--workspace", "--all-targets"];

/// Returns a cargo command that compiles the workspace with clippy.
pub(super) fn cargo(arguments: &[&str]) -> Result<Program> {
    let sysroot = Program::new("rustc").args(&["--print", "sysroot"]).output()?;
    let driver = Path::new(sysroot.trim()).join("bin/clippy-driver");
    if !driver.is_file() {
        bail!("{} is missing; run `rustup component add clippy`", driver.display());
    }
    Ok(shell::cargo(arguments).env("RUSTC_WORKSPACE_WRAPPER", driver))
}

/// Returns the command that builds everything and prints warnings without failing.
pub(super) fn build() -> Result<Program> {
    cargo(&EVERYTHING)
}

/// Fails on every warning. Crates that are built already are not compiled again: cargo repeats their warnings.
pub(super) fn check() -> Result<()> {
    let format = if std::io::stderr().is_terminal() { "json-diagnostic-rendered-ansi" } else { "json" };
    let (messages, succeeded) = cargo(&EVERYTHING)?.args(&["--message-format", format]).answer()?;
    let complaints = complaints(&messages)?;
    for complaint in &complaints {
        eprintln!("{complaint}");
    }
    if !complaints.is_empty() {
        bail!("{} warnings or errors", complaints.len());
    }
    if succeeded { Ok(()) } else { bail!("the build failed") }
}

#[derive(Deserialize)]
struct Line {
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    level: String,
    message: String,
    rendered: Option<String>,
}

/// Returns each warning and error once, as text, though a library and its tests both have it.
fn complaints(messages: &str) -> Result<BTreeSet<String>> {
    let mut complaints = BTreeSet::new();
    for line in messages.lines() {
        let line: Line = serde_json::from_str(line).with_context(|| format!("cargo printed {line}"))?;
        let Some(message) = line.message else { continue };
        // The compiler's own count of what it printed.
        let is_count = message.message.ends_with("emitted");
        if matches!(message.level.as_str(), "warning" | "error") && !is_count {
            complaints.insert(message.rendered.unwrap_or(message.message));
        }
    }
    Ok(complaints)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_warning_counts_once_and_counts_do_not() {
        let line = |level: &str, text: &str| {
            format!(
                r#"{{"reason":"compiler-message","message":{{"level":"{level}","message":"{text}","rendered":"{text}\n"}}}}"#
            )
        };
        let lines = [
            r#"{"reason":"compiler-artifact","package_id":"x"}"#.to_owned(),
            line("warning", "unused variable: `x`"),
            line("warning", "unused variable: `x`"),
            line("warning", "1 warning emitted"),
            r#"{"reason":"build-finished","success":true}"#.to_owned(),
        ];
        assert_eq!(complaints(&lines.join("\n")).unwrap(), ["unused variable: `x`\n".to_owned()].into());
        assert!(complaints("no JSON").is_err());
    }
}
