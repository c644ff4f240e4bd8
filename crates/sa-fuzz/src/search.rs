//! The search: seeds first, then changes of what has reached something new, until the time is over or an input breaks
//! the target.

use crate::coverage::Coverage;
use crate::mutation::{Random, mutate};
use anyhow::{Context, Result, ensure};
use parking_lot::Mutex;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Inputs that are kept to be changed.
const MOST_KEPT: usize = 4096;
/// An input that takes more processor time than this counts as one that hangs.
const PATIENCE: Duration = Duration::from_secs(20);
/// An input that waits longer than this hangs, too. On a busy machine a search may get no processor for minutes.
const WAIT: Duration = Duration::from_secs(600);
/// The unit of times in `/proc`.
const TICK: Duration = Duration::from_millis(10);

/// A search.
pub(crate) struct Search {
    pub(crate) name: &'static str,
    pub(crate) check: fn(&[u8]),
    pub(crate) seeds: Vec<Vec<u8>>,
    /// The folder for inputs that break the property.
    pub(crate) artifacts: PathBuf,
    pub(crate) start: u64,
    pub(crate) time: Duration,
}

/// The input that is being tried, and since when.
type Current = Arc<Mutex<Option<(Instant, Vec<u8>)>>>;

/// Returns the inputs of a folder, in an order that does not depend on the file system.
pub(crate) fn seeds(folder: &Path) -> Result<Vec<Vec<u8>>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    ensure!(!paths.is_empty(), "there are no seeds in {}", folder.display());
    paths.into_iter().map(|path| Ok(std::fs::read(path)?)).collect()
}

/// Returns a start that no search had before.
pub(crate) fn any_start() -> Result<u64> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes)?;
    Ok(u64::from_ne_bytes(bytes))
}

impl Search {
    /// Searches; gives the file with the input that broke the target, if one did.
    pub(crate) fn run(self) -> Result<Option<PathBuf>> {
        let mut coverage = Coverage::new();
        let guard = self.guard();
        let mut random = Random::new(self.start);
        let mut kept = Vec::new();
        let mut tried = 0_u64;
        let began = Instant::now();
        println!("{}: {} seeds, --start {}", self.name, self.seeds.len(), self.start);
        let mut waiting = self.seeds.clone();
        while began.elapsed() < self.time || !waiting.is_empty() {
            let (input, is_seed) = match waiting.pop() {
                Some(seed) => (seed, true),
                None => (next(&kept, &mut random), false),
            };
            *guard.lock() = Some((Instant::now(), input.clone()));
            if catch_unwind(AssertUnwindSafe(|| (self.check)(&input))).is_err() {
                return Ok(Some(keep(self.name, &self.artifacts, &input)?));
            }
            tried += 1;
            if coverage.is_new() || is_seed {
                if kept.len() == MOST_KEPT {
                    kept.swap_remove(random.below(MOST_KEPT));
                }
                kept.push(input);
            }
        }
        *guard.lock() = None;
        let led = match coverage.edges() {
            0 => "not led by coverage: build through fuzz/instrument for that".to_owned(),
            edges => format!("{} of {edges} edges reached, {} inputs kept", coverage.reached(), kept.len()),
        };
        println!("{}: {tried} inputs in {:.0} s, {led}", self.name, began.elapsed().as_secs_f64());
        Ok(None)
    }

    /// Ends the program when one input takes too long.
    fn guard(&self) -> Current {
        let current = Current::default();
        let (watched, name, artifacts) = (Arc::downgrade(&current), self.name, self.artifacts.clone());
        std::thread::spawn(move || {
            let mut first_seen = None;
            while let Some(watched) = watched.upgrade() {
                let current = watched.lock().clone();
                let began = current.as_ref().map(|(began, _)| *began);
                // The processor time of this input since it was seen first.
                let now = processor_time();
                let (_, processor) = first_seen.filter(|(seen, _)| *seen == began).unwrap_or((began, now));
                first_seen = Some((began, processor));
                let takes = now.saturating_sub(processor);
                if let Some((began, input)) = current
                    && (takes > PATIENCE || began.elapsed() > WAIT)
                {
                    eprintln!("{name}: an input takes longer than {} s", PATIENCE.as_secs());
                    if let Err(error) = keep(name, &artifacts, &input) {
                        eprintln!("{name}: it cannot be kept: {error:#}");
                    }
                    std::process::exit(1);
                }
                drop(watched);
                std::thread::sleep(Duration::from_secs(1));
            }
        });
        current
    }
}

/// Returns the processor time of this program. Where `/proc` does not say it, only [`WAIT`] ends an input.
fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks =
        fields.split_ascii_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u32>().ok());
    TICK * ticks.sum::<u32>()
}

/// Returns a change of a kept input, more often of a late one, as it is further in, and of a short one, as it is
/// quicker.
fn next(kept: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let late = random.below(2) == 0;
    let from = if late { kept.len() - kept.len().div_ceil(4) } else { 0 };
    let mut pick = |from: usize| &kept[from + random.below(kept.len() - from)];
    let (one, two, other) = (pick(from), pick(from), pick(0));
    mutate(if one.len() < two.len() { one } else { two }, other, random)
}

/// Keeps an input under a name that its bytes determine.
fn keep(name: &str, folder: &Path, input: &[u8]) -> Result<PathBuf> {
    // FNV-1a: equal inputs are found under one name.
    let hash = input.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    std::fs::create_dir_all(folder)?;
    let path = folder.join(format!("found-{hash:016x}"));
    std::fs::write(&path, input).with_context(|| format!("writing {}", path.display()))?;
    println!("{name}: BROKEN by the {} bytes in {}", input.len(), path.display());
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The search ends as soon as something is found.
    const LONG: Duration = Duration::from_secs(60);

    fn search(check: fn(&[u8]), artifacts: &Path, time: Duration) -> Option<PathBuf> {
        let seeds = vec![b"a seed with BUX! in it".to_vec(), b"another".to_vec()];
        let artifacts = artifacts.to_owned();
        Search { name: "planted", check, seeds, artifacts, start: 1, time }.run().unwrap()
    }

    #[test]
    fn a_planted_mistake_is_found_and_its_input_kept() {
        let folder = tempfile::tempdir().unwrap();
        let found = search(|data| assert!(!data.windows(4).any(|part| part == b"BUG!")), folder.path(), LONG);
        let input = std::fs::read(found.expect("found")).unwrap();
        assert!(input.windows(4).any(|part| part == b"BUG!"));
    }

    #[test]
    fn without_a_mistake_nothing_is_found() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(search(|_| {}, folder.path(), Duration::from_millis(100)), None);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
