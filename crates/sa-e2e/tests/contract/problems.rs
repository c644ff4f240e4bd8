//! Problems of sessions: each says which session it is about, and which member of a body is wrong.

use anyhow::{Context, Result};
use http::Method;
use sa_testkit::{Daemon, Problem};
use serde_json::{Value, json};

struct Scene(Daemon);

impl Scene {
    async fn start() -> Result<Self> {
        let scene = Self(Daemon::builder().limit("body-bytes", 10_000).start().await?);
        scene.send("POST", "/s", &json!({"agent": "demo"})).await?.expect_status(201)?;
        Ok(scene)
    }

    async fn send(&self, method: &str, path: &str, body: &Value) -> Result<sa_testkit::Reply> {
        let request = self.0.http().request(method.parse::<Method>()?, &format!("/v1/sessions{path}"));
        request.json(body.to_string()).send().await
    }

    async fn problem(&self, method: &str, path: &str, body: &Value) -> Result<Problem> {
        let reply = self.send(method, path, body).await?;
        reply.problem().with_context(|| format!("{method} {path} {body}"))
    }
}

#[tokio::test]
async fn the_member_that_is_wrong_is_named() -> Result<()> {
    let scene = Scene::start().await?;
    let new = |more: Value| {
        let mut body = json!({"agent": "demo"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let rule = |rule: Value| new(json!({"policy": {"rules": [rule]}}));
    let parts = |parts: Value| json!({"parts": parts});
    let wrong = [
        ("/n", new(json!({"agent": 5})), "member 'agent': expected a string, got 5"),
        (
            "/n",
            new(json!({"policy": {"timeoutMs": "1"}})),
            "member 'policy.timeoutMs': expected a whole number, 0 or more, got '1'",
        ),
        ("/n", rule(json!({"tool": "x"})), "member 'policy.rules[0].decision' is missing"),
        (
            "/n",
            rule(json!({"tool": "x", "decision": "no"})),
            "member 'policy.rules[0].decision': expected one of ",
        ),
        ("/n", new(json!({"env": {"A": 1}})), "member 'env.A': expected a string, got 1"),
        ("/n", new(json!({"webhook": {}})), "member 'webhook.url' is missing"),
        ("/n", new(json!({"mcp": {"x": {}}})), "member 'mcp.x.type' is missing"),
        ("/n", new(json!({"agnet": "demo"})), "unknown member 'agnet', did you mean 'agent'? (known are: "),
        ("/n", json!({}), "member 'agent' is missing"),
        ("/s/messages", json!({"message": 1}), "member 'message': expected "),
        ("/s/messages", json!({"message": "x", "delivery": "never"}), "member 'delivery': expected one of "),
        ("/s/messages", parts(json!([{"type": "text", "text": "x"}, {"type": "song"}])), "member 'parts[1]"),
        ("/s/messages", parts(json!([{}])), "member 'parts[0].type' is missing"),
        ("/s/messages", parts(json!([{"type": "text", "text": 1}])), "member 'parts[0]"),
        ("/s/fork", json!({"sessionId": []}), "member 'sessionId': expected a string, got a list"),
        (
            "/s/questions/q/reply",
            json!({"answers": [[1]]}),
            "member 'answers[0][0]': expected a string, got 1",
        ),
        ("/s/permissions/p/reply", json!({"reply": "perhaps"}), "member 'reply': expected one of "),
    ];
    for (path, body, said) in wrong {
        let problem = scene.problem("POST", path, &body).await?;
        assert_eq!(problem.code, "invalid_request", "{path} {body}");
        assert!(problem.detail.starts_with(said), "{path} {body}: {}", problem.detail);
    }
    let patch = scene.problem("PATCH", "/s", &json!({"metadata": []})).await?;
    assert!(
        patch.detail.starts_with("member 'metadata': expected an object, got a list"),
        "{}",
        patch.detail
    );
    Ok(())
}

#[tokio::test]
async fn the_member_of_an_entry_that_is_wrong_is_named() -> Result<()> {
    let scene = Scene::start().await?;
    for (kind, entry, said) in [
        ("mcp", json!({"type": "local"}), "member 'mcp.x.command' is missing"),
        ("mcp", json!({"command": ["y", 1]}), "member 'mcp.x.command[1]' must be a text"),
        (
            "mcp",
            json!({"command": "y", "env": {}, "environment": {}}),
            "member 'mcp.x.environment' is another name of `env`; give only one",
        ),
        ("skills", json!({"sources": []}), "member 'skills.x.sources' must name at least one source"),
    ] {
        let body = json!({"agent": "demo", kind: {"x": entry}});
        let problem = scene.problem("POST", "/n", &body).await?;
        assert_eq!((problem.code.as_str(), problem.detail.as_str()), ("invalid_request", said), "{body}");
    }
    Ok(())
}

#[tokio::test]
async fn bodies_elsewhere_are_read_in_the_same_way() -> Result<()> {
    let daemon = Daemon::start().await?;
    let wrong = [
        (
            "POST",
            "/v1/processes",
            r#"{"command": "true", "cols": "x"}"#,
            "member 'cols': expected a number from 0 to 65535, got 'x'",
        ),
        ("POST", "/v1/processes/run", r#"["true"]"#, "the body must be a JSON object"),
        ("POST", "/v1/fs/move", r#"{"from": "a", "to": 1}"#, "member 'to': expected a string, got 1"),
        ("PUT", "/v1/config/mcp?directory=.&mcpName=x", "[]", "the body must be a JSON object"),
        (
            "POST",
            "/v1/agents/claude/install",
            r#"{"reinstall": "x"}"#,
            "member 'reinstall': expected true or false, got 'x'",
        ),
    ];
    for (method, path, body, said) in wrong {
        let reply = daemon.http().request(method.parse::<Method>()?, path).json(body).send().await?;
        let problem = reply.expect_problem(400, "invalid_request").context(path)?;
        assert!(problem.detail.starts_with(said), "{path}: {}", problem.detail);
        assert_eq!(problem.document.get("sessionId"), None, "{path}");
    }
    Ok(())
}

#[tokio::test]
async fn the_session_is_named() -> Result<()> {
    let scene = Scene::start().await?;
    let large = json!({"message": "x".repeat(10_000)});
    let refused = [
        ("POST", "/s", json!({"agent": "demo"}), 409),
        ("POST", "/s", json!({}), 400),
        ("PATCH", "/s", json!({"x": 1}), 400),
        ("POST", "/s/messages", json!({}), 400),
        ("POST", "/s/messages", json!([]), 400),
        ("POST", "/s/messages", large.clone(), 413),
        ("POST", "/s/messages/stream", large, 413),
        ("POST", "/s/fork", json!({"x": 1}), 400),
        ("POST", "/s/questions/q/reply", json!({"answers": 1}), 400),
        ("POST", "/s/questions/q/reply", json!({"answers": []}), 404),
        ("POST", "/s/questions/q/reject", json!({}), 404),
        ("POST", "/s/permissions/p/reply", json!({"reply": "once"}), 404),
        ("GET", "/s/events?offset=x", json!({}), 400),
        ("GET", "/s/events?limit=0", json!({}), 400),
        ("GET", "/s/events/sse?offset=x", json!({}), 400),
        ("GET", "/s/nothing", json!({}), 404),
        ("PUT", "/s", json!({}), 405),
    ];
    for (method, path, body, status) in refused {
        let problem = scene.problem(method, path, &body).await?;
        let told = (&problem.document["status"], &problem.document["sessionId"]);
        assert_eq!(told, (&json!(status), &json!("s")), "{method} {path}: {}", problem.detail);
    }
    let http = scene.0.http();
    let stream = http.post("/v1/sessions/s/messages/stream").json(r#"{"message":"x"}"#);
    let twice = http.post("/v1/sessions/s/messages").json(r#"{"message":"x"}"#);
    let twice = twice.also_header("idempotency-key", "a").also_header("idempotency-key", "b");
    let refused = [
        twice.send().await?.expect_problem(400, "invalid_request")?,
        http.post("/v1/sessions/s/messages")
            .body("x")
            .send()
            .await?
            .expect_problem(415, "unsupported_media_type")?,
        stream.header("accept", "text/html").send().await?.expect_problem(406, "not_acceptable")?,
        http.with_token(None).get("/v1/sessions/s").send().await?.expect_problem(401, "token_invalid")?,
    ];
    for problem in refused {
        assert_eq!(problem.document["sessionId"], "s", "{}", problem.detail);
    }
    Ok(())
}

#[tokio::test]
async fn a_new_session_is_named_by_its_own_id() -> Result<()> {
    let scene = Scene::start().await?;
    scene.send("POST", "/taken", &json!({"agent": "demo"})).await?.expect_status(201)?;
    let taken = scene.problem("POST", "/s/fork", &json!({"sessionId": "taken"})).await?;
    assert_eq!((taken.code.as_str(), &taken.document["sessionId"]), ("conflict", &json!("taken")));
    assert_eq!(taken.document["details"]["what"], "exists");
    let unknown = scene.problem("POST", "/none/fork", &json!({"sessionId": "new"})).await?;
    assert_eq!((unknown.code.as_str(), &unknown.document["sessionId"]), ("not_found", &json!("none")));

    // Nobody could reach a session of that name.
    let export = scene.0.http().get("/v1/sessions/s/export").send().await?.expect_status(200)?.text();
    let import = async |query: &str| {
        let request = scene.0.http().post(&format!("/v1/sessions/import{query}"));
        request.header("content-type", "application/x-ndjson").body(export.clone()).send().await
    };
    let forked = scene.send("POST", "/s/fork", &json!({"sessionId": "import"})).await?;
    for reply in [forked, import("?sessionId=import").await?] {
        let problem = reply.expect_problem(400, "invalid_request")?;
        assert_eq!(problem.document["sessionId"], "import");
        assert!(problem.detail.contains("not 'import'"), "{}", problem.detail);
    }
    let exists = import("").await?.expect_problem(409, "conflict")?;
    assert_eq!(exists.document["sessionId"], "s", "the one that the export names");
    let broken = scene.0.http().post("/v1/sessions/import?sessionId=t");
    let broken = broken.header("content-type", "application/x-ndjson").body("{").send().await?;
    assert_eq!(broken.expect_problem(400, "invalid_request")?.document["sessionId"], "t");
    Ok(())
}

/// A client that sends megabytes gets a sentence back.
#[tokio::test]
async fn what_was_sent_is_quoted_in_part() -> Result<()> {
    let daemon = Daemon::start().await?;
    let long = "y".repeat(1_000_000);
    let bodies = [
        ("/s", json!({"agent": "demo", "permissionMode": long})),
        ("/s", json!({"agent": long})),
        ("/s", json!({"agent": "demo", "policy": long})),
        ("/s", json!({"agent": "demo", "env": {(long.clone()): 5}})),
        ("/s", json!({(long.clone()): 1})),
        ("/import", json!(long)),
        ("/import", json!({(long.clone()): long})),
    ];
    for (path, body) in bodies {
        let request = daemon.http().post(&format!("/v1/sessions{path}"));
        let content = if path == "/import" { "application/x-ndjson" } else { "application/json" };
        let reply = request.header("content-type", content).body(body.to_string()).send().await?;
        let problem = reply.problem().context(path)?;
        let length = problem.document.to_string().len();
        assert!(length < 1000, "{path}: {length} bytes: {:.300}", problem.detail);
    }
    Ok(())
}
