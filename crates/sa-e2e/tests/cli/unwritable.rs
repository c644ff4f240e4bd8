//! Output that nobody takes: a full disk, a closed pipe, a pipe that is never read.

use anyhow::{Context, Result};
use sa_e2e::request;
use sa_testkit::{Finished, Sandbox, daemon_path, until_some};
use std::fs::File;
use std::io::{BufRead, BufReader, PipeReader, Read, Write, pipe};
use std::net::TcpStream;
use std::process::{Child, Command, ExitStatus, Stdio};

/// Capacity of a pipe.
const PIPE_BYTES: usize = 64 * 1024;

/// A daemon whose standard error the test chooses. Killed when dropped.
struct Loud {
    child: Child,
    address: String,
}

impl Loud {
    fn start(sandbox: &Sandbox, stderr: Stdio) -> Result<Self> {
        let mut command = sandbox.command(daemon_path()?);
        command.args(["server", "--no-token", "--port", "0", "--log", "trace"]);
        let mut child = command.stdout(Stdio::piped()).stderr(stderr).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("no output")?).read_line(&mut line)?;
        let address = line.trim().strip_prefix("listening on http://").with_context(|| line.clone())?;
        Ok(Self { address: address.to_owned(), child })
    }

    /// Sends a request and returns the status line and the body.
    fn ask(&self, method: &str, path: &str, body: &str) -> Result<String> {
        let mut socket = TcpStream::connect(&self.address)?;
        let length = body.len();
        write!(
            socket,
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\nconnection: close\r\n\r\n{body}"
        )?;
        let mut answer = String::new();
        socket.read_to_string(&mut answer)?;
        Ok(answer)
    }

    /// Starts an agent and a process, which both log.
    fn works(&self, server: &str) -> Result<()> {
        for round in 0..3 {
            let path = format!("/v1/acp/{server}{round}?agent=demo");
            let initialize = request(1, "initialize", r#"{"protocolVersion":1}"#);
            let answer = self.ask("POST", &path, &initialize)?;
            assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
            let answer = self.ask("POST", "/v1/processes", r#"{"command":"true"}"#)?;
            assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
        }
        Ok(())
    }

    async fn stop(mut self) -> Result<ExitStatus> {
        Command::new("kill").arg(self.child.id().to_string()).status()?;
        until_some("the daemon to stop", || self.child.try_wait().ok().flatten()).await
    }
}

impl Drop for Loud {
    fn drop(&mut self) {
        // Failing means that it has ended; then waiting reaps it.
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}

#[tokio::test]
async fn a_daemon_whose_log_cannot_be_written_works_and_stops_in_order() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let daemon = Loud::start(&sandbox, File::options().write(true).open("/dev/full")?.into())?;
    daemon.works("one")?;
    assert_eq!(daemon.stop().await?.code(), Some(0));
    Ok(())
}

#[tokio::test]
async fn a_daemon_whose_log_reader_goes_away_works_and_stops_in_order() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let (reader, writer) = pipe()?;
    let daemon = Loud::start(&sandbox, writer.into())?;
    daemon.works("one")?;
    drop::<PipeReader>(reader);
    daemon.works("after")?;
    assert_eq!(daemon.stop().await?.code(), Some(0));
    Ok(())
}

#[tokio::test]
async fn a_daemon_whose_log_nobody_reads_works_and_stops_in_order() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let (reader, mut writer) = pipe()?;
    writer.write_all(&vec![b'x'; PIPE_BYTES])?;
    let daemon = Loud::start(&sandbox, writer.into())?;
    daemon.works("one")?;
    assert_eq!(daemon.stop().await?.code(), Some(0));
    drop::<PipeReader>(reader);
    Ok(())
}

/// `2>&1 | head`: the reader has gone, and the command does its work all the same.
#[tokio::test]
async fn a_command_whose_errors_nobody_reads_keeps_its_exit_code() -> Result<()> {
    let sandbox = Sandbox::new()?;
    for (words, code) in [
        (&["install-agent", "nobody"][..], 64),
        (&["uninstall-agent", "claude"], 1),
        (&["no-such-command"], 64),
    ] {
        let (reader, writer) = pipe()?;
        drop(reader);
        let full = File::options().write(true).open("/dev/full")?;
        for stderr in [Stdio::from(writer), full.into()] {
            let mut command = sandbox.command(daemon_path()?);
            let mut child = command.args(words).stdout(Stdio::null()).stderr(stderr).spawn()?;
            let status = until_some("it to end", || child.try_wait().ok().flatten()).await?;
            assert_eq!(status.code(), Some(code), "{words:?}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn help_that_cannot_be_written_is_a_failure() -> Result<()> {
    let sandbox = Sandbox::new()?;
    for flag in ["--help", "--version"] {
        let mut command = sandbox.command("sh");
        command.args(["-c", "\"$0\" \"$1\" > /dev/full"]).arg(daemon_path()?).arg(flag);
        let ended = Finished::wait(command).await?;
        assert_eq!(ended.status.code(), Some(1), "{ended}");
        assert!(ended.stderr.starts_with("error: "), "{ended}");
    }
    Ok(())
}
