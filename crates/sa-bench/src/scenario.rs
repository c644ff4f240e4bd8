//! The scenarios by name, in the order in which they run.

mod claude;
mod codex;
mod directories;
mod fan_out;
mod files;
mod health;
mod instances;
mod kept;
mod log_memory;
mod memory;
mod paced;
mod peers;
mod replay;
mod round_trip;
mod sessions;
mod stall;
mod start;
mod stop;
mod stream;

pub(crate) use start::loaded_bytes;

use crate::run::{Run, Section};
use anyhow::Result;
use std::time::Instant;

/// A scenario: its name, what it measures, and how.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    measure: fn(&mut Run) -> Result<()>,
}

const fn scenario(name: &'static str, about: &'static str, measure: fn(&mut Run) -> Result<()>) -> Scenario {
    Scenario { name, about, measure }
}

/// All scenarios.
pub(crate) const ALL: &[Scenario] = &[
    scenario("start", "from exec to the first healthy answer; idle memory; size", start::measure),
    scenario("round-trip", "requests at 1, 16 and 128 in flight", round_trip::measure),
    scenario("ceiling", "how fast the load generator itself can read", stream::ceiling),
    scenario("stream", "200 B, 4 KiB and 1 MiB messages to one reader", stream::measure),
    scenario("burst", "the first messages of a server, right after the daemon's start", stream::burst),
    scenario("fan-out", "200 B messages to 10 and 100 readers", fan_out::measure),
    scenario("paced", "delay of single messages", paced::measure),
    scenario("stall", "a reader that stopped beside one that reads", stall::measure),
    scenario("health", "delay of the health check during a flood and during uploads", health::measure),
    scenario("replay", "catching up on missed messages", replay::measure),
    scenario("reconnect", "a reader that reconnects all the time", replay::reconnect),
    scenario("log-memory", "memory after 1,100 messages of 1 MiB", log_memory::measure),
    scenario("memory", "memory that comes back after a load", memory::measure),
    scenario("instances", "100 and 500 agents at once", instances::measure),
    scenario("sessions", "500 universal sessions with 10 readers each", sessions::measure),
    scenario("kept", "one fast session on disk, the room it needs, 10,000 ended sessions", kept::measure),
    scenario("stop", "DELETE of a live agent; an agent that is killed", stop::measure),
    scenario("files", "5 GiB up and down, beside a plain server and cp", files::measure),
    scenario("listing", "a directory of 10,000 entries", directories::listing),
    scenario("unpack", "an archive of 10,000 files, beside tar", directories::unpack),
    scenario("claude", "the Claude adapter beside the CLI it drives", claude::measure),
    scenario(
        "codex",
        "the Codex adapter beside the app-server it drives, and beside those of npm",
        codex::measure,
    ),
    scenario("peers", "the same work by servers of other projects (--peer, --openhands)", peers::measure),
];

impl Scenario {
    /// Measures; a failure is noted and the run continues.
    pub(crate) fn run(&self, run: &mut Run) {
        run.sections.push(Section { scenario: self.name, figures: Vec::new() });
        let start = Instant::now();
        if let Err(error) = (self.measure)(run) {
            run.problems.push(format!("{}: {error:#}", self.name));
        }
        eprintln!("{}: {:.1} s", self.name, start.elapsed().as_secs_f64());
    }
}
