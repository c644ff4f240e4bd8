//! The license of every dependency against the list in `deny.toml`.

use super::Finding;
use super::lockfile::policy;
use super::metadata::packages;
use super::sources::Sources;
use crate::shell::Program;
use anyhow::{Context, Result};
use serde::Deserialize;

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
}

pub(super) fn check(sources: &Sources) -> Result<Vec<Finding>> {
    let allowed = policy(sources)?.licenses.allow;
    let compiler = Program::new("rustc").args(&["-vV"]).output()?;
    let host =
        compiler.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names no host")?;
    // Only what is built here: the rest need not even be downloaded.
    let packages = packages::<Package>(&["--locked", "--filter-platform", host])?;
    let refused = packages.iter().filter_map(|package| {
        let license = package.license.as_deref().unwrap_or("none");
        let crate_name = format!("{} {}", package.name, package.version);
        (!fits(license, &allowed)).then(|| {
            Finding::new(
                "Cargo.lock",
                format!("{crate_name} is under `{license}`, which deny.toml does not allow"),
            )
        })
    });
    Ok(refused.collect())
}

/// Returns whether an SPDX expression can be met with the allowed licenses. Old manifests write `/` for `OR`.
fn fits(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let fits = any_of(&mut words, allowed);
    fits && words.peek().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any_of(words: &mut Words, allowed: &[String]) -> bool {
    let mut fits = all_of(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        // No short cut: the words on the right must be read in any case.
        fits |= all_of(words, allowed);
    }
    fits
}

fn all_of(words: &mut Words, allowed: &[String]) -> bool {
    let mut fits = one(words, allowed);
    while words.next_if_eq(&"AND").is_some() {
        fits &= one(words, allowed);
    }
    fits
}

fn one(words: &mut Words, allowed: &[String]) -> bool {
    match words.next() {
        Some("(") => {
            let fits = any_of(words, allowed);
            words.next_if_eq(&")").is_some() && fits
        }
        Some(license) => {
            let mut license = license.to_owned();
            if words.next_if_eq(&"WITH").is_some() {
                license = format!("{license} WITH {}", words.next().unwrap_or_default());
            }
            allowed.contains(&license)
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn expressions_are_understood() {
        let allowed = ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
        for good in [
            "MIT",
            "GPL-3.0 OR MIT",
            "GPL-3.0/MIT",
            "MIT AND ISC",
            "(GPL-3.0 OR MIT) AND ISC",
            "Apache-2.0 WITH LLVM-exception",
            "GPL-3.0 OR (MIT AND (ISC))",
        ] {
            assert!(fits(good, &allowed), "{good}");
        }
        for bad in ["", "none", "GPL-3.0", "MIT AND GPL-3.0", "Apache-2.0", "MIT MIT", "(MIT", "MIT WITH x"] {
            assert!(!fits(bad, &allowed), "{bad}");
        }
    }
}
