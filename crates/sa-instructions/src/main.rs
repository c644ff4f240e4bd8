//! Runs one workload a given number of times, so that a profiler can count what a single repetition costs.
//!
//! ```text
//! sa-instructions list               the workloads with their operations, separated by tabs
//! sa-instructions <name> <count>     runs one of them
//! ```
//!
//! Workloads use the daemon's own library code and neither clocks, files nor the network. `cargo xtask bench instructions`
//! runs each twice with different counts: the difference has no startup cost in it.

mod adapters;
mod relay;
mod session;

use anyhow::{Context, Result, bail};

/// A workload: prepares itself, then repeats one operation.
struct Workload {
    name: &'static str,
    /// One repetition in words.
    operation: &'static str,
    run: fn(usize) -> Result<()>,
}

#[rustfmt::skip]
const WORKLOADS: [Workload; 11] = [
    Workload { name: "relay-message-200", operation: "a notification of 200 bytes: split, read, framed, logged", run: |count| relay::notifications(count, 200) },
    Workload { name: "relay-message-4096", operation: "the same with 4 KiB", run: |count| relay::notifications(count, 4096) },
    Workload { name: "relay-request", operation: "a request and its response, each read alone", run: relay::requests },
    Workload { name: "session-reduce", operation: "an update with 200 bytes of text: reduced to an event and serialized", run: session::reduce },
    Workload { name: "session-commit-1", operation: "an event committed to the store on its own", run: |count| session::commit(count, 1) },
    Workload { name: "session-commit-64", operation: "an event committed together with 63 others", run: |count| session::commit(count, 64) },
    Workload { name: "session-frame", operation: "an event framed for a stream", run: session::frame },
    Workload { name: "claude-line", operation: "a piece of text from Claude Code: translated and written", run: adapters::claude::lines },
    Workload { name: "codex-line", operation: "the same from Codex", run: adapters::codex::lines },
    Workload { name: "opencode-line", operation: "the same from OpenCode", run: adapters::opencode::lines },
    Workload { name: "amp-line", operation: "a whole message from Amp, which streams no pieces", run: adapters::amp::lines },
];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["list"] => {
            WORKLOADS.iter().for_each(|workload| println!("{}\t{}", workload.name, workload.operation));
            Ok(())
        }
        [name, count] => {
            let count = count.parse().with_context(|| format!("invalid count '{count}'"))?;
            let Some(workload) = WORKLOADS.iter().find(|workload| workload.name == *name) else {
                bail!("unknown workload '{name}'; `sa-instructions list` prints their names");
            };
            (workload.run)(count)
        }
        _ => bail!("usage: sa-instructions list | sa-instructions <name> <count>"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_workload_does_its_work() {
        for workload in &WORKLOADS {
            let outcome = (workload.run)(130);
            assert!(outcome.is_ok(), "{}: {outcome:?}", workload.name);
        }
    }
}
