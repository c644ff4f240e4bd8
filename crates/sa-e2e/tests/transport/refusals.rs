//! Refusals, each of which is a problem document.

use anyhow::{Context, Result};
use sa_e2e::request;
use sa_testkit::{DEADLINE, Daemon, RawConnection, Sse};
use serde_json::json;

#[tokio::test]
async fn a_message_that_is_refused_starts_nothing() -> Result<()> {
    let daemon = Daemon::start().await?;
    let long = request(format!("\"{}\"", "i".repeat(2000)), "initialize", "{}");
    for path in ["/v1/acp/one?agent=puppet", "/acp?agent=puppet", "/v1/agents/puppet/acp"] {
        let reply = daemon.http().post(path).json(long.clone()).send().await?;
        let problem = reply.expect_problem(400, "invalid_request")?;
        assert!(problem.detail.contains("1024 bytes"), "{}", problem.detail);
    }
    assert!(sa_testkit::Acp::list(daemon.http()).await?.is_empty());
    Ok(())
}

#[tokio::test]
async fn a_body_must_say_that_it_is_json() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    for kind in ["text/plain", "application/jsonl", "application/json-rpc", ""] {
        let posting = acp.posting(request(1, "pid", "{}")).header("content-type", kind);
        posting.send().await?.expect_problem(415, "unsupported_media_type").context(kind)?;
    }
    let none = acp.posting(request(1, "pid", "{}")).without_header("content-type");
    none.send().await?.expect_problem(415, "unsupported_media_type")?;
    for kind in ["application/json; charset=utf-8", "Application/JSON"] {
        acp.posting(request(1, "pid", "{}")).header("content-type", kind).send().await?.expect_status(200)?;
    }
    Ok(())
}

#[tokio::test]
async fn an_accept_header_that_excludes_the_answer_is_heeded() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    for accept in
        ["text/event-stream", "application/json;q=0", "*/*, application/json; q=0.0", "application/xml"]
    {
        let posting = acp.posting(request(1, "pid", "{}")).header("accept", accept);
        posting.send().await?.expect_problem(406, "not_acceptable").context(accept)?;
    }
    for accept in ["application/json", "application/*;q=0.1", "text/html, */*", "*/*;q=0, application/json"] {
        let posting = acp.posting(request(1, "pid", "{}")).header("accept", accept);
        posting.send().await?.expect_status(200).context(accept)?;
    }
    for accept in ["application/json", "text/event-stream;q=0", "*/*, text/event-stream;q=0"] {
        acp.listening().header("accept", accept).send().await?.expect_problem(406, "not_acceptable")?;
    }
    let ids = acp.call("ids", "{}").await?;
    assert_eq!(ids.as_array().unwrap().len(), 1 + 4 + 1, "the agent saw nothing of what was refused: {ids}");
    Ok(())
}

#[tokio::test]
async fn a_place_in_the_stream_is_a_number() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    for place in ["abc", "-1", "1.5", "0x10", "99999999999999999999999"] {
        let listening = acp.listening().header("last-event-id", place);
        let problem = listening.send().await?.expect_problem(400, "invalid_request").context(place)?;
        assert!(problem.detail.contains(place), "{}", problem.detail);
        let path = acp.path(&format!("?lastEventId={place}"));
        daemon.http().get(&path).send().await?.expect_problem(400, "invalid_request")?;
    }
    // A header without a value is what some clients send before their first event.
    Sse::open(acp.listening().header("last-event-id", "")).await?;
    Ok(())
}

#[tokio::test]
async fn a_body_is_one_json_rpc_message() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    let pid = acp.start("puppet").await?;
    let bad: [&[u8]; 20] = [
        b"",
        b"pid",
        b"{",
        br#"{"jsonrpc":"2.0","id":1,"method":"pid"} x"#,
        b"\"text\"",
        b"null",
        b"[]",
        br#"[{"jsonrpc":"2.0","id":1,"method":"pid"}]"#,
        b"{}",
        br#"{"id":1,"method":"pid"}"#,
        br#"{"jsonrpc":"1.0","id":1,"method":"pid"}"#,
        br#"{"jsonrpc":2.0,"id":1,"method":"pid"}"#,
        br#"{"jsonrpc":"2.0","id":1,"method":7}"#,
        br#"{"jsonrpc":"2.0","id":1,"method":null}"#,
        br#"{"jsonrpc":"2.0","id":true,"method":"pid"}"#,
        br#"{"jsonrpc":"2.0","id":{},"method":"pid"}"#,
        br#"{"jsonrpc":"2.0","id":1}"#,
        br#"{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}"#,
        br#"{"jsonrpc":"2.0","result":1}"#,
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pid\",\"params\":\"\xff\"}",
    ];
    for body in bad {
        let shown = String::from_utf8_lossy(body);
        acp.post(body).await?.expect_problem(400, "invalid_request").with_context(|| shown.into_owned())?;
    }
    // To an id that does not exist, too: nothing is started for what cannot be sent.
    let new = daemon.acp("new");
    new.post_to("puppet", "{}").await?.expect_problem(400, "invalid_request")?;
    assert_eq!(new.listed().await?, None);
    assert_eq!(acp.call("notify_count", "{}").await?, json!(0));
    assert_eq!(acp.call("ids", "{}").await?, json!([1, 2, 3]));
    assert_eq!(acp.call("pid", "{}").await?, json!(pid));
    Ok(())
}

