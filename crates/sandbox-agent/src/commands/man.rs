//! `sandbox-agent man`: the manual, taken from the same definitions as the help.

use crate::args::{self, ManArgs};
use crate::failure::Failure;
use anyhow::Context;
use clap_mangen::Man;
use std::io::Write;

const MANUAL: &str = "sandbox-agent manual";

pub(crate) fn run(args: ManArgs) -> Result<(), Failure> {
    let mut root = args::command();
    root.build();
    let Some(directory) = args.dir else {
        return Ok(std::io::stdout().write_all(&page(root)?)?);
    };
    std::fs::create_dir_all(&directory).with_context(|| format!("cannot create {}", directory.display()))?;
    for command in with_subcommands(root) {
        let path = directory.join(format!("{}.1", name(&command)));
        std::fs::write(&path, page(command)?).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// A command and all visible ones below it.
fn with_subcommands(command: clap::Command) -> Vec<clap::Command> {
    let below: Vec<_> = command.get_subcommands().filter(|child| !child.is_hide_set()).cloned().collect();
    let mut all = vec![command];
    all.extend(below.into_iter().flat_map(with_subcommands));
    all
}

/// The name of a command's page, such as `sandbox-agent-api-health`.
fn name(command: &clap::Command) -> String {
    command.get_display_name().unwrap_or(command.get_name()).to_owned()
}

fn page(command: clap::Command) -> Result<Vec<u8>, Failure> {
    let source = concat!("sandbox-agent ", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command).manual(MANUAL).source(source);
    let mut text = Vec::new();
    man.render(&mut text).context("cannot write the manual")?;
    Ok(text)
}
