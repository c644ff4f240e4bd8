//! `sandbox-agent completions <shell>`.

use crate::args::Cli;
use crate::failure::Failure;
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::Write;
use std::process::ExitCode;

pub(crate) fn run(shell: Shell) -> Result<ExitCode, Failure> {
    // Into memory first: the generator panics when its output is closed.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "sandbox-agent", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}
