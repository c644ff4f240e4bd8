//! The lists of agents and servers.

use anyhow::Result;
use sa_e2e::{poll, request};
use sa_testkit::{Acp, Daemon};
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64
}

#[tokio::test]
async fn a_server_is_listed_with_all_that_is_known_of_it() -> Result<()> {
    let daemon = Daemon::start().await?;
    let before = now();
    let acp = daemon.acp("main:1@x.~_-");
    let pid = acp.start("puppet").await?;
    acp.post_async(request("\"held\"", "hold", "{}")).await?.expect_status(202)?;
    let mut entry = acp.listed().await?.unwrap();
    let created = entry["createdAtMs"].take().as_u64().unwrap();
    assert!((before..=now()).contains(&created), "{created}");
    assert_eq!(sa_e2e::millis(&entry["createdAt"].take())?, created);
    let expected = json!({
        "serverId": "main:1@x.~_-", "agent": "puppet", "createdAt": null, "createdAtMs": null, "status": "running", "pid": pid,
        "pendingRequests": 1, "lastEventId": 1,
    });
    assert_eq!(entry, expected);

    acp.post(request(2, "crash", r#"{"code":7,"stderr":"oh"}"#)).await?.expect_status(502)?;
    let mut entry = acp.listed().await?.unwrap();
    assert_eq!(entry["createdAtMs"].take(), json!(created));
    assert_eq!(sa_e2e::millis(&entry["createdAt"].take())?, created);
    let expected = json!({
        "serverId": "main:1@x.~_-", "agent": "puppet", "createdAt": null, "createdAtMs": null, "status": "exited",
        "exit": {"code": 7, "signal": null, "stderrTail": "oh"},
        "pendingRequests": 0, "lastEventId": 3,
    });
    assert_eq!(entry, expected, "the failure of the held request and the exit are events");
    Ok(())
}

#[tokio::test]
async fn an_answer_on_the_stream_counts_as_answered() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let mut stream = acp.events().await?;
    acp.post_async(request("\"later\"", "echo", "1")).await?.expect_status(202)?;
    assert_eq!(stream.event().await?.json()?["id"], json!("later"));
    poll("no pending request", async || {
        Ok((acp.listed().await?.unwrap()["pendingRequests"] == json!(0)).then_some(()))
    })
    .await
}

#[tokio::test]
async fn servers_are_listed_in_the_order_of_their_creation() -> Result<()> {
    let daemon = Daemon::start().await?;
    assert_eq!(Acp::list(daemon.http()).await?, [] as [Value; 0]);
    for name in ["c", "a", "b"] {
        let earlier = now();
        daemon.acp(name).start("puppet").await?;
        poll("the next millisecond", async || Ok((now() > earlier).then_some(()))).await?;
    }
    let names: Vec<Value> =
        Acp::list(daemon.http()).await?.into_iter().map(|mut entry| entry["serverId"].take()).collect();
    assert_eq!(names, ["c", "a", "b"]);
    Ok(())
}

#[tokio::test]
async fn agents_are_listed_with_how_many_run() -> Result<()> {
    let daemon = Daemon::builder().agent("mine", "prog 'two words' x").puppet(&[]).start().await?;
    let (one, two) = (daemon.acp("one"), daemon.acp("two"));
    one.start("puppet").await?;
    two.start("puppet").await?;
    let list = daemon.http().get("/v1/agents").send().await?.expect_status(200)?.json()?;
    let find =
        |id: &str| list["agents"].as_array().unwrap().iter().find(|agent| agent["id"] == id).unwrap().clone();
    assert_eq!(find("puppet")["running"], json!(2));
    let mine = find("mine");
    assert_eq!(mine["launch"], json!({"kind": "command", "program": "prog", "args": ["two words", "x"]}));
    assert_eq!(
        (&mine["name"], &mine["running"], &mine["installed"]),
        (&json!("mine"), &json!(0), &json!(false))
    );
    assert_eq!(find("demo")["launch"], json!({"kind": "builtin"}));

    two.post(request(1, "crash", "{}")).await?.expect_status(502)?;
    let agent = daemon.http().get("/v1/agents/puppet").send().await?.expect_status(200)?.json()?;
    assert_eq!(agent["running"], json!(1), "one that has ended does not run");
    let problem = daemon.http().get("/v1/agents/nobody").send().await?.expect_problem(404, "not_found")?;
    assert_eq!(problem.document["agent"], json!("nobody"));
    Ok(())
}

#[tokio::test]
async fn the_daemon_says_what_it_is() -> Result<()> {
    let daemon = Daemon::start().await?;
    let info = daemon.http().get("/").send().await?.expect_status(200)?.json()?;
    assert_eq!(info["name"], json!("sandbox-agent"));
    for (name, path) in info["links"].as_object().unwrap() {
        let reply = daemon.http().get(path.as_str().unwrap()).send().await?;
        // A connection of the standard transport needs a header; all the others answer.
        let expected = if name == "acp" { 400 } else { 200 };
        assert_eq!(reply.status, expected, "{name}: {}", reply.text());
    }
    let health = daemon.http().get("/v1/health").send().await?.expect_status(200)?.json()?;
    assert_eq!((&health["status"], &health["version"]), (&json!("ok"), &info["version"]));
    assert!(health["uptimeMs"].is_u64());
    Ok(())
}

#[tokio::test]
async fn metrics_count_what_happened() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    acp.call("flood", r#"{"count":5}"#).await?;
    acp.post_async(request(7, "never", "{}")).await?.expect_status(202)?;
    let reply = daemon.http().get("/metrics").send().await?.expect_status(200)?;
    assert!(reply.header("content-type").starts_with("application/openmetrics-text"), "{:?}", reply.headers);
    let text = reply.text();
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {name} in:\n{text}")).parse::<u64>().unwrap()
    };
    assert_eq!(value("sandbox_agent_agent_starts_total"), 1);
    assert_eq!(value("sandbox_agent_messages_from_agents_total"), 7);
    assert_eq!(value("sandbox_agent_messages_to_agents_total"), 3);
    assert_eq!((value("sandbox_agent_acp_servers"), value("sandbox_agent_pending_requests")), (1, 1));
    assert!(text.ends_with("# EOF\n"));
    assert!(!text.contains("/v1/acp/one"), "labels are routes, not addresses: their number must stay small");
    Ok(())
}
