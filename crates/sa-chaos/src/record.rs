//! A run as rows of the documentation.

use crate::faults::Fault;
use crate::options::Options;
use crate::oracle::Oracle;
use crate::soak::Growth;
use anyhow::{Context, Result};
use sa_bench::page::{number, replace_blocks, with_row};
use std::fs;
use std::path::Path;

/// Blocks of the page.
const RUNS: &str = "runs";
const GATES: &str = "gates";
/// The gate that a soak decides, and its length in minutes.
const SOAK: &str = "Soak: memory ≤ 1 MB/h, descriptors flat, 24 h";
const DAY: f64 = 24.0 * 60.0;

/// A run that has ended.
pub(crate) struct Record<'a> {
    pub(crate) options: &'a Options,
    /// Faults that the machine did not allow.
    pub(crate) skipped: &'a [Fault],
    pub(crate) oracle: &'a Oracle,
    /// The growth that a soak measured.
    pub(crate) growth: Option<&'a Growth>,
    /// The profile that the daemon was built with.
    pub(crate) build: String,
}

impl Record<'_> {
    /// Writes the run into a page: it takes the place of the last one of the same kind, seed and build.
    pub(crate) fn write_to(&self, page: &Path) -> Result<()> {
        let text = fs::read_to_string(page).with_context(|| format!("reading {}", page.display()))?;
        let text = replace_blocks(&text, |names, block| match names {
            [RUNS] => Some(with_row(block, &self.row(), 3)),
            [GATES] => self.gate().map(|gate| with_row(block, &gate, 1)),
            _ => None,
        })?;
        fs::write(page, text).with_context(|| format!("writing {}", page.display()))
    }

    fn row(&self) -> [String; 6] {
        let options = self.options;
        let minutes = number(options.length().as_secs_f64() / 60.0);
        let date = options.date.clone().unwrap_or_else(|| "–".to_owned());
        [
            format!("`cargo xtask chaos{}`", options.kind()),
            options.seed.to_string(),
            self.build.clone(),
            minutes,
            date,
            self.result(),
        ]
    }

    fn result(&self) -> String {
        let counts = self.oracle.counts();
        let [operations, faults, observations] =
            [counts.operations, counts.faults, counts.observations].map(|count| number(count as f64));
        if let Some(difference) = self.oracle.first_difference() {
            let difference = difference.lines().next().unwrap_or_default().replace('|', "\\|");
            let seconds = number(self.oracle.elapsed().as_secs_f64().round());
            return format!("a difference within {seconds} s: {difference}");
        }
        let checked = format!("{operations} operations, {faults} faults, {observations} observations");
        let growth = self.growth.map(|growth| format!("; {growth}")).unwrap_or_default();
        let skipped: Vec<String> = self.skipped.iter().map(Fault::to_string).collect();
        let skipped =
            if skipped.is_empty() { String::new() } else { format!("; without {}", skipped.join(", ")) };
        format!("no difference: {checked}{growth}{skipped}")
    }

    /// Returns the row of the gate that this run decides.
    fn gate(&self) -> Option<[String; 4]> {
        let growth = self.growth?;
        let minutes = self.options.length().as_secs_f64() / 60.0;
        let met = match self.oracle.has_differences() {
            true => "no".to_owned(),
            false if minutes >= DAY => "yes".to_owned(),
            false => format!("partly: {} minutes, not a day", number(minutes)),
        };
        let figure = format!("{growth} ({} build)", self.build);
        Some([SOAK.to_owned(), figure, "`cargo xtask chaos --soak --minutes 1440`".to_owned(), met])
    }
}
