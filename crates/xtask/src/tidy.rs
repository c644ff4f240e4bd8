//! `cargo xtask tidy`: the house rules that neither compiler nor clippy can check. Each rule is data where it can be.

mod addresses;
mod calls;
mod edges;
mod files;
mod licenses;
mod lockfile;
mod manifests;
mod map;
mod metadata;
mod prose;
mod sources;
mod words;

use anyhow::{Result, bail};
use sources::Sources;
use std::fmt;

/// One breach of a rule.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    /// `path` or `path:line`.
    place: String,
    /// The problem and its remedy.
    message: String,
}

impl Finding {
    fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into() }
    }

    fn at(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self::new(format!("{path}:{line}"), message)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// Checks the sources by one rule.
type Check = fn(&Sources) -> Result<Vec<Finding>>;

struct Rule {
    name: &'static str,
    check: Check,
}

const RULES: [Rule; 10] = [
    Rule { name: "dependency edges", check: edges::check },
    Rule { name: "files", check: files::check },
    Rule { name: "calls", check: calls::check },
    Rule { name: "words", check: words::check },
    Rule { name: "prose", check: prose::check },
    Rule { name: "map", check: map::check },
    Rule { name: "addresses", check: addresses::check },
    Rule { name: "lock file", check: lockfile::check },
    Rule { name: "npm manifests", check: manifests::check },
    Rule { name: "licenses", check: licenses::check },
];

/// Prints every finding; fails when there is one.
pub(crate) fn check() -> Result<()> {
    let sources = Sources::read()?;
    let mut count = 0;
    for rule in &RULES {
        let mut findings = match (rule.check)(&sources) {
            Ok(findings) => findings,
            Err(error) => vec![Finding::new("-", format!("cannot be checked: {error:#}"))],
        };
        findings.sort_by(|a, b| a.place.cmp(&b.place));
        println!("{}: {}", rule.name, if findings.is_empty() { "ok" } else { "broken" });
        for finding in &findings {
            println!("  {finding}");
        }
        count += findings.len();
    }
    if count > 0 {
        bail!("{count} breach{} of the house rules", if count == 1 { "" } else { "es" });
    }
    Ok(())
}
