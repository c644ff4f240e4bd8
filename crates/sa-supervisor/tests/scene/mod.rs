//! The stage of these tests: a supervisor, shell scripts to run, and a look at the processes of the machine.
#![allow(dead_code, reason = "each test file uses its part")]

use std::ffi::OsString;
use std::fs;
use std::time::{Duration, Instant};

use sa_supervisor::{BaseEnv, CommandSpec, Spawned, Supervisor, SupervisorOptions};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader, Lines};
use tokio::net::unix::pipe;

/// Far more than anything here takes; only a failure waits this long.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) fn environment() -> Vec<(OsString, OsString)> {
    std::env::vars_os().collect()
}

pub(crate) fn supervisor() -> Supervisor {
    supervisor_with(BaseEnv::Inherit(environment()))
}

pub(crate) fn supervisor_with(env: BaseEnv) -> Supervisor {
    Supervisor::start(SupervisorOptions { env, guardian: None }).unwrap()
}

pub(crate) fn command(program: impl Into<OsString>, args: &[&str]) -> CommandSpec {
    CommandSpec { args: args.iter().map(OsString::from).collect(), ..CommandSpec::new(program) }
}

pub(crate) fn script(text: &str) -> CommandSpec {
    command("/bin/sh", &["-c", text])
}

/// Everything a child writes until it and all others close stdout.
pub(crate) async fn output(spawned: Spawned) -> String {
    let mut text = String::new();
    let mut stdout = spawned.stdout;
    within(stdout.read_to_string(&mut text)).await.unwrap();
    text
}

pub(crate) async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.expect("this took too long")
}

/// The pids that a script's processes print, as `name pid`, one line each.
pub(crate) struct Cast {
    lines: Lines<BufReader<pipe::Receiver>>,
    pub(crate) pids: Vec<(String, u32)>,
}

impl Cast {
    pub(crate) async fn assemble(stdout: pipe::Receiver, number: usize) -> Cast {
        let mut cast = Cast { lines: BufReader::new(stdout).lines(), pids: Vec::new() };
        while cast.pids.len() < number {
            let line = within(cast.lines.next_line()).await.unwrap().expect("a script ended early");
            let (name, pid) = line.split_once(' ').unwrap();
            cast.pids.push((name.to_owned(), pid.parse().unwrap()));
        }
        cast
    }

    pub(crate) fn pid(&self, name: &str) -> u32 {
        self.pids.iter().find(|(known, _)| known == name).map(|(_, pid)| *pid).unwrap()
    }

    /// Returns those that still have a number, zombies included.
    pub(crate) fn present(&self) -> Vec<&(String, u32)> {
        self.pids.iter().filter(|(_, pid)| is_present(*pid)).collect()
    }
}

pub(crate) fn is_present(pid: u32) -> bool {
    fs::exists(format!("/proc/{pid}")).unwrap()
}

/// Returns the state letter and the parent of a process.
pub(crate) fn status(pid: u32) -> Option<(char, u32)> {
    let line = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = line.rsplit_once(')')?.1.split_ascii_whitespace();
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}

pub(crate) fn is_alive(pid: u32) -> bool {
    status(pid).is_some_and(|(state, _)| state != 'Z')
}

pub(crate) fn all_pids() -> Vec<u32> {
    let names = fs::read_dir("/proc").unwrap().filter_map(|item| item.ok()?.file_name().into_string().ok());
    names.filter_map(|name| name.parse().ok()).collect()
}

pub(crate) fn zombies_of(parent: u32) -> Vec<u32> {
    all_pids().into_iter().filter(|&pid| status(pid) == Some(('Z', parent))).collect()
}

/// Processes that have `text` in their command line.
pub(crate) fn with_argument(text: &str) -> Vec<u32> {
    let has = |pid: &u32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(text)
    };
    all_pids().into_iter().filter(has).collect()
}

/// Returns a field of `/proc/<pid>/status`.
pub(crate) fn status_field(pid: u32, name: &str) -> String {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.unwrap().trim().to_owned()
}

/// Returns the open descriptors of a process, with their targets.
pub(crate) fn descriptors(pid: u32) -> Vec<(u32, String)> {
    let links = fs::read_dir(format!("/proc/{pid}/fd")).unwrap().flatten();
    let mut open: Vec<(u32, String)> = links
        .map(|link| {
            let target =
                fs::read_link(link.path()).map(|path| path.display().to_string()).unwrap_or_default();
            (link.file_name().to_str().unwrap().parse().unwrap(), target)
        })
        .collect();
    open.sort();
    open
}

pub(crate) async fn until(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "never came true: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

pub(crate) fn send(signal: rustix::process::Signal, pid: u32) {
    let pid = rustix::process::Pid::from_raw(pid.cast_signed()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}
