//! Memory of the replay log after far more bytes than it may hold, and of a reader that replays all of it.

use crate::acp::{self, Reader};
use crate::figures::Figure;
use crate::run::Run;
use crate::wire::{self, Prompt};
use anyhow::Result;

const SERVER: &str = "log";
const SIZE: usize = 1 << 20;

pub(crate) fn measure(run: &mut Run) -> Result<()> {
    let daemon = run.daemon()?;
    acp::create(&daemon, SERVER, &mut run.scratch)?;
    let path = wire::server_path(SERVER);
    let mut reader = Reader::open(&daemon, &path, None, 1, &mut run.scratch)?;
    let before = daemon.resident()?;
    let prompt = Prompt::flood(run.pick(1_100, 150), SIZE);
    let answer = acp::start_prompt(&daemon, SERVER, prompt)?;
    reader.read_until(prompt.count, &mut run.scratch)?;
    acp::finish_prompt(answer, &mut run.scratch)?;
    run.check("1 MiB messages", &reader.tally);
    drop(reader);
    let kept = daemon.resident()?;
    let megabytes = |kib: f64| kib * 1024.0 / 1e6;
    run.figure(Figure::new(format!("growth after {} × 1 MiB", prompt.count), "MB", megabytes(kept - before)));

    // A cursor from before the log's beginning: a gap is announced, then all that is kept comes.
    daemon.reset_peak();
    let mut late = Reader::open(&daemon, &path, Some(1), 1, &mut run.scratch)?;
    late.read_until(prompt.count, &mut run.scratch)?;
    run.check("a reader from before the log", &late.tally);
    run.figure(Figure::new("replayed to a late reader", "msg", late.tally.received() as f64));
    run.figure(Figure::new(
        "further growth while it reads, at most",
        "MB",
        megabytes(daemon.peak()? - kept).max(0.0),
    ));
    Ok(())
}
