//! Without a sub-protocol every frame is one message.

use anyhow::Result;
use sa_e2e::{notification, request, response, write};
use sa_testkit::{Daemon, Ws};
use serde_json::{Value, json};
use std::time::Duration;

/// Calls over the socket; other messages that come first are passed over.
async fn call(socket: &mut Ws, id: i64, method: &str, params: &str) -> Result<Value> {
    socket.send(&request(id, method, params)).await?;
    loop {
        let message: Value = serde_json::from_str(&socket.message().await?)?;
        if message["id"] == json!(id) && message.get("method").is_none() {
            return Ok(message);
        }
    }
}

#[tokio::test]
async fn a_socket_starts_its_server_and_carries_messages_verbatim() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    let mut socket = acp.ws("?agent=puppet").connect().await?;
    assert_eq!(socket.headers["acp-connection-id"], "one");
    assert_eq!(acp.listed().await?.unwrap()["status"], json!("running"), "before the first message");
    socket.send(&request(1, "echo", r#"{"z":1e+29,"a":1,"a":2}"#)).await?;
    assert_eq!(socket.message().await?, response(1, r#"{"z":1e+29,"a":1,"a":2}"#));
    socket.send(&notification("flood", r#"{"count":3}"#)).await?;
    for n in 1..=3 {
        let message: Value = serde_json::from_str(&socket.message().await?)?;
        assert_eq!(message["params"]["n"], json!(n));
    }
    Ok(())
}

#[tokio::test]
async fn what_cannot_be_opened_is_refused_before_the_handshake() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).agent("broken", "/nonexistent/agent").start().await?;
    let refused = |query: &'static str| {
        let attempt = daemon.acp("one").ws(query).attempt();
        async move { anyhow::Ok(attempt.await?.err().expect("a refusal")) }
    };
    refused("").await?.expect_problem(404, "not_found")?;
    refused("?agent=nobody").await?.expect_problem(400, "unsupported_agent")?;
    refused("?agent=broken").await?.expect_problem(502, "spawn_failed")?;
    refused("?agent=puppet&lastEventId=x").await?.expect_problem(400, "invalid_request")?;
    daemon.acp("one").start("puppet").await?;
    refused("?agent=demo").await?.expect_problem(409, "conflict")?;
    Ok(())
}

#[tokio::test]
async fn a_handshake_that_cannot_be_completed_starts_nothing() -> Result<()> {
    let daemon = Daemon::start().await?;
    for path in ["/v1/acp/one?agent=puppet", "/acp?agent=puppet", "/v1/agents/puppet/acp"] {
        // The key is missing, or the version is none that exists.
        let asking = daemon.http().get(path).header("connection", "upgrade").header("upgrade", "websocket");
        let keyed = asking.clone().header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
        for request in
            [asking.header("sec-websocket-version", "13"), keyed.header("sec-websocket-version", "99")]
        {
            request.send().await?.expect_problem(400, "invalid_request")?;
        }
    }
    assert!(sa_testkit::Acp::list(daemon.http()).await?.is_empty());
    Ok(())
}

#[tokio::test]
async fn each_socket_gets_its_own_answers_and_everything_the_agent_says() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let (mut first, mut second) = (acp.ws("").connect().await?, acp.ws("").connect().await?);
    first.send(&request(0, "hold", r#"{"name":"a","from":"first"}"#)).await?;
    second.send(&request(0, "hold", r#"{"name":"b","from":"second"}"#)).await?;
    acp.post(request(0, "release", r#"{"names":["b","a"]}"#)).await?.expect_status(200)?;
    let answer = |text: String| serde_json::from_str::<Value>(&text).unwrap();
    assert_eq!(answer(second.message().await?)["result"]["from"], json!("second"));
    assert_eq!(answer(first.message().await?)["result"]["from"], json!("first"));
    // Neither sees the other's answer, nor that of the POST; both see what is for everybody.
    acp.notify("flood", r#"{"count":1,"label":"all"}"#).await?;
    for socket in [&mut first, &mut second] {
        assert_eq!(answer(socket.message().await?)["params"]["label"], json!("all"));
    }
    Ok(())
}

#[tokio::test]
async fn open_questions_come_first_and_a_cursor_replays() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    acp.call("flood", r#"{"count":5}"#).await?;
    acp.post_async(acp.envelope("ask", r#"{"method":"q","id":77}"#)).await?.expect_status(202)?;
    let mut stream = acp.events_after(0).await?;
    stream.find("the question", |event| event.data.contains("\"q\"")).await?;

    let mut fresh = acp.ws("").connect().await?;
    let question: Value = serde_json::from_str(&fresh.message().await?)?;
    assert_eq!((&question["method"], &question["id"]), (&json!("q"), &json!(77)));
    fresh.send(&response(77, "{}")).await?;
    stream
        .find("the answer's answer", |event| event.data.contains("\"result\"") && event.data.contains("77"))
        .await?;

    // The first record answers `start`, the flood's five follow; a socket is shown nobody else's answers.
    for mut replayed in
        [acp.ws("?lastEventId=3").connect().await?, acp.ws("").header("last-event-id", "3").connect().await?]
    {
        for n in 3..=5 {
            let message: Value = serde_json::from_str(&replayed.message().await?)?;
            assert_eq!(message["params"]["n"], json!(n));
        }
        assert!(replayed.message().await?.contains("\"q\""));
    }
    Ok(())
}

#[tokio::test]
async fn text_that_is_no_message_is_answered_as_json_rpc_says() -> Result<()> {
    let daemon = Daemon::start().await?;
    let mut socket = daemon.acp("one").ws("?agent=puppet").connect().await?;
    for (text, code) in [("{", -32700), ("[]", -32600), (r#"{"jsonrpc":"1.0","id":1,"method":"a"}"#, -32600)]
    {
        socket.send(text).await?;
        let answer: Value = serde_json::from_str(&socket.message().await?)?;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(code)), "{text}");
    }
    socket.send_binary(b"{}").await?;
    assert_eq!(call(&mut socket, 5, "echo", r#""still here""#).await?["result"], json!("still here"));
    Ok(())
}

#[tokio::test]
async fn the_agents_end_answers_what_waits_and_closes_the_socket() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    let mut socket = acp.ws("?agent=puppet").connect().await?;
    socket.send(&request("\"x\"", "never", "{}")).await?;
    socket.send(&notification("crash", r#"{"code":7,"stderr":"last words"}"#)).await?;
    let failed: Value = serde_json::from_str(&socket.message().await?)?;
    assert_eq!(failed["id"], json!("x"));
    assert_eq!(failed["error"]["data"], json!({"code": 7, "signal": null, "stderrTail": "last words"}));
    assert_eq!(socket.next().await?, None);
    assert_eq!(socket.closed().unwrap().0, 1011);
    // Its id stays; the next socket that names the agent starts it again.
    let mut again = acp.ws("?agent=puppet").connect().await?;
    assert_eq!(call(&mut again, 1, "echo", "1").await?["result"], json!(1));
    Ok(())
}

#[tokio::test]
async fn a_gap_closes_a_socket_that_has_no_words_for_it() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).limit("log-bytes", 64 * 1024).start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    acp.call("flood", r#"{"count":4000,"bytes":200}"#).await?;
    let mut socket = acp.ws("?lastEventId=1").connect().await?;
    assert_eq!(socket.next().await?, None);
    let (code, reason) = socket.closed().unwrap();
    assert_eq!(*code, 4000);
    assert!(reason.starts_with("gap: oldest "), "{reason}");
    Ok(())
}

#[tokio::test]
async fn large_messages_pass_both_ways() -> Result<()> {
    let daemon = Daemon::start().await?;
    let mut socket = daemon.acp("one").ws("?agent=puppet").connect().await?;
    let text = "x".repeat(3 * 1024 * 1024);
    let answer = call(&mut socket, 1, "echo", &format!("\"{text}\"")).await?;
    assert_eq!(answer["result"], json!(text));
    Ok(())
}

#[tokio::test]
async fn a_deleted_server_says_goodbye() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    let mut socket = acp.ws("?agent=puppet").subprotocol("sandbox-agent.events.v1").connect().await?;
    acp.delete().await?.expect_status(204)?;
    while socket.next().await?.is_some() {}
    assert_eq!(socket.closed().unwrap().0, 1001);
    Ok(())
}

#[tokio::test]
async fn an_idle_socket_is_pinged() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).limit("heartbeat-ms", 50).start().await?;
    let mut socket = daemon.acp("one").ws("?agent=puppet").connect().await?;
    let frame = socket.frame_within(Duration::from_secs(10)).await?;
    assert!(frame.is_some_and(|frame| frame.is_ping()));
    Ok(())
}

#[tokio::test]
async fn odd_output_is_not_shown_to_a_bare_socket() -> Result<()> {
    let daemon = Daemon::start().await?;
    let mut socket = daemon.acp("one").ws("?agent=puppet").connect().await?;
    socket.send(&notification("raw", &write("no message\n"))).await?;
    assert_eq!(call(&mut socket, 1, "echo", "1").await?["result"], json!(1));
    Ok(())
}

#[tokio::test]
async fn a_close_is_answered() -> Result<()> {
    let daemon = Daemon::start().await?;
    for path in ["/v1/acp/one?agent=puppet", "/acp?agent=puppet"] {
        let mut socket = daemon.http().ws(path).connect().await?;
        socket.send(&request(1, "initialize", "{}")).await?;
        socket.message().await?;
        socket.close(1000, "done").await?;
        assert_eq!(socket.next().await?, None);
        assert_eq!(socket.closed().map(|(code, _)| *code), Some(1000), "{path}");
    }
    Ok(())
}

#[tokio::test]
async fn a_socket_hears_the_first_words_of_the_agent_it_starts() -> Result<()> {
    let greeting = notification("hello", "{}");
    let script = format!("echo '{greeting}'; exec sleep 600").replace('"', "\\\"");
    let daemon = Daemon::builder().agent("polite", &format!("sh -c \"{script}\"")).start().await?;
    let greeted = async |path: String| {
        let mut socket = daemon.http().ws(&path).connect().await?;
        assert_eq!(socket.message().await?, greeting, "{path}");
        anyhow::Ok(())
    };
    let own = (0..6).map(|n| format!("/v1/acp/s{n}?agent=polite"));
    let minted = (0..6).map(|_| "/acp?agent=polite".to_owned());
    futures_util::future::try_join_all(own.chain(minted).map(greeted)).await?;
    Ok(())
}
