//! `cargo xtask chaos`: the daemon under random clients and faults, and its pure parts in millions of random steps.

use crate::shell::{Program, cargo, target};
use anyhow::Result;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The run of `cargo xtask test`: the same choices each time, in less than two minutes with the last checks.
const CHECK: [&str; 4] = ["--seed", "1", "--minutes", "1.5"];

/// A property test that takes random steps against a model.
struct Simulation {
    test: &'static str,
    /// The mean number of steps of a case.
    steps: u64,
    /// Cases that take some seconds.
    cases: u64,
}

const SIMULATIONS: [Simulation; 3] = [
    Simulation { test: "a_reader_gets_every_record_or_a_gap", steps: 100, cases: 10_000 },
    Simulation { test: "ten_thousand_cuts_lose_nothing_and_repeat_nothing", steps: 175, cases: 500 },
    Simulation { test: "each_client_gets_or_finds_its_own_answers", steps: 30, cases: 5_000 },
];

/// Both packages in one command: cargo would compile what they share again for each.
const TESTS: [&str; 7] = ["test", "--quiet", "--tests", "-p", "sa-journal", "-p", "sa-relay"];

/// Builds the daemon, its clients and agents, and becomes the run; with `--sim`, runs the simulations instead.
pub(crate) fn run(arguments: &[String]) -> Result<ExitCode> {
    if let [first, rest @ ..] = arguments
        && first == "--sim"
    {
        return simulate(rest);
    }
    cargo(&["build", "--bins", "-p", "sandbox-agent", "-p", "sa-testkit", "-p", "sa-chaos"]).run()?;
    Err(Program::new(target()?.join("debug/sa-chaos")).args(arguments).become_it())
}

/// Runs what `cargo xtask test` runs, with binaries that are built.
pub(crate) fn check() -> Result<()> {
    Program::new(target()?.join("debug/sa-chaos")).args(&CHECK).run()
}

/// Repeats the property tests of the relay and the journal, with a new seed each time, for so many minutes.
fn simulate(arguments: &[String]) -> Result<ExitCode> {
    let minutes: f64 = match arguments {
        [] => 1.0,
        [flag, minutes] if flag == "--minutes" => minutes.parse()?,
        _ => anyhow::bail!("--sim takes --minutes M and nothing else"),
    };
    cargo(&TESTS).args(&["--no-run"]).run()?;
    let (started, mut working, mut steps, mut seed) = (Instant::now(), Duration::ZERO, 0, 0);
    while started.elapsed().as_secs_f64() < minutes * 60.0 {
        seed += 1;
        for simulation in &SIMULATIONS {
            let began = Instant::now();
            let test = cargo(&TESTS).args(&[simulation.test]).env("SA_CASES", simulation.cases.to_string());
            test.env("PROPTEST_RNG_SEED", seed.to_string()).output()?;
            working += began.elapsed();
            steps += simulation.steps * simulation.cases;
        }
        let rate = steps as f64 / working.as_secs_f64() * 60.0 / 1e6;
        println!("seed {seed}: {:.1} million steps in all, {rate:.1} million a minute", steps as f64 / 1e6);
    }
    Ok(ExitCode::SUCCESS)
}
