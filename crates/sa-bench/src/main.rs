//! `sa-bench`: measures the daemon's transport from outside, over HTTP, each figure next to a floor of the same run.
//!
//! - `pipe` floor: the stand-in agent on plain pipes with blocking I/O.
//! - `http` floor: an axum server that does nothing with the same bytes, one message in each chunk of a body.
//!
//! The load generator is one thread, so that on two cores one is left to the server. Rounds of the daemon and of the
//! floors alternate and a figure is their median. Timings never fail a run; lost messages and broken scenarios do.

mod acp;
mod chart;
mod comparison;
mod figures;
mod floor;
mod machine;
mod peer;
mod pipe;
mod process;
mod report;
mod run;
mod scenario;
mod stdio;
mod update;
mod wire;

use anyhow::{Result, ensure};
use clap::{Parser, Subcommand};
use machine::Machine;
use process::Programs;
use report::Report;
use run::Run;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::path::PathBuf;
use std::process::ExitCode;

/// Measures the daemon's transport next to the floors that bound it.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Scenarios to run; all when none is named (`--list` names them)
    scenarios: Vec<String>,
    /// A smoke run: short rounds, figures of little worth
    #[arg(long)]
    quick: bool,
    /// The daemon to measure; the one next to this program when absent
    #[arg(long, value_name = "PATH")]
    bin: Option<PathBuf>,
    /// The program of rivet-dev/sandbox-agent, for the scenarios `start` and `peers`
    #[arg(long, value_name = "PATH")]
    peer: Option<PathBuf>,
    /// A Python with the package openhands-agent-server, for the scenario `peers`
    #[arg(long, value_name = "PATH")]
    openhands: Option<PathBuf>,
    /// Print a Markdown block instead of the table
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Print the raw figures as JSON instead of the table
    #[arg(long)]
    json: bool,
    /// Write the figures into the marked blocks of this page, and charts into the folder `images` next to it
    #[arg(long, value_name = "PAGE")]
    update: Option<PathBuf>,
    /// The date to print with the figures
    #[arg(long)]
    date: Option<String>,
    /// Name the scenarios and leave
    #[arg(long)]
    list: bool,
    #[command(subcommand)]
    role: Option<Role>,
}

#[derive(Subcommand)]
enum Role {
    /// Be the HTTP floor of another run
    #[command(hide = true)]
    Floor,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    if let Some(Role::Floor) = arguments.role {
        return floor::serve().map(|()| ExitCode::SUCCESS);
    }
    if arguments.list {
        for scenario in scenario::ALL {
            println!("{:<12}{}", scenario.name, scenario.about);
        }
        return Ok(ExitCode::SUCCESS);
    }
    for name in &arguments.scenarios {
        ensure!(
            scenario::ALL.iter().any(|scenario| scenario.name == name),
            "no scenario '{name}'; --list names them"
        );
    }
    allow_many_files()?;
    let mut run =
        Run::new(Programs::find(arguments.bin, arguments.peer, arguments.openhands)?, arguments.quick);
    for scenario in scenario::ALL {
        if arguments.scenarios.is_empty() || arguments.scenarios.iter().any(|name| name == scenario.name) {
            scenario.run(&mut run);
        }
    }
    let machine = Machine::describe(arguments.date);
    let report = Report {
        machine: &machine,
        sections: &run.sections,
        contenders: &run.contenders,
        comparisons: &run.comparisons,
        problems: &run.problems,
    };
    if arguments.json {
        println!("{}", report.json()?);
    } else if arguments.markdown {
        print!("{}", report.markdown());
    } else {
        print!("{}", report.table());
    }
    if let Some(page) = &arguments.update {
        update::update(page, &report)?;
    }
    for problem in &run.problems {
        eprintln!("error: {problem}");
    }
    Ok(if run.problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Hundreds of streams need more descriptors than the usual soft limit allows.
fn allow_many_files() -> Result<()> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    Ok(setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })?)
}
