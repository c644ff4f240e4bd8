//! Terminals on WebSockets.

use crate::api::{Api, Viewer, base64};
use anyhow::Result;
use sa_testkit::Daemon;
use serde_json::{Value, json};

async fn start(api: &Api<'_>, text: &str) -> Result<String> {
    api.script(text, json!({"tty": true})).await
}

#[tokio::test]
async fn a_terminal_is_typed_on_and_shows_what_is_printed() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let text = "echo $TERM; stty size; tty >/dev/null && echo tty; \
                while read line; do echo \"got $line\"; [ \"$line\" = quit ] && exit 3; done";
    let id = start(&api, text).await?;
    let info = api.info(&id).await?;
    assert_eq!((&info["tty"], &info["interactive"]), (&json!(true), &json!(false)));
    let mut viewer = Viewer::connect(api.terminal(&id, "")).await?;
    viewer.until("xterm-256color\r\n24 80\r\ntty\r\n").await?;
    viewer.send(json!({"type": "input", "data": "grüße\n"})).await?;
    viewer.until("got grüße\r\n").await?;
    viewer.send(json!({"type": "input", "data": base64(b"encoded\n"), "encoding": "base64"})).await?;
    viewer.until("got encoded\r\n").await?;
    viewer.socket.send_binary(b"binary\n").await?;
    viewer.until("got binary\r\n").await?;
    api.post(&format!("/{id}/input"), &json!({"data": "posted\n", "encoding": "utf8"}))
        .await?
        .expect_status(200)?;
    viewer.until("got posted\r\n").await?;
    viewer.send(json!({"type": "input", "data": "quit\n"})).await?;
    let exit = viewer.end().await?;
    assert_eq!(exit, json!({"type": "exit", "exitCode": 3, "signal": null, "oomKilled": false}));
    assert_eq!(viewer.socket.closed().map(|(code, _)| *code), Some(1000));
    assert!(viewer.text().ends_with("got quit\r\n"), "no word of an error at the end: {:?}", viewer.text());
    let logs = api.logs(&id, "").await?;
    assert_eq!((&logs["stream"], &logs["entries"][0]["stream"]), (&json!("pty"), &json!("pty")));
    Ok(())
}

#[tokio::test]
async fn the_size_is_set_at_the_start_by_request_and_by_socket() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let text = "trap 'stty size' WINCH; stty size; while :; do sleep 0.01; done";
    let id = api.script(text, json!({"tty": true, "cols": 100, "rows": 30})).await?;
    let mut viewer = Viewer::connect(api.terminal(&id, "")).await?;
    viewer.until("30 100\r\n").await?;
    let path = format!("/{id}/terminal/resize");
    let size = json!({"cols": 132, "rows": 43});
    assert_eq!(api.post(&path, &size).await?.expect_status(200)?.json()?, size);
    viewer.until("43 132\r\n").await?;
    viewer.send(json!({"type": "resize", "cols": 61, "rows": 17})).await?;
    viewer.until("17 61\r\n").await?;

    for bad in [
        json!({"cols": 0, "rows": 24}),
        json!({"cols": 80, "rows": 0}),
        json!({"cols": 70000, "rows": 1}),
        json!({}),
    ] {
        api.post(&path, &bad).await?.expect_problem(400, "invalid_request")?;
    }
    viewer.send(json!({"type": "resize", "cols": 0, "rows": 0})).await?;
    assert_eq!(viewer.saying().await?["type"], "error");
    let body = json!({"command": "true", "tty": true, "cols": 0});
    api.post("", &body).await?.expect_problem(400, "invalid_request")?;
    api.kill(&id).await?;
    api.post(&path, &size).await?.expect_problem(409, "conflict")?;
    Ok(())
}

#[tokio::test]
async fn who_comes_late_sees_what_was_and_all_see_the_same() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let id = start(&api, "echo first; while read line; do echo \"got $line\"; done").await?;
    let mut early = Viewer::connect(api.terminal(&id, "")).await?;
    early.until("first\r\n").await?;
    early.send(json!({"type": "input", "data": "one\n"})).await?;
    early.until("got one\r\n").await?;
    let mut late = Viewer::connect(api.terminal(&id, "")).await?;
    late.until("got one\r\n").await?;
    assert_eq!(late.text(), early.text());
    let mut fresh = Viewer::connect(api.terminal(&id, "?scrollback=0")).await?;
    late.send(json!({"type": "input", "data": "two\n"})).await?;
    for viewer in [&mut early, &mut late, &mut fresh] {
        viewer.until("got two\r\n").await?;
    }
    assert_eq!(late.text(), early.text());
    assert!(!fresh.text().contains("one"), "{:?}", fresh.text());
    // Leaving, in whichever way, is no end for anybody else.
    early.send(json!({"type": "close"})).await?;
    early.socket.next().await?;
    assert_eq!(early.socket.closed().map(|(code, _)| *code), Some(1000));
    late.socket.close(1000, "").await?;
    drop(late);
    fresh.send(json!({"type": "input", "data": "three\n"})).await?;
    fresh.until("got three\r\n").await?;
    assert_eq!(api.info(&id).await?["status"], "running");
    api.kill(&id).await?;
    assert_eq!(
        fresh.end().await?,
        json!({"type": "exit", "exitCode": null, "signal": 9, "oomKilled": false})
    );
    let mut after = Viewer::connect(api.terminal(&id, "")).await?;
    assert_eq!(after.end().await?["signal"], 9, "the end can be seen afterwards");
    assert!(after.text().contains("got three\r\n"));
    Ok(())
}

