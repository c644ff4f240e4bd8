//! `run` with a daemon: what it prints where, its exit codes, and its keys at a terminal.

use crate::desk::Desk;
use anyhow::Result;
use sa_testkit::{Daemon, Finished, daemon_path};
use serde_json::{Value, json};
use std::process::Command;

#[tokio::test]
async fn run_shows_what_an_agent_does_and_exits_as_it_ends() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let run = async |words: &[&str]| {
        Finished::wait(command(&daemon, &[&["run", "--agent", "demo"], words].concat())?).await
    };
    let done = run(&["--permission-mode", "bypass", "think Hm.\nsay Hello\ntool read Look"]).await?;
    assert!(done.status.success(), "{done}");
    assert_eq!(done.stdout, "Hello\n", "text alone is output: {done}");
    assert!(done.stderr.contains("Look"), "{done}");
    let rejected = run(&["permission Send it"]).await?;
    assert!(
        rejected.stderr.contains("rejected: Send it") && rejected.stdout.contains("reject_once"),
        "{rejected}"
    );
    assert!(rejected.stderr.contains("--permission allow"), "it says how to allow: {rejected}");
    let allowed = run(&["--permission", "allow", "permission Send it\nquestion"]).await?;
    assert!(allowed.stdout.contains("allow_once"), "{allowed}");
    for (script, code) in
        [("error", 1), ("stop refusal", 2), ("stop max_tokens", 3), ("error -32000 no key", 4)]
    {
        let ended = run(&[script]).await?;
        assert_eq!(ended.status.code(), Some(code), "{script}: {ended}");
    }
    let json = run(&["--json", "--keep", "mine", "say x"]).await?;
    assert!(json.stdout.lines().last().unwrap().contains("turnEnded"), "{json}");
    let sessions = daemon.http().get("/v1/sessions").send().await?.json()?;
    let ids: Vec<&str> = sessions["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|session| session["sessionId"].as_str())
        .collect();
    assert_eq!(ids, ["mine"], "the others are forgotten");
    let unknown = Finished::wait(command(&daemon, &["run", "--agent", "nobody", "x"])?).await?;
    assert!(unknown.status.code() == Some(1) && unknown.stderr.contains("nobody"), "{unknown}");
    Ok(())
}

#[tokio::test]
async fn an_interrupt_stops_the_turn() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let mut command = command(&daemon, &["run", "--agent", "demo", "--keep", "s", "hang"])?;
    let mut child =
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn()?;
    sa_e2e::poll("the turn", async || {
        let session = daemon.http().get("/v1/sessions/s").send().await?;
        Ok((session.status == 200 && session.json()?["state"] == json!("running")).then_some(()))
    })
    .await?;
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status()?;
    assert!(interrupted.success());
    sa_testkit::until("the command to end", || child.try_wait().unwrap().is_some()).await?;
    let output = child.wait_with_output()?;
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("cancelled"), "{output:?}");
    Ok(())
}

/// `timeout`, systemd and a closed terminal send these signals.
#[tokio::test]
async fn a_run_that_is_terminated_leaves_no_session_behind() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    for (signal, code) in [("-TERM", 143), ("-HUP", 129)] {
        let mut command = command(&daemon, &["run", "--agent", "demo", "hang"])?;
        let mut child =
            command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn()?;
        sa_e2e::poll("the turn", async || {
            let sessions = daemon.http().get("/v1/sessions").send().await?.json()?;
            Ok((sessions["sessions"][0]["state"] == json!("running")).then_some(()))
        })
        .await?;
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status()?.success());
        sa_testkit::until("the command to end", || child.try_wait().unwrap().is_some()).await?;
        assert_eq!(child.wait()?.code(), Some(code), "{signal}");
        let sessions = daemon.http().get("/v1/sessions").send().await?.json()?;
        assert_eq!(sessions["sessions"], json!([]), "{signal}");
    }
    Ok(())
}

