//! The initial state of a child, the report of its end, and the reasons why it may not start.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod scene;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::task::Poll;
use std::time::Duration;

use rustix::io::{FdFlags, fcntl_setfd};
use sa_supervisor::{BaseEnv, CommandSpec, Exit, SpawnError};
use scene::*;
use tokio::io::AsyncWriteExt;

#[tokio::test]
async fn reports_the_exit_code() {
    let spawned = supervisor().spawn(script("exit 7")).await.unwrap();
    assert_eq!(within(spawned.process.wait()).await, Exit { code: Some(7), signal: None });
    assert_eq!(spawned.process.exit(), Some(Exit { code: Some(7), signal: None }));
}

#[tokio::test]
async fn reports_the_signal() {
    let spawned = supervisor().spawn(script("kill -USR1 $$")).await.unwrap();
    assert_eq!(within(spawned.process.wait()).await, Exit { code: None, signal: Some(libc::SIGUSR1) });
}

#[tokio::test(flavor = "multi_thread")]
async fn every_waiter_is_told_also_late_ones() {
    let spawned = supervisor().spawn(script("read line; exit 3")).await.unwrap();
    let waiters: Vec<_> = (0..20)
        .map(|_| {
            let process = spawned.process.clone();
            tokio::spawn(async move { process.wait().await })
        })
        .collect();
    assert_eq!(spawned.process.exit(), None);
    drop(spawned.stdin);
    for waiter in waiters {
        assert_eq!(within(waiter).await.unwrap().code, Some(3));
    }
    assert_eq!(within(spawned.process.wait()).await.code, Some(3));
}

#[tokio::test]
async fn stdin_and_stdout_are_the_callers() {
    let mut spawned = supervisor().spawn(command("cat", &[])).await.unwrap();
    let sent = "x".repeat(3_000_000);
    let expected = sent.clone();
    let mut stdin = spawned.stdin;
    let writer = tokio::spawn(async move { stdin.write_all(sent.as_bytes()).await });
    let mut received = String::new();
    within(tokio::io::AsyncReadExt::read_to_string(&mut spawned.stdout, &mut received)).await.unwrap();
    writer.await.unwrap().unwrap();
    assert!(received == expected);
    assert_eq!(within(spawned.process.wait()).await.code, Some(0));
}

#[tokio::test]
async fn the_tail_of_stderr_is_complete_when_the_exit_is_known() {
    let spawned = supervisor().spawn(script("seq 1 30000 >&2; kill -KILL $$")).await.unwrap();
    within(spawned.process.wait()).await;
    let tail = spawned.process.stderr_tail();
    assert!(tail.ends_with("29999\n30000\n"), "{:?}", tail.lines().last());
    assert!(tail.len() <= 64 * 1024 && tail.len() > 63 * 1024, "{}", tail.len());
    let first: u32 = tail.lines().next().unwrap().parse().unwrap();
    assert_eq!(tail.lines().count() as u32, 30001 - first, "starts with a whole line");
}

#[tokio::test]
async fn an_exit_does_not_overtake_the_last_words() {
    let supervisor = supervisor();
    // A second supervisor, on another runtime, collects children while this thread is busy.
    std::thread::spawn(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let _second = scene::supervisor();
            std::future::pending::<()>().await;
        });
    });
    for _ in 0..10 {
        let text = "head -c 60000 /dev/zero | tr '\\0' x >&2; echo 'last words' >&2; kill -KILL $$";
        let spawned = supervisor.spawn(script(text)).await.unwrap();
        // This thread is the whole runtime: when it continues, the end and all of stderr are there at once.
        while is_present(spawned.process.pid()) {
            std::thread::sleep(Duration::from_millis(1));
        }
        within(spawned.process.wait()).await;
        assert!(spawned.process.stderr_tail().ends_with("xlast words\n"));
    }
}

