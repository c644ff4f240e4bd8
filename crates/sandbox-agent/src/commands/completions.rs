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
    clap_complete::generate(shell, &mut offered(), "sandbox-agent", &mut script);
    if shell == Shell::Bash {
        script = with_one_name(&script).into_bytes();
    }
    std::io::stdout().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// The commands for people; the generator would offer the hidden ones as well.
fn offered() -> clap::Command {
    let whole = Cli::command();
    let visible = whole.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    clap::Command::new("sandbox-agent")
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        .subcommands(visible)
}

/// The generator writes a program's name in two ways when there is a hyphen in it, so that nothing is completed after
/// the first word (clap-rs/clap#6421).
fn with_one_name(script: &[u8]) -> String {
    String::from_utf8_lossy(script).replace("sandbox__subcmd__agent", "sandbox__agent")
}
