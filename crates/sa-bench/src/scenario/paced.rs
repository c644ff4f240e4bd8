//! Delay of single messages, from the agent's write to the reader's read.

use crate::acp::{self, Reader};
use crate::figures::{Against, Figure, percentile_us};
use crate::pipe::PipeAgent;
use crate::process::Server;
use crate::run::Run;
use crate::wire::{self, Prompt};
use anyhow::{Result, ensure};
use sa_bench::message::now;

const SERVER: &str = "paced";
const SIZE: usize = 200;

pub(crate) fn measure(run: &mut Run) -> Result<()> {
    let daemon = run.daemon()?;
    acp::create(&daemon, SERVER, &mut run.scratch)?;
    for per_second in [100, 2_000] {
        let count = per_second * run.pick(4, 1);
        let prompt = Prompt { first: 1, count, size: SIZE, per_second };
        let mut pipe = PipeAgent::start(&run.programs, None)?.paced(prompt)?;
        let before = daemon.cpu()?;
        let mut ours = delays(run, &daemon, prompt)?;
        let cpu = daemon.cpu()? - before;
        for (name, share) in [("p50", 0.50), ("p99", 0.99)] {
            run.figure(
                Figure::new(format!("{per_second}/s, delay {name}"), "µs", percentile_us(&mut ours, share))
                    .floors(Some(percentile_us(&mut pipe, share)), None, Against::Only),
            );
        }
        let cpu = cpu.as_secs_f64() * 1e6 / count as f64;
        run.figure(Figure::new(format!("{per_second}/s, daemon CPU"), "µs/msg", cpu));
    }
    Ok(())
}

fn delays(run: &mut Run, daemon: &Server, prompt: Prompt) -> Result<Vec<u64>> {
    let mut reader = Reader::open(daemon, &wire::server_path(SERVER), None, 1, &mut run.scratch)?;
    let answer = acp::start_prompt(daemon, SERVER, prompt)?;
    let mut delays = Vec::new();
    while reader.tally.accounted() < prompt.count {
        ensure!(!reader.is_closed(), "the stream ended");
        reader.read(&mut run.scratch, |message| delays.push(now().saturating_sub(message.written_at)))?;
    }
    acp::finish_prompt(answer, &mut run.scratch)?;
    run.check("paced", &reader.tally);
    Ok(delays)
}
