//! The stage of these tests: processes, shell scripts to run, and a look at the machine.
#![allow(dead_code, reason = "each test file uses its part")]

use sa_api::{ProcessConfig, ProcessLogsStream};
use sa_journal::Step;
use sa_processes::{
    Entry, Position, Process, Processes, RunBounds, RunOutcome, Spec, StartError, TerminalSize,
};
use sa_supervisor::{BaseEnv, Supervisor, SupervisorOptions};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Far more than anything here takes; only a failure waits this long.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) const SIZE: TerminalSize = TerminalSize { columns: 80, rows: 24 };

pub(crate) fn processes() -> Processes {
    processes_with(ProcessConfig::default())
}

pub(crate) fn processes_with(config: ProcessConfig) -> Processes {
    let env = BaseEnv::Inherit(std::env::vars_os().collect());
    let supervisor = Supervisor::start(SupervisorOptions { env, guardian: None }).unwrap();
    Processes::new(supervisor, config, Path::new("/usr"))
}

pub(crate) fn command(program: &str, args: &[&str]) -> Spec {
    let args = args.iter().map(|&arg| arg.to_owned()).collect();
    Spec { command: program.to_owned(), args, ..Spec::default() }
}

pub(crate) fn script(text: &str) -> Spec {
    command("/bin/sh", &["-c", text])
}

pub(crate) fn on_terminal(text: &str) -> Spec {
    Spec { terminal: Some(SIZE), ..script(text) }
}

pub(crate) async fn run(processes: &Processes, spec: Spec) -> Result<RunOutcome, StartError> {
    processes.run(spec, RunBounds::default()).await
}

pub(crate) async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.expect("this took too long")
}

pub(crate) async fn until(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "never came true: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

pub(crate) fn text_of(entries: &[Entry], stream: ProcessLogsStream) -> String {
    let wanted = entries.iter().filter(|entry| entry.stream == stream);
    let bytes: Vec<u8> = wanted.flat_map(|entry| entry.data.to_vec()).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(crate) fn all_text(process: &Process) -> String {
    let (entries, _) = process.output(Position::After(0), None);
    let bytes: Vec<u8> = entries.iter().flat_map(|entry| entry.data.to_vec()).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads from the beginning until a line with that text is complete.
pub(crate) async fn printed(process: &Process, text: &str) -> String {
    let mut reader = process.reader(Position::After(0), None);
    let mut seen = String::new();
    while !seen.split_once(text).is_some_and(|(_, rest)| rest.contains('\n')) {
        match reader.step().await {
            Some(Step::Entry(entry)) => seen.push_str(&String::from_utf8_lossy(&entry.data)),
            other => panic!("{other:?} instead of {text:?} after {seen:?}"),
        }
    }
    seen
}

pub(crate) fn number_after(text: &str, name: &str) -> u32 {
    let rest = text.split_once(name).unwrap().1;
    rest.lines().next().unwrap().trim().parse().unwrap()
}

pub(crate) fn is_alive(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

/// Processes that have exactly this argument.
pub(crate) fn with_argument(text: &str) -> Vec<u32> {
    let names = fs::read_dir("/proc").unwrap().filter_map(|item| item.ok()?.file_name().into_string().ok());
    let has = |pid: &u32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split(|&byte| byte == 0).any(|argument| argument == text.as_bytes())
    };
    names.filter_map(|name| name.parse().ok()).filter(has).collect()
}
