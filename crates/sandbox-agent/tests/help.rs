//! The help of every command, as it looks in a terminal of 80 columns.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::process::{Command, Stdio};

const COLUMNS: usize = 80;

fn run(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sandbox-agent"));
    command.env_clear().env("HOME", "/nonexistent").env("COLUMNS", COLUMNS.to_string());
    let output = command.args(arguments).stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    assert!(output.stderr.is_empty(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Every visible command, from the generated reference.
fn commands() -> Vec<String> {
    let reference = run(&["gen", "cli-reference"]);
    let headings = reference.lines().filter_map(|line| line.strip_prefix("## `")?.strip_suffix('`'));
    headings.map(str::to_owned).collect()
}

#[test]
fn each_page_fits_and_stays_as_it_was_reviewed() {
    let commands = commands();
    assert!(commands.len() > 80, "{commands:?}");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots/help");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for command in commands {
            let mut words: Vec<&str> = command.split(' ').skip(1).collect();
            words.push("--help");
            let page = run(&words);
            // The line of the usage is never wrapped.
            for line in page.lines().filter(|line| !line.starts_with("Usage: ")) {
                assert!(line.chars().count() <= COLUMNS, "{command}: {line}");
            }
            insta::assert_snapshot!(command.replace(' ', "_"), page);
        }
        insta::assert_snapshot!("welcome", run(&[]));
    });
}
