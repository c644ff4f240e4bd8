//! Writes a run into the documentation.
//!
//! Blocks name scenarios. A block is replaced if all of its scenarios ran; `peers` is the comparison with other servers.

use crate::chart;
use crate::report::{Report, table};
use anyhow::{Context, Result};
use sa_bench::page::replace_blocks;
use std::fs;
use std::path::Path;

/// The longest line of a page.
const WIDTH: usize = 100;
const PEERS: &str = "peers";

/// Replaces the blocks of a page, and the charts next to it.
pub(crate) fn update(page: &Path, report: &Report<'_>) -> Result<()> {
    let text = fs::read_to_string(page).with_context(|| format!("reading {}", page.display()))?;
    let updated = replace_blocks(&text, |scenarios, _| content(scenarios, report))?;
    let images = page.parent().context("the page has no folder")?.join("images");
    for (name, image) in chart::of(report) {
        fs::create_dir_all(&images)?;
        fs::write(images.join(name), image)?;
    }
    fs::write(page, updated).with_context(|| format!("writing {}", page.display()))
}

/// Returns the new content of a block; `None` if a scenario of it did not run.
fn content(scenarios: &[&str], report: &Report<'_>) -> Option<String> {
    let measured = |name: &&str| match *name {
        PEERS => !report.comparisons.is_empty(),
        name => report.sections.iter().any(|section| section.scenario == name && !section.figures.is_empty()),
    };
    if !scenarios.iter().all(measured) {
        return None;
    }
    let rows = match scenarios {
        [PEERS] => report.comparison(),
        _ => report.figures(|name| scenarios.contains(&name)),
    };
    let machine = wrapped(&format!("Measured on {}.", report.machine.line()));
    Some(format!("\n{machine}\n\n{}\n", table(&rows)))
}

fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::figures::Figure;
    use crate::machine::Machine;
    use crate::run::Section;

    #[test]
    fn only_blocks_whose_scenarios_ran_are_replaced() {
        let machine = Machine::example();
        let sections = [Section { scenario: "stop", figures: vec![Figure::new("DELETE", "ms", 3.0)] }];
        let report = Report {
            machine: &machine,
            sections: &sections,
            contenders: &[],
            comparisons: &[],
            problems: &[],
        };
        const BEGIN: &str = "<!-- figures: ";
        const END: &str = "<!-- end of figures -->";
        let replaced = |page: &str| replace_blocks(page, |scenarios, _| content(scenarios, &report));
        let page = format!("a\n{BEGIN}stop -->\nold\n{END}\nb\n{BEGIN}stop start -->\nkept\n{END}\nc\n");
        let page = replaced(&page).unwrap();
        assert!(
            page.starts_with(&format!("a\n{BEGIN}stop -->\n\nMeasured on 2 cores of Some CPU")),
            "{page}"
        );
        assert!(page.contains("|stop: DELETE|3 ms|") && !page.contains("old"), "{page}");
        assert!(page.ends_with(&format!("{END}\nb\n{BEGIN}stop start -->\nkept\n{END}\nc\n")), "{page}");
        assert!(replaced("<!-- figures: stop -->\n").is_err());
    }
}
