//! `sandbox-agent gen …`: the documents that the repository keeps and tests for freshness.

use super::reference;
use crate::args::{self, GenCommand};
use crate::failure::Failure;
use std::io::Write;

pub(crate) fn run(what: GenCommand) -> Result<(), Failure> {
    let text = match what {
        GenCommand::CliReference => reference::markdown(args::command()),
    };
    Ok(writeln!(std::io::stdout(), "{}", text.trim_end())?)
}
