//! Requests whose end two readers could see at different places. A gateway in front must not be made to pass one client's
//! bytes on as another client's request.

use anyhow::{Context, Result, ensure};
use sa_testkit::{Daemon, RawConnection};

const TOKEN: &str = "testkit-token";

/// Sends bytes and returns the status of each answer until the daemon closes the connection.
async fn statuses(daemon: &Daemon, request: &[u8]) -> Result<Vec<u16>> {
    let mut raw = RawConnection::connect(daemon.http()).await?;
    // A server that refuses early may close before everything is written.
    let _closed = raw.write(request).await;
    let text = raw.read_to_end(sa_testkit::DEADLINE).await?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let lines = text.match_indices("HTTP/1.1 ").map(|(at, _)| text.get(at + 9..at + 12).unwrap_or_default());
    lines.map(|status| status.parse().with_context(|| text.clone())).collect()
}

/// Returns a request with these further lines in its head, and a second request as the body.
fn smuggling(lines: &str, body: &str) -> Vec<u8> {
    let inner = format!(
        "GET /v1/agents HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {TOKEN}\r\nconnection: close\r\n\r\n"
    );
    let head =
        format!("PUT /v1/fs/file?path=smuggled HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {TOKEN}\r\n");
    format!("{head}{lines}\r\n{body}{inner}").into_bytes()
}

#[tokio::test]
async fn a_body_has_one_length() -> Result<()> {
    let daemon = Daemon::start().await?;
    let refused = [
        ("two lengths", "content-length: 0\r\ncontent-length: 5\r\n", ""),
        ("two lengths in one line", "content-length: 0, 5\r\n", ""),
        ("a negative length", "content-length: -1\r\n", ""),
        ("a length with a sign", "content-length: +0\r\n", ""),
        ("a hexadecimal length", "content-length: 0x0\r\n", ""),
        ("a length beyond 64 bits", "content-length: 18446744073709551616\r\n", ""),
        ("an encoding that is not the last", "transfer-encoding: chunked, identity\r\n", "0\r\n\r\n"),
        ("an unknown encoding", "transfer-encoding: xchunked\r\n", "0\r\n\r\n"),
        ("a folded line", "x-a: b\r\n transfer-encoding: chunked\r\ncontent-length: 0\r\n", ""),
        ("a space before the colon", "transfer-encoding : chunked\r\n", "0\r\n\r\n"),
        ("a NUL byte", "x-a: b\0c\r\ncontent-length: 0\r\n", ""),
        ("a carriage return alone", "x-a: b\rcontent-length: 5\r\ncontent-length: 0\r\n", ""),
        ("a name with a space", "content length: 5\r\ncontent-length: 0\r\n", ""),
    ];
    for (what, lines, body) in refused {
        let answers = statuses(&daemon, &smuggling(lines, body)).await?;
        ensure!(answers == [400], "{what}: {answers:?}");
    }
    // Both headers: the encoding decides, and nothing after the body is read from that connection.
    for lines in [
        "content-length: 5\r\ntransfer-encoding: chunked\r\n",
        "transfer-encoding: chunked\r\ncontent-length: 5\r\n",
        "transfer-encoding: chunked\r\ncontent-length: 5\r\nconnection: keep-alive\r\n",
    ] {
        let answers = statuses(&daemon, &smuggling(lines, "0\r\n\r\n")).await?;
        ensure!(answers.len() == 1, "{lines:?} let a second request in: {answers:?}");
    }
    // The bytes after a complete body of a known length are the next request.
    let answers = statuses(&daemon, &smuggling("content-length: 0\r\n", "")).await?;
    ensure!(matches!(answers[..], [200 | 201, 200]), "{answers:?}");
    Ok(())
}

#[tokio::test]
async fn chunks_say_their_length_in_one_way() -> Result<()> {
    let daemon = Daemon::start().await?;
    for (what, body) in [
        ("a sign", "+1\r\na\r\n0\r\n\r\n"),
        ("a prefix", "0x1\r\na\r\n0\r\n\r\n"),
        ("more than 64 bits", "10000000000000001\r\na\r\n0\r\n\r\n"),
        ("no digits", "\r\na\r\n0\r\n\r\n"),
        ("bytes beyond the length", "1\r\nab\r\n0\r\n\r\n"),
        ("an extension with a line feed", "1;a\nb\r\na\r\n0\r\n\r\n"),
    ] {
        let answers = statuses(&daemon, &smuggling("transfer-encoding: chunked\r\n", body)).await?;
        ensure!(answers.len() <= 1 && answers.iter().all(|status| *status >= 400), "{what}: {answers:?}");
    }
    ensure!(!daemon.sandbox().home().join("smuggled").exists(), "a part of a body was written");
    Ok(())
}

/// Memory for heads is bounded, and so is the time for them (see `faults`).
#[tokio::test]
async fn heads_are_bounded() -> Result<()> {
    let daemon = Daemon::start().await?;
    let line = format!("x-a: {}\r\n", "a".repeat(8_000));
    for (what, lines) in [
        ("many bytes", line.repeat(200)),
        ("many lines", "x: y\r\n".repeat(5_000)),
        ("one line without an end", format!("x-a: {}", "a".repeat(2 << 20))),
    ] {
        let request = smuggling(&lines, "");
        let answers = statuses(&daemon, &request).await?;
        ensure!(answers.is_empty() || answers == [431], "{what}: {answers:?}");
    }
    let long = format!("GET /{} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", "a".repeat(1 << 20));
    let answers = statuses(&daemon, long.as_bytes()).await?;
    ensure!(answers.iter().all(|status| [400, 401, 414, 431].contains(status)), "{answers:?}");
    daemon.http().get("/v1/agents").send().await?.expect_status(200)?;
    ensure!(daemon.peak_rss_bytes()? < 200 << 20, "{} bytes", daemon.peak_rss_bytes()?);
    Ok(())
}

#[tokio::test]
async fn a_client_that_reads_only_after_sending_sees_why_its_body_is_refused() -> Result<()> {
    const LENGTH: usize = 70_000_000;
    let daemon = Daemon::start().await?;
    let piece = vec![b' '; 1 << 16];
    for length in [format!("content-length: {LENGTH}"), "transfer-encoding: chunked".to_owned()] {
        let mut raw = RawConnection::connect(daemon.http()).await?;
        let head = "POST /v1/sessions/large HTTP/1.1\r\nhost: x\r\ncontent-type: application/json";
        raw.write(format!("{head}\r\nauthorization: Bearer {TOKEN}\r\n{length}\r\n\r\n").as_bytes()).await?;
        let is_chunked = length.ends_with("chunked");
        let mut left = LENGTH;
        while left > 0 {
            let piece = &piece[..left.min(piece.len())];
            if is_chunked {
                raw.write(format!("{:x}\r\n", piece.len()).as_bytes()).await.context("a chunk")?;
            }
            raw.write(piece).await.with_context(|| format!("{length}: {left} bytes are left"))?;
            if is_chunked {
                raw.write(b"\r\n").await?;
            }
            left -= piece.len();
        }
        if is_chunked {
            raw.write(b"0\r\n\r\n").await?;
        }
        let answer = raw.read_until(b"\r\n\r\n", sa_testkit::DEADLINE).await?;
        ensure!(answer.starts_with(b"HTTP/1.1 413"), "{length}: {}", String::from_utf8_lossy(&answer));
    }
    Ok(())
}
