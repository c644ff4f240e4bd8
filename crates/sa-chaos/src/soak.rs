//! Steady load without faults: memory, descriptors, threads and processes must not grow.
//!
//! Load stops for every sample, so that samples compare a resting daemon with a resting daemon.

use crate::census::Usage;
use crate::clients::Steady;
use crate::dice::Dice;
use crate::oracle::Oracle;
use crate::world::World;
use anyhow::{Context, Result};
use std::fmt;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Clients that act at the same time.
const CLIENTS: u64 = 6;
/// Load between two samples.
const INTERVAL: Duration = Duration::from_secs(50);
/// The daemon returns freed memory to the system within this time: it looks every 15 s.
const REST: Duration = Duration::from_secs(17);
/// The part of the run that fills caches and is not judged.
const WARM_UP: f64 = 0.3;
/// Growth of memory that is accepted, in bytes per hour.
const MEMORY: f64 = 1e6;
/// Growth of descriptors and processes that is accepted over the whole run.
const FLAT: u64 = 2;

/// A measurement of a resting daemon.
struct Sample {
    hours: f64,
    usage: Usage,
}

/// Loads the daemon for so long; differences go to the oracle.
pub(crate) async fn soak(world: &World, dice: &mut Dice, length: Duration) -> Result<Option<Growth>> {
    let (started, mut samples, mut round) = (Instant::now(), Vec::new(), 0);
    while started.elapsed() < length || samples.len() < 3 {
        round += 1;
        load(world, dice, round).await?;
        tokio::time::sleep(REST).await;
        let sample =
            Sample { hours: started.elapsed().as_secs_f64() / 3600.0, usage: Usage::of(&world.daemon)? };
        let counts = world.oracle().counts();
        println!("{:6.1} min: {}, {} operations", sample.hours * 60.0, sample.usage, counts.operations);
        samples.push(sample);
        if world.oracle().has_differences() {
            break;
        }
    }
    Ok(judge(world.oracle(), &samples))
}

async fn load(world: &World, dice: &mut Dice, round: u64) -> Result<()> {
    let until = Instant::now() + INTERVAL;
    let mut clients = JoinSet::new();
    for place in 0..CLIENTS {
        let name = format!("soak-{round}-{place}");
        clients.spawn(Steady::new(&world.wire, dice.fork(), name).run(until));
    }
    while let Some(ended) = clients.join_next().await {
        ended.context("a client panicked")?;
    }
    Ok(())
}

/// The growth of a daemon over a run, without its warm-up.
#[derive(Debug)]
pub(crate) struct Growth {
    /// Bytes per hour, and the standard error.
    memory: (f64, f64),
    minutes: f64,
    first: Usage,
    last: Usage,
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { memory: (slope, error), minutes, first, last } = self;
        let (from, to) = (first.memory as f64 / 1e6, last.memory as f64 / 1e6);
        write!(
            f,
            "memory {:+.2} MB/h (standard error {:.2}), {from:.1} to {to:.1} MB in {minutes:.0} minutes, \
             descriptors {} to {}, threads {} to {}, processes {} to {}",
            slope / 1e6,
            error / 1e6,
            first.descriptors,
            last.descriptors,
            first.threads,
            last.threads,
            first.processes,
            last.processes,
        )
    }
}

fn judge(oracle: &Oracle, samples: &[Sample]) -> Option<Growth> {
    let warm = (samples.len() as f64 * WARM_UP).ceil() as usize;
    let judged = samples.get(warm..).unwrap_or_default();
    let (first, last) = (judged.first()?, judged.last()?);
    let memory: Vec<(f64, f64)> =
        judged.iter().map(|sample| (sample.hours, sample.usage.memory as f64)).collect();
    let (slope, error) = slope(&memory);
    let minutes = (last.hours - first.hours) * 60.0;
    let growth = Growth { memory: (slope, error), minutes, first: first.usage, last: last.usage };
    println!("after warm-up ({} of {} samples): {growth}", judged.len(), samples.len());
    // A short run cannot distinguish noise from growth: growth counts if it is larger than both the limit and its own uncertainty.
    oracle.expect(slope <= MEMORY || slope <= 3.0 * error, "daemon", || {
        format!("memory grows by {:.2} MB/h", slope / 1e6)
    });
    expect_flat(oracle, "descriptors", judged.iter().map(|sample| sample.usage.descriptors));
    expect_flat(oracle, "processes", judged.iter().map(|sample| sample.usage.processes));
    Some(growth)
}

fn expect_flat(oracle: &Oracle, what: &str, values: impl Iterator<Item = u64>) {
    let values: Vec<u64> = values.collect();
    let (early, late) = values.split_at(values.len().div_ceil(2));
    // The lowest of several samples leaves out connections and agents that were about to end.
    let lowest = |values: &[u64]| values.iter().min().copied().unwrap_or_default();
    let (early, late) = (lowest(early), lowest(late));
    oracle.expect(late <= early + FLAT, "daemon", || format!("{what} grow from {early} to {late}"));
}

/// Returns the slope of the line that fits best by least squares, and its standard error.
fn slope(points: &[(f64, f64)]) -> (f64, f64) {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let spread: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    if spread == 0.0 {
        return (0.0, f64::INFINITY);
    }
    let slope = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum::<f64>() / spread;
    let residue: f64 = points.iter().map(|point| (point.1 - y - slope * (point.0 - x)).powi(2)).sum();
    let error = if count > 2.0 { (residue / (count - 2.0) / spread).sqrt() } else { f64::INFINITY };
    (slope, error)
}

#[cfg(test)]
mod tests {
    use super::slope;

    #[test]
    fn a_line_has_its_slope_and_no_error() {
        let points: Vec<(f64, f64)> = (0..10).map(|at| (f64::from(at), 5.0 + 3.0 * f64::from(at))).collect();
        let (slope, error) = slope(&points);
        assert!((slope - 3.0).abs() < 1e-9 && error < 1e-9, "{slope} {error}");
    }
}
