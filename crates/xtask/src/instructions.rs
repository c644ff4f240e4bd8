//! `cargo xtask bench instructions`: counts what single operations cost and compares that with the accepted counts.
//!
//! Timings on shared machines vary by tens of percent; instruction counts under Valgrind hardly vary at all. Valgrind
//! emulates the same processor on every machine with AVX2, so library code that adapts to the processor does the same, too.

mod table;

use crate::requirements::VALGRIND;
use crate::shell::{Program, cargo, root, target};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use table::{Row, Table};

/// The accepted counts, relative to the root of the workspace.
const ACCEPTED: &str = "crates/sa-instructions/counts.md";
/// The runs of each operation. The difference of the two has no startup cost in it.
const REPETITIONS: [u64; 2] = [512, 1536];

/// Counts, prints the table, and accepts or compares it.
pub(crate) fn run(accept: bool) -> Result<ExitCode> {
    if let Some(reason) = unsupported() {
        bail!("{reason}");
    }
    let counted = count()?;
    if accept {
        fs::write(root().join(ACCEPTED), counted.to_markdown()).context(ACCEPTED)?;
        println!("{}", counted.to_markdown());
        println!("written to {ACCEPTED}");
        return Ok(ExitCode::SUCCESS);
    }
    compare(&counted)?;
    Ok(ExitCode::SUCCESS)
}

/// Counts and fails if an operation has become more expensive than accepted.
pub(crate) fn check() -> Result<()> {
    if let Some(reason) = unsupported() {
        println!("not counted: {reason}");
        return Ok(());
    }
    compare(&count()?)
}

fn compare(counted: &Table) -> Result<()> {
    let accepted = fs::read_to_string(root().join(ACCEPTED)).context(ACCEPTED)?;
    let accepted = Table::from_markdown(&accepted).context(ACCEPTED)?;
    println!("{}", counted.compared_with(&accepted));
    if counted.tools != accepted.tools {
        println!("not compared: accepted with {}, counted with {}", accepted.tools, counted.tools);
        return Ok(());
    }
    let complaints = counted.complaints(&accepted);
    if complaints.is_empty() {
        return Ok(());
    }
    bail!(
        "{}; make it cheaper, or accept it with `cargo xtask bench instructions --accept`",
        complaints.join("; ")
    )
}

/// Says why counts from this machine would not be comparable with others.
fn unsupported() -> Option<&'static str> {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    let comparable = std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
    let comparable = false;
    (!comparable).then_some("instructions are counted on x86-64 Linux with AVX2 only")
}

fn count() -> Result<Table> {
    let valgrind = VALGRIND.path()?;
    cargo(&["build", "--profile", "instructions", "--package", "sa-instructions"]).run()?;
    let program = target()?.join("instructions/sa-instructions");
    let workloads = Program::new(&program).args(&["list"]).output()?;
    let rows = workloads.lines().map(|line| {
        let (name, operation) = line.split_once('\t').context("a workload without a description")?;
        let instructions = difference(&valgrind, &program, name)?;
        Ok(Row { name: name.to_owned(), operation: operation.to_owned(), instructions })
    });
    Ok(Table { tools: tools(&valgrind)?, rows: rows.collect::<Result<_>>()? })
}

/// Returns the instructions of one repetition.
fn difference(valgrind: &Path, program: &Path, workload: &str) -> Result<u64> {
    let totals: Vec<Result<u64>> = std::thread::scope(|scope| {
        let runs = REPETITIONS.map(|count| scope.spawn(move || total(valgrind, program, workload, count)));
        runs.into_iter()
            .map(|run| run.join().unwrap_or_else(|_| bail!("counting {workload} panicked")))
            .collect()
    });
    let totals = totals.into_iter().collect::<Result<Vec<_>>>()?;
    let ([few, many], [less, more]) = (REPETITIONS, totals.as_slice()) else {
        bail!("{workload} was not counted twice");
    };
    Ok(more.saturating_sub(*less) / (many - few))
}

fn total(valgrind: &Path, program: &Path, workload: &str, count: u64) -> Result<u64> {
    let options = ["--tool=callgrind", "--callgrind-out-file=/dev/null"];
    let said = Program::new(valgrind)
        .args(&options)
        .args(&[program])
        .args(&[workload, &count.to_string()])
        .everything()?;
    collected(&said).with_context(|| format!("Valgrind reported no count: {}", said.trim_end()))
}

/// Finds `==12== Collected : 345`.
fn collected(said: &str) -> Option<u64> {
    let line = said.lines().find_map(|line| line.split_once("Collected :"))?;
    line.1.trim().parse().ok()
}

/// Everything outside of the workspace that the counts depend on.
fn tools(valgrind: &Path) -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let compiler = Program::new(rustc).args(&["--version"]).output()?;
    let valgrind = Program::new(valgrind).args(&["--version"]).output()?;
    Ok(format!("{}, {}", compiler.trim(), valgrind.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_found_in_the_output_of_valgrind() {
        let said = "==7== Callgrind, a call-graph generating cache profiler\n==7== Events    : Ir\n==7== Collected : 1234\n";
        assert_eq!(collected(said), Some(1234));
        assert_eq!(collected("==7== Events    : Ir\n"), None);
    }
}
