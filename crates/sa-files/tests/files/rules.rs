//! Ignore rules mean what they mean to `git`, whatever they are made of.

use proptest::prelude::*;
use sa_api::FsEntryType;
use sa_files::testing::run;
use sa_files::{Files, FilesLimits, FilesOptions, Query};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Names that rules could mean, or mistake for something else.
const NAMES: [&str; 14] =
    ["a", "b", "ab", "ba", "a.b", "{a,b}", "[a]", "a b", "*", "\\", "-", "!a", "#a", "{"];
const DIRECTORIES: [&str; 6] = ["", "a", "d", "d/e", "d/e/a", "{d}"];
/// Pieces of rules.
const PIECES: [&str; 24] = [
    "a",
    "b",
    "d",
    "e",
    ".",
    "*",
    "*",
    "**",
    "**/",
    "/**",
    "?",
    "/",
    "/",
    "[ab]",
    "[!a]",
    "[a-",
    "[[:alpha:]",
    "]",
    "{",
    "}",
    ",",
    "\\",
    " ",
    "-",
];

struct Repository {
    home: TempDir,
    files: Files,
}

impl Repository {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        for directory in DIRECTORIES {
            std::fs::create_dir_all(home.path().join("r").join(directory)).unwrap();
        }
        for directory in DIRECTORIES {
            for name in NAMES {
                let path = home.path().join("r").join(directory).join(name);
                if !path.is_dir() {
                    std::fs::write(path, "").unwrap();
                }
            }
        }
        let root = Some(home.path().join("r"));
        let limits = FilesLimits::default();
        let files = Files::open(FilesOptions { workspace: None, root, by_steps: false, limits }).unwrap();
        let repository = Self { home, files };
        repository.git(&["init", "--quiet"]);
        repository
    }

    fn git(&self, arguments: &[&str]) -> Vec<u8> {
        let mut command = Command::new("git");
        command.env("HOME", self.home.path()).env_remove("XDG_CONFIG_HOME").env("GIT_CONFIG_NOSYSTEM", "1");
        let output = command.current_dir(self.home.path().join("r")).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    fn write(&self, file: &str, rules: &[String]) {
        std::fs::write(self.home.path().join("r").join(file), rules.join("\n")).unwrap();
    }

    fn seen_by_git(&self) -> BTreeSet<String> {
        let listed = self.git(&["ls-files", "--others", "--exclude-standard", "-z"]);
        let names = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        names.map(|name| String::from_utf8(name.to_vec()).unwrap()).collect()
    }

    fn seen_by_us(&self) -> BTreeSet<String> {
        let root = self.home.path().canonicalize().unwrap().join("r");
        let found = run(self.files.search(".".as_ref(), Query::default())).unwrap();
        let files = found.matches.into_iter().filter(|found| found.entry_type == FsEntryType::File);
        let relative = |path: &str| Path::new(path).strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
        files.map(|found| relative(&found.path)).collect()
    }
}

fn rule() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop::sample::select(&PIECES[..]), 1..6);
    (prop::sample::select(&["", "", "", "!", "/", "#", "\\"][..]), pieces)
        .prop_map(|(first, pieces)| format!("{first}{}", pieces.concat()))
}

#[test]
fn rules_exclude_what_git_excludes() {
    let cases = std::env::var("SA_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(150);
    let repository = Repository::new();
    let strategy = (
        prop::collection::vec(rule(), 0..6),
        prop::collection::vec(rule(), 0..3),
        prop::collection::vec(rule(), 0..3),
    );
    let mut runner =
        proptest::test_runner::TestRunner::new(ProptestConfig { cases, ..ProptestConfig::default() });
    runner
        .run(&strategy, |(top, below, own)| {
            repository.write(".gitignore", &top);
            repository.write("d/.gitignore", &below);
            repository.write(".git/info/exclude", &own);
            prop_assert_eq!(repository.seen_by_us(), repository.seen_by_git());
            Ok(())
        })
        .unwrap();
}
