//! Agents that are installed because somebody talks to them.

use crate::scene::{Asking, STORE, Scene};
use anyhow::Result;
use sa_e2e::{poll, request};
use sa_testkit::mirror::Fault;
use sa_testkit::{Acp, Daemon};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const FILE: &str = "/agents.example/acme/1.0.0/acme";

/// Waits until the server is in this state.
async fn in_state(acp: &Acp, status: &str) -> Result<Value> {
    poll(&format!("a server that is {status}"), async || {
        Ok(acp.listed().await?.filter(|entry| entry["status"] == status))
    })
    .await
}

/// Returns a scene whose mirror sends the program only in part, until it is healed.
async fn stuck() -> Result<(Scene, Daemon)> {
    let scene = Scene::with_version("1.0.0").await?;
    scene.mirror.fault_times(FILE, Fault::HangAfter(10), 1);
    let daemon = scene.daemon().start().await?;
    Ok((scene, daemon))
}

#[tokio::test]
async fn the_first_message_installs_the_agent() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    let daemon = scene.daemon().start().await?;
    let acp = daemon.acp("one");
    let answer = acp.post_to("acme", request(1, "echo", r#"{"x":1}"#)).await?.expect_status(200)?;
    assert_eq!(answer.text(), sa_e2e::response(1, r#"{"x":1}"#));
    assert_eq!(scene.started(), ["1.0.0"]);
    let listed = acp.listed().await?.unwrap();
    assert_eq!((&listed["agent"], &listed["agentVersion"]), (&json!("acme"), &json!("1.0.0")));
    assert_eq!(daemon.agent("acme").await?["version"], json!("1.0.0"));
    daemon.acp("two").start("acme").await?;
    assert_eq!(scene.fetched("1.0.0"), 1);
    Ok(())
}

#[tokio::test]
async fn a_version_can_be_asked_for_without_becoming_the_current_one() -> Result<()> {
    let scene = Scene::new().await?;
    for version in ["1.0.0", "2.0.0"] {
        scene.publish(version)?;
    }
    let daemon = scene.daemon().start().await?;
    daemon.acp("new").start("acme").await?;
    let old = daemon.acp("old");
    let path = |version: &str| old.path(&format!("?agent=acme&agentVersion={version}"));
    let post =
        async |version: &str| daemon.http().post(&path(version)).json(request(1, "pid", "{}")).send().await;
    post("1.0.0").await?.expect_status(200)?;
    assert_eq!(scene.started(), ["2.0.0", "1.0.0"]);
    assert_eq!(old.listed().await?.unwrap()["agentVersion"], json!("1.0.0"));
    assert_eq!(daemon.agent("acme").await?["version"], json!("2.0.0"), "the current one stays");
    post("1.0.0").await?.expect_status(200)?;
    post("2.0.0").await?.expect_problem(409, "conflict")?;
    // The server keeps its version when it is started again.
    old.post(request(2, "crash", r#"{"code":1}"#)).await?.expect_status(502)?;
    in_state(&old, "exited").await?;
    old.start("acme").await?;
    assert_eq!(scene.started(), ["2.0.0", "1.0.0", "1.0.0"]);

    let none = daemon.acp("none");
    let asked = |version: &str| none.path(&format!("?agent=acme&agentVersion={version}"));
    let reply = daemon.http().post(&asked("7.7.7")).json(request(1, "pid", "{}")).send().await?;
    reply.expect_problem(404, "version_not_found")?;
    let own = none.path("?agent=demo&agentVersion=1.0");
    let reply = daemon.http().post(&own).json(request(1, "pid", "{}")).send().await?;
    reply.expect_problem(404, "version_not_found")?;
    assert_eq!(none.listed().await?, None);
    Ok(())
}

#[tokio::test]
async fn the_latest_may_be_asked_for_by_that_word() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    let daemon = scene.daemon().start().await?;
    daemon.acp("one").start("acme").await?;
    scene.publish("1.1.0")?;
    let path = daemon.acp("two").path("?agent=acme&agentVersion=latest");
    daemon.http().post(&path).json(request(1, "pid", "{}")).send().await?.expect_status(200)?;
    // Without a network, the newest is what is here.
    scene.mirror.remove("/*");
    let path = daemon.acp("three").path("?agent=acme&agentVersion=latest");
    daemon.http().post(&path).json(request(1, "pid", "{}")).send().await?.expect_status(200)?;
    assert_eq!(scene.started(), ["1.0.0", "1.1.0", "1.1.0"]);
    Ok(())
}

#[tokio::test]
async fn while_it_is_installed_the_server_is_listed_and_heard() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    let size = scene.mirror.bytes(FILE).unwrap().len();
    scene.mirror.fault(FILE, Fault::Slow(size.div_ceil(10), Duration::from_millis(100)));
    let daemon = scene.daemon().start().await?;
    let acp = daemon.acp("one");
    let first = acp.post_to("acme", request(1, "echo", "1"));
    let meanwhile = async {
        let listed = in_state(&acp, "installing").await?;
        assert_eq!((&listed["agent"], listed.get("pid")), (&json!("acme"), None));
        let stream = acp.events().await?;
        // A second message waits for its turn.
        let second = acp.post(request(2, "echo", "2")).await?;
        anyhow::Ok((stream, second))
    };
    let (first, (mut stream, second)) = tokio::try_join!(first, meanwhile)?;
    assert_eq!(first.expect_status(200)?.text(), sa_e2e::response(1, "1"));
    assert_eq!(second.expect_status(200)?.text(), sa_e2e::response(2, "2"));
    assert_eq!(stream.event().await?.data, sa_e2e::response(1, "1"), "in the order in which they came");
    assert_eq!(stream.event().await?.data, sa_e2e::response(2, "2"));
    in_state(&acp, "running").await?;
    Ok(())
}

#[tokio::test]
async fn a_long_installation_is_a_long_request() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    scene.mirror.fault_times(FILE, Fault::HangAfter(10), 1);
    let daemon = scene.daemon().limit("early-answer-ms", 50).start().await?;
    let acp = daemon.acp("one");
    let mut open = acp.posting_to("acme", request(1, "echo", "1")).open().await?;
    assert_eq!(open.status, 200, "the status line does not wait for the agent");
    assert!(open.chunk(sa_testkit::DEADLINE).await?.unwrap().iter().all(u8::is_ascii_whitespace));
    daemon.http().delete(&acp.path("")).send().await?.expect_status(204)?;
    let rest = open.finish(sa_testkit::DEADLINE).await?;
    assert_eq!(rest.json()?["id"], json!(1), "then failures are JSON-RPC errors");
    assert!(rest.json()?["error"]["code"].is_i64());
    Ok(())
}

#[tokio::test]
async fn deleting_a_server_does_not_wait_for_its_installation() -> Result<()> {
    let (scene, daemon) = stuck().await?;
    let acp = daemon.acp("one");
    let waiting = acp.post_to("acme", request(1, "echo", "1"));
    let deleting = async {
        in_state(&acp, "installing").await?;
        let stream = acp.events().await?;
        let started = Instant::now();
        acp.delete().await?.expect_status(204)?;
        assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
        anyhow::Ok(stream)
    };
    let (waited, mut stream) = tokio::try_join!(waiting, deleting)?;
    waited.expect_problem(502, "stream_error")?;
    assert!(stream.next_event().await?.is_none(), "streams end with their server");
    assert_eq!(acp.listed().await?, None);
    assert!(scene.started().is_empty());
    Ok(())
}

#[tokio::test]
async fn several_servers_wait_for_one_installation() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    let size = scene.mirror.bytes(FILE).unwrap().len();
    scene.mirror.fault(FILE, Fault::Slow(size.div_ceil(4), Duration::from_millis(50)));
    let daemon = scene.daemon().start().await?;
    let servers: Vec<Acp> = (0..10).map(|number| daemon.acp(&format!("s{number}"))).collect();
    futures_util::future::try_join_all(servers.iter().map(|acp| acp.start("acme"))).await?;
    assert_eq!(scene.fetched("1.0.0"), 1);
    assert_eq!(scene.started().len(), 10);
    Ok(())
}

#[tokio::test]
async fn installing_on_first_use_can_be_forbidden() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    let daemon = scene.daemon().arg("--require-preinstall").start().await?;
    let acp = daemon.acp("one");
    let problem =
        acp.post_to("acme", request(1, "pid", "{}")).await?.expect_problem(404, "agent_not_installed")?;
    assert_eq!(problem.document["agent"], json!("acme"));
    assert!(problem.detail.contains("--require-preinstall"), "{problem:?}");
    assert!(scene.mirror.requests().is_empty());
    // Asked for by name it is installed, and then it starts.
    daemon.install("acme", "").await?.expect_status(200)?;
    acp.start("acme").await?;
    scene.publish("2.0.0")?;
    let path = daemon.acp("two").path("?agent=acme&agentVersion=2.0.0");
    let reply = daemon.http().post(&path).json(request(1, "pid", "{}")).send().await?;
    reply.expect_problem(404, "agent_not_installed")?;
    Ok(())
}

#[tokio::test]
async fn what_can_only_be_installed_cannot_be_started() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    let daemon = scene.daemon().start().await?;
    for installed in [false, true] {
        let reply = daemon.acp("one").post_to("lumber", request(1, "pid", "{}")).await?;
        let problem = reply.expect_problem(422, "agent_not_startable")?;
        assert_eq!(problem.document["agent"], json!("lumber"), "installed: {installed}");
        daemon.install("lumber", "").await?.expect_status(200)?;
    }
    Ok(())
}

#[tokio::test]
async fn a_socket_installs_as_a_message_does() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    let daemon = scene.daemon().start().await?;
    let mut socket = daemon.acp("one").ws("?agent=acme&agentVersion=1.0.0").connect().await?;
    socket.send(&request(1, "echo", "1")).await?;
    assert_eq!(socket.message().await?, sa_e2e::response(1, "1"));
    assert_eq!(scene.started(), ["1.0.0"]);
    assert_eq!(scene.mirror.requests_of(&format!("{STORE}/latest")).len(), 0);
    Ok(())
}
