//! Real processes through the public interface: what they print, how they end, what is left of them.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod stage;

use bytes::Bytes;
use sa_api::{ExitStatus, ProcessConfig, ProcessLogsStream, ProcessState};
use sa_journal::Step;
use sa_processes::{
    AfterInput, Ended, InputError, Position, RemoveError, ResizeError, Spec, StartError, TerminalSize,
};
use stage::*;
use std::time::Duration;

#[tokio::test]
async fn output_is_kept_by_sequence_and_complete_at_the_end() {
    let processes = processes();
    let process = processes.create(script("echo one; echo two >&2; echo three; exit 3")).await.unwrap();
    within(process.wait()).await;
    let info = process.describe();
    assert_eq!((info.status, info.exit.exit_code, info.exit.signal), (ProcessState::Exited, Some(3), None));
    assert!(info.id.starts_with("proc_") && info.pid.is_none() && !info.tty);
    let (entries, dropped) = process.output(Position::After(0), None);
    assert_eq!(dropped, None);
    let numbers: Vec<u64> = entries.iter().map(|entry| entry.sequence).collect();
    assert_eq!(numbers, (1..=entries.len() as u64).collect::<Vec<_>>());
    assert_eq!(text_of(&entries, ProcessLogsStream::Stdout), "one\nthree\n");
    assert_eq!(text_of(&entries, ProcessLogsStream::Stderr), "two\n");
    let (only, _) = process.output(Position::After(0), Some(ProcessLogsStream::Stderr));
    assert!(only.iter().all(|entry| entry.stream == ProcessLogsStream::Stderr) && !only.is_empty());
    let last = entries.last().unwrap().sequence;
    assert_eq!(process.output(Position::After(last - 1), None).0.len(), 1);
    assert_eq!(process.output(Position::Tail(1), None).0.len(), 1);
}

#[tokio::test]
async fn a_follower_gets_everything_and_then_the_end() {
    let processes = processes();
    let process = processes.create(script("for i in 1 2 3; do echo $i; sleep 0.05; done")).await.unwrap();
    let mut reader = process.reader(Position::After(0), None);
    let mut text = String::new();
    while let Some(step) = within(reader.step()).await {
        let Step::Entry(entry) = step else { panic!("{step:?}") };
        text.push_str(&String::from_utf8_lossy(&entry.data));
    }
    assert_eq!(text, "1\n2\n3\n");
    assert!(process.ended().is_some());
}

#[tokio::test]
async fn input_reaches_a_process_and_ends() {
    let processes = processes();
    let process = processes.create(script("cat; echo done")).await.unwrap();
    process.input(Bytes::from_static(b"hello "), AfterInput::Open).await.unwrap();
    process.input(Bytes::from_static(b"there\n"), AfterInput::Closed).await.unwrap();
    within(process.wait()).await;
    assert_eq!(all_text(&process), "hello there\ndone\n");
    assert_eq!(process.input(Bytes::new(), AfterInput::Open).await, Err(InputError::Ended));
}

#[tokio::test]
async fn input_can_be_closed_before_anything_was_sent() {
    let processes = processes();
    let process = processes.create(script("cat; echo over; sleep 600")).await.unwrap();
    process.input(Bytes::new(), AfterInput::Closed).await.unwrap();
    within(printed(&process, "over")).await;
    assert_eq!(process.input(Bytes::from_static(b"x"), AfterInput::Open).await, Err(InputError::Closed));
    assert!(matches!(process.resize(SIZE).await, Err(ResizeError::NoTerminal)));
    within(process.stop(Duration::ZERO)).await;
}

#[tokio::test]
async fn input_that_nobody_reads_is_bounded_and_its_end_ends_the_wait() {
    let processes = processes();
    let process = processes.create(Spec { interactive: true, ..command("sleep", &["600"]) }).await.unwrap();
    let block = Bytes::from(vec![b'x'; 512 * 1024]);
    let writer = {
        let process = process.clone();
        tokio::spawn(async move {
            let mut taken = 0;
            while process.input_patiently(block.clone(), AfterInput::Open).await.is_ok() {
                taken += 1;
            }
            taken
        })
    };
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(!writer.is_finished(), "it waits for room");
    within(process.stop(Duration::ZERO)).await;
    assert!(within(writer).await.unwrap() <= 4, "two in the queue, the rest in the pipe");
}

