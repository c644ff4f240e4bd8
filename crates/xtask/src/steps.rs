//! `cargo xtask test`: the steps, and what each of them runs.

mod fuzz;
mod lint;
mod load;
mod schedule;
mod selection;

pub(crate) use selection::Selection;

use crate::shell::{Program, cargo, root, target};
use crate::{chaos, clients, contract, generate, instructions, packages, packaging, tidy};
use anyhow::{Context, Result, bail};
use std::process::ExitCode;

/// One check of the project.
struct Step {
    name: &'static str,
    what: &'static str,
    /// Uses the binaries, so the step `build` comes first, whether it was asked for or not.
    binaries: bool,
    cores: Cores,
    run: fn(Extent) -> Result<()>,
}

/// The cores that a step keeps busy.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cores {
    /// Runs next to others.
    One,
    All,
}

/// The part of a step that runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    Whole,
    /// The part that fits into the minutes between two edits.
    Fast,
}

const BUILD: &str = "build";

/// Property tests begin with the same seed in each run, so a change passes or fails for what it changes. CONTRIBUTING.md
/// says how to search with other seeds.
const PROPERTY_SEED: &str = "PROPTEST_RNG_SEED";

/// In this order. Neighbors that take one core run at the same time, so they must not change each other's files.
#[rustfmt::skip]
const STEPS: [Step; 17] = [
    Step { name: "fmt", what: "every Rust file is formatted", binaries: false, cores: Cores::One, run: format },
    Step { name: "tidy", what: "the house rules that no compiler knows", binaries: false, cores: Cores::One, run: |_| tidy::check() },
    Step { name: BUILD, what: "every binary and test is built", binaries: false, cores: Cores::All, run: build },
    Step { name: "clippy", what: "no warning in any target", binaries: false, cores: Cores::One, run: |_| lint::check() },
    Step { name: "gen", what: "generated files are fresh", binaries: true, cores: Cores::One, run: |_| generate::check() },
    Step { name: "contract", what: "no breaking change of the accepted HTTP contract", binaries: false, cores: Cores::One, run: |_| contract::check() },
    Step { name: "doc", what: "examples in the documentation", binaries: false, cores: Cores::One, run: doc_tests },
    Step { name: "tests", what: "unit, property and end-to-end tests", binaries: true, cores: Cores::All, run: tests },
    Step { name: "fuzz", what: "a minute of searching for inputs that break a fuzz target", binaries: false, cores: Cores::One, run: |_| fuzz::run() },
    Step { name: "instructions", what: "no operation needs many more instructions than accepted", binaries: false, cores: Cores::One, run: |_| instructions::check() },
    Step { name: "chaos", what: "two minutes of random clients and faults, compared with a model", binaries: true, cores: Cores::One, run: |_| chaos::check() },
    Step { name: "interop", what: "clients of others, on Node.js", binaries: true, cores: Cores::One, run: interop },
    Step { name: "packages", what: "lints, types and build of the TypeScript packages", binaries: false, cores: Cores::One, run: |_| packages::check() },
    Step { name: "clients", what: "generated clients in TypeScript and Python, and a program with each", binaries: true, cores: Cores::One, run: |_| clients::run() },
    Step { name: "schemathesis", what: "requests made up from the contract, and answers compared with it", binaries: true, cores: Cores::One, run: |_| clients::fuzz() },
    Step { name: "packaging", what: "every package, where its users have it; lints of images, charts and workflows", binaries: true, cores: Cores::One, run: |_| packaging::check() },
    Step { name: "sdk", what: "tests of the TypeScript packages, in Node.js, Chromium, Bun, Deno and workerd", binaries: true, cores: Cores::All, run: |_| packages::test() },
];

/// Prints the names of the steps.
pub(crate) fn list() {
    for step in &STEPS {
        let fast = if selection::is_fast(step) { "fast" } else { "" };
        println!("{:<12}  {fast:<4}  {}", step.name, step.what);
    }
}

/// Runs the selected steps. All run, however many fail.
pub(crate) fn run(selection: &Selection) -> Result<ExitCode> {
    let chosen = selection.steps()?;
    let reports = schedule::run(&chosen, selection.extent());
    println!("\nsummary");
    for report in &reports {
        println!("{report}");
    }
    let failures = reports.iter().filter(|report| report.has_failed()).count();
    match failures {
        0 => println!("all steps passed"),
        _ => println!("{failures} of {} steps failed", reports.len()),
    }
    Ok(if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs one step and nothing that it needs.
pub(crate) fn run_alone(name: &str) -> Result<ExitCode> {
    let step = STEPS.iter().find(|step| step.name == name).with_context(|| format!("no step '{name}'"))?;
    (step.run)(Extent::Whole)?;
    Ok(ExitCode::SUCCESS)
}

fn format(_: Extent) -> Result<()> {
    cargo(&["fmt", "--all", "--check"]).run()
}

/// Cargo builds binaries only for the tests of their own package; the end-to-end tests need them next to theirs.
fn build(_: Extent) -> Result<()> {
    packages::beside_inspector(|| lint::build()?.run())
}

fn tests(extent: Extent) -> Result<()> {
    let has_nextest = cargo(&["nextest", "--version"]).works();
    let arguments: &[&str] = match extent {
        Extent::Whole if has_nextest => &["nextest", "run", "--workspace", "--profile", "ci"],
        Extent::Whole => {
            println!("cargo-nextest is not installed; using cargo test");
            &["test", "--workspace", "--all-targets", "--no-fail-fast"]
        }
        Extent::Fast if has_nextest => &["nextest", "run", "--workspace", "--profile", "fast"],
        Extent::Fast => bail!("--fast needs cargo-nextest: cargo install cargo-nextest"),
    };
    let seed = std::env::var_os(PROPERTY_SEED).unwrap_or_else(|| "1".into());
    lint::cargo(arguments)?.env(PROPERTY_SEED, seed).run()
}

fn doc_tests(_: Extent) -> Result<()> {
    lint::cargo(&["test", "--workspace", "--doc", "--no-fail-fast", "--quiet"])?.run()
}

fn interop(_: Extent) -> Result<()> {
    let folder = root().join("interop");
    if !Program::new("npm").args(&["--version"]).works() {
        bail!("npm is not installed; the published clients need Node.js 20 or newer with npm");
    }
    let binary = target()?.join("debug/sandbox-agent");
    Program::new("npm").args(&["ci", "--no-audit", "--no-fund"]).folder(&folder).run()?;
    Program::new("npm").args(&["test"]).folder(&folder).env("SANDBOX_AGENT_TEST_BIN", binary).run()
}
