//! The processes that are left when the daemon dies, by SIGKILL or in good order. This file plays three parts: the
//! tests, the daemon they kill, and the guardian of that daemon; hence its own `main` instead of the usual harness.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod scene;

use std::io::{BufRead, BufReader, Lines, Write};
use std::panic::catch_unwind;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use sa_supervisor::{BaseEnv, CommandSpec, GuardianCommand, Supervisor, SupervisorOptions};
use scene::*;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt};

const TESTS: &[(&str, fn())] = &[
    ("a_killed_daemon_leaves_nothing", a_killed_daemon_leaves_nothing),
    ("a_daemon_that_shuts_down_leaves_nothing", a_daemon_that_shuts_down_leaves_nothing),
    ("a_killed_daemon_leaves_nothing_of_nested_ones", a_killed_daemon_leaves_nothing_of_nested_ones),
    ("a_killed_nested_one_leaves_nothing", a_killed_nested_one_leaves_nothing),
    ("the_guardian_has_nothing_of_the_daemon", the_guardian_has_nothing_of_the_daemon),
    ("a_dead_guardian_is_replaced", a_dead_guardian_is_replaced),
    ("a_guardian_that_does_not_listen_is_replaced", a_guardian_that_does_not_listen_is_replaced),
    ("process_one_collects_everything", process_one_collects_everything),
];

/// They look into `/proc`.
fn tests() -> &'static [(&'static str, fn())] {
    if cfg!(target_os = "linux") { TESTS } else { &[] }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("play-guardian") => sa_supervisor::guardian_main(),
        Some("play-daemon") => play_daemon(),
        Some("play-nested") => play_nested(),
        _ if arguments.iter().any(|argument| argument == "--list") => {
            // No test is ignored, so that question gets no answer.
            for (name, _) in
                TESTS.iter().filter(|_| !arguments.iter().any(|argument| argument == "--ignored"))
            {
                println!("{name}: test");
            }
            ExitCode::SUCCESS
        }
        _ => run_tests(&arguments),
    }
}

fn run_tests(arguments: &[String]) -> ExitCode {
    let wanted: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str()));
    let mut failed = false;
    for (name, test) in tests().iter().filter(|(name, _)| is_wanted(name)) {
        let passed = catch_unwind(test).is_ok();
        println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
        failed |= !passed;
    }
    ExitCode::from(u8::from(failed))
}

/// Returns a daemon in small: starts the given family for each line `spawn` on stdin, passes on what it prints, shuts
/// down at `shutdown`.
fn play_daemon() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let program = std::env::current_exe().unwrap();
        let guardian = Some(GuardianCommand { program, args: vec!["play-guardian".into()] });
        let env = BaseEnv::Inherit(environment());
        let supervisor = Supervisor::start(SupervisorOptions { env, guardian }).unwrap();
        let mut orders = tokio::io::BufReader::new(tokio::io::stdin()).lines();
        let mut kept = Vec::new();
        while let Some(order) = orders.next_line().await.unwrap() {
            match order.as_str() {
                "spawn" | "nest" => {
                    let mut nested = CommandSpec::new(std::env::current_exe().unwrap());
                    nested.args.push("play-nested".into());
                    let spec = if order == "nest" { nested } else { script(FAMILY) };
                    let mut spawned = supervisor.spawn(spec).await.unwrap();
                    kept.push((spawned.process, spawned.stdin));
                    tokio::spawn(async move {
                        let mut stdout = tokio::io::stdout();
                        tokio::io::copy(&mut spawned.stdout, &mut stdout).await.unwrap();
                    });
                }
                "exits" => {
                    for (process, stdin) in kept.drain(..) {
                        drop(stdin);
                        process.wait().await;
                    }
                    tokio::io::stdout().write_all(b"exited 0\n").await.unwrap();
                }
                "shutdown" => supervisor.shutdown(Duration::from_millis(100)).await,
                other => panic!("what is {other}?"),
            }
        }
    });
    ExitCode::SUCCESS
}

