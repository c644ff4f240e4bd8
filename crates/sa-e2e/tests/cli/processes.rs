//! `api processes …`: commands, processes, and a terminal inside another.

use crate::caller::{Caller, rows};
use crate::desk::Desk;
use anyhow::{Context, Result};
use sa_testkit::Daemon;
use serde_json::{Value, json};

#[tokio::test]
async fn run_prints_what_is_printed_and_exits_as_the_command_does() -> Result<()> {
    let daemon = Daemon::start().await?;
    let caller = Caller::of(&daemon);
    let run = async |words: &[&str]| caller.run(&[&["processes", "run"], words].concat()).await;
    let ended =
        run(&["--env", "A=x", "--cwd", "/", "--", "sh", "-c", "echo $A; pwd; echo bad >&2; exit 7"]).await?;
    assert_eq!(ended.status.code(), Some(7), "{ended}");
    assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("x\n/\n", "bad\n"));
    assert_eq!(run(&["sh", "-c", "kill -TERM $$"]).await?.status.code(), Some(128 + 15));
    assert_eq!(run(&["--timeout-ms", "100", "sleep", "600"]).await?.status.code(), Some(124));
    assert_eq!(run(&["true", "--json", "-x"]).await?.stdout, "", "what follows the command is the command's");
    let answer: Value = serde_json::from_str(&run(&["--json", "echo", "hi"]).await?.stdout)?;
    assert_eq!((&answer["stdout"], &answer["exitCode"]), (&json!("hi\n"), &json!(0)));
    let cut = run(&["--max-output-bytes", "2", "echo", "12345"]).await?;
    assert!(cut.stdout == "12" && cut.stderr.contains("--max-output-bytes"), "{cut}");
    let complaint = caller.complaint(&["processes", "run", "no-such-program"]).await?;
    assert!(complaint.contains("no-such-program"), "{complaint}");
    assert_eq!(run(&[]).await?.status.code(), Some(64));
    Ok(())
}

#[tokio::test]
async fn a_process_is_started_watched_and_removed() -> Result<()> {
    let daemon = Daemon::start().await?;
    let caller = Caller::of(&daemon);
    let api = async |words: &[&str]| caller.output(&[&["processes"], words].concat()).await;
    let id = api(&["start", "-i", "--", "sh", "-c", "cat; exit 3"]).await?.trim().to_owned();
    let list = api(&["list"]).await?;
    let row = rows(&list).remove(0);
    assert_eq!((row[0], row[1], row[5]), (id.as_str(), "running", "sh -c cat; exit 3"), "{list}");
    assert!(api(&["get", &id]).await?.contains("interactive  yes"));
    let listed = caller.json(&["processes", "list", "--owner", "user", "--json"]).await?;
    assert_eq!(listed["processes"][0]["id"], json!(id));
    assert_eq!(rows(&api(&["list", "--owner", "system"]).await?).len(), 0);
    assert!(caller.complaint(&["processes", "rm", &id]).await?.contains("running"));
    api(&["input", &id, "--text", "one\n"]).await?;
    let fed = caller.run_with_input(&["processes", "input", &id, "--eof"], "two\n").await?;
    assert!(fed.status.success(), "{fed}");
    assert_eq!(api(&["logs", &id, "--follow"]).await?, "one\ntwo\n", "it ends with the process");
    assert_eq!(api(&["logs", &id]).await?, "one\ntwo\n");
    assert_eq!(api(&["logs", &id, "--stream", "stderr"]).await?, "");
    let events = api(&["logs", &id, "--follow", "--json"]).await?;
    assert!(events.lines().last().unwrap().contains("\"event\":\"exit\""), "{events}");
    let text = caller.json(&["processes", "logs", &id, "--json", "--text", "--limit", "1"]).await?;
    assert_eq!((&text["entries"][0]["data"], &text["hasMore"]), (&json!("one\n"), &json!(true)));
    let events = api(&["logs", &id, "-f", "--json", "--text", "--after", "1"]).await?;
    assert!(events.contains("two\\n") && !events.contains("one"), "{events}");
    assert_eq!(api(&["stop", &id]).await?, "exited (3)\n");
    api(&["rm", &id]).await?;
    assert_eq!(rows(&api(&["list"]).await?).len(), 0);

    let other = api(&["start", "sleep", "600"]).await?.trim().to_owned();
    assert_eq!(api(&["kill", &other]).await?, "exited (signal 9)\n");
    assert!(caller.complaint(&["processes", "resize", &other, "80", "24"]).await?.contains("terminal"));
    assert!(caller.complaint(&["processes", "attach", &other]).await?.contains("terminal"));
    let terminal = api(&["start", "--tty", "--", "sh", "-c", "read x; stty size"]).await?.trim().to_owned();
    api(&["resize", &terminal, "100", "30"]).await?;
    api(&["input", &terminal, "--text", "\n"]).await?;
    assert!(api(&["logs", &terminal, "-f"]).await?.contains("30 100"));
    let attached = caller.run(&["processes", "attach", &terminal]).await?;
    assert!(attached.status.success() && attached.stdout.contains("30 100"), "what was printed: {attached}");
    Ok(())
}