#[tokio::test]
async fn a_process_that_closed_its_input_takes_no_more() {
    let processes = processes();
    let spec = Spec { interactive: true, ..script("exec <&-; echo closed; sleep 600") };
    let process = processes.create(spec).await.unwrap();
    within(printed(&process, "closed")).await;
    // The first write may find it out.
    let mut answer = Ok(());
    for _ in 0..2 {
        answer = process.input(Bytes::from_static(b"x"), AfterInput::Open).await;
    }
    assert_eq!(answer, Err(InputError::Closed));
    within(process.stop(Duration::ZERO)).await;
}

#[tokio::test]
async fn stopping_ends_the_whole_tree_and_says_how() {
    let processes = processes();
    let process = processes.create(script("sleep 600 & echo child $!; wait")).await.unwrap();
    let child = number_after(&within(printed(&process, "child ")).await, "child ");
    assert!(is_alive(child));
    within(process.stop(Duration::from_secs(10))).await;
    assert!(!is_alive(child));
    assert!(matches!(
        process.ended(),
        Some(Ended { exit: ExitStatus { exit_code: None, signal: Some(15), .. }, .. })
    ));

    let stubborn =
        processes.create(script("trap '' TERM; echo ready; while :; do sleep 1; done")).await.unwrap();
    within(printed(&stubborn, "ready")).await;
    within(stubborn.stop(Duration::from_millis(50))).await;
    assert!(matches!(
        stubborn.ended(),
        Some(Ended { exit: ExitStatus { signal: Some(9), oom_killed: false, .. }, .. })
    ));
}

#[tokio::test]
async fn what_a_process_leaves_behind_is_ended_and_does_not_hold_up_its_end() {
    let processes = processes();
    let process = processes.create(script("sleep 600 & echo child $!")).await.unwrap();
    within(process.wait()).await;
    assert_eq!(process.ended().unwrap().exit.exit_code, Some(0));
    let child = number_after(&all_text(&process), "child ");
    until("the child is gone", || !is_alive(child)).await;
}

#[tokio::test]
async fn a_flood_costs_what_the_log_may_and_the_reader_is_reported() {
    let log = 256 * 1024;
    let processes =
        processes_with(ProcessConfig { max_log_bytes_per_process: log, ..ProcessConfig::default() });
    let process = processes.create(script("head -c 50000000 /dev/zero; echo end")).await.unwrap();
    let mut reader = process.reader(Position::After(0), None);
    // It never reads, so it does not count for long.
    within(process.wait()).await;
    let Some(Step::Gap(gap)) = reader.try_step() else { panic!("nothing was dropped") };
    let (mut left, mut oldest) = (0, None);
    while let Some(Step::Entry(entry)) = reader.try_step() {
        oldest = oldest.or(Some(entry.sequence));
        left += entry.data.len() as u64;
    }
    assert_eq!(oldest, Some(gap.oldest));
    assert_eq!(gap.lost.unwrap() + left, 50_000_004);
    assert!(left <= log as u64 && left >= log as u64 / 2, "{left}");
    let (entries, missing) = process.output(Position::After(0), None);
    assert_eq!(missing.map(|missing| missing.oldest), oldest);
    assert!(entries.last().unwrap().data.ends_with(b"end\n"));
}

#[tokio::test]
async fn who_keeps_reading_loses_nothing() {
    let processes =
        processes_with(ProcessConfig { max_log_bytes_per_process: 512 * 1024, ..ProcessConfig::default() });
    let process = processes.create(script("head -c 20000000 /dev/zero")).await.unwrap();
    let mut reader = process.reader(Position::After(0), None);
    let mut read = 0;
    while let Some(step) = within(reader.step()).await {
        let Step::Entry(entry) = step else { panic!("{step:?} after {read}") };
        read += entry.data.len();
        tokio::time::sleep(Duration::from_micros(200)).await;
    }
    assert_eq!(read, 20_000_000);
}