/// Plays a built-in agent: a supervised process that supervises another one. It ends nothing in good order.
fn play_nested() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let env = BaseEnv::Inherit(environment());
        let supervisor = Supervisor::start(SupervisorOptions { env, guardian: None }).unwrap();
        let mut spawned = supervisor.spawn(script(FAMILY)).await.unwrap();
        let me = format!("nested {}\n", std::process::id());
        tokio::io::stdout().write_all(me.as_bytes()).await.unwrap();
        tokio::io::copy(&mut spawned.stdout, &mut tokio::io::stdout()).await.unwrap();
    });
    ExitCode::SUCCESS
}

/// One of each kind; the nameless one has neither group nor environment nor parent. It ends when its stdin does.
const FAMILY: &str = r#"
    S='trap "" TERM HUP INT; echo "$0" $$; sleep 120; :'
    sh -c "$S" member &
    setsid sh -c "$S" session &
    ( setsid sh -c "$S" orphan & )
    ( env -i PATH="$PATH" setsid sh -c 'echo nameless $$; exec sleep 30' & )
    ( : & )
    echo leader $$
    trap "" TERM
    read line
"#;
const FAMILY_SIZE: usize = 5;

/// The daemon that a test runs.
struct Daemon {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Lines<BufReader<ChildStdout>>,
}

impl Daemon {
    fn start() -> Daemon {
        Daemon::run(Command::new(std::env::current_exe().unwrap()).arg("play-daemon"))
    }

    fn run(command: &mut Command) -> Daemon {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap()).lines();
        Daemon { child, stdin, stdout }
    }

    fn order(&mut self, order: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{order}").unwrap();
    }

    fn hear(&mut self) -> (String, u32) {
        let line = self.stdout.next().expect("the daemon ended").unwrap();
        let (name, pid) = line.split_once(' ').unwrap();
        (name.to_owned(), pid.parse().unwrap())
    }

    fn spawn(&mut self) -> Vec<(String, u32)> {
        self.order("spawn");
        (0..FAMILY_SIZE).map(|_| self.hear()).collect()
    }

    fn nest(&mut self) -> Vec<(String, u32)> {
        self.order("nest");
        (0..=FAMILY_SIZE).map(|_| self.hear()).collect()
    }

    fn pid(&self) -> u32 {
        self.child.id()
    }

    fn guardians(&self) -> Vec<u32> {
        let is_child = |pid: &u32| status(*pid).is_some_and(|(_, parent)| parent == self.pid());
        with_argument("play-guardian").into_iter().filter(|pid| is_child(pid) && is_alive(*pid)).collect()
    }

    fn guardian(&self) -> u32 {
        let mut found = self.guardians();
        assert_eq!(found.len(), 1);
        found.pop().unwrap()
    }
}

/// A test that fails must not leave a family behind.
impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "never came true: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Drops the nameless one, which is beyond the guardian's knowledge and ends with its stdin.
fn known(family: &[(String, u32)]) -> Vec<(String, u32)> {
    family.iter().filter(|(name, _)| name != "nameless").cloned().collect()
}

fn wait_until_gone(family: &[(String, u32)]) {
    for (name, pid) in family {
        wait_until(&format!("{name} is gone"), || !is_alive(*pid));
    }
}

fn end_nameless(family: &[(String, u32)]) {
    for (_, pid) in family.iter().filter(|(name, pid)| name == "nameless" && is_alive(*pid)) {
        send(Signal::KILL, *pid);
    }
}

fn a_killed_daemon_leaves_nothing_of_nested_ones() {
    let mut daemon = Daemon::start();
    let family = daemon.nest();
    daemon.child.kill().unwrap();
    wait_until_gone(&known(&family));
    end_nameless(&family);
}

fn a_killed_nested_one_leaves_nothing() {
    let mut daemon = Daemon::start();
    let family = daemon.nest();
    let nested = family.iter().find(|(name, _)| name == "nested").unwrap().1;
    send(Signal::KILL, nested);
    wait_until_gone(&known(&family));
    end_nameless(&family);
}

fn a_killed_daemon_leaves_nothing() {
    let mut daemon = Daemon::start();
    let mut family = daemon.spawn();
    family.extend(daemon.spawn());
    let guardian = daemon.guardian();
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        send(signal, guardian);
    }
    assert!(family.iter().all(|(_, pid)| is_alive(*pid)));
    send(Signal::KILL, daemon.pid());
    wait_until_gone(&known(&family));
    wait_until("the guardian is gone", || !is_alive(guardian));
    end_nameless(&family);
}

