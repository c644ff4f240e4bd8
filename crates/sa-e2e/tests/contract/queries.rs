//! Requests that are not what an operation takes: refused before anything happens, in the words of the contract.

use anyhow::{Context, Result};
use http::Method;
use sa_testkit::{Daemon, Request};
use serde_json::Value;

/// Returns every operation of the served document: method, path, and whether it takes a query.
fn operations(document: &Value) -> Vec<(String, String, bool)> {
    let mut all = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let takes_query = parameters.clone().any(|parameter| parameter["in"] == "query");
            all.push((method.to_uppercase(), path.clone(), takes_query));
        }
    }
    all
}

/// Returns a path of the contract with something in the place of each parameter.
fn filled(path: &str) -> String {
    let parts = path.split('/').map(|part| if part.starts_with('{') { "demo" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

#[tokio::test]
async fn no_operation_takes_a_parameter_that_it_does_not_know() -> Result<()> {
    let daemon = Daemon::start().await?;
    let document = daemon.http().get("/v1/openapi.json").send().await?.json()?;
    let operations = operations(&document);
    assert!(operations.len() > 70, "{}", operations.len());
    for (method, path, takes_query) in operations {
        let address = format!("{}?bogus=1", filled(&path));
        let request = daemon.http().request(method.parse::<Method>()?, &address);
        // A body that would be fine, were it not for the query.
        let request =
            if matches!(method.as_str(), "GET" | "HEAD" | "DELETE") { request } else { request.json("{}") };
        let reply = request.send().await.with_context(|| format!("{method} {path}"))?;
        if method == "HEAD" {
            assert_eq!(reply.status, 400, "{method} {path}");
            continue;
        }
        let problem =
            reply.expect_problem(400, "invalid_request").with_context(|| format!("{method} {path}"))?;
        assert!(
            problem.detail.starts_with("unknown query parameter 'bogus' ("),
            "{method} {path}: {}",
            problem.detail
        );
        let takes_none = problem.detail.ends_with("(this operation takes no query parameters)");
        assert_eq!(takes_none, !takes_query, "{method} {path}: {}", problem.detail);
    }
    let list = |path: &str| daemon.http().get(path).send();
    assert_eq!(list("/v1/acp").await?.json()?["servers"], Value::Array(vec![]), "nothing was started");
    assert_eq!(list("/v1/processes").await?.json()?["processes"], Value::Array(vec![]));
    assert!(!list("/v1/sessions").await?.text().contains("demo"), "nothing was created");
    Ok(())
}

/// Method, path and the words of the refusal. `{process}` stands for a process's path, `{long}` for a text that is cut to `{cut}`.
const WRONG_QUERIES: &[(&str, &str, &str)] = &[
    (
        "GET",
        "/v1/fs/entries?limt=1",
        "unknown query parameter 'limt', did you mean 'limit'? (known are: path, limit, after)",
    ),
    (
        "DELETE",
        "/v1/agents/demo?agent_version=1",
        "unknown query parameter 'agent_version', did you mean 'agentVersion'? (known are: agentVersion)",
    ),
    ("GET", "/v1/health?x=1", "unknown query parameter 'x' (this operation takes no query parameters)"),
    ("GET", "/v1/fs/stat?path=a&path=b", "query parameter 'path': given more than once"),
    ("GET", "/v1/fs/stat", "query parameter 'path': missing"),
    ("GET", "/v1/fs/stat?path=", "query parameter 'path': must not be empty"),
    (
        "GET",
        "/v1/fs/stat?path=a&follow=maybe",
        "query parameter 'follow': expected true or false, got 'maybe'",
    ),
    (
        "GET",
        "/v1/fs/entries?limit=abc",
        "query parameter 'limit': expected a whole number, 1 or more, got 'abc'",
    ),
    ("GET", "/v1/config/mcp/list?directory=", "query parameter 'directory': must not be empty"),
    ("GET", "/v1/config/mcp?directory=.&mcpName=", "query parameter 'mcpName': must not be empty"),
    ("GET", "/v1/config/skills?directory=.", "query parameter 'skillName': missing"),
    ("GET", "{process}/logs?limit=0", "query parameter 'limit': expected a number from 1 to 10000, got '0'"),
    (
        "GET",
        "{process}/logs?stream=nose",
        "query parameter 'stream': expected one of stdout, stderr, combined, pty; got 'nose'",
    ),
    (
        "GET",
        "{process}/logs?after=1&since=2",
        "query parameter 'since': is the old name of 'after' and has another value",
    ),
    (
        "GET",
        "{process}/terminal/ws?{long}=1",
        "unknown query parameter '{cut}' (known are: scrollback, ticket)",
    ),
    (
        "GET",
        "/v1/processes?owner={long}",
        "query parameter 'owner': expected one of user, desktop, system; got '{cut}'",
    ),
    (
        "PUT",
        "/v1/fs/file?path=x&mode=rwx",
        "query parameter 'mode': expected up to four octal digits, got 'rwx'",
    ),
    (
        "GET",
        "{process}/logs?after=9223372036854775808",
        "query parameter 'after': expected a whole number, 0 or more, got '9223372036854775808'",
    ),
    (
        "GET",
        "/v1/acp/x?lastEventId=soon",
        "query parameter 'lastEventId': expected a whole number, 0 or more, got 'soon'",
    ),
];

#[tokio::test]
async fn a_query_that_is_wrong_is_refused_in_words_of_the_api() -> Result<()> {
    let daemon = Daemon::start().await?;
    daemon.http().post("/v1/sessions/s").json(r#"{"agent":"demo"}"#).send().await?;
    let created = daemon.http().post("/v1/processes").json(r#"{"command":"true"}"#).send().await?.json()?;
    let process = format!("/v1/processes/{}", created["id"].as_str().context("an id")?);
    let long = "y".repeat(5000);
    let cut = format!("{}…", "y".repeat(100));
    let filled =
        |text: &str| text.replace("{process}", &process).replace("{long}", &long).replace("{cut}", &cut);
    for (method, path, said) in WRONG_QUERIES {
        let (path, said) = (filled(path), filled(said));
        let reply = daemon.http().request(method.parse::<Method>()?, &path).send().await?;
        let problem = reply.expect_problem(400, "invalid_request").with_context(|| path.clone())?;
        assert_eq!(problem.detail, said, "{method} {path:.80}");
    }
    Ok(())
}

/// Old spellings are known, but not shown to those who look for a name.
#[tokio::test]
async fn what_older_clients_send_is_known() -> Result<()> {
    let daemon = Daemon::start().await?;
    daemon.http().get("/v1/agents?no_cache=true").send().await?.expect_status(200)?;
    let created = daemon.http().post("/v1/processes").json(r#"{"command":"true"}"#).send().await?.json()?;
    let logs = format!("/v1/processes/{}/logs", created["id"].as_str().context("an id")?);
    daemon.http().get(&format!("{logs}?since=0")).send().await?.expect_status(200)?;
    daemon.http().get(&format!("{logs}?since=0&after=0")).send().await?.expect_status(200)?;
    let reply = daemon.http().get(&format!("{logs}?sinc=0")).send().await?;
    let problem = reply.expect_problem(400, "invalid_request")?;
    assert!(!problem.detail.contains("since"), "{}", problem.detail);
    Ok(())
}

#[tokio::test]
async fn headers_are_refused_in_the_same_words() -> Result<()> {
    let daemon = Daemon::start().await?;
    let http = daemon.http();
    let terminal = http.post("/v1/processes").json(r#"{"command":"cat","tty":true}"#).send().await?.json()?;
    let terminal = format!("/v1/processes/{}/terminal/ws", terminal["id"].as_str().context("an id")?);
    let handshake = "this operation is a WebSocket: send 'Connection: Upgrade', 'Upgrade: websocket', \
                     'Sec-WebSocket-Version: 13' and 'Sec-WebSocket-Key'";
    let version = http.get(&terminal).header("connection", "upgrade").header("upgrade", "websocket");
    let version = version.header("sec-websocket-version", "12").header("sec-websocket-key", "x");
    let wrong: Vec<(Request, u16, &str)> = vec![
        (http.get(&terminal), 400, handshake),
        (version, 400, "unsupported WebSocket version: send 'Sec-WebSocket-Version: 13'"),
        (
            http.delete("/v1/acp/x").header("acp-connection-id", ""),
            400,
            "header 'acp-connection-id': must not be empty",
        ),
        (
            http.delete("/v1/acp/x").header("acp-connection-id", "y"),
            400,
            "header 'Acp-Connection-Id': expected 'x', as in the path, got 'y'",
        ),
        (http.delete("/acp"), 400, "header 'Acp-Connection-Id': missing"),
        (
            http.get("/v1/acp/x").header("last-event-id", "-1"),
            400,
            "header 'Last-Event-ID': expected a whole number, 0 or more, got '-1'",
        ),
    ];
    check(wrong).await
}

#[tokio::test]
async fn bodies_are_refused_in_the_same_words() -> Result<()> {
    let daemon = Daemon::start().await?;
    let http = daemon.http();
    let json = |path: &str, body: &str| http.post(path).json(body.to_owned());
    let wrong: Vec<(Request, u16, &str)> = vec![
        (
            json("/v1/sessions/s", r#"{"agent":"demo","permissionMode":"fast"}"#),
            400,
            "member 'permissionMode': expected one of default, plan, bypass; got 'fast'",
        ),
        (
            json("/v1/processes", r#"{"command":"true","cols":70000}"#),
            400,
            "member 'cols': expected a number from 0 to 65535, got 70000",
        ),
        (
            json("/v1/processes", r#"{"command":"true","tty":true,"cols":0}"#),
            400,
            "member 'cols': expected a number from 1 to 65535, got 0",
        ),
        (json("/v1/fs/move", r#"{"from":"","to":"x"}"#), 400, "member 'from': must not be empty"),
        (
            json("/v1/fs/move", r#"{"from":"x","t":"x"}"#),
            400,
            "unknown member 't' (known are: from, to, overwrite)",
        ),
        (json("/v1/acp/x?agent=demo", "{"), 400, "the body is not valid JSON"),
        (
            json("/v1/acp/x?agent=demo", r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}"#),
            400,
            "member 'id' is given more than once",
        ),
        (
            json("/v1/acp/x?agent=demo", "{}"),
            400,
            "the body is not a JSON-RPC 2.0 message: the member \"jsonrpc\" must be \"2.0\"",
        ),
        (json("/v1/processes/run", r#"{"command":"#), 400, "the body is not valid JSON: it ends too early"),
        (
            http.post("/v1/fs/upload-batch").header("content-type", "text/html").body("x"),
            415,
            "header 'Content-Type': expected one of application/x-tar, application/tar, application/gzip, \
             application/x-gzip, application/x-gtar, application/zstd, application/x-zstd, \
             application/octet-stream, application/x-www-form-urlencoded; got 'text/html'",
        ),
    ];
    check(wrong).await
}

/// Sends requests that are wrong and compares the words of each refusal.
async fn check(wrong: Vec<(Request, u16, &str)>) -> Result<()> {
    for (request, status, said) in wrong {
        let what = request.to_string();
        let reply = request.send().await?.expect_status(status)?;
        assert_eq!(reply.problem()?.detail, said, "{what}");
    }
    Ok(())
}