#[tokio::test]
async fn a_missing_program_is_named() {
    let supervisor = supervisor();
    for program in ["no-such-program-anywhere", "/no/such/program", ""] {
        let error = supervisor.spawn(CommandSpec::new(program)).await.unwrap_err();
        assert!(
            matches!(&error, SpawnError::NotFound { program: named } if named == Path::new(program)),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_file_that_cannot_run_says_why() {
    let directory = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    let write = |name: &str, text: &str, mode: u32| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        path
    };

    let forbidden = write("forbidden", "#!/bin/sh\n", 0o644);
    let error = supervisor.spawn(CommandSpec::new(&forbidden)).await.unwrap_err();
    assert!(matches!(&error, SpawnError::NotExecutable { program, .. } if *program == forbidden), "{error}");
    assert!(error.to_string().contains("ermission denied"), "{error}");

    let orphaned = write("orphaned", "#!/no/such/interpreter\n", 0o755);
    let error = supervisor.spawn(CommandSpec::new(&orphaned)).await.unwrap_err();
    assert!(matches!(&error, SpawnError::NotExecutable { .. }), "{error}");
    assert!(error.to_string().contains("interpreter"), "{error}");

    let error = supervisor.spawn(CommandSpec::new(directory.path())).await.unwrap_err();
    assert!(matches!(&error, SpawnError::NotExecutable { .. }), "{error}");
}

#[tokio::test]
async fn a_bad_directory_is_not_taken_for_a_missing_program() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let supervisor = supervisor();
    for path in [Path::new("/no/such/directory"), file.path()] {
        let spec = CommandSpec { cwd: Some(path.to_owned()), ..script("true") };
        let error = supervisor.spawn(spec).await.unwrap_err();
        assert!(matches!(&error, SpawnError::BadDirectory { path: named } if named == path), "{error}");
    }
}

#[tokio::test]
async fn a_bad_variable_is_named() {
    let spec = CommandSpec { env: vec![("A=B".into(), "c".into())], ..script("true") };
    let error = supervisor().spawn(spec).await.unwrap_err();
    assert!(matches!(&error, SpawnError::BadVariable { name } if name == "A=B"), "{error}");
}

#[tokio::test]
async fn the_program_is_sought_in_the_childs_path_and_directory() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("greet");
    std::fs::write(&path, "#!/bin/sh\necho hello from $PWD\n").unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    let expected = format!("hello from {}\n", directory.path().canonicalize().unwrap().display());
    let cwd = Some(directory.path().to_owned());
    let supervisor = supervisor();

    let search = format!("/no/such/directory:/dev/null:{}", directory.path().display());
    let by_path = CommandSpec { env: vec![("PATH".into(), search.into())], ..CommandSpec::new("greet") };
    assert!(output(supervisor.spawn(by_path).await.unwrap()).await.starts_with("hello from "));
    let by_directory = CommandSpec { cwd, ..CommandSpec::new("./greet") };
    assert_eq!(output(supervisor.spawn(by_directory).await.unwrap()).await, expected);
}

#[tokio::test]
async fn the_program_sees_the_name_it_was_called_by() {
    let supervisor = supervisor();
    let spec = CommandSpec { arg0: Some("other-name".into()), ..script("sed -z q /proc/$$/cmdline") };
    let seen = output(supervisor.spawn(spec).await.unwrap()).await;
    assert_eq!(seen, "other-name\0");
    let plain =
        output(supervisor.spawn(command("sed", &["-z", "q", "/proc/self/cmdline"])).await.unwrap()).await;
    assert_eq!(plain, "sed\0");
}

fn listed(text: &str) -> Vec<(&str, &str)> {
    text.lines().filter_map(|line| line.split_once('=')).collect()
}

#[tokio::test]
async fn the_daemons_own_variables_stay_with_it() {
    let given =
        [("PATH", "/usr/bin:/bin"), ("SANDBOX_AGENT_TOKEN", "secret"), ("OTHER", "kept"), ("MINE", "base")];
    let base = given.map(|(name, value)| (name.into(), value.into())).to_vec();
    let spec = CommandSpec { env: vec![("MINE".into(), "own".into())], ..command("env", &[]) };
    let text = output(supervisor_with(BaseEnv::Inherit(base)).spawn(spec).await.unwrap()).await;
    let seen = listed(&text);
    assert!(seen.contains(&("OTHER", "kept")) && seen.contains(&("MINE", "own")), "{text}");
    assert!(!text.contains("secret"), "{text}");
}

