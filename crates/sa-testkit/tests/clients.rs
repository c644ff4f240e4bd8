//! The clients against servers that write exact bytes.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use anyhow::Result;
use sa_testkit::{DEADLINE, Event, Http, Pace, RawConnection, Sse};
use std::future::Future;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Serves connections one by one: reads a head, then lets the script write what it wants.
async fn serve<F, R>(script: F) -> Result<Http>
where
    F: Fn(TcpStream, String) -> R + Send + 'static,
    R: Future<Output = Result<()>> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let http = Http::new(&format!("http://{}", listener.local_addr()?), Some("secret"))?;
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await?);
            }
            script(stream, String::from_utf8(head)?).await?;
        }
        anyhow::Ok(())
    });
    Ok(http)
}

const STREAM: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

fn chunk(text: &str) -> String {
    format!("{:x}\r\n{text}\r\n", text.len())
}

fn message(data: &str) -> Event {
    Event { event: "message".to_owned(), id: None, data: data.to_owned() }
}

#[tokio::test]
async fn a_request_shows_what_was_asked_for() -> Result<()> {
    let http = serve(|mut stream, head| async move {
        let answer = format!("HTTP/1.1 207 X\r\nx-one: 1\r\ncontent-length: {}\r\n\r\n{head}", head.len());
        Ok(stream.write_all(answer.as_bytes()).await?)
    })
    .await?;
    let reply = http.get("/a?b=c").header("x-mine", "1").send().await?;
    assert_eq!((reply.status, reply.header("X-One"), reply.header("absent")), (207, "1", ""));
    let head = reply.text().to_lowercase();
    for line in ["get /a?b=c http/1.1", "authorization: bearer secret", "x-mine: 1"] {
        assert!(head.contains(line), "{head}");
    }
    let bare = http.with_token(None).get("/").without_header("host").send().await?.text().to_lowercase();
    assert!(!bare.contains("authorization") && !bare.contains("host:"), "{bare}");
    assert!(reply.expect_status(200).is_err());
    Ok(())
}

