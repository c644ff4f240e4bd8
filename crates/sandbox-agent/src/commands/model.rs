//! `sandbox-agent model`: the scripted model server, to try agents without a key and without a network.

use crate::args::ModelArgs;
use crate::commands::install_agent::runtime;
use crate::commands::render::print_text;
use crate::failure::Failure;
use crate::signals::Signals;
use anyhow::Context;
use sa_model::ModelServer;

pub(crate) fn run(args: ModelArgs) -> Result<(), Failure> {
    let server = ModelServer::start_on(args.port)
        .with_context(|| format!("cannot listen on 127.0.0.1:{}", args.port))?;
    let url = server.url();
    runtime()?.block_on(async {
        // Programs wait for the first line, and may send a signal right after it.
        let mut signals = Signals::install().context("cannot handle signals")?;
        print_text(&format!("listening on {url}"))?;
        // A program may have closed its end after the first line. The hints are for people.
        let _unread = print_text(&format!("\n{}", sa_model::hints(&url)));
        signals.next().await;
        Ok(())
    })
}
