//! Agents that cannot be started.

use anyhow::{Context, Result};
use futures_util::future::join_all;
use sa_e2e::{notification, request};
use sa_testkit::{Acp, Daemon};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

#[tokio::test]
async fn a_missing_program_is_reported_and_leaves_nothing_behind() -> Result<()> {
    let daemon = Daemon::builder()
        .agent("missing", "/nonexistent/agent --acp")
        .agent("unknown", "no-such-program-anywhere")
        .agent("folder", "/")
        .agent("file", "/etc/passwd")
        .limit("stream-wait-ms", 10)
        .start()
        .await?;
    for agent in ["missing", "unknown", "folder", "file"] {
        let acp = daemon.acp(agent);
        for message in [request(1, "pid", "{}"), notification("x", "{}")] {
            let started = Instant::now();
            let problem =
                acp.post_to(agent, message).await?.expect_problem(502, "spawn_failed").context(agent)?;
            assert!(started.elapsed() < Duration::from_secs(2));
            assert_eq!(problem.document["agent"], json!(agent));
        }
        let Err(reply) = acp.ws(&format!("?agent={agent}")).attempt().await? else { panic!("a socket") };
        reply.expect_problem(502, "spawn_failed").context(agent)?;
        let standard =
            daemon.http().post(&format!("/acp?agent={agent}")).json(request(1, "initialize", "{}"));
        standard.send().await?.expect_problem(502, "spawn_failed").context(agent)?;
        acp.post(request(1, "pid", "{}")).await?.expect_problem(400, "invalid_request")?;
        acp.listening().send().await?.expect_problem(404, "not_found")?;
    }
    assert_eq!(Acp::list(daemon.http()).await?, [] as [Value; 0]);
    Ok(())
}

#[tokio::test]
async fn all_who_wait_for_the_start_learn_that_it_failed() -> Result<()> {
    let daemon = Daemon::builder().agent("missing", "/nonexistent/agent").start().await?;
    let acp = daemon.acp("one");
    let replies =
        join_all((0..20).map(|id| acp.posting_to("missing", request(id, "pid", "{}")).send())).await;
    for reply in replies {
        reply?.expect_problem(502, "spawn_failed")?;
    }
    assert_eq!(acp.listed().await?, None);
    Ok(())
}

#[tokio::test]
async fn a_program_that_went_away_keeps_the_server_with_its_last_exit() -> Result<()> {
    let folder = sa_testkit::Sandbox::new()?;
    let program = folder.path("agent");
    std::fs::copy(sa_testkit::puppet_path()?, &program)?;
    let daemon = Daemon::builder().agent("mine", program.to_str().unwrap()).start().await?;
    let acp = daemon.acp("one");
    acp.start("mine").await?;
    acp.post(request(1, "crash", r#"{"code":6}"#)).await?.expect_status(502)?;
    std::fs::remove_file(&program)?;
    acp.post_to("mine", request(1, "pid", "{}")).await?.expect_problem(502, "spawn_failed")?;
    let entry = acp.listed().await?.unwrap();
    assert_eq!((&entry["status"], &entry["exit"]["code"]), (&json!("exited"), &json!(6)));
    std::fs::copy(sa_testkit::puppet_path()?, &program)?;
    acp.start("mine").await?;
    Ok(())
}

#[tokio::test]
async fn an_agent_gets_three_descriptors_and_no_more() -> Result<()> {
    // The daemon itself was given one more, and holds sockets and the pipes of other agents.
    let folder = std::sync::Arc::new(sa_testkit::Sandbox::new()?);
    let wrapper = folder.path("daemon");
    let script =
        format!("#!/bin/sh\nexec 9</dev/null\nexec '{}' \"$@\"\n", sa_testkit::daemon_path()?.display());
    std::fs::write(&wrapper, script)?;
    std::fs::set_permissions(&wrapper, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    let daemon = Daemon::builder().sandbox(folder).binary(wrapper).puppet(&[]).start().await?;
    let mut streams = Vec::new();
    for name in ["a", "b", "c"] {
        let acp = daemon.acp(name);
        acp.start("puppet").await?;
        streams.push(acp.events().await?);
        let open = acp.call("fds", "{}").await?;
        let numbers: Vec<&Value> = open.as_array().unwrap().iter().map(|open| &open["fd"]).collect();
        assert_eq!(numbers, [0, 1, 2], "{open}");
        for stream in open.as_array().unwrap() {
            assert!(stream["target"].as_str().unwrap().starts_with("pipe:"), "{open}");
        }
    }
    Ok(())
}