#[tokio::test]
async fn a_problem_must_be_a_proper_one() -> Result<()> {
    let http = serve(|mut stream, head| async move {
        let kind = if head.contains("wrong") { "application/json" } else { "application/problem+json" };
        let body = r#"{"type":"urn:sandbox-agent:error:gone","title":"Gone","status":410,"detail":"it is"}"#;
        let answer = format!(
            "HTTP/1.1 410 Gone\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        Ok(stream.write_all(answer.as_bytes()).await?)
    })
    .await?;
    let reply = http.get("/").send().await?;
    assert_eq!(reply.expect_problem(410, "gone")?.detail, "it is");
    assert!(reply.expect_problem(404, "gone").is_err() && reply.expect_problem(410, "other").is_err());
    assert!(http.get("/wrong").send().await?.problem().is_err());
    Ok(())
}

#[tokio::test]
async fn events_come_through_chunks_and_end_properly_or_not() -> Result<()> {
    let http = serve(|mut stream, head| async move {
        stream.write_all(STREAM.as_bytes()).await?;
        for part in ["retry: 100\n: hi\n\nda", "ta: one\n", "\ndata: two\n\n: beat\n\n"] {
            stream.write_all(chunk(part).as_bytes()).await?;
        }
        if !head.contains("/cut") {
            stream.write_all(b"0\r\n\r\n").await?;
        }
        Ok(())
    })
    .await?;
    let mut events = Sse::open(http.get("/whole")).await?;
    assert_eq!(events.event().await?, message("one"));
    assert_eq!(events.find("two", |event| event.data == "two").await?, message("two"));
    assert_eq!(events.next_event().await?, None);
    assert_eq!((events.comments(), events.retry()), (2, Some(Duration::from_millis(100))));

    let mut events = Sse::open(http.get("/cut")).await?;
    events.wait_for_comments(2).await?;
    assert_eq!(events.event().await?, message("one"));
    assert_eq!(events.event().await?, message("two"));
    assert!(events.next_event().await.is_err(), "a cut stream is not an ended one");
    Ok(())
}

#[tokio::test]
async fn an_answer_that_is_no_stream_is_shown() -> Result<()> {
    let http = serve(|mut stream, _| async move {
        Ok(stream.write_all(b"HTTP/1.1 404 No\r\ncontent-length: 4\r\n\r\nnone").await?)
    })
    .await?;
    let Err(reply) = Sse::attempt(http.get("/")).await? else { panic!("not a stream") };
    assert_eq!((reply.status, reply.text()), (404, "none".to_owned()));
    assert!(Sse::open(http.get("/")).await.is_err());
    Ok(())
}

/// Writes events until the client's side is full or gone, and says how many bytes went out.
async fn pour(mut stream: TcpStream) -> Result<usize> {
    let (event, mut written) = (chunk(&format!("data: {}\n\n", "x".repeat(8192))), 0);
    stream.write_all(STREAM.as_bytes()).await?;
    while written < 64 << 20 {
        match tokio::time::timeout(Duration::from_millis(300), stream.write_all(event.as_bytes())).await {
            Ok(done) => done?,
            Err(_) => break,
        }
        written += event.len();
    }
    Ok(written)
}

#[tokio::test]
async fn a_stalled_reader_fills_the_servers_socket_and_can_go_on() -> Result<()> {
    let (sender, mut poured) = tokio::sync::mpsc::channel(4);
    let http = serve(move |stream, _| {
        let sender = sender.clone();
        async move { Ok(sender.send(pour(stream).await?).await?) }
    })
    .await?;
    let mut events = Sse::open(http.get("/").receive_buffer(4096)).await?;
    events.event().await?;
    events.set_pace(Pace::Stalled);
    let written = poured.recv().await.expect("the server is done");
    assert!(written < 32 << 20, "{written} bytes went to a reader that reads nothing");
    // The data read before the stall is there; after that nothing comes, however much waits in the socket.
    let mut read_before = 0;
    while events.next_within(Duration::from_millis(200)).await.is_ok() {
        read_before += 1;
        assert!(read_before < 500, "a stalled reader reads on");
    }
    events.set_pace(Pace::Free);
    events.event().await?;

    let silent = http.get("/").receive_buffer(4096).send_and_never_read().await?;
    assert!(poured.recv().await.expect("the server is done") < 32 << 20);
    drop(silent);
    Ok(())
}

#[tokio::test]
async fn a_slow_reader_loses_nothing() -> Result<()> {
    let http = serve(|mut stream, _| async move {
        let body: String = (0..20).map(|n| chunk(&format!("data: {n}\n\n"))).collect();
        Ok(stream.write_all(format!("{STREAM}{body}0\r\n\r\n").as_bytes()).await?)
    })
    .await?;
    let pace = Pace::Slow { bytes: 16, pause: Duration::from_millis(1) };
    let mut events = Sse::open(http.get("/").pace(pace)).await?;
    for n in 0..20 {
        assert_eq!(events.event().await?.data, n.to_string());
    }
    assert_eq!(events.next_event().await?, None);
    Ok(())
}

#[tokio::test]
async fn a_raw_connection_sends_and_shows_bytes() -> Result<()> {
    let http = serve(|mut stream, head| async move { Ok(stream.write_all(head.as_bytes()).await?) }).await?;
    let mut raw = RawConnection::connect(&http).await?;
    raw.write(b"BREW /pot HTCPCP/1.0\r\n\r\n").await?;
    assert_eq!(raw.read_until(b"\r\n", DEADLINE).await?, b"BREW /pot HTCPCP/1.0\r\n");
    assert_eq!(raw.read_to_end(DEADLINE).await?, b"\r\n");
    Ok(())
}

#[tokio::test]
async fn a_websocket_carries_headers_messages_and_the_reason_to_close() -> Result<()> {
    use futures_util::{SinkExt, StreamExt};
    use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
    use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Message};
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let http = Http::new(&listener.local_addr()?.to_string(), Some("secret"))?;
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await?;
        #[allow(clippy::result_large_err, reason = "the callback's type is the library's")]
        let answer = |request: &Request, mut response: Response| {
            let offered = request.headers()["sec-websocket-protocol"].clone();
            assert_eq!(request.headers()["authorization"], "Bearer secret");
            response.headers_mut().insert("sec-websocket-protocol", offered);
            Ok(response)
        };
        let mut server = tokio_tungstenite::accept_hdr_async(stream, answer).await?;
        let message = server.next().await.expect("a message")?;
        server.send(Message::Ping("p".into())).await?;
        server.send(message).await?;
        let frame = CloseFrame { code: 4001.into(), reason: "enough".into() };
        server.close(Some(frame)).await?;
        anyhow::Ok(())
    });
    let mut ws = http.ws("/x").subprotocol("acp.v1").connect().await?;
    assert_eq!(ws.headers["sec-websocket-protocol"], "acp.v1");
    ws.send(r#"{"a": 1.0}"#).await?;
    assert_eq!(ws.message().await?, r#"{"a": 1.0}"#);
    assert_eq!(ws.next().await?, None);
    assert_eq!(ws.closed(), Some(&(4001, "enough".to_owned())));
    Ok(())
}

#[tokio::test]
async fn a_refused_websocket_shows_the_answer() -> Result<()> {
    let http = serve(|mut stream, _| async move {
        Ok(stream.write_all(b"HTTP/1.1 401 No\r\ncontent-length: 2\r\n\r\nno").await?)
    })
    .await?;
    let Err(reply) = http.ws("/").attempt().await? else { panic!("it was refused") };
    assert_eq!((reply.status, reply.text()), (401, "no".to_owned()));
    Ok(())
}
