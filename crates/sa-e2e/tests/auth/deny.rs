//! Nothing but liveness answers without the token, whatever is asked and however.

use anyhow::{Context, Result};
use sa_e2e::request;
use sa_testkit::{Acp, Daemon, Reply};
use serde_json::{Value, json};

/// One operation of the contract, with something in the place of each parameter of its path.
struct Operation {
    id: String,
    method: String,
    path: String,
    open: bool,
}

fn with_values(path: &str) -> String {
    let parts = path.split('/').map(|part| match part {
        "{agent}" => "puppet",
        parameter if parameter.starts_with('{') => "one",
        other => other,
    });
    parts.collect::<Vec<_>>().join("/")
}

async fn contract(daemon: &Daemon) -> Result<Vec<Operation>> {
    let document = daemon.http().get("/v1/openapi.json").send().await?.expect_status(200)?.json()?;
    assert_ne!(document["security"], Value::Null, "the contract asks for a token");
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            operations.push(Operation {
                id: operation["operationId"].as_str().unwrap().to_owned(),
                method: method.to_ascii_uppercase(),
                path: with_values(path),
                open: operation["security"] == json!([{}]),
            });
        }
    }
    assert!(
        operations.iter().all(|operation| !operation.path.contains('{')),
        "a parameter has no value here"
    );
    Ok(operations)
}

/// The reply must be the refusal of a token that is wrong or missing.
fn expect_refusal(reply: &Reply) -> Result<()> {
    let problem = reply.expect_problem(401, "token_invalid")?;
    assert!(problem.detail.contains("Authorization: Bearer"), "{}", problem.detail);
    assert!(reply.header("www-authenticate").starts_with("Bearer "), "{:?}", reply.headers);
    Ok(())
}

#[tokio::test]
async fn every_operation_of_the_contract_needs_the_token() -> Result<()> {
    let daemon = Daemon::start().await?;
    let operations = contract(&daemon).await?;
    assert!(operations.len() >= 17, "{} operations", operations.len());
    for operation in &operations {
        let what = || format!("{}: {} {}", operation.id, operation.method, operation.path);
        for token in
            [None, Some("wrong"), Some("testkit-toke"), Some("testkit-tokenn"), Some("TESTKIT-TOKEN")]
        {
            let http = daemon.http().with_token(token);
            let query = if operation.open { "" } else { "?agent=puppet" };
            let asking = http.request(operation.method.parse()?, &format!("{}{query}", operation.path));
            let reply = asking.json(request(1, "initialize", "{}")).send().await?;
            match operation.open {
                true => drop(reply.expect_status(200).with_context(what)?),
                // Without a body there is only the status.
                false if operation.method == "HEAD" => assert_eq!(reply.status, 401, "{}", what()),
                false => expect_refusal(&reply).with_context(what)?,
            }
        }
    }
    let open: Vec<&str> = operations.iter().filter(|one| one.open).map(|one| one.id.as_str()).collect();
    assert_eq!(open, ["getHealth"]);
    assert!(Acp::list(daemon.http()).await?.is_empty(), "nothing was started");
    assert!(daemon.children().is_empty(), "{:?}", daemon.children());
    Ok(())
}

#[tokio::test]
async fn methods_and_paths_outside_the_contract_need_it_as_well() -> Result<()> {
    let daemon = Daemon::start().await?;
    let (known, unknown) = (daemon.http(), daemon.http().with_token(None));
    for (method, path) in [
        ("GET", "/nothing"),
        ("GET", "/v1/health/"),
        ("GET", "/v1/health/../agents"),
        ("GET", "//v1/health"),
        ("GET", "/V1/HEALTH"),
        ("GET", "/v1/health%2F..%2Fagents"),
        ("OPTIONS", "/v1/agents"),
        ("TRACE", "/"),
        ("PROPFIND", "/v1/acp/one"),
    ] {
        let what = || format!("{method} {path}");
        expect_refusal(&unknown.request(method.parse()?, path).send().await?).with_context(what)?;
        let problem = known.request(method.parse()?, path).send().await?.problem().with_context(what)?;
        assert!(["not_found", "method_not_allowed"].contains(&problem.code.as_str()), "{method} {path}");
    }
    // Liveness needs no token, so other methods are refused as such.
    for method in ["POST", "PUT", "TRACE"] {
        let reply = unknown.request(method.parse()?, "/v1/health").send().await?;
        reply.expect_problem(405, "method_not_allowed").context(method)?;
    }
    // HEAD asks what GET asks, so it is as open or closed as that.
    let mut head = unknown.request("HEAD".parse()?, "/v1/health").send().await?;
    assert_eq!((head.status, head.body.len()), (200, 0));
    head = unknown.request("HEAD".parse()?, "/v1/agents").send().await?;
    assert_eq!((head.status, head.header("content-type")), (401, "application/problem+json"));
    Ok(())
}

#[tokio::test]
async fn sockets_need_it_and_start_nothing_without() -> Result<()> {
    let daemon = Daemon::start().await?;
    let unknown = daemon.http().with_token(None);
    for path in ["/v1/acp/one?agent=puppet", "/acp?agent=puppet", "/v1/agents/puppet/acp"] {
        for query in ["", "access_token=", "access_token=wrong", "ticket=", "ticket=testkit-token"] {
            let separator = if path.contains('?') { '&' } else { '?' };
            let address = format!("{path}{separator}{query}");
            let Err(reply) = unknown.ws(&address).attempt().await? else { panic!("{address} opened") };
            expect_refusal(&reply).context(address)?;
        }
    }
    // Liveness is open to everybody, but it is no socket.
    let Err(reply) = unknown.ws("/v1/health").attempt().await? else { panic!("it opened") };
    reply.expect_status(200)?;
    assert!(daemon.children().is_empty(), "{:?}", daemon.children());
    Ok(())
}

#[tokio::test]
async fn strangers_cannot_make_the_metrics_grow() -> Result<()> {
    let daemon = Daemon::start().await?;
    let unknown = daemon.http().with_token(None);
    for n in 0..20 {
        expect_refusal(&unknown.request(format!("METHOD{n}").parse()?, &format!("/path{n}")).send().await?)?;
    }
    let metrics = daemon.http().get("/metrics").send().await?.expect_status(200)?.text();
    let grown: Vec<&str> =
        metrics.lines().filter(|line| line.contains("METHOD") || line.contains("/path")).collect();
    assert!(grown.is_empty(), "an entry for whatever somebody makes up: {grown:?}");
    let refused = metrics.lines().find(|line| line.contains("http_requests") && line.ends_with(" 20"));
    assert!(refused.is_some_and(|line| line.contains("status=\"401\"")), "{metrics}");
    Ok(())
}

#[tokio::test]
async fn a_refusal_comes_before_the_body_is_read() -> Result<()> {
    let daemon = Daemon::start().await?;
    let unknown = daemon.http().with_token(None);
    let mut raw = unknown
        .post("/v1/acp/one?agent=puppet")
        .header("content-type", "application/json")
        .header("content-length", "1000000000")
        .send_and_never_read()
        .await?;
    let head = raw.read_until(b"\r\n\r\n", sa_testkit::DEADLINE).await?;
    let head = String::from_utf8(head)?;
    assert!(head.starts_with("HTTP/1.1 401 ") && head.contains("application/problem+json"), "{head}");
    Ok(())
}
