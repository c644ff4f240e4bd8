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

/// All scenarios.
pub(crate) const ALL: &[Scenario] = &[
    Scenario {
        name: "start",
        about: "from exec to the first healthy answer; idle memory; size",
        measure: start::measure,
    },
    Scenario {
        name: "round-trip",
        about: "requests at 1, 16 and 128 in flight",
        measure: round_trip::measure,
    },
    Scenario {
        name: "ceiling",
        about: "how fast the load generator itself can read",
        measure: stream::ceiling,
    },
    Scenario {
        name: "stream",
        about: "200 B, 4 KiB and 1 MiB messages to one reader",
        measure: stream::measure,
    },
    Scenario {
        name: "burst",
        about: "the first messages of a server, right after the daemon's start",
        measure: stream::burst,
    },
    Scenario { name: "fan-out", about: "200 B messages to 10 and 100 readers", measure: fan_out::measure },
    Scenario { name: "paced", about: "delay of single messages", measure: paced::measure },
    Scenario { name: "stall", about: "a reader that stopped beside one that reads", measure: stall::measure },
    Scenario {
        name: "health",
        about: "delay of the health check during a flood and during uploads",
        measure: health::measure,
    },
    Scenario { name: "replay", about: "catching up on missed messages", measure: replay::measure },
    Scenario {
        name: "reconnect",
        about: "a reader that reconnects all the time",
        measure: replay::reconnect,
    },
    Scenario {
        name: "log-memory",
        about: "memory after 1,100 messages of 1 MiB",
        measure: log_memory::measure,
    },
    Scenario { name: "memory", about: "memory that comes back after a load", measure: memory::measure },
    Scenario { name: "instances", about: "100 and 500 agents at once", measure: instances::measure },
    Scenario {
        name: "sessions",
        about: "500 universal sessions with 10 readers each",
        measure: sessions::measure,
    },
    Scenario {
        name: "kept",
        about: "one fast session on disk, the room it needs, 10,000 ended sessions",
        measure: kept::measure,
    },
    Scenario {
        name: "stop",
        about: "DELETE of a live agent; an agent that is killed",
        measure: stop::measure,
    },
    Scenario {
        name: "files",
        about: "5 GiB up and down, beside a plain server and cp",
        measure: files::measure,
    },
    Scenario { name: "listing", about: "a directory of 10,000 entries", measure: directories::listing },
    Scenario {
        name: "unpack",
        about: "an archive of 10,000 files, beside tar",
        measure: directories::unpack,
    },
    Scenario {
        name: "claude",
        about: "the Claude adapter beside the CLI it drives",
        measure: claude::measure,
    },
    Scenario {
        name: "codex",
        about: "the Codex adapter beside the app-server it drives, and beside those of npm",
        measure: codex::measure,
    },
    Scenario {
        name: "peers",
        about: "the same work by servers of other projects (--peer, --openhands)",
        measure: peers::measure,
    },
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