#[tokio::test]
async fn limits_are_shown_and_changed() -> Result<()> {
    let daemon = Daemon::start().await?;
    let caller = Caller::of(&daemon);
    let shown = caller.output(&["processes", "config"]).await?;
    assert!(shown.contains("max-concurrent-processes") && shown.contains("64"), "{shown}");
    let words = ["processes", "config", "--max-concurrent-processes", "3", "--stop-grace-ms", "10", "--json"];
    let changed = caller.json(&words).await?;
    assert_eq!((&changed["maxConcurrentProcesses"], &changed["stopGraceMs"]), (&json!(3), &json!(10)));
    assert_eq!(caller.json(&["processes", "config", "--json"]).await?, changed);
    Ok(())
}

/// A program that says what is typed and how large its terminal is.
const PROGRAM: &str = "trap 'stty size' WINCH; trap 'echo interrupted' INT; echo ready; \
                       while :; do if read -r line; then [ \"$line\" = quit ] && exit 6; echo \"got <$line>\"; fi; done";

async fn start(daemon: &Daemon) -> Result<String> {
    let body = json!({"command": "/bin/sh", "args": ["-c", PROGRAM], "tty": true});
    let made = daemon
        .http()
        .post("/v1/processes")
        .json(body.to_string())
        .send()
        .await?
        .expect_status(201)?
        .json()?;
    Ok(made["id"].as_str().context("an id")?.to_owned())
}

/// Shows the terminal's settings before and after, to see that they are put back.
fn attach_and_compare(id: &str, more: &str) -> String {
    format!(
        "before=$(stty -g); \"$SANDBOX_AGENT\" api processes attach {id} {more}; code=$?; \
         [ \"$before\" = \"$(stty -g)\" ] && echo \"same settings, code $code\""
    )
}

#[tokio::test]
async fn attach_is_a_terminal_that_can_be_left() -> Result<()> {
    let daemon = Daemon::start().await?;
    let id = start(&daemon).await?;
    let mut desk = Desk::sit_down(&daemon, &attach_and_compare(&id, "")).await?;
    desk.see("ready").await?;
    desk.see("33 90").await?;
    desk.press("hello\r").await?;
    desk.see("got <hello>").await?;
    desk.resize(100, 40).await?;
    desk.see("40 100").await?;
    // Ctrl-C is a key like any other.
    desk.press("\u{3}").await?;
    desk.see("interrupted").await?;
    desk.press("\u{1d}").await?;
    desk.see(&format!("[detached from {id}; it continues to run]")).await?;
    desk.see("same settings, code 0").await?;

    let mut again = Desk::sit_down(&daemon, &attach_and_compare(&id, "--detach-key ctrl-a")).await?;
    again.see("got <hello>").await?;
    again.press("x\u{1d}y\r").await?;
    again.see("got <x\u{1d}y>").await?;
    again.press("\u{1}").await?;
    again.see("same settings, code 0").await?;

    let mut last = Desk::sit_down(&daemon, &attach_and_compare(&id, "--scrollback 0")).await?;
    last.see("33 90").await?;
    last.press("quit\r").await?;
    last.see("same settings, code 6").await?;
    assert!(!last.shown.contains("hello"), "{:?}", last.shown);
    Ok(())
}

#[tokio::test]
async fn attach_puts_the_terminal_back_when_it_is_sent_away_or_the_daemon_is_gone() -> Result<()> {
    let daemon = Daemon::start().await?;
    let id = start(&daemon).await?;
    let file = daemon.sandbox().path("attached.pid");
    // The shell becomes the command, so that its number is known.
    let attach = format!("exec \"$SANDBOX_AGENT\" api processes attach {id}");
    let script = format!(
        "before=$(stty -g); sh -c 'echo $$ > {}; {attach}'; code=$?; \
         [ \"$before\" = \"$(stty -g)\" ] && echo \"same settings, code $code\"",
        file.display()
    );
    let mut desk = Desk::sit_down(&daemon, &script).await?;
    desk.see("ready").await?;
    let pid = std::fs::read_to_string(&file)?;
    Caller::of(&daemon).output(&["processes", "run", "kill", "-TERM", pid.trim()]).await?;
    desk.see("same settings, code 0").await?;

    // Another daemon's process, so that the one that takes the commands stays.
    let mut other = Daemon::start().await?;
    let far = start(&other).await?;
    let flags = format!("--endpoint {} --token {}", other.base_url(), other.token().unwrap());
    let mut desk = Desk::sit_down(&daemon, &attach_and_compare(&far, &flags)).await?;
    desk.see("ready").await?;
    other.signal(sa_testkit::Signal::KILL);
    other.exited().await?;
    desk.see("same settings, code 1").await?;
    Ok(())
}

#[tokio::test]
async fn start_and_attach_is_one_step() -> Result<()> {
    let daemon = Daemon::start().await?;
    let script = "\"$SANDBOX_AGENT\" api processes start --attach -- sh -c 'stty size; printf \"\\033[?1049h\"; read x'; echo done $?";
    let mut desk = Desk::sit_down(&daemon, script).await?;
    desk.see("33 90").await?;
    desk.see("\u{1b}[?1049h").await?;
    desk.press("\u{1d}").await?;
    desk.see("\u{1b}[?1049l").await?;
    desk.see("done 0").await?;
    Ok(())
}
