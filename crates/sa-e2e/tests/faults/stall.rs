//! A reader that neither reads nor closes is let go.

use anyhow::Result;
use sa_testkit::{DEADLINE, Daemon};

/// Returns the number of the daemon's descriptors after closed connections are gone.
async fn settled(daemon: &Daemon) -> Result<usize> {
    let (mut last, mut same) = (0, 0);
    sa_testkit::until("a number that stays", || {
        let open = daemon.open_fds().unwrap_or_default();
        same = if open == last { same + 1 } else { 0 };
        last = open;
        same > 20
    })
    .await?;
    Ok(last)
}

#[tokio::test]
async fn a_socket_that_takes_no_bytes_is_closed() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).limit("write-stall-ms", 500).start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let stream = acp.listening().receive_buffer(4096);
    let socket = stream
        .clone()
        .header("connection", "upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
    let mut stalled = [stream.send_and_never_read().await?, socket.send_and_never_read().await?];
    for (connection, status) in stalled.iter_mut().zip(["HTTP/1.1 200", "HTTP/1.1 101"]) {
        let head = connection.read_until(b"\r\n\r\n", DEADLINE).await?;
        assert!(head.starts_with(status.as_bytes()), "{}", String::from_utf8_lossy(&head));
    }
    let open = settled(&daemon).await?;
    // More than the buffers of the kernel take.
    acp.call("flood", r#"{"count":2000,"bytes":10000}"#).await?;
    sa_testkit::until("both to be closed", || daemon.open_fds().is_ok_and(|now| now + 2 <= open)).await?;
    for connection in &mut stalled {
        let read = connection.read_to_end(DEADLINE).await?;
        assert!(read.len() < 20_000_000, "it was cut off before the end: {}", read.len());
    }
    // Who reads is not affected.
    let mut reader = acp.events().await?;
    acp.call("flood", r#"{"count":1}"#).await?;
    reader.event().await?;
    Ok(())
}

#[tokio::test]
async fn a_client_that_never_finishes_its_headers_is_let_go() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).limit("header-read-ms", 300).start().await?;
    let mut raw = sa_testkit::RawConnection::connect(daemon.http()).await?;
    raw.write(b"GET /v1/health HTTP/1.1\r\nhost: x\r\n").await?;
    raw.read_to_end(DEADLINE).await?;
    Ok(())
}
