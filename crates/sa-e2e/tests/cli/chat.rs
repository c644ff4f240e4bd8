//! `chat`: an interactive session at a terminal.

use crate::desk::Desk;
use anyhow::Result;
use sa_testkit::{Daemon, Finished, Signal, daemon_path};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};

const CHAT: &str = "\"$SANDBOX_AGENT\" chat --agent demo; echo code $?";

/// Returns the id that `chat` prints when it is left.
fn printed_id(desk: &Desk) -> String {
    let rest = desk.shown.rsplit("sandbox-agent chat ").next().unwrap();
    rest.split_whitespace().next().unwrap().to_owned()
}

#[tokio::test]
async fn a_session_is_talked_to_left_and_continued() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let mut desk = Desk::plain(&daemon, CHAT).await?;
    desk.see("demo · demo-medium · asks before changes · /help").await?;
    desk.press("say Helo\u{1b}[D\u{1b}[Dl\r").await?;
    desk.see("› say Hello").await?;
    desk.see("✓").await?;
    // While a turn runs, messages are queued, and the turn can be cancelled.
    desk.press("hang\r").await?;
    desk.see("working").await?;
    desk.press("say second\r").await?;
    desk.see("queued 1 say second").await?;
    desk.press("/queue\r").await?;
    desk.see("1 say second").await?;
    desk.press("/queue drop 1\r").await?;
    desk.see("withdrawn").await?;
    desk.press("\u{3}").await?;
    desk.see("■ cancelled").await?;
    desk.press("permission Send it\r").await?;
    desk.see("? Allow Send it").await?;
    desk.press("y").await?;
    desk.see("allowed: Send it").await?;
    desk.press("/model demo-large\r").await?;
    desk.see("demo · demo-large").await?;
    desk.press("/mo\t\r").await?;
    desk.see("/mode  /model").await?;
    desk.press("/nonsense\r").await?;
    desk.see("unknown command").await?;
    desk.press("\u{4}").await?;
    desk.see("Continue with: sandbox-agent chat ").await?;
    desk.see("code 0").await?;

    let id = printed_id(&desk);
    let mut again = Desk::plain(&daemon, &format!("\"$SANDBOX_AGENT\" chat {id}; echo code $?")).await?;
    again.see("› say Hello").await?;
    again.see("demo · demo-large").await?;
    // Up brings back what was typed in the chat before.
    again.press("\u{1b}[A\u{1b}[A\u{1b}[A").await?;
    again.see("› /model demo-large").await?;
    again.press("\u{3}").await?;
    again.press("/fork\r").await?;
    again.see("now in a copy").await?;
    again.press("/export s.jsonl\r").await?;
    again.see("written to s.jsonl").await?;
    again.press("\u{3}").await?;
    again.see("Ctrl-C again or Ctrl-D leaves").await?;
    again.press("\u{3}").await?;
    again.see("code 0").await?;
    assert_ne!(printed_id(&again), id);
    let history = daemon.sandbox().data_home().join("sandbox-agent/chat-history.jsonl");
    assert_eq!(std::fs::metadata(history)?.permissions().mode() & 0o777, 0o600);
    Ok(())
}

/// A daemon at the address of an earlier one. Ended when dropped.
struct Again(Child);

impl Drop for Again {
    fn drop(&mut self) {
        sa_testkit::send_signal(self.0.id(), Signal::TERM);
        let _ended = self.0.wait();
    }
}

#[tokio::test]
async fn it_continues_after_the_daemon_was_restarted() -> Result<()> {
    let desks = Daemon::builder().start().await?;
    let mut daemon = Daemon::builder().token("t").start().await?;
    let port = daemon.base_url().rsplit(':').next().unwrap().to_owned();
    let script = format!("\"$SANDBOX_AGENT\" chat --agent demo -e {} -t t; echo code $?", daemon.base_url());
    let mut desk = Desk::plain(&desks, &script).await?;
    desk.see("/help").await?;
    desk.press("say before\r").await?;
    desk.see("✓").await?;
    let sandbox = daemon.sandbox();
    daemon.signal(Signal::KILL);
    daemon.exited().await?;
    let mut server = sandbox.command(daemon_path()?);
    server.args(["server", "--token", "t", "--port", &port]).stdout(Stdio::null()).stderr(Stdio::null());
    let _again = Again(server.spawn()?);
    sa_testkit::until("the port", || std::net::TcpStream::connect(format!("127.0.0.1:{port}")).is_ok())
        .await?;
    desk.look_away();
    desk.press("say after\r").await?;
    desk.see("› say after").await?;
    desk.see("✓").await?;
    desk.press("/quit\r").await?;
    desk.see("code 0").await?;
    Ok(())
}

/// Returns the number of sessions that the daemon has.
async fn sessions(daemon: &Daemon) -> Result<usize> {
    let list = daemon.http().get("/v1/sessions").send().await?.expect_status(200)?.json()?;
    Ok(list["sessions"].as_array().map_or(0, Vec::len))
}

#[tokio::test]
async fn it_can_be_left_while_the_agent_starts() -> Result<()> {
    let daemon = Daemon::builder().agent("mute", "sleep 100").start().await?;
    let mut desk =
        Desk::plain(&daemon, "trap : INT; \"$SANDBOX_AGENT\" chat --agent mute; echo code $?").await?;
    desk.see("Starting mute").await?;
    sa_testkit::until("the agent", || daemon.children().iter().any(|child| child.name == "sleep")).await?;
    desk.press("\u{3}").await?;
    desk.see("code 130").await?;
    assert_eq!(sessions(&daemon).await?, 0, "what was not wanted any more is deleted");
    Ok(())
}

#[tokio::test]
async fn on_a_terminal_that_cannot_be_drawn_on_nothing_is_started() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let script = "TERM=dumb \"$SANDBOX_AGENT\" chat --agent demo; echo code $?";
    let mut desk = Desk::plain(&daemon, script).await?;
    desk.see("chat cannot draw on this terminal").await?;
    desk.see("code 64").await?;
    assert_eq!(sessions(&daemon).await?, 0);
    Ok(())
}

#[tokio::test]
async fn it_needs_a_terminal() -> Result<()> {
    let sandbox = sa_testkit::Sandbox::new()?;
    let mut command = sandbox.command(daemon_path()?);
    command.args(["chat", "--agent", "demo"]);
    let refused = Finished::wait(command).await?;
    assert_eq!(refused.status.code(), Some(64), "{refused}");
    assert!(refused.stderr.contains("sandbox-agent run"), "{refused}");
    Ok(())
}
