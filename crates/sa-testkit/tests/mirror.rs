//! The mirror answers like a web server, and fails on request.
#![allow(clippy::unwrap_used)]

use sa_testkit::mirror::{Fault, Mirror};
use sa_testkit::{DEADLINE, Http, RawConnection};
use std::time::Duration;

/// Returns all that is answered to one request.
async fn answer(mirror: &Mirror, path: &str, headers: &str) -> String {
    let mut connection = RawConnection::connect(&Http::new(&mirror.url(), None).unwrap()).await.unwrap();
    connection.write(format!("GET {path} HTTP/1.1\r\nHost: x\r\n{headers}\r\n").as_bytes()).await.unwrap();
    String::from_utf8(connection.read_to_end(DEADLINE).await.unwrap()).unwrap()
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap()
}

fn body(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").unwrap().1
}

#[tokio::test]
async fn parts_are_sent_and_requests_recorded() {
    let mirror = Mirror::start().await.unwrap();
    mirror.put("/host/@s/file", "0123456789");
    assert_eq!(body(&answer(&mirror, "/host/@s%2ffile?x=y", "").await), "0123456789");
    let part = answer(&mirror, "/host/@s/file", "Range: bytes=4-\r\nAuthorization: Bearer t\r\n").await;
    assert_eq!((status(&part), body(&part)), ("206", "456789"));
    assert!(part.contains("Content-Range: bytes 4-9/10\r\n"), "{part}");
    assert_eq!(status(&answer(&mirror, "/host/@s/file", "Range: bytes=10-\r\n").await), "416");
    let changed = answer(&mirror, "/host/@s/file", "Range: bytes=4-\r\nIf-Range: \"old\"\r\n").await;
    assert_eq!((status(&changed), body(&changed)), ("200", "0123456789"));
    assert_eq!(status(&answer(&mirror, "/host/other", "").await), "404");
    let requests = mirror.requests_of("/host/@s/file");
    assert_eq!(requests.len(), 4);
    assert_eq!(requests[1].range.as_deref(), Some("bytes=4-"));
    assert_eq!(requests[1].authorization.as_deref(), Some("Bearer t"));
}

#[tokio::test]
async fn faults_hold_as_often_as_told() {
    let mirror = Mirror::start().await.unwrap();
    mirror.put("/host/file", "0123456789");
    mirror.fault_times("/host/*", Fault::Status(500), 2);
    for expected in ["500", "500", "200"] {
        assert_eq!(status(&answer(&mirror, "/host/file", "").await), expected);
    }
    mirror.fault_times("/host/file", Fault::CutAfter(3), 1);
    let cut = answer(&mirror, "/host/file", "").await;
    assert!(cut.contains("Content-Length: 10\r\n") && body(&cut) == "012", "{cut}");
    assert_eq!(body(&answer(&mirror, "/host/file", "").await), "0123456789");
    mirror.fault("/host/file", Fault::IgnoreRange);
    mirror.fault("/host/file", Fault::Slow(4, Duration::from_millis(1)));
    assert_eq!(body(&answer(&mirror, "/host/file", "Range: bytes=4-\r\n").await), "0123456789");
    mirror.heal();
    assert_eq!(body(&answer(&mirror, "/host/file", "Range: bytes=4-\r\n").await), "456789");
}

#[tokio::test]
async fn a_connection_that_hangs_stays_open() {
    let mirror = Mirror::start().await.unwrap();
    mirror.put("/host/file", "0123456789");
    mirror.fault("/host/file", Fault::HangAfter(3));
    let mut connection = RawConnection::connect(&Http::new(&mirror.url(), None).unwrap()).await.unwrap();
    connection.write(b"GET /host/file HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    connection.read_until(b"\r\n\r\n012", DEADLINE).await.unwrap();
    assert!(connection.read_to_end(Duration::from_millis(100)).await.is_err(), "it ended");
}