#[tokio::test]
async fn scrollback_that_is_cut_begins_with_a_whole_line() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let id =
        start(&api, "for i in $(seq 1 300); do echo \"line $i\"; sleep 0.001; done; echo over; sleep 600")
            .await?;
    api.printed(&id, "over").await?;
    let mut viewer = Viewer::connect(api.terminal(&id, "?scrollback=500")).await?;
    viewer.until("over\r\n").await?;
    assert!(viewer.text().len() <= 500 && viewer.text().starts_with("line "), "{:?}", viewer.text());
    api.kill(&id).await?;
    Ok(())
}

#[tokio::test]
async fn what_is_no_message_is_refused_and_the_socket_stays() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let id = start(&api, "cat").await?;
    let mut viewer = Viewer::connect(api.terminal(&id, "")).await?;
    let long = "x".repeat(70_000);
    for bad in [
        json!("nonsense"),
        json!({"type": "dance"}),
        json!({"type": "input", "data": "x", "encoding": "morse"}),
        json!({"type": "input", "data": "!", "encoding": "base64"}),
        json!({"type": "input", "data": long}),
    ] {
        viewer.send(bad.clone()).await?;
        let said = viewer.saying().await?;
        assert_eq!(said["type"], "error", "{bad}");
        assert!(said["message"].as_str().is_some_and(|text| !text.is_empty()));
    }
    viewer.send(json!({"type": "input", "data": "still here\n"})).await?;
    viewer.until("still here\r\nstill here\r\n").await?;
    // Ctrl-D ends the input of a program that reads lines.
    api.post(&format!("/{id}/input"), &json!({"data": "", "eof": true})).await?.expect_status(200)?;
    assert_eq!(viewer.end().await?["exitCode"], 0);
    Ok(())
}

#[tokio::test]
async fn a_socket_is_opened_by_header_ticket_or_token_in_the_address() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let id = start(&api, "cat").await?;
    let path = format!("/v1/processes/{id}/terminal/ws");
    let stranger = daemon.http().with_token(None);
    let refusal = stranger.ws(&path).attempt().await?.err().expect("no socket");
    refusal.expect_problem(401, "token_invalid")?;
    let ticket =
        daemon.http().post("/v1/tickets").send().await?.json()?["ticket"].as_str().unwrap().to_owned();
    for query in [format!("ticket={ticket}"), format!("access_token={}", daemon.token().unwrap())] {
        Viewer::connect(stranger.ws(&format!("{path}?{query}"))).await?;
    }
    let again = stranger.ws(&format!("{path}?ticket={ticket}")).attempt().await?.err().expect("used up");
    again.expect_problem(401, "token_invalid")?;
    assert!(!daemon.stderr().contains(daemon.token().unwrap()), "tokens are not logged");

    let plain = api.create(json!({"command": "sleep", "args": ["600"]})).await?;
    let refusal = api.terminal(&plain, "").attempt().await?.err().expect("no terminal");
    refusal.expect_problem(409, "conflict")?;
    let resize = api.post(&format!("/{plain}/terminal/resize"), &json!({"cols": 1, "rows": 1})).await?;
    resize.expect_problem(409, "conflict")?;
    api.get(&format!("/{id}/terminal/ws")).await?.expect_problem(400, "invalid_request")?;
    Ok(())
}

#[tokio::test]
async fn keys_that_mean_signals_reach_the_foreground_job() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let id = start(&api, "trap 'echo interrupted' INT; echo ready; while :; do sleep 0.01; done").await?;
    let mut viewer = Viewer::connect(api.terminal(&id, "")).await?;
    viewer.until("ready").await?;
    viewer.socket.send_binary(b"\x03").await?;
    viewer.until("interrupted").await?;
    viewer.socket.send_binary(b"\x1c").await?;
    let exit: Value = viewer.end().await?;
    assert_eq!(exit["signal"], 3, "Ctrl-\\ quits");
    Ok(())
}