fn a_daemon_that_shuts_down_leaves_nothing() {
    let mut daemon = Daemon::start();
    let family = daemon.spawn();
    let guardian = daemon.guardian();
    daemon.order("shutdown");
    drop(daemon.stdin.take());
    assert!(daemon.child.wait().unwrap().success());
    let left: Vec<_> = family.iter().filter(|(_, pid)| is_present(*pid)).collect();
    assert!(left.is_empty() && !is_present(guardian), "{left:?}");
}

fn the_guardian_has_nothing_of_the_daemon() {
    let mut daemon = Daemon::start();
    let family = daemon.spawn();
    let guardian = daemon.guardian();
    // The loader of the program opens files for a moment.
    wait_until("it has three descriptors", || descriptors(guardian).len() == 3);
    let open = descriptors(guardian);
    assert!(
        open[0].1.starts_with("pipe:") && open[1].1 == "/dev/null" && open[2].1 == "/dev/null",
        "{open:?}"
    );
    assert_eq!(std::fs::read(format!("/proc/{guardian}/environ")).unwrap(), b"");
    assert_eq!(status_field(guardian, "NSsid"), guardian.to_string());
    eprintln!(
        "guardian: {} resident, {} of it its own",
        status_field(guardian, "VmRSS"),
        status_field(guardian, "RssAnon")
    );
    daemon.order("shutdown");
    drop(daemon.stdin.take());
    daemon.child.wait().unwrap();
    end_nameless(&family);
}

fn a_dead_guardian_is_replaced() {
    let mut daemon = Daemon::start();
    let mut family = daemon.spawn();
    let first = daemon.guardian();
    send(Signal::KILL, first);
    wait_until("the guardian is collected", || !is_present(first));
    family.extend(daemon.spawn());
    assert_ne!(daemon.guardian(), first);
    send(Signal::KILL, daemon.pid());
    wait_until_gone(&known(&family));
    end_nameless(&family);
}

fn a_guardian_that_does_not_listen_is_replaced() {
    let mut daemon = Daemon::start();
    let mut family = daemon.spawn();
    let first = daemon.guardian();
    send(Signal::STOP, first);
    // Each end of a pipe can be opened again under this name: fill it as a long life would.
    let pipe = std::fs::OpenOptions::new().write(true).open(format!("/proc/{first}/fd/0")).unwrap();
    rustix::io::ioctl_fionbio(&pipe, true).unwrap();
    while (&pipe).write(b"\n").is_ok() {}
    family.extend(daemon.spawn());
    wait_until("the deaf guardian is collected", || !is_present(first));
    assert!(family.iter().all(|(_, pid)| is_alive(*pid)), "a dismissed guardian harms nobody");
    drop(pipe);
    family.extend(daemon.spawn());
    assert_ne!(daemon.guardian(), first);
    send(Signal::KILL, daemon.pid());
    wait_until_gone(&known(&family));
    end_nameless(&family);
}

/// In a new pid namespace the daemon is process 1, as in a container without an init. Where the machine does not
/// allow that to its user there is nothing to test.
fn process_one_collects_everything() {
    let namespace = ["--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"];
    let allowed = Command::new("unshare").args(namespace).arg("true").stderr(Stdio::null()).status();
    if !allowed.is_ok_and(|status| status.success()) {
        eprintln!("no pid namespaces here");
        return;
    }
    let mut command = Command::new("unshare");
    command.args(namespace).arg(std::env::current_exe().unwrap()).arg("play-daemon");
    let mut daemon = Daemon::run(&mut command);
    for _ in 0..5 {
        daemon.spawn();
    }
    daemon.order("exits");
    assert_eq!(daemon.hear().0, "exited");
    let init = inner_init(daemon.pid());
    wait_until("no zombie is left", || zombies_of(init).is_empty());
    daemon.order("shutdown");
    drop(daemon.stdin.take());
    assert!(daemon.child.wait().unwrap().success());
}

/// Returns the only child of `unshare`.
fn inner_init(unshare: u32) -> u32 {
    all_pids().into_iter().find(|pid| status(*pid).is_some_and(|(_, parent)| parent == unshare)).unwrap()
}