#[tokio::test]
async fn output_is_one_object_or_the_events_of_the_api() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let run = async |words: &[&str]| {
        Finished::wait(command(&daemon, &[&["run", "--agent", "demo"], words].concat())?).await
    };
    let done = run(&["--output-format", "json", "--keep", "s", "say Hello\nsay there"]).await?;
    assert!(done.stderr.is_empty(), "{done}");
    let object: Value = serde_json::from_str(&done.stdout)?;
    assert_eq!(
        (&object["outcome"], &object["stopReason"]),
        (&json!("finished"), &json!("endTurn")),
        "{object:#}"
    );
    assert_eq!(
        (&object["text"], &object["sessionId"]),
        (&json!("Hello\n\nthere"), &json!("s")),
        "{object:#}"
    );
    assert!(object["usage"]["outputTokens"].is_u64() && object["durationMs"].is_u64(), "{object:#}");
    let refused = run(&["--output-format", "json", "error -32000 no key"]).await?;
    let object: Value = serde_json::from_str(&refused.stdout)?;
    assert_eq!((refused.status.code(), &object["outcome"]), (Some(4), &json!("notLoggedIn")), "{object:#}");
    assert!(object["error"]["message"].as_str().unwrap().contains("not logged in"), "{object:#}");

    let streamed = run(&["--output-format", "stream-json", "--keep", "t", "say x"]).await?;
    let printed: Vec<Value> =
        streamed.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let first = printed[0]["id"].as_u64().unwrap();
    let path = format!("/v1/sessions/t/events?after={}", first - 1);
    let events = daemon.http().get(&path).send().await?.json()?;
    let events: Vec<Value> =
        events["events"].as_array().unwrap().iter().take(printed.len()).cloned().collect();
    assert_eq!(printed, events, "exactly the events of the API");
    Ok(())
}

#[tokio::test]
async fn permissions_and_questions_are_decided_with_single_keys() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let script = "before=$(stty -g); \"$SANDBOX_AGENT\" run --agent demo \
        'say # Title\npermission Send it\npermission Again\npermission No\nquestion form'; code=$?; \
        [ \"$before\" = \"$(stty -g)\" ] && echo \"same settings, code $code\"";
    // The shell's quotes keep backslashes; the script wants lines.
    let mut desk = Desk::plain(&daemon, &script.replace("\\n", "\n")).await?;
    desk.see("# Title").await?;
    desk.see("? Allow Send it").await?;
    desk.see("y yes · a always · n no · r no, and say why").await?;
    desk.press("y").await?;
    desk.see("allowed: Send it").await?;
    desk.see("? Allow Again").await?;
    desk.press("n").await?;
    desk.see("rejected: Again").await?;
    desk.see("? Allow No").await?;
    desk.press("rbecause\r").await?;
    desk.see("rejected: No").await?;
    desk.see("2 Green").await?;
    desk.press("2").await?;
    desk.see("2 [ ] Banana").await?;
    desk.press("13\r").await?;
    desk.see("3 [x] Cherry").await?;
    desk.see("? What is your name?").await?;
    desk.look_away();
    desk.press("some text\r").await?;
    desk.see("from 1 to 99").await?;
    desk.press("42\r").await?;
    desk.see("y yes · n no").await?;
    desk.press("y").await?;
    desk.see("answered: Green, Apple, Cherry, some text, 42, true").await?;
    desk.see("same settings, code 0").await?;
    Ok(())
}

#[tokio::test]
async fn control_c_cancels_the_turn_at_a_terminal() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let mut desk = Desk::plain(&daemon, "\"$SANDBOX_AGENT\" run --agent demo hang; echo code $?").await?;
    desk.see("working").await?;
    desk.press("\u{3}").await?;
    desk.see("■ cancelled").await?;
    desk.see("code 130").await?;
    // An agent that does not listen is left behind by the second one.
    let mut deaf =
        Desk::plain(&daemon, "\"$SANDBOX_AGENT\" run --agent demo 'ignore-cancel 600000'; echo code $?")
            .await?;
    deaf.see("working").await?;
    deaf.press("\u{3}").await?;
    deaf.see("cancelling").await?;
    deaf.press("\u{3}").await?;
    deaf.see("code 130").await?;
    Ok(())
}

#[tokio::test]
async fn nothing_that_an_agent_says_steers_the_terminal() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let attack = "say a\u{1b}]52;c;ZXZpbA==\u{7}b\u{1b}[2Jc\u{9b}31md\u{202e}e &#27;[31mf";
    let done = Finished::wait(command(&daemon, &["run", "--agent", "demo", attack])?).await?;
    assert!(!done.stdout.contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}']), "{done}");
    let script = format!("\"$SANDBOX_AGENT\" run --agent demo '{attack}'; echo code $?");
    let mut desk = Desk::plain(&daemon, &script).await?;
    desk.see("code 0").await?;
    for sequence in ["\u{1b}]52", "\u{1b}[2J", "\u{9b}31m", "\u{202e}", "\u{1b}[31m"] {
        assert!(!desk.shown.contains(sequence), "{sequence:?} in {:?}", desk.shown);
    }
    Ok(())
}

/// `sandbox-agent` with the daemon's address and token in the environment.
fn command(daemon: &Daemon, words: &[&str]) -> Result<Command> {
    let mut command = daemon.sandbox().command(daemon_path()?);
    command.env("SANDBOX_AGENT_ENDPOINT", daemon.base_url()).args(words);
    if let Some(token) = daemon.token() {
        command.env("SANDBOX_AGENT_TOKEN", token);
    }
    Ok(command)
}
