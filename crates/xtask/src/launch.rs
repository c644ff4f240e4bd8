//! `cargo xtask run` and `cargo xtask bench`: build, then become the program.

use crate::packages;
use crate::shell::{Program, cargo, target};
use anyhow::Result;
use std::process::ExitCode;

/// Returns the daemon, as somebody tries it from a checkout.
pub(crate) fn daemon(arguments: &[String]) -> Result<ExitCode> {
    if packages::has_inspector() {
        packages::inspector();
    } else {
        // Packages are fetched while the compiler works. The second build embeds the page, which compiles three crates
        // again. A page that is replaced while the compiler reads it would fail the build.
        std::thread::scope(|scope| {
            scope.spawn(packages::inspector);
            build()
        })?;
    }
    build()?;
    let binary = target()?.join("debug/sandbox-agent");
    Err(Program::new(binary).args(&["server"]).args(arguments).become_it())
}

fn build() -> Result<()> {
    cargo(&["build", "--package", "sandbox-agent"]).run()
}

/// Returns the benchmarks, of the daemon as `release` builds it.
pub(crate) fn benchmarks(arguments: &[String]) -> Result<ExitCode> {
    let build = ["build", "--release", "--bins", "-p", "sandbox-agent", "-p", "sa-testkit", "-p", "sa-bench"];
    cargo(&build).run()?;
    let built = target()?.join("release");
    let bench = Program::new(built.join("sa-bench")).args(arguments);
    Err(bench.env("SANDBOX_AGENT_TEST_BIN", built.join("sandbox-agent")).become_it())
}
