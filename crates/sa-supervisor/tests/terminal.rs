//! Children on terminals of their own, and children whose stderr is the caller's.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod scene;

use std::io;

use sa_supervisor::{Exit, OnTerminal, Supervisor, Terminal, TerminalSize};
use scene::*;
use tokio::io::AsyncReadExt;

const SIZE: TerminalSize = TerminalSize { columns: 80, rows: 24 };

async fn start(supervisor: &Supervisor, text: &str) -> OnTerminal {
    supervisor.spawn_on_terminal(script(text), SIZE).await.unwrap()
}

/// One piece of output; nothing at the end.
async fn piece(terminal: &Terminal) -> Vec<u8> {
    let mut buffer = [0; 4096];
    loop {
        within(terminal.readable()).await.unwrap();
        match terminal.try_read(&mut buffer) {
            Ok(count) => return buffer[..count].to_vec(),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => panic!("{error}"),
        }
    }
}

async fn until_printed(terminal: &Terminal, text: &str) -> String {
    let mut printed = String::new();
    while !printed.contains(text) {
        let piece = piece(terminal).await;
        assert!(!piece.is_empty(), "ended before {text:?}: {printed:?}");
        printed.push_str(&String::from_utf8_lossy(&piece));
    }
    printed
}

async fn the_rest(mut started: OnTerminal) -> String {
    within(started.process.wait()).await;
    started.terminal.release();
    let mut printed = Vec::new();
    loop {
        match piece(&started.terminal).await {
            end if end.is_empty() => return String::from_utf8_lossy(&printed).into_owned(),
            piece => printed.extend(piece),
        }
    }
}

async fn write(terminal: &Terminal, text: &str) {
    within(terminal.writable()).await.unwrap();
    assert_eq!(terminal.try_write(text.as_bytes()).unwrap(), text.len());
}

#[tokio::test]
async fn all_three_streams_are_one_terminal_which_is_the_sessions_own() {
    let text = "test -t 0 && test -t 1 && test -t 2 && echo yes; stty size; \
                test \"$(ps -o sid= -p $$ | tr -d ' ')\" = $$ && echo leads; echo to-tty > /dev/tty";
    let printed = the_rest(start(&supervisor(), text).await).await;
    assert_eq!(printed, "yes\r\n24 80\r\nleads\r\nto-tty\r\n");
}

#[tokio::test]
async fn what_is_written_is_typed() {
    let started = start(&supervisor(), "read line; echo \"got $line\"").await;
    write(&started.terminal, "grüße\n").await;
    assert!(the_rest(started).await.contains("got grüße\r\n"));
}

#[tokio::test]
async fn the_interrupt_key_reaches_the_child() {
    // Without `exec` dash may lose a signal that comes while it starts the command.
    let started = start(&supervisor(), "echo ready; exec sleep 600").await;
    until_printed(&started.terminal, "ready").await;
    write(&started.terminal, "\u{3}").await;
    assert_eq!(within(started.process.wait()).await, Exit { code: None, signal: Some(libc::SIGINT) });
}

#[tokio::test]
async fn the_child_is_told_of_a_new_size() {
    let text = "trap 'stty size' WINCH; echo ready; while :; do sleep 0.01; done";
    let started = start(&supervisor(), text).await;
    until_printed(&started.terminal, "ready").await;
    let size = TerminalSize { columns: 132, rows: 50 };
    started.terminal.resize(size).unwrap();
    assert_eq!(started.terminal.size().unwrap(), size);
    until_printed(&started.terminal, "50 132").await;
    within(started.process.stop(PATIENCE)).await;
}

#[tokio::test]
async fn closing_the_terminal_for_a_while_is_no_end() {
    let text = "exec </dev/null >/dev/null 2>&1; sleep 0.2; exec >/dev/tty; echo back";
    let started = start(&supervisor(), text).await;
    until_printed(&started.terminal, "back").await;
}

#[tokio::test]
async fn jobs_of_a_shell_with_job_control_are_of_the_tree() {
    let started =
        start(&supervisor(), "set -m; sleep 600 & echo job $!; sleep 600 & echo job $!; wait").await;
    let mut printed = String::new();
    while printed.matches("job ").count() < 2 || !printed.ends_with('\n') {
        printed.push_str(&String::from_utf8_lossy(&piece(&started.terminal).await));
    }
    let jobs: Vec<u32> =
        printed.lines().filter_map(|line| line.trim().strip_prefix("job ")?.parse().ok()).collect();
    assert!(jobs.len() == 2 && jobs.iter().all(|&job| is_alive(job)), "{printed:?}");
    within(started.process.stop(std::time::Duration::ZERO)).await;
    assert!(!jobs.iter().any(|&job| is_present(job)));
}

#[tokio::test]
async fn a_child_has_no_descriptor_but_its_terminal() {
    let started = start(&supervisor(), "echo ready; sleep 600").await;
    until_printed(&started.terminal, "ready").await;
    let open = descriptors(started.process.pid());
    assert_eq!(open.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [0, 1, 2]);
    assert!(open.iter().all(|(_, target)| target.starts_with("/dev/pts/")), "{open:?}");
    within(started.process.stop(PATIENCE)).await;
}

#[tokio::test]
async fn stderr_is_the_callers_on_request() {
    let mut child = supervisor().spawn_on_pipes(script("echo out; echo err >&2; exit 4")).await.unwrap();
    let (mut out, mut err) = (String::new(), String::new());
    within(child.stdout.read_to_string(&mut out)).await.unwrap();
    within(child.stderr.read_to_string(&mut err)).await.unwrap();
    assert_eq!((out.as_str(), err.as_str()), ("out\n", "err\n"));
    assert_eq!(within(child.process.wait()).await.code, Some(4));
    within(child.process.gone()).await;
    assert!(!child.process.ran_out_of_memory() && child.process.stderr_tail().is_empty());
}
