//! Refusals, and their form.

use crate::api::Api;
use anyhow::Result;
use sa_testkit::Daemon;
use serde_json::json;

#[tokio::test]
async fn ids_have_a_form() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    for id in ["-x", ".x", "a%20b", "a%2Fb", &"x".repeat(129), "%C3%BC"] {
        let reply = api.post(&format!("/{id}"), &json!({"agent": "demo"})).await?;
        let problem = reply.expect_problem(400, "invalid_request")?;
        assert!(problem.detail.contains("session id"), "{id}: {}", problem.detail);
    }
    api.create(&"x".repeat(128)).await?;
    for id in ["x.y_z-1", "tenant:7@x~y", "tenant%3A8%40x%7ey"] {
        let session = api.create(id).await?;
        let id = id.replace("%3A", ":").replace("%40", "@").replace("%7e", "~");
        assert_eq!(session["sessionId"], json!(id));
        let missing = format!("{id}x");
        let path = format!("/{}", missing.replace(':', "%3a"));
        let problem = api.get(&path).await?.expect_problem(404, "not_found")?;
        assert_eq!(problem.document["sessionId"], missing);
    }
    api.create("twice").await?;
    let problem = api.post("/twice", &json!({"agent": "demo"})).await?.expect_problem(409, "conflict")?;
    assert_eq!(problem.document["details"]["what"], "exists");
    Ok(())
}

#[tokio::test]
async fn bodies_have_a_form() -> Result<()> {
    let daemon = Daemon::builder().limit("body-bytes", 10_000).start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let bodies = [
        ("/new", json!({})),
        ("/new", json!({"agent": "demo", "agnet": 1})),
        ("/new", json!({"agent": "demo", "permissionMode": "yolo"})),
        ("/new", json!(["demo"])),
        ("/s/messages", json!({})),
        ("/s/messages", json!({"message": "a", "parts": []})),
        ("/s/messages", json!({"message": " \n"})),
        ("/s/messages", json!({"parts": []})),
        (
            "/s/messages",
            json!({"parts": [{"type": "toolCall", "id": "1", "title": "x", "kind": "read", "status": "pending"}]}),
        ),
        ("/s/messages", json!({"message": "a", "delivery": "never"})),
        ("/s/messages", json!("say hi")),
        ("/s/messages/stream", json!({"message": 1})),
        ("/s/fork", json!({"id": "x"})),
    ];
    for (path, body) in bodies {
        let reply = api.post(path, &body).await?;
        reply
            .expect_problem(400, "invalid_request")
            .map_err(|error| error.context(format!("{path} {body}")))?;
    }
    api.patch("s", json!({"titel": "x"})).await?.expect_problem(400, "invalid_request")?;
    for path in ["/s/messages", "/s/messages/stream", "/new"] {
        let path = format!("/v1/sessions{path}");
        let plain = daemon.http().post(&path).header("content-type", "text/plain").body("{}");
        plain.send().await?.expect_problem(415, "unsupported_media_type")?;
        let large = json!({"message": "x".repeat(10_000)}).to_string();
        daemon.http().post(&path).json(large).send().await?.expect_problem(413, "payload_too_large")?;
        daemon.http().post(&path).json("{").send().await?.expect_problem(400, "invalid_request")?;
    }
    Ok(())
}

#[tokio::test]
async fn what_is_not_there_is_not_found() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    for path in ["/no", "/no/events", "/no/events/sse", "/no/export"] {
        let problem = api.get(path).await?.expect_problem(404, "not_found")?;
        assert_eq!(problem.document["sessionId"], "no", "{path}");
    }
    for path in ["/no/terminate", "/no/resume", "/no/cancel", "/no/fork", "/no/questions/q/reject"] {
        api.act(path).await?.expect_problem(404, "not_found")?;
    }
    let bodies = [
        ("/no/messages", json!({"message": "x"})),
        ("/no/messages/stream", json!({"message": "x"})),
        ("/no/questions/q/reply", json!({"answers": []})),
        ("/no/permissions/p/reply", json!({"reply": "once"})),
    ];
    for (path, body) in bodies {
        api.post(path, &body).await?.expect_problem(404, "not_found")?;
    }
    api.patch("no", json!({})).await?.expect_problem(404, "not_found")?;
    api.get("/no/nothing").await?.expect_problem(404, "not_found")?;

    let open = daemon.http().with_token(None).get("/v1/sessions").send().await?;
    open.expect_problem(401, "token_invalid")?;
    Ok(())
}

#[tokio::test]
async fn a_message_for_the_stream_needs_a_client_that_takes_one() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let before = api.session("s").await?["lastEventId"].clone();
    let request = daemon.http().post("/v1/sessions/s/messages/stream").json(r#"{"message":"say hi"}"#);
    request.header("accept", "application/json").send().await?.expect_problem(406, "not_acceptable")?;
    assert_eq!(api.session("s").await?["lastEventId"], before, "nothing was accepted");
    Ok(())
}
