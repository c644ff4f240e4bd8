//! Mistakes of users and the words they read then: the cause and the next step.

use crate::caller::Caller;
use anyhow::Result;
use sa_testkit::{Daemon, Finished, Sandbox};
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;

/// Signs of text that was made for programs.
const FOR_PROGRAMS: [&str; 8] = ["{\"", "\":", "Some(", "None", "Err(", "Os {", "kind:", "panicked"];

/// Checks an error's form, its exit code, and that it names the cause and the next step.
fn check(what: &str, ended: &Finished, code: i32, words: &[&str]) {
    assert_eq!(ended.status.code(), Some(code), "{what}: {ended}");
    assert!(ended.stdout.is_empty(), "{what}: {ended}");
    let said = &ended.stderr;
    assert!(said.starts_with("error: "), "{what}: {said}");
    for word in words {
        assert!(said.contains(word), "{what}: {word:?} is missing in: {said}");
    }
    for sign in FOR_PROGRAMS {
        assert!(!said.contains(sign), "{what}: {sign:?} in: {said}");
    }
}

#[tokio::test]
async fn refusals_of_the_daemon_name_cause_and_next_step() -> Result<()> {
    let daemon = Daemon::start().await?;
    let caller = Caller::of(&daemon);
    let mistakes: [(&[&str], i32, &[&str]); 8] = [
        (&["agents", "get", "nobody"], 1, &["nobody", "api agents list"]),
        (&["sessions", "create", "s", "--agent", "nobody"], 1, &["nobody", "known are"]),
        (&["sessions", "get", "nothing"], 1, &["nothing", "sessions list"]),
        (&["sessions", "send", "nothing", "hello"], 1, &["nothing", "sessions list"]),
        (&["sessions", "create", "s", "--agent", "demo", "--metadata", "{"], 64, &["--metadata", "JSON"]),
        (&["acp", "post", "s", "--agent", "puppet", "--json", "{"], 1, &["JSON"]),
        (&["fs", "get", "/nonexistent/file"], 1, &["/nonexistent/file"]),
        (&["sessions", "list", "--state", "tired"], 64, &["--state", "tired", "running"]),
    ];
    for (arguments, code, words) in mistakes {
        check(&arguments.join(" "), &caller.run(arguments).await?, code, words);
    }
    let mut wrong = caller.command(&["agents", "list"])?;
    wrong.env("SANDBOX_AGENT_TOKEN", "wrong");
    check("wrong token", &Finished::wait(wrong).await?, 1, &["401", "--token", "SANDBOX_AGENT_TOKEN"]);
    Ok(())
}

#[tokio::test]
async fn mistakes_without_a_daemon_name_cause_and_next_step() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let taken = TcpListener::bind("127.0.0.1:0")?;
    let port = taken.local_addr()?.port().to_string();
    let free = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let nobody = format!("http://{free}");
    let file = sandbox.path("file");
    std::fs::write(&file, "")?;
    let file = file.to_string_lossy().into_owned();
    let open = sandbox.path("open");
    std::fs::create_dir(&open)?;
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o777))?;
    let open = open.to_string_lossy().into_owned();
    let mistakes: [(&[&str], i32, &[&str]); 10] = [
        (&["api", "health", "--endpoint", &nobody], 1, &[&nobody, "daemon start", "--endpoint"]),
        (&["api", "health", "--endpoint", "localhost"], 64, &["localhost", "http://127.0.0.1:2468"]),
        (&["api", "health", "--jsno"], 64, &["--jsno", "--json"]),
        (&["server", "--port", &port], 1, &[&port, "--port"]),
        (&["daemon", "start", "--port", &port], 1, &[&port, "--port"]),
        (&["server", "--data-dir", &file], 64, &[&file, "data directory"]),
        (&["server", "--data-dir", &open], 64, &[&open, "chmod"]),
        (&["server", "--config", "/nonexistent.toml"], 64, &["/nonexistent.toml"]),
        (&["server", "--token-file", "/nonexistent"], 64, &["/nonexistent"]),
        (&["daemon", "upgrade"], 1, &["no daemon is running", "daemon start"]),
    ];
    for (arguments, code, words) in mistakes {
        check(&arguments.join(" "), &sandbox.run(arguments).await?, code, words);
    }
    Ok(())
}

#[tokio::test]
async fn another_program_that_answers_is_recognized() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let endpoint = format!("http://{}", listener.local_addr()?);
    std::thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let _request = stream.read(&mut [0; 4096]);
            let page = "<html>hello</html>";
            let head =
                format!("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}", page.len());
            // The command may have gone.
            let _ = write!(stream, "{head}\r\nconnection: close\r\n\r\n{page}");
        }
    });
    let ended = sandbox.run(["api", "health", "--endpoint", &endpoint]).await?;
    check("another program", &ended, 1, &["<html>", "--endpoint"]);
    Ok(())
}
