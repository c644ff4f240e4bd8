//! `cargo xtask test`: the steps, one after the other; all run, however many fail.

use crate::instructions::{self, Verdict};
use crate::shell::{Program, cargo, root, target};
use crate::{clients, contract, generate, packages, tidy};
use anyhow::{Result, bail};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

struct Step {
    name: &'static str,
    what: &'static str,
    /// Uses the binaries, so the step `build` comes first, whether it was asked for or not.
    binaries: bool,
    run: fn() -> Result<Outcome>,
}

enum Outcome {
    Passed,
    Skipped(&'static str),
}

#[rustfmt::skip]
const STEPS: [Step; 16] = [
    Step { name: "fmt", what: "every Rust file is formatted", binaries: false, run: format },
    Step { name: "clippy", what: "no warning in any target", binaries: false, run: clippy },
    Step { name: "tidy", what: "the house rules that no compiler knows", binaries: false, run: house_rules },
    Step { name: "deny", what: "licences, duplicates and sources by cargo-deny", binaries: false, run: deny },
    Step { name: BUILD, what: "every binary and test is built", binaries: false, run: build },
    Step { name: "gen", what: "generated files are fresh", binaries: true, run: generated },
    Step { name: "contract", what: "no breaking change of the accepted HTTP contract", binaries: false, run: accepted_contract },
    Step { name: "tests", what: "unit, property and end-to-end tests", binaries: true, run: tests },
    Step { name: "doc", what: "examples in the documentation", binaries: false, run: doc_tests },
    Step { name: "fuzz", what: "a minute of searching for inputs that break a fuzz target", binaries: false, run: fuzz },
    Step { name: "instructions", what: "no operation needs many more instructions than accepted", binaries: false, run: counted_instructions },
    Step { name: "interop", what: "clients of others, on Node.js", binaries: true, run: interop },
    Step { name: "packages", what: "lints, types and build of the TypeScript packages", binaries: false, run: checked_packages },
    Step { name: "sdk", what: "tests of the TypeScript packages, in Node.js, Chromium, Bun, Deno and workerd", binaries: true, run: sdk },
    Step { name: "clients", what: "generated clients in TypeScript and Python, and a program with each", binaries: true, run: generated_clients },
    Step { name: "schemathesis", what: "requests made up from the contract, and answers compared with it", binaries: true, run: schemathesis },
];

const BUILD: &str = "build";

/// Prints the names of the steps.
pub(crate) fn list() {
    for step in &STEPS {
        println!("{:<12}  {}", step.name, step.what);
    }
}

/// Runs all steps, or those named.
pub(crate) fn run(only: &[String]) -> Result<ExitCode> {
    if let Some(unknown) = only.iter().find(|name| STEPS.iter().all(|step| step.name != **name)) {
        let names = STEPS.map(|step| step.name).join(", ");
        bail!("there is no step '{unknown}'; the steps are {names}");
    }
    let asked = |step: &Step| only.is_empty() || only.iter().any(|name| name == step.name);
    let binaries = STEPS.iter().any(|step| asked(step) && step.binaries);
    let chosen = STEPS.iter().filter(|step| asked(step) || (binaries && step.name == BUILD));
    let mut lines = Vec::new();
    let mut failures = 0;
    let mut built = false;
    for step in chosen {
        println!("\n=== {}: {}", step.name, step.what);
        let started = Instant::now();
        let (word, why) = match attempt(step, built) {
            Ok(Outcome::Passed) => ("ok", String::new()),
            Ok(Outcome::Skipped(why)) => ("skipped", why.to_owned()),
            Err(error) => {
                failures += 1;
                ("FAILED", format!("{error:#}"))
            }
        };
        built |= step.name == BUILD && word == "ok";
        lines.push(line(word, step.name, started.elapsed(), &why));
        println!("=== {}", lines.last().map_or("", String::as_str));
    }
    println!("\nsummary\n{}", lines.join("\n"));
    match failures {
        0 => println!("all steps passed"),
        _ => println!("{failures} of {} steps failed", lines.len()),
    }
    Ok(if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Old binaries must not pass for new ones.
fn attempt(step: &Step, built: bool) -> Result<Outcome> {
    if step.binaries && !built {
        bail!("not tried, because the build failed");
    }
    (step.run)()
}

fn line(word: &str, name: &str, took: Duration, why: &str) -> String {
    format!("{word:<8} {name:<12} {:>7.1} s  {why}", took.as_secs_f64()).trim_end().to_owned()
}

fn passed(result: Result<()>) -> Result<Outcome> {
    result.map(|()| Outcome::Passed)
}

fn format() -> Result<Outcome> {
    passed(cargo(&["fmt", "--all", "--check"]).run())
}

fn clippy() -> Result<Outcome> {
    passed(cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]).run())
}

fn house_rules() -> Result<Outcome> {
    passed(tidy::check())
}

fn deny() -> Result<Outcome> {
    if !cargo(&["deny", "--version"]).works() {
        return Ok(Outcome::Skipped(
            "cargo-deny is not installed; tidy checks the essential part of deny.toml",
        ));
    }
    // Advisories need the network; they are a matter of the day, not of the change.
    passed(cargo(&["deny", "--workspace", "check", "bans", "licenses", "sources"]).run())
}

/// Cargo builds binaries only for the tests of their own package; the end-to-end tests need them beside theirs.
fn build() -> Result<Outcome> {
    packages::inspector();
    passed(cargo(&["build", "--workspace", "--all-targets"]).run())
}

fn generated() -> Result<Outcome> {
    passed(generate::check())
}

fn accepted_contract() -> Result<Outcome> {
    passed(contract::check())
}

fn tests() -> Result<Outcome> {
    passed(if cargo(&["nextest", "--version"]).works() {
        cargo(&["nextest", "run", "--workspace", "--profile", "ci"]).run()
    } else {
        println!("cargo-nextest is not installed; using cargo test");
        cargo(&["test", "--workspace", "--all-targets", "--no-fail-fast"]).run()
    })
}

fn doc_tests() -> Result<Outcome> {
    passed(cargo(&["test", "--workspace", "--doc", "--no-fail-fast", "--quiet"]).run())
}

/// Targets that run side by side, a pair for two cores, and for how many seconds.
const FUZZED: [([&str; 2], &str); 2] =
    [(["path_policy", "tar_upload"], "60"), (["jsonrpc_line", "relay_stream"], "8")];

/// The dependencies that the other steps have built are used again; only what is fuzzed is compiled once more.
fn fuzz() -> Result<Outcome> {
    let instrument = root().join("fuzz/instrument");
    cargo(&["build", "--package", "sa-fuzz"]).env("RUSTC_WORKSPACE_WRAPPER", instrument).run()?;
    let binary = target()?.join("debug/sa-fuzz");
    // Two targets work on real files, which are quicker in memory.
    let memory = Path::new("/dev/shm");
    let temporary = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    for (targets, seconds) in FUZZED {
        let search = |target| {
            Program::new(&binary).args(&[target, "--seconds", seconds]).env("TMPDIR", &temporary).run()
        };
        let outcomes: Vec<Result<()>> = std::thread::scope(|scope| {
            let running = targets.map(|target| scope.spawn(move || search(target)));
            running
                .into_iter()
                .map(|one| one.join().unwrap_or_else(|_| bail!("the search panicked")))
                .collect()
        });
        outcomes.into_iter().collect::<Result<()>>()?;
    }
    Ok(Outcome::Passed)
}

fn counted_instructions() -> Result<Outcome> {
    Ok(match instructions::check()? {
        Verdict::Good => Outcome::Passed,
        Verdict::Incomparable(why) => Outcome::Skipped(why),
    })
}

fn interop() -> Result<Outcome> {
    let folder = root().join("interop");
    if !Program::new("npm").args(&["--version"]).works() {
        bail!("npm is not installed; the published clients need Node.js 20 or newer with npm");
    }
    let binary = target()?.join("debug/sandbox-agent");
    Program::new("npm").args(&["ci", "--no-audit", "--no-fund"]).folder(&folder).run()?;
    passed(Program::new("npm").args(&["test"]).folder(&folder).env("SANDBOX_AGENT_TEST_BIN", binary).run())
}

fn checked_packages() -> Result<Outcome> {
    passed(packages::check())
}

fn sdk() -> Result<Outcome> {
    passed(packages::test())
}

fn generated_clients() -> Result<Outcome> {
    passed(clients::run())
}

fn schemathesis() -> Result<Outcome> {
    passed(clients::fuzz())
}