#[tokio::test]
async fn a_clean_environment_is_a_short_list() {
    let kept = [
        "PATH",
        "HOME",
        "LANG",
        "LC_ALL",
        "XDG_CACHE_HOME",
        "TZ",
        "https_proxy",
        "NO_PROXY",
        "SSL_CERT_FILE",
    ];
    let dropped =
        ["AWS_SECRET_ACCESS_KEY", "LD_PRELOAD_X", "PATHS", "SANDBOX_AGENT_TREE", "SANDBOX_AGENT_TOKEN"];
    let value = |name: &str| if name == "PATH" { "/usr/bin:/bin" } else { "given" };
    let base = kept.iter().chain(&dropped).map(|name| ((*name).into(), value(name).into())).collect();
    let text = output(supervisor_with(BaseEnv::Clean(base)).spawn(command("env", &[])).await.unwrap()).await;
    let mut names: Vec<&str> = listed(&text).into_iter().map(|(name, _)| name).collect();
    names.retain(|name| !["SANDBOX_AGENT_TREE", "SANDBOX_AGENT_DAEMON"].contains(name));
    names.sort_unstable();
    let mut expected = kept.to_vec();
    expected.sort_unstable();
    assert_eq!(names, expected);
    // A supervised supervisor's children can be recognized by both.
    let tree =
        listed(&text).into_iter().find_map(|(name, value)| (name == "SANDBOX_AGENT_TREE").then_some(value));
    assert!(tree.is_some_and(|value| value.starts_with("given/") && value.len() > "given/".len()), "{text}");
}

#[tokio::test]
async fn no_descriptor_is_inherited() {
    let leaky = tempfile::tempfile().unwrap();
    fcntl_setfd(&leaky, FdFlags::empty()).unwrap();
    let spawned = supervisor().spawn(script("echo leader $$; read line")).await.unwrap();
    // Once it speaks, the files that its loader opens for a moment are closed again.
    let cast = Cast::assemble(spawned.stdout, 1).await;
    let open = descriptors(cast.pid("leader"));
    let numbers: Vec<u32> = open.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, [0, 1, 2], "{open:?}");
    assert!(open.iter().all(|(_, target)| target.starts_with("pipe:")), "{open:?}");
}

#[tokio::test]
async fn signals_are_as_a_program_expects_them() {
    // As if the daemon had been started by `nohup`.
    // SAFETY: sets a signal to be ignored, which no other test of this file looks at.
    #[allow(unsafe_code)]
    unsafe {
        libc::signal(libc::SIGHUP, libc::SIG_IGN);
    }
    let spawned = supervisor().spawn(command("cat", &[])).await.unwrap();
    let pid = spawned.process.pid();
    let set = |field| u64::from_str_radix(&status_field(pid, field), 16).unwrap();
    // 32 and 33 belong to the C library, which sets them up itself.
    assert_eq!(set("SigIgn") & !(0b11 << 31), 0, "{:x}", set("SigIgn"));
    assert_eq!(set("SigBlk"), 0, "{:x}", set("SigBlk"));
}

#[tokio::test]
async fn a_child_nobody_took_is_ended() {
    let supervisor = supervisor();
    let seconds = (1_000_000 + std::process::id()).to_string();
    {
        let mut forsaken = std::pin::pin!(supervisor.spawn(command("sleep", &[&seconds])));
        // Asked for, then given up at once.
        let polled = std::future::poll_fn(|context| Poll::Ready(forsaken.as_mut().poll(context))).await;
        assert!(polled.is_pending());
    }
    // Requests are served in order: the first child has been started when the second one is there.
    supervisor.spawn(script("true")).await.unwrap();
    until("the forsaken child is gone", || with_argument(&seconds).is_empty()).await;
}

#[tokio::test]
async fn nothing_starts_after_a_shutdown() {
    let supervisor = supervisor();
    let spawned = supervisor.spawn(command("sleep", &["998"])).await.unwrap();
    within(supervisor.shutdown(PATIENCE)).await;
    assert_eq!(spawned.process.exit(), Some(Exit { code: None, signal: Some(libc::SIGTERM) }));
    assert!(!is_present(spawned.process.pid()));
    let error = supervisor.spawn(script("true")).await.unwrap_err();
    assert!(matches!(error, SpawnError::ShuttingDown), "{error}");
}