#[tokio::test]
async fn limits_hold_and_can_be_changed() {
    let processes = processes_with(ProcessConfig { max_concurrent_processes: 1, ..ProcessConfig::default() });
    let first = processes.create(command("sleep", &["600"])).await.unwrap();
    assert!(matches!(processes.create(command("true", &[])).await, Err(StartError::TooMany(1))));
    assert!(matches!(run(&processes, command("true", &[])).await, Err(StartError::TooMany(1))));
    assert!(processes.configure(|config| config.max_concurrent_processes = 0).is_err());
    assert_eq!(processes.config().max_concurrent_processes, 1);
    processes.configure(|config| config.max_concurrent_processes = 2).unwrap();
    let second = processes.create(command("true", &[])).await.unwrap();
    within(second.wait()).await;
    assert_eq!(processes.remove(first.id()), Err(RemoveError::Running));
    assert_eq!(processes.remove(second.id()), Ok(()));
    assert_eq!(processes.remove(second.id()), Err(RemoveError::Unknown));
    within(first.stop(Duration::ZERO)).await;
    // A place is free as soon as the end is seen.
    processes.configure(|config| config.max_concurrent_processes = 1).unwrap();
    for _ in 0..20 {
        let process = processes.create(command("true", &[])).await.unwrap();
        within(process.wait()).await;
    }
}

#[tokio::test]
async fn only_so_many_ended_processes_are_remembered() {
    let processes = processes_with(ProcessConfig { max_ended_processes: 3, ..ProcessConfig::default() });
    let mut ids = Vec::new();
    for _ in 0..5 {
        let process = processes.create(command("true", &[])).await.unwrap();
        within(process.wait()).await;
        ids.push(process.id().to_owned());
    }
    until("the first are forgotten", || processes.totals().ended == 3).await;
    let known: Vec<String> = processes.list().into_iter().map(|snapshot| snapshot.id).collect();
    assert_eq!(known, ids[2..]);
}

#[tokio::test]
async fn what_cannot_start_says_why() {
    let processes = processes();
    let refused = |error: StartError| match error {
        StartError::Refused(why) => why.to_string(),
        other => panic!("{other:?}"),
    };
    let error = processes.create(command("no-such-program", &[])).await.unwrap_err();
    assert!(refused(error).contains("no-such-program"));
    let nowhere = Spec { cwd: Some("/no/such/place".to_owned()), ..command("true", &[]) };
    assert!(refused(processes.create(nowhere).await.unwrap_err()).contains("/no/such/place"));
    assert!(refused(processes.create(command("echo", &["a\0b"])).await.unwrap_err()).contains("nul"));
    let variable = Spec { env: vec![("A=B".to_owned(), String::new())], ..command("true", &[]) };
    refused(processes.create(variable).await.unwrap_err());
    assert_eq!(processes.totals().running, 0, "no place stays taken");
}

#[tokio::test]
async fn shutting_down_ends_all_and_starts_none() {
    let processes = processes();
    let process =
        processes.create(script("trap '' TERM; echo ready; while :; do sleep 1; done")).await.unwrap();
    within(printed(&process, "ready")).await;
    let mut reader = process.reader(Position::Tail(0), None);
    within(processes.shutdown(Duration::from_millis(50))).await;
    assert_eq!(within(reader.step()).await, None, "followers end");
    assert!(process.ended().is_some());
    assert!(matches!(processes.create(command("true", &[])).await, Err(StartError::ShuttingDown)));
    assert!(matches!(run(&processes, command("true", &[])).await, Err(StartError::ShuttingDown)));
}

#[tokio::test]
async fn a_terminal_is_one_stream_and_its_input_ends_by_a_key() {
    let processes = processes();
    let process = processes.create(on_terminal("echo $TERM; stty size >&2; cat; echo over")).await.unwrap();
    assert!(process.has_terminal());
    within(printed(&process, "24 80")).await;
    process.resize(TerminalSize { columns: 90, rows: 30 }).await.unwrap();
    process.input(Bytes::from_static(b"typed\n"), AfterInput::Closed).await.unwrap();
    within(process.wait()).await;
    let (entries, _) = process.output(Position::After(0), None);
    assert!(entries.iter().all(|entry| entry.stream == ProcessLogsStream::Pty));
    let text = all_text(&process);
    assert!(
        text.starts_with("xterm-256color\r\n24 80\r\n") && text.ends_with("typed\r\nover\r\n"),
        "{text:?}"
    );
    assert!(matches!(process.resize(SIZE).await, Err(ResizeError::Ended)));
}

#[tokio::test]
async fn the_input_of_a_terminal_ends_also_after_an_unfinished_line() {
    let processes = processes();
    for typed in ["", "whole\n", "unfinished"] {
        let process = processes.create(on_terminal("echo ready; cat; echo over")).await.unwrap();
        within(printed(&process, "ready")).await;
        process.input(Bytes::from_static(typed.as_bytes()), AfterInput::Closed).await.unwrap();
        within(process.wait()).await;
        assert!(all_text(&process).ends_with("over\r\n"), "{typed:?}");
    }
}
