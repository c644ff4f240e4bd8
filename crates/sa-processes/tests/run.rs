//! Commands that are run to their end, within a timeout that always fires.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod stage;

use sa_api::ProcessConfig;
use sa_processes::{RunBounds, Spec};
use stage::*;
use std::time::{Duration, Instant};

fn timeout(milliseconds: u64) -> RunBounds {
    RunBounds { timeout: Some(Duration::from_millis(milliseconds)), ..RunBounds::default() }
}

#[tokio::test]
async fn output_and_exit_code_come_back() {
    let directory = tempfile::tempdir().unwrap();
    let spec = Spec {
        cwd: Some(directory.path().to_str().unwrap().to_owned()),
        env: vec![("GREETING".to_owned(), "hi".to_owned())],
        ..script("echo $GREETING; pwd; cat; echo bad >&2; exit 7")
    };
    let outcome = run(&processes(), spec).await.unwrap();
    let stdout = String::from_utf8(outcome.stdout.bytes).unwrap();
    assert_eq!(stdout, format!("hi\n{}\n", directory.path().canonicalize().unwrap().display()));
    assert_eq!(
        (outcome.stderr.bytes, outcome.exit.exit_code, outcome.exit.signal),
        (b"bad\n".to_vec(), Some(7), None)
    );
    assert!(!outcome.timed_out && !outcome.stdout.truncated && !outcome.stderr.truncated);
}

#[tokio::test]
async fn the_workspace_is_where_commands_start() {
    for (cwd, expected) in [(None, "/usr\n"), (Some("bin"), "/usr/bin\n"), (Some("/"), "/\n")] {
        let spec = Spec { cwd: cwd.map(str::to_owned), ..script("pwd") };
        assert_eq!(run(&processes(), spec).await.unwrap().stdout.bytes, expected.as_bytes());
    }
}

#[tokio::test]
async fn a_signal_is_reported() {
    let outcome = run(&processes(), script("kill -USR1 $$")).await.unwrap();
    assert_eq!((outcome.exit.exit_code, outcome.exit.signal), (None, Some(10)));
}

#[tokio::test]
async fn the_time_out_fires_while_a_grandchild_holds_the_pipes() {
    let processes = processes();
    let started = Instant::now();
    let outcome =
        within(processes.run(script("sleep 7251 & echo before; sleep 7252"), timeout(300))).await.unwrap();
    assert!(outcome.timed_out && outcome.exit.exit_code.is_none() && outcome.stdout.bytes == b"before\n");
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert!(with_argument("7251").is_empty() && with_argument("7252").is_empty());
}

#[tokio::test]
async fn the_time_out_fires_in_a_flood_and_against_those_who_ignore_signals() {
    let processes = processes();
    let outcome = within(processes.run(command("yes", &[]), timeout(300))).await.unwrap();
    assert!(outcome.timed_out && outcome.stdout.truncated);
    assert_eq!(outcome.stdout.bytes.len(), ProcessConfig::default().max_output_bytes);
    let outcome =
        within(processes.run(script("trap '' TERM INT HUP; while :; do :; done"), timeout(200))).await;
    assert!(outcome.unwrap().timed_out);
}

#[tokio::test]
async fn what_a_command_leaves_behind_does_not_hold_up_its_end() {
    let outcome = within(run(&processes(), script("sleep 7253 & echo done"))).await.unwrap();
    assert_eq!(
        (outcome.exit.exit_code, outcome.timed_out, outcome.stdout.bytes),
        (Some(0), false, b"done\n".to_vec())
    );
    assert!(with_argument("7253").is_empty());
}

#[tokio::test]
async fn each_stream_has_its_own_limit() {
    let bounds = RunBounds { output_bytes: Some(5), ..RunBounds::default() };
    let outcome = processes().run(script("echo 0123456789; echo ok >&2"), bounds).await.unwrap();
    assert_eq!((outcome.stdout.bytes.as_slice(), outcome.stdout.truncated), (&b"01234"[..], true));
    assert_eq!((outcome.stderr.bytes.as_slice(), outcome.stderr.truncated), (&b"ok\n"[..], false));
}

#[tokio::test]
async fn a_caller_cannot_exceed_the_configuration() {
    let config = ProcessConfig {
        max_run_timeout_ms: 200,
        default_run_timeout_ms: 100,
        max_output_bytes: 10,
        ..ProcessConfig::default()
    };
    let bounds = RunBounds { timeout: Some(Duration::from_secs(3600)), output_bytes: Some(usize::MAX) };
    let spec = script("echo 0123456789abcdef; sleep 7254");
    let outcome = within(processes_with(config).run(spec, bounds)).await.unwrap();
    assert!(outcome.timed_out && outcome.stdout.bytes.len() == 10);
}

#[tokio::test]
async fn a_command_that_nobody_waits_for_is_killed() {
    let processes = processes();
    {
        let mut run = std::pin::pin!(processes.run(command("sleep", &["7255"]), RunBounds::default()));
        let started = async {
            until("it runs", || !with_argument("7255").is_empty()).await;
        };
        tokio::select! {
            _ = &mut run => panic!("it ended"),
            () = started => {}
        }
    }
    until("it is gone", || with_argument("7255").is_empty()).await;
    assert_eq!(processes.totals().running, 0);
}