#[tokio::test]
async fn a_server_id_is_short_and_plain() -> Result<()> {
    let daemon = Daemon::start().await?;
    let (fits, long) = ("x".repeat(128), "x".repeat(129));
    let bad = ["%00", "%20", "..%2F..", "a%0Ab", "%C3%A4", "%FF", "a+b%2F", "<x>", &long, &"y".repeat(2000)];
    for id in bad {
        let id = id.replace('<', "%3C").replace('>', "%3E");
        let path = format!("/v1/acp/{id}?agent=puppet");
        let http = daemon.http();
        let replies = [
            http.post(&path).json(request(1, "pid", "{}")).send().await?,
            http.get(&path).send().await?,
            http.delete(&path).send().await?,
        ];
        for reply in replies {
            reply.expect_problem(400, "invalid_request").context(id.clone())?;
        }
    }
    daemon.acp(&fits).start("puppet").await?;
    daemon.acp(&fits).delete().await?.expect_status(204)?;
    Ok(())
}

#[tokio::test]
async fn a_body_may_be_as_large_as_the_limit_says() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).limit("body-bytes", 1000).start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let padded = |length: usize| {
        let empty = request(1, "echo", "\"\"");
        request(1, "echo", &format!("\"{}\"", "x".repeat(length - empty.len())))
    };
    acp.post(padded(1000)).await?.expect_status(200)?;
    let problem = acp.post(padded(1001)).await?.expect_problem(413, "payload_too_large")?;
    assert!(problem.detail.contains("1000"), "{}", problem.detail);
    // A body that does not say its length beforehand is measured as it comes.
    let mut raw = RawConnection::connect(daemon.http()).await?;
    let head = acp.posting("").header("transfer-encoding", "chunked").to_wire();
    raw.write(&head).await?;
    for _ in 0..5 {
        raw.write(format!("100\r\n{}\r\n", " ".repeat(256)).as_bytes()).await?;
    }
    let answer = String::from_utf8(raw.read_until(b"\r\n\r\n", DEADLINE).await?)?;
    assert!(answer.starts_with("HTTP/1.1 413 ") && answer.contains("application/problem+json"), "{answer}");
    assert_eq!(acp.call("ids", "{}").await?.as_array().unwrap().len(), 3);
    Ok(())
}

#[tokio::test]
async fn a_large_prompt_is_no_problem() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let image = "A".repeat(8 << 20);
    let body = request(5, "echo", &format!("\"{image}\""));
    let reply = acp.post(body).await?.expect_status(200)?;
    assert!(reply.text() == sa_e2e::response(5, &format!("\"{image}\"")), "it came back changed");
    Ok(())
}

#[tokio::test]
async fn what_is_not_there_says_so_as_a_problem() -> Result<()> {
    let daemon = Daemon::start().await?;
    let http = daemon.http();
    for path in ["/nothing", "/v1", "/v1/acp/", "/v1/acp/a/b", "/v1/rpc", "/acp/x", "/v1/health/", "//"] {
        http.get(path).send().await?.expect_problem(404, "not_found").context(path)?;
    }
    for (method, path, allowed) in [
        ("PUT", "/v1/acp/one", "POST"),
        ("POST", "/v1/health", "GET"),
        ("DELETE", "/v1/acp", "GET"),
        ("PATCH", "/acp", "DELETE"),
        ("OPTIONS", "/v1/agents", "GET"),
    ] {
        let reply = http.request(method.parse()?, path).send().await?;
        reply.expect_problem(405, "method_not_allowed").context(path)?;
        assert!(reply.header("allow").contains(allowed), "{method} {path}: {:?}", reply.headers);
    }
    Ok(())
}

#[tokio::test]
async fn a_query_that_cannot_be_read_is_a_problem() -> Result<()> {
    let daemon = Daemon::start().await?;
    let http = daemon.http();
    for query in ["agent=puppet&agent=demo", "lastEventId=1&lastEventId=2"] {
        let path = format!("/v1/acp/one?{query}");
        let posting = http.post(&path).json(request(1, "pid", "{}"));
        posting.send().await?.expect_problem(400, "invalid_request").context(query)?;
        http.get(&path).send().await?.expect_problem(400, "invalid_request").context(query)?;
        let posting = http.post(&format!("/acp?{query}")).json(request(1, "initialize", "{}"));
        posting.send().await?.expect_problem(400, "invalid_request").context(query)?;
    }
    let path = "/v1/acp/one?agent=puppet&color=red";
    let reply = http.post(path).json(request(1, "pid", "{}")).send().await?;
    reply.expect_problem(400, "invalid_request")?;
    assert!(sa_testkit::Acp::list(http).await?.is_empty(), "nothing was started");
    Ok(())
}
