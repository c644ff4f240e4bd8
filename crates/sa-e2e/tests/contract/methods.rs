//! Methods of the addresses of sessions: those that there are, and what is said of the others.

use anyhow::Result;
use http::Method;
use sa_testkit::{Daemon, Sse};

/// Each address with the methods that it takes.
const ADDRESSES: [(&str, &str); 16] = [
    ("", "GET,HEAD,POST"),
    ("/import", "POST"),
    ("/s", "GET,HEAD,POST,PATCH,DELETE"),
    ("/s/terminate", "POST"),
    ("/s/fork", "POST"),
    ("/s/messages", "GET,HEAD,POST"),
    ("/s/messages/stream", "POST"),
    ("/s/messages/m", "DELETE"),
    ("/s/cancel", "POST"),
    ("/s/resume", "POST"),
    ("/s/events", "GET,HEAD"),
    ("/s/events/sse", "GET,HEAD"),
    ("/s/questions/q/reply", "POST"),
    ("/s/questions/q/reject", "POST"),
    ("/s/permissions/p/reply", "POST"),
    ("/s/export", "GET,HEAD"),
];

async fn with_session() -> Result<Daemon> {
    let daemon = Daemon::start().await?;
    daemon.http().post("/v1/sessions/s").json(r#"{"agent":"demo"}"#).send().await?.expect_status(201)?;
    Ok(daemon)
}

#[tokio::test]
async fn other_methods_are_refused_with_those_that_there_are() -> Result<()> {
    let daemon = with_session().await?;
    for (address, allowed) in ADDRESSES {
        let path = format!("/v1/sessions{address}");
        for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"] {
            if allowed.split(',').any(|known| known == method) {
                continue;
            }
            let reply = daemon.http().request(method.parse::<Method>()?, &path).send().await?;
            assert_eq!((reply.status, reply.header("allow")), (405, allowed), "{method} {path}");
            if method == "HEAD" {
                assert!(reply.body.is_empty(), "{path}");
                continue;
            }
            let problem = reply.expect_problem(405, "method_not_allowed")?;
            let named = problem.document.get("sessionId").and_then(|id| id.as_str());
            assert_eq!(named, address.starts_with("/s").then_some("s"), "{method} {path}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn head_says_what_get_would() -> Result<()> {
    let daemon = with_session().await?;
    for path in ["/v1/sessions", "/v1/sessions/s", "/v1/sessions/s/events", "/v1/sessions/s/export"] {
        let got = daemon.http().get(path).send().await?.expect_status(200)?;
        let head = daemon.http().request(Method::HEAD, path).send().await?.expect_status(200)?;
        assert!(head.body.is_empty() && !got.body.is_empty(), "{path}");
        for header in ["content-type", "content-length"] {
            assert_eq!(head.header(header), got.header(header), "{header} of {path}");
        }
    }
    let stream = Sse::open(daemon.http().get("/v1/sessions/s/events/sse")).await?;
    let head = daemon.http().request(Method::HEAD, "/v1/sessions/s/events/sse").send().await?;
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.header("content-type"), stream.headers()["content-type"]);
    let none = daemon.http().request(Method::HEAD, "/v1/sessions/none").send().await?;
    assert_eq!((none.status, none.body.len()), (404, 0));
    assert_eq!(none.header("content-type"), "application/problem+json");
    Ok(())
}
