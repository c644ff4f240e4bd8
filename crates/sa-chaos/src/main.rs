//! `sa-chaos`: random clients and faults against one real daemon, with a model that says what each client must see.
//!
//! ```text
//! round:  clients act ─► a fault ─► clients leave ─► the fault is undone ─► every log is compared with the model
//! ```
//!
//! The program uses nothing but HTTP, event streams, WebSockets, signals and `/proc`, and shares no code with the daemon. Verdicts rest on
//! order and content; bounds of time are many times what is usual.

mod audit;
mod census;
mod checks;
mod clients;
mod dice;
mod faults;
mod model;
mod options;
mod oracle;
mod record;
mod run;
mod settle;
mod soak;
mod wire;
mod world;

use anyhow::Result;
use clap::Parser;
use options::Options;
use std::process::ExitCode;

fn main() -> ExitCode {
    match start() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn start() -> Result<ExitCode> {
    let options = Options::parse();
    let skipped = match options.inside_namespace {
        true => None,
        false => Some(faults::namespace::enter()?),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let is_clean = runtime.block_on(run::run(&options, skipped))?;
    Ok(if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
