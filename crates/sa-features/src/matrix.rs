//! The compatibility matrix as a document.

use crate::expected::{Expected, expected};
use crate::{FEATURES, SUBJECTS};
use std::fmt::Write as _;

const HEAD: &str = "\
# Compatibility

Look up which features work with which agent. Every mark is the outcome of a test: the feature suite drives the agent's real
program through the daemon (`/v1/acp/{server_id}`), with a scripted model behind it. A number means that the agent cannot do it; why
is below the table, and a test fails if it becomes able to. A dash means that it is not tried. This page is generated (`cargo xtask gen`).
";

/// `docs/compatibility.md`.
pub fn matrix() -> String {
    let mut page = HEAD.to_owned();
    let mut reasons: Vec<&str> = Vec::new();
    let mut group = "";
    for feature in FEATURES {
        if feature.group != group {
            group = feature.group;
            let columns = SUBJECTS.iter().map(|subject| subject.label).collect::<Vec<_>>().join(" | ");
            let line = "|---".repeat(SUBJECTS.len() + 2);
            let _written =
                write!(page, "\n## {group}\n\n| feature | what is tested | {columns} |\n{line}|\n");
        }
        let _written = write!(page, "| {} | {} |", feature.title, feature.meaning);
        for subject in &SUBJECTS {
            let mark = match expected(subject, feature) {
                _ if !subject.tries(feature) => "–".to_owned(),
                Expected::Works => "✓".to_owned(),
                Expected::Lacks(why) => {
                    let known = reasons.iter().position(|reason| *reason == why);
                    let at = known.unwrap_or_else(|| {
                        reasons.push(why);
                        reasons.len() - 1
                    });
                    format!("({})", at + 1)
                }
            };
            let _written = write!(page, " {mark} |");
        }
        page.push('\n');
    }
    if !reasons.is_empty() {
        page.push_str("\n## What is lacking\n\n");
    }
    for (at, reason) in reasons.iter().enumerate() {
        let _written = writeln!(page, "{}. {reason}.", at + 1);
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_fresh() {
        let page = include_str!("../../../docs/compatibility.md");
        assert!(page == matrix(), "docs/compatibility.md is stale; run `cargo xtask gen`");
    }
}
