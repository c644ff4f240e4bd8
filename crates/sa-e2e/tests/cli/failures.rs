//! Commands that fail: what they say, where, and with which exit code.

use crate::caller::Caller;
use anyhow::Result;
use sa_e2e::request;
use sa_testkit::{Daemon, Sandbox};
use std::net::TcpListener;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

#[tokio::test]
async fn a_refusal_is_reported_in_the_daemons_words() -> Result<()> {
    let daemon = Daemon::start().await?;
    let caller = Caller::of(&daemon);
    let message = request(1, "pid", "{}");
    for (words, expected) in [
        (&["agents", "get", "nobody"][..], &["Not Found (HTTP 404)", "nobody"][..]),
        (&["acp", "stream", "nobody"], &["(HTTP 404)", "nobody"]),
        (&["acp", "post", "new", "--json", &message], &["(HTTP 400)", "agent"]),
        (
            &["acp", "post", "new", "--agent", "nobody", "--json", &message],
            &["(HTTP 400)", "nobody", "puppet"],
        ),
        (&["acp", "post", "new", "--agent", "puppet", "--json", "{"], &["(HTTP 400)", "JSON"]),
        (&["acp", "post", "a/b", "--agent", "puppet", "--json", &message], &["(HTTP 400)", "server id"]),
        (&["acp", "delete", "ü"], &["(HTTP 400)", "server id"]),
    ] {
        let said = caller.complaint(words).await?;
        for word in expected {
            assert!(said.contains(word), "{words:?}: {word:?} is missing in: {said}");
        }
    }
    assert!(daemon.children().is_empty(), "nothing was started");
    Ok(())
}

#[tokio::test]
async fn the_end_of_an_agent_is_reported_with_its_last_words() -> Result<()> {
    let daemon = Daemon::start().await?;
    let crash = request(1, "crash", r#"{"code":3,"stderr":"last words"}"#);
    let said =
        Caller::of(&daemon).complaint(&["acp", "post", "one", "--agent=puppet", "--json", &crash]).await?;
    assert!(
        said.contains("(HTTP 502)") && said.contains("exit code 3") && said.contains("last words"),
        "{said}"
    );
    Ok(())
}

#[tokio::test]
async fn a_token_that_is_missing_or_wrong_is_hinted_at() -> Result<()> {
    let daemon = Daemon::start().await?;
    let caller = Caller::of(&daemon).without_token();
    for words in [
        &["info"][..],
        &["openapi"],
        &["metrics"],
        &["ticket"],
        &["agents", "list"],
        &["agents", "get", "demo"],
        &["acp", "list"],
        &["acp", "post", "one", "--agent", "puppet", "--json", "{}"],
        &["acp", "stream", "one"],
        &["acp", "stream", "one", "--follow-reconnect"],
        &["acp", "delete", "one"],
        &["info", "--token", "wrong-s3cret"],
    ] {
        let said = caller.complaint(words).await?;
        assert!(said.contains("(HTTP 401)") && said.contains("SANDBOX_AGENT_TOKEN"), "{words:?}: {said}");
        assert!(!said.contains("s3cret"), "{said}");
    }
    Ok(())
}

#[tokio::test]
async fn a_flag_wins_over_its_variable() -> Result<()> {
    let (daemon, other) = (Daemon::builder().token("by-flag").start().await?, Daemon::start().await?);
    let flags = ["--endpoint", &daemon.base_url(), "--token", "by-flag"];
    let caller = Caller::of(&other);
    for words in [["acp", "list"], ["agents", "list"]] {
        // Before the command or after it.
        caller.output(&[&flags[..], &words].concat()).await?;
        caller.output(&[&words[..], &flags].concat()).await?;
    }
    Ok(())
}

#[tokio::test]
async fn nobody_there_is_said_clearly() -> Result<()> {
    let taken = TcpListener::bind("127.0.0.1:0")?;
    let endpoint = format!("http://{}", taken.local_addr()?);
    drop(taken);
    let sandbox = Sandbox::new()?;
    for words in
        [&["health"][..], &["acp", "list"], &["acp", "stream", "x"], &["acp", "post", "x", "--json", "{}"]]
    {
        let ended = sandbox.run([&["api", "--endpoint", &endpoint], words].concat()).await?;
        assert_eq!(ended.status.code(), Some(1), "{ended}");
        assert!(ended.stdout.is_empty() && ended.stderr.contains(&endpoint), "{ended}");
        assert!(ended.stderr.contains("is the daemon running?"), "{ended}");
    }
    Ok(())
}

#[tokio::test]
async fn somebody_else_there_is_recognized() -> Result<()> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let endpoint = format!("http://{}", listener.local_addr()?);
    let other = tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") && socket.read_buf(&mut request).await? > 0 {}
            let page = "<p>Welcome!</p>";
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n";
            let answer = format!("{head}content-length: {}\r\n\r\n{page}", page.len());
            socket.write_all(answer.as_bytes()).await?;
        }
        anyhow::Ok(())
    });
    let sandbox = Sandbox::new()?;
    for words in [&["health"][..], &["acp", "stream", "x"]] {
        let ended = sandbox.run([&["api", "--endpoint", &endpoint], words].concat()).await?;
        assert_eq!(ended.status.code(), Some(1), "{ended}");
        assert!(ended.stdout.is_empty() && ended.stderr.contains("unexpected answer"), "{ended}");
    }
    other.abort();
    Ok(())
}

#[tokio::test]
async fn what_makes_no_sense_is_bad_usage() -> Result<()> {
    let daemon = Daemon::start().await?;
    let caller = Caller::of(&daemon);
    for words in [
        &["halth"][..],
        &["acp"],
        &["acp", "post"],
        &["acp", "post", "x", "--json", "{}", "--file", "y"],
        &["acp", "stream", "x", "--last-event-id", "soon"],
        &["agents", "get"],
        &["agents", "get", ".."],
        &["health", "--endpoint", "127.0.0.1:1"],
        &["health", "--endpoint", "ftp://127.0.0.1"],
    ] {
        let ended = caller.run(words).await?;
        assert_eq!(ended.status.code(), Some(64), "{words:?}: {ended}");
        assert!(ended.stdout.is_empty() && !ended.stderr.is_empty(), "{words:?}: {ended}");
    }
    let ended = caller.run_with_input(&["acp", "post", "one"], " \n").await?;
    assert_eq!(ended.status.code(), Some(64), "an empty message: {ended}");
    Ok(())
}

#[tokio::test]
async fn a_file_that_is_not_there_is_named() -> Result<()> {
    let daemon = Daemon::start().await?;
    let said =
        Caller::of(&daemon).complaint(&["acp", "post", "one", "--file", "/nonexistent/message"]).await?;
    assert!(said.contains("/nonexistent/message"), "{said}");
    Ok(())
}
