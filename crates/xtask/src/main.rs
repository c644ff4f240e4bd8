//! `cargo xtask`: every task of the project that is more than one command.

mod chaos;
mod clients;
mod contract;
mod dist;
mod generate;
mod instructions;
mod launch;
mod packages;
mod packaging;
mod peers;
mod requirements;
mod shell;
mod size;
mod steps;
mod tidy;
mod tools;

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

const TEST_EXAMPLES: &str = "\
Examples:
  cargo xtask test                           everything, before a change goes in
  cargo xtask test --fast                    the inner loop, minutes on a warm build
  cargo xtask test --only fmt --only tidy    some steps
  cargo xtask test --skip fuzz --skip sdk    all but some steps";

/// Project automation.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Build the daemon and run `sandbox-agent server`; the demo agent is part of it.
    Run {
        /// Arguments of `sandbox-agent server`, after `--`.
        #[arg(last = true)]
        arguments: Vec<String>,
    },
    /// Check and test everything, and sum up what failed.
    #[command(after_help = TEST_EXAMPLES)]
    Test {
        #[command(flatten)]
        selection: steps::Selection,
        /// List the steps instead.
        #[arg(long)]
        list: bool,
    },
    /// Run one step of `test` and nothing that it needs.
    #[command(hide = true)]
    Step { name: String },
    /// Write all generated files.
    Gen {
        /// Write nothing; fail when a file is stale.
        #[arg(long)]
        check: bool,
    },
    /// Report changes of the HTTP contract that break clients of the accepted one.
    Contract {
        /// Make the current document the accepted contract; breaking changes need an entry in CHANGELOG.md.
        #[arg(long)]
        accept: bool,
    },
    /// Check the house rules that no compiler knows.
    Tidy,
    /// Build everything optimized and run the benchmarks.
    #[command(args_conflicts_with_subcommands = true)]
    Bench {
        #[command(subcommand)]
        other: Option<OtherBench>,
        /// Install servers of other projects and measure them in the same run.
        #[arg(long)]
        peers: bool,
        /// Arguments of `sa-bench`, after `--`.
        #[arg(last = true)]
        arguments: Vec<String>,
    },
    /// Check the daemon with random clients and faults against a model.
    #[command(disable_help_flag = true)]
    Chaos {
        /// Arguments of `sa-chaos`, such as --seed 7 --minutes 10.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Build the binary that ships, and its archives and packages.
    Dist(dist::Options),
}

/// Benchmarks that do not measure time.
#[derive(Subcommand)]
enum OtherBench {
    /// Count the instructions of single operations and compare them with the accepted counts.
    Instructions {
        /// Make these the accepted counts.
        #[arg(long)]
        accept: bool,
    },
    /// Weigh each part of the shipped program and compare it with its budget.
    Size {
        /// A `dist` build with symbols of version 0, instead of a new one.
        #[arg(long, value_name = "PATH")]
        bin: Option<std::path::PathBuf>,
    },
}

fn main() -> ExitCode {
    match act(Arguments::parse().verb) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn act(verb: Verb) -> Result<ExitCode> {
    match verb {
        Verb::Run { arguments } => launch::daemon(&arguments),
        Verb::Bench { other: Some(OtherBench::Instructions { accept }), .. } => instructions::run(accept),
        Verb::Bench { other: Some(OtherBench::Size { bin }), .. } => size::run(bin),
        Verb::Bench { other: None, peers, arguments } => {
            let mut all = if peers { peers::arguments()? } else { Vec::new() };
            all.extend(arguments);
            launch::benchmarks(&all)
        }
        Verb::Test { list: true, .. } => {
            steps::list();
            Ok(ExitCode::SUCCESS)
        }
        Verb::Test { selection, .. } => steps::run(&selection),
        Verb::Step { name } => steps::run_alone(&name),
        Verb::Gen { check } => generate::run(check),
        Verb::Contract { accept } => contract::run(accept),
        Verb::Chaos { arguments } => chaos::run(&arguments),
        Verb::Dist(options) => dist::run(options),
        Verb::Tidy => tidy::check().map(|()| ExitCode::SUCCESS),
    }
}
