//! The TypeScript packages, apps and examples: what can be checked without a daemon, and all their tests.

use crate::requirements::{CHROMIUM, POSTGRES};
use crate::shell::{Program, root, target};
use crate::tools::{Tools, WORKSPACE};
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Test files at a time. Each starts its daemons and agents and waits for them most of the time; two cores are all
/// that CI has.
const WORKERS: &str = "4";

/// Lints, checks types, finds what nothing uses, and builds.
pub(crate) fn check() -> Result<()> {
    let tools = Tools::npm(WORKSPACE)?;
    let checks = [
        Program::new("npm").args(&["run", "check"]),
        tools.program("knip").args(&["--no-progress"]),
        Program::new("npm").args(&["run", "build"]),
    ];
    // All run, however many fail.
    let failures: Vec<String> =
        checks.into_iter().filter_map(|check| check.run().err()).map(|error| format!("{error:#}")).collect();
    if failures.is_empty() { Ok(()) } else { bail!("{}", failures.join("; ")) }
}

/// Runs all tests against the binary.
pub(crate) fn test() -> Result<()> {
    let tools = Tools::npm(WORKSPACE)?;
    let tests = tools
        .program("vitest")
        .args(&["run", "--maxWorkers", WORKERS])
        .env("SANDBOX_AGENT_TEST_BIN", target()?.join("debug/sandbox-agent"))
        .env(CHROMIUM.variable, CHROMIUM.path()?)
        .env(POSTGRES.variable, POSTGRES.path()?);
    tests.run()
}

/// The folders and files that the inspector is built from.
const SOURCES: [&str; 5] = [
    "apps/inspector",
    "packages/acp-http-client/src",
    "packages/react/src",
    "packages/sandbox-agent/src",
    "package-lock.json",
];

/// The built inspector.
const INSPECTOR: &str = "apps/inspector/dist";

/// Does some work while the inspector is built, which a debug build of the daemon reads when it is first asked for it.
pub(crate) fn beside_inspector<T>(work: impl FnOnce() -> T) -> T {
    std::thread::scope(|scope| {
        scope.spawn(inspector);
        work()
    })
}

/// Builds the inspector, unless nothing has changed. Without Node.js the daemon serves a page that says how to get it.
fn inspector() {
    let root = root();
    let page = root.join(INSPECTOR).join("index.html");
    let sources = SOURCES.map(|source| root.join(source));
    if is_newer(&page, &sources).unwrap_or(false) {
        return;
    }
    if let Err(error) = build_inspector() {
        eprintln!("note: the daemon has no inspector: {error:#}");
    }
}

/// Builds the inspector for a binary that must have it.
pub(crate) fn build_inspector() -> Result<()> {
    let _installed = Tools::npm(WORKSPACE)?;
    Program::new("npm").args(&["run", "build", "--workspace", "@sandbox-agent/inspector"]).run()
}

/// Returns whether a file was written after all sources. Folders count as well: they change when a file goes.
fn is_newer(made: &Path, sources: &[PathBuf]) -> io::Result<bool> {
    let made = fs::metadata(made)?.modified()?;
    let mut open = sources.to_vec();
    while let Some(path) = open.pop() {
        let metadata = fs::metadata(&path)?;
        if metadata.modified()? > made {
            return Ok(false);
        }
        if metadata.is_dir() {
            for entry in fs::read_dir(&path)? {
                let entry = entry?;
                let is_source = !IGNORED.iter().any(|ignored| entry.file_name() == *ignored);
                if is_source {
                    open.push(entry.path());
                }
            }
        }
    }
    Ok(true)
}

/// Folders that hold no sources.
const IGNORED: [&str; 3] = ["dist", "node_modules", "tests"];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs::File;
    use std::time::{Duration, SystemTime};

    #[test]
    fn a_page_is_built_again_when_a_source_changes_or_goes() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["app/src", "app/dist", "app/tests"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        let (page, source, test) =
            (at("app/dist/index.html"), at("app/src/main.ts"), at("app/tests/x.test.ts"));
        let check = || is_newer(&page, &[at("app")]).unwrap();
        let later = |path: &Path, seconds| {
            let time = SystemTime::now() + Duration::from_secs(seconds);
            File::open(path).unwrap().set_modified(time).unwrap();
        };
        for path in [&source, &test, &page] {
            fs::write(path, "").unwrap();
        }
        later(&page, 10);
        later(&test, 20);
        assert!(check(), "tests are no sources");
        later(&source, 20);
        assert!(!check(), "a source is newer");
        fs::remove_file(&source).unwrap();
        later(&page, 30);
        assert!(check());
        later(&at("app/src"), 40);
        assert!(!check(), "a file is gone");
        fs::remove_file(&page).unwrap();
        assert!(is_newer(&page, &[at("app")]).is_err(), "there is no page");
    }
}
