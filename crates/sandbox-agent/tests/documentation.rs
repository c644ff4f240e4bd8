//! `docs/configuration.md` says what the program does: every setting with its variable and key, every limit with its
//! default, and an example that is accepted.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::process::{Command, Stdio};

const PAGE: &str = include_str!("../../../docs/configuration.md");

/// The part of a page under a heading, up to the next one of the same rank.
fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("\n## {heading}\n")).expect("the page has the heading");
    rest.split_once("\n## ").map_or(rest, |(section, _)| section)
}

/// The cells of each row below the table's head.
fn rows(text: &str) -> Vec<Vec<&str>> {
    let lines = text.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    let rows = lines.take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

fn sandbox_agent() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sandbox-agent"));
    command.env_clear().stdin(Stdio::null());
    command
}

fn reference() -> String {
    let output = sandbox_agent().args(["gen", "cli-reference"]).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// The example, which is the page's first block of TOML.
fn example() -> &'static str {
    let (_, rest) = PAGE.split_once("```toml\n").unwrap();
    rest.split_once("```").unwrap().0
}

/// The key of a flag such as `-p`, `--port <PORT>`.
fn key(flag: &str) -> &str {
    let long = flag.split_once("--").expect("it has a long name").1;
    long.split(|c: char| !c.is_ascii_lowercase() && c != '-').next().unwrap()
}

#[test]
fn every_setting_is_there_with_its_variable_and_its_key() {
    let reference = reference();
    let flags = rows(section(&reference, "`sandbox-agent server`"));
    assert!(flags.len() > 10, "{flags:?}");
    let documented = rows(section(PAGE, "Settings"));
    for flag in &flags {
        let row = documented.iter().find(|row| row[..2] == flag[..2]);
        let row = row.unwrap_or_else(|| panic!("no row with {} and {}", flag[0], flag[1]));
        let name = match key(flag[0]) {
            "config" | "exit-on-stdin-close" => "–".to_owned(),
            "agent" => "`[agents.<id>]`".to_owned(),
            key => format!("`{key}`"),
        };
        assert_eq!(row[2], name, "{}", flag[0]);
    }
    // `[limits]` has no flag.
    assert_eq!(documented.len(), flags.len() + 1, "a row too many");
}

/// The keys of `[limits]` with their defaults.
fn limits() -> Map<String, Value> {
    let mut limits: Map<String, Value> = serde_json::from_value(json!(sa_hub::Limits::default())).unwrap();
    limits.extend(serde_json::from_value::<Map<_, _>>(json!(sa_http::HttpLimits::default())).unwrap());
    limits
}

#[test]
fn every_limit_is_there_with_its_default() {
    let expected: BTreeMap<String, String> =
        limits().iter().map(|(key, value)| (format!("`{key}`"), value.to_string())).collect();
    let documented: BTreeMap<String, String> = rows(section(PAGE, "Limits"))
        .into_iter()
        .map(|row| (row[0].to_owned(), row[1].split(' ').next().unwrap_or_default().to_owned()))
        .collect();
    assert_eq!(documented, expected);
}

#[test]
fn sizes_and_times_are_also_right_for_people() {
    for row in rows(section(PAGE, "Limits")) {
        let Some((number, words)) = row[1].split_once(" (") else { continue };
        let (count, unit) = words.trim_end_matches(')').split_once(' ').unwrap();
        let unit: u64 = match unit {
            "KiB" => 1 << 10,
            "MiB" => 1 << 20,
            "s" => 1_000,
            "min" => 60_000,
            other => panic!("{}: what is a {other}?", row[0]),
        };
        assert_eq!(number.parse::<u64>().unwrap(), count.parse::<u64>().unwrap() * unit, "{}", row[0]);
    }
}

#[test]
fn the_example_is_accepted_and_complete() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("config.toml");
    std::fs::write(&path, example()).unwrap();
    std::fs::write(directory.path().join("token"), "s3cret\n").unwrap();
    // The log is set up once all settings are read: a mistake in it ends the daemon before it listens.
    let output = sandbox_agent().args(["server", "--log", "==", "--config"]).arg(&path).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("error: invalid log filter '=='"), "{said}");

    let reference = reference();
    for flag in rows(section(&reference, "`sandbox-agent server`")) {
        let key = match key(flag[0]) {
            "config" | "exit-on-stdin-close" => continue,
            "agent" => "[agents.".to_owned(),
            key => format!("{key} = "),
        };
        let sets = |line: &str| line.trim_start_matches(['#', ' ']).starts_with(&key);
        assert!(example().lines().any(sets), "the example does not show {key}");
    }
    let limits = limits();
    let (_, shown) = example().split_once("[limits]\n").unwrap();
    for (key, value) in shown.lines().filter_map(|line| line.split_once(" = ")) {
        assert_eq!(limits[key].to_string(), value, "{key} is shown with its default");
    }
}

/// Each agent of the catalog has its row, with how it starts.
#[test]
fn every_agent_is_there_with_how_it_starts() {
    const AGENTS: &str = include_str!("../../../docs/agents.md");
    let documented = rows(AGENTS);
    let catalog = sa_agents::Catalog::shipped().unwrap();
    let ids: Vec<String> = catalog.iter().map(|agent| format!("`{}`", agent.id)).collect();
    assert_eq!(documented.iter().map(|row| row[0]).collect::<Vec<_>>(), ids);
    for (agent, row) in catalog.iter().zip(&documented) {
        let start = match &agent.launch {
            sa_agents::Launch::Builtin { drives: None, .. } => "built in".to_owned(),
            sa_agents::Launch::Builtin { drives: Some(program), .. } => {
                format!("built in, drives `{program}`")
            }
            sa_agents::Launch::Command { program, args } => {
                format!(
                    "`{}`",
                    std::iter::once(program).chain(args).map(String::as_str).collect::<Vec<_>>().join(" ")
                )
            }
            sa_agents::Launch::InstallOnly { .. } => "cannot be started yet".to_owned(),
        };
        assert_eq!((row[1], row[2]), (agent.name.as_str(), start.as_str()), "{}", agent.id);
        assert_eq!(row[4] == "–", agent.needs.is_empty() && agent.node.is_none(), "{}", agent.id);
    }
}

/// The page on sessions states every limit with its default.
#[test]
fn every_limit_of_sessions_is_there_with_its_default() {
    const SESSIONS: &str = include_str!("../../../docs/sessions.md");
    let limits = serde_json::to_value(sa_sessions::SessionLimits::default()).unwrap();
    let expected: BTreeMap<String, String> = limits
        .as_object()
        .unwrap()
        .iter()
        .map(|(key, value)| (format!("`{key}`"), value.to_string().replace('"', "`")))
        .collect();
    // A number may be explained; a word stands for itself.
    let default = |text: &str| match text.split_once(|c: char| !c.is_ascii_digit()) {
        Some((number, _)) if !number.is_empty() => number.to_owned(),
        _ => text.to_owned(),
    };
    let documented: BTreeMap<String, String> = rows(section(SESSIONS, "Limits"))
        .into_iter()
        .map(|row| (row[0].to_owned(), default(row[1])))
        .collect();
    assert_eq!(documented, expected);
}
