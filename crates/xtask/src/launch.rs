//! `cargo xtask run` and `cargo xtask bench`: build, then become the program.

use crate::packages;
use crate::shell::{Program, cargo, target};
use anyhow::Result;
use std::process::ExitCode;

/// Builds the daemon and becomes it.
pub(crate) fn daemon(arguments: &[String]) -> Result<ExitCode> {
    packages::beside_inspector(|| cargo(&["build", "--package", "sandbox-agent"]).run())?;
    let binary = target()?.join("debug/sandbox-agent");
    Err(Program::new(binary).args(&["server"]).args(arguments).become_it())
}

/// Builds the daemon for release and becomes the benchmarks.
pub(crate) fn benchmarks(arguments: &[String]) -> Result<ExitCode> {
    let build = ["build", "--release", "--bins", "-p", "sandbox-agent", "-p", "sa-testkit", "-p", "sa-bench"];
    cargo(&build).run()?;
    let built = target()?.join("release");
    let bench = Program::new(built.join("sa-bench")).args(arguments);
    Err(bench.env("SANDBOX_AGENT_TEST_BIN", built.join("sandbox-agent")).become_it())
}
