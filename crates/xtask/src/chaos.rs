//! `cargo xtask chaos`: the daemon under random clients and faults, and its pure parts in millions of random steps.

use crate::shell::{Program, cargo, target};
use anyhow::Result;
use std::process::ExitCode;

/// The run of `cargo xtask test`: the same choices each time, in less than two minutes with the last checks.
const CHECK: [&str; 4] = ["--seed", "1", "--minutes", "1.5"];

/// Builds the daemon, its clients and agents, and becomes the run.
pub(crate) fn run(arguments: &[String]) -> Result<ExitCode> {
    cargo(&["build", "--bins", "-p", "sandbox-agent", "-p", "sa-testkit", "-p", "sa-chaos"]).run()?;
    Err(Program::new(target()?.join("debug/sa-chaos")).args(arguments).become_it())
}

/// Runs what `cargo xtask test` runs, with binaries that are built.
pub(crate) fn check() -> Result<()> {
    Program::new(target()?.join("debug/sa-chaos")).args(&CHECK).run()
}
