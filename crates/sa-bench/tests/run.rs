//! The program itself, without a daemon: what needs none must work, what needs one must fail by name.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::process::{Command, Output};

fn bench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sa-bench")).args(arguments).output().unwrap()
}

#[test]
fn a_scenario_without_daemon_reports_its_figures_as_json() {
    let output = bench(&["ceiling", "--quick", "--json", "--date", "2026-01-31"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["machine"]["date"], "2026-01-31");
    let figures = report["sections"][0]["figures"].as_array().unwrap();
    assert!(!figures.is_empty() && figures.iter().all(|figure| figure["value"].as_f64().unwrap() > 0.0));
}

#[test]
fn a_missing_daemon_breaks_the_scenario_and_the_run_says_so() {
    let output = bench(&["stop", "--quick", "--bin", "/nonexistent/daemon"]);
    assert!(!output.status.success());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("error: stop: starting /nonexistent/daemon"), "{stderr}");
}

#[test]
fn an_unknown_scenario_is_refused() {
    let output = bench(&["nothing"]);
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("no scenario 'nothing'"));
}
