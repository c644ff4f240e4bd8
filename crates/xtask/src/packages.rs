//! The TypeScript packages, apps and examples: what can be checked without a daemon, and all their tests.

use crate::requirements::{CHROMIUM, POSTGRES};
use crate::shell::{Program, target};
use crate::tools::{Tools, WORKSPACE};
use anyhow::{Result, bail};

/// Test files at a time. Each starts daemons and agents of its own, and two cores are all that CI has.
const WORKERS: &str = "2";

/// Lints, checks types, finds what nothing uses, and builds.
pub(crate) fn check() -> Result<()> {
    let tools = Tools::npm(WORKSPACE)?;
    let checks = [
        Program::new("npm").args(&["run", "check"]),
        tools.program("knip").args(&["--no-progress"]),
        Program::new("npm").args(&["run", "build"]),
    ];
    // All run, however many fail.
    let failures: Vec<String> =
        checks.into_iter().filter_map(|check| check.run().err()).map(|error| format!("{error:#}")).collect();
    if failures.is_empty() { Ok(()) } else { bail!("{}", failures.join("; ")) }
}

/// Runs all tests against the binary.
pub(crate) fn test() -> Result<()> {
    let tools = Tools::npm(WORKSPACE)?;
    let tests = tools
        .program("vitest")
        .args(&["run", "--maxWorkers", WORKERS])
        .env("SANDBOX_AGENT_TEST_BIN", target()?.join("debug/sandbox-agent"))
        .env(CHROMIUM.variable, CHROMIUM.path()?)
        .env(POSTGRES.variable, POSTGRES.path()?);
    tests.run()
}

/// Builds the inspector, which the daemon embeds. Without Node.js the daemon serves a page that says how to get it.
pub(crate) fn inspector() {
    if let Err(error) = build_inspector() {
        eprintln!("note: the daemon is built without the inspector: {error:#}");
    }
}

/// Builds the inspector for a binary that must have it.
pub(crate) fn build_inspector() -> Result<()> {
    let _installed = Tools::npm(WORKSPACE)?;
    Program::new("npm").args(&["run", "build", "--workspace", "@sandbox-agent/inspector"]).run()
}
