//! `run` without a daemon: it starts one, and leaves nothing behind.

use anyhow::{Context, Result};
use sa_testkit::{
    DEADLINE, Sandbox, Signal, daemon_path, descendants, is_alive, send_signal, until, until_some,
};
use std::io::Write;
use std::process::{Command, Stdio};

/// `run --private`, so that a daemon that happens to run on this machine is not used.
fn run(sandbox: &Sandbox, words: &[&str]) -> Result<Command> {
    let mut command = sandbox.command(daemon_path()?);
    command.args(["run", "--private", "--agent", "demo"]).args(words).current_dir(sandbox.home());
    Ok(command)
}

#[tokio::test]
async fn it_works_without_a_daemon_and_leaves_no_session_behind() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let done = sa_testkit::Finished::wait(run(&sandbox, &["say Hello\ncwd"])?).await?;
    let home = sandbox.home().canonicalize()?;
    assert_eq!(done.stdout, format!("Hello\n{}\n", home.display()), "{done}");
    assert!(done.status.success(), "{done}");
    assert!(!sandbox.data_home().join("sandbox-agent/sessions.db").exists(), "nothing was to be kept");

    let (reader, mut writer) = std::io::pipe()?;
    writer.write_all(b"say from stdin")?;
    drop(writer);
    let mut piped = run(&sandbox, &["--keep", "mine"])?;
    piped.stdin(reader);
    let kept = sa_testkit::Finished::wait(piped).await?;
    assert_eq!(kept.stdout, "from stdin\n", "{kept}");
    assert!(kept.stderr.contains("sandbox-agent chat mine"), "{kept}");
    assert!(sandbox.data_home().join("sandbox-agent/sessions.db").exists());

    let unknown = sa_testkit::Finished::wait(run(&sandbox, &[""])?).await?;
    assert!(unknown.status.code() == Some(64) && unknown.stderr.contains("no prompt"), "{unknown}");
    Ok(())
}

#[tokio::test]
async fn its_agents_end_with_it_however_it_ends() -> Result<()> {
    for (signal, code) in [
        (Signal::INT, Some(130)),
        (Signal::TERM, Some(143)),
        (Signal::HUP, Some(129)),
        // The guardian cleans up.
        (Signal::KILL, None),
    ] {
        let sandbox = Sandbox::new()?;
        let mut command = run(&sandbox, &["hang"])?;
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let is_agent = |command: &str| command.contains("acp");
        let started = until_some("the agent", || {
            let found = descendants(child.id());
            let has_agent = found.iter().any(|process| is_agent(&cmdline(process.pid)));
            has_agent.then(|| found.iter().map(|process| process.pid).collect::<Vec<u32>>())
        })
        .await?;
        assert!(!started.is_empty());
        send_signal(child.id(), signal);
        until("the command to end", || child.try_wait().unwrap().is_some()).await?;
        assert_eq!(child.wait()?.code(), code, "{signal:?}");
        sa_e2e::gone(&started, DEADLINE).await.with_context(|| format!("after {signal:?}"))?;
        assert!(!is_alive(child.id()));
    }
    Ok(())
}

fn cmdline(pid: u32) -> String {
    let text = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&text).replace('\0', " ")
}
