//! Processes from their start to their removal.

use crate::api::{Api, script};
use anyhow::Result;
use sa_testkit::{Daemon, is_alive};
use serde_json::json;
use std::time::{Duration, Instant};

#[tokio::test]
async fn a_process_is_described_from_start_to_end() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let mut body = script("read line; exit 5");
    body["interactive"] = json!(true);
    let made = api.post("", &body).await?.expect_status(201)?.json()?;
    let id = made["id"].as_str().unwrap().to_owned();
    let (pid, created) = (made["pid"].as_u64().unwrap(), made["createdAtMs"].as_u64().unwrap());
    let running = json!({
        "id": id, "command": "/bin/sh", "args": ["-c", "read line; exit 5"], "tty": false, "interactive": true,
        "owner": "user", "status": "running", "pid": pid, "createdAt": made["createdAt"], "createdAtMs": created,
    });
    assert_eq!(sa_e2e::millis(&made["createdAt"])?, created);
    assert_eq!(made, running);
    assert_eq!(api.info(&id).await?, running);
    assert!(is_alive(u32::try_from(pid)?));
    api.delete(&id).await?.expect_problem(409, "conflict")?;

    api.post(&format!("/{id}/input"), &json!({"data": "Cg=="})).await?.expect_status(200)?;
    let ended = api.ended(&id).await?;
    assert_eq!((&ended["exitCode"], ended.get("pid"), ended.get("signal")), (&json!(5), None, None));
    assert!(ended["exitedAtMs"].as_u64().unwrap() >= created);
    assert_eq!(ended["exitedAtMs"], sa_e2e::millis(&ended["exitedAt"])?);
    api.delete(&id).await?.expect_status(204)?;
    api.get(&format!("/{id}")).await?.expect_problem(404, "not_found")?;
    api.delete(&id).await?.expect_status(204)?;
    Ok(())
}

#[tokio::test]
async fn processes_are_listed_in_the_order_of_their_creation() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let mut ids = Vec::new();
    for n in 0..4 {
        ids.push(
            api.create(json!({"command": if n % 2 == 0 { "true" } else { "sleep" }, "args": ["600"]}))
                .await?,
        );
    }
    api.run(json!({"command": "true"})).await?;
    for (query, expected) in
        [("", &ids[..]), ("?owner=user", &ids[..]), ("?owner=system", &[]), ("?owner=desktop", &[])]
    {
        let list = api.get(query).await?.expect_status(200)?.json()?;
        let listed: Vec<&str> = list["processes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|process| process["id"].as_str().unwrap())
            .collect();
        assert_eq!(listed, expected, "{query}");
    }
    api.get("?owner=nobody").await?.expect_problem(400, "invalid_request")?;
    Ok(())
}

#[tokio::test]
async fn stopping_asks_first_and_reports_the_signal() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let id = api.script("sleep 600 & echo child $!; wait", json!({})).await?;
    let text = api.printed(&id, "child ").await?;
    let child: u32 = text.trim().strip_prefix("child ").unwrap().parse()?;
    let ended = api.post(&format!("/{id}/stop"), &json!({})).await?.expect_status(200)?.json()?;
    assert_eq!(
        (&ended["status"], &ended["signal"], ended.get("exitCode")),
        (&json!("exited"), &json!(15), None)
    );
    assert!(!is_alive(child), "the tree ends with it");

    let polite = api
        .script("trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.01; done", json!({}))
        .await?;
    api.printed(&polite, "ready").await?;
    let ended = api.post(&format!("/{polite}/stop"), &json!({})).await?.json()?;
    assert_eq!((&ended["exitCode"], ended.get("signal")), (&json!(0), None));
    assert!(api.text(&polite).await?.contains("bye\n"));
    Ok(())
}

#[tokio::test]
async fn who_does_not_stop_is_killed_after_the_grace_whoever_waits() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let stubborn = "trap '' TERM; echo ready; while :; do sleep 0.05; done";
    let id = api.script(stubborn, json!({})).await?;
    api.printed(&id, "ready").await?;
    let started = Instant::now();
    let now = api.post(&format!("/{id}/stop?graceMs=1500&waitMs=100"), &json!({})).await?.json()?;
    assert_eq!(now["status"], "running", "the answer does not wait for the grace");
    assert!(started.elapsed() < Duration::from_millis(1400));
    assert_eq!(api.ended(&id).await?["signal"], 9);
    api.post(&format!("/{id}/stop?waitMs=soon"), &json!({})).await?.expect_problem(400, "invalid_request")?;
    Ok(())
}

#[tokio::test]
async fn killing_takes_the_whole_tree_also_those_that_left_the_group() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let text = "trap '' TERM HUP; setsid sleep 600 & echo one $!; sleep 600 & echo two $!; echo ready; wait";
    let id = api.script(text, json!({})).await?;
    let printed = api.printed(&id, "ready").await?;
    let pids: Vec<u32> = printed.lines().filter_map(|line| line.split_once(' ')?.1.parse().ok()).collect();
    assert_eq!(pids.len(), 2, "{printed}");
    let ended = api.kill(&id).await?;
    assert_eq!(
        (&ended["status"], &ended["signal"], ended.get("oomKilled")),
        (&json!("exited"), &json!(9), None)
    );
    assert!(!pids.iter().any(|&pid| is_alive(pid)));
    assert_eq!(api.kill(&id).await?, ended, "once more changes nothing");
    Ok(())
}

#[tokio::test]
async fn unknown_processes_are_not_found() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    for path in ["/proc_0", "/proc_0/logs", "/proc_0/logs?follow=true", "/proc_0/logs/sse"] {
        api.get(path).await?.expect_problem(404, "not_found")?;
    }
    for path in ["/proc_0/stop", "/proc_0/kill", "/proc_0/input", "/proc_0/terminal/resize"] {
        api.post(path, &json!({"data": ""})).await?.expect_problem(404, "not_found")?;
    }
    let refusal = api.terminal("proc_0", "").attempt().await?.err().expect("no socket");
    refusal.expect_problem(404, "not_found")?;
    Ok(())
}

#[tokio::test]
async fn nobody_gets_at_processes_without_the_token() -> Result<()> {
    let daemon = Daemon::start().await?;
    let stranger = daemon.http().with_token(None);
    let body = json!({"command": "true"}).to_string();
    stranger.post("/v1/processes/run").json(body).send().await?.expect_problem(401, "token_invalid")?;
    stranger
        .get("/v1/processes?access_token=testkit-token")
        .send()
        .await?
        .expect_problem(401, "token_invalid")?;
    Ok(())
}

#[tokio::test]
async fn a_process_inherits_no_secret_of_the_daemon() -> Result<()> {
    let daemon = Daemon::start().await?;
    let answer = Api::of(&daemon).run(json!({"command": "env"})).await?;
    let names: Vec<&str> =
        answer["stdout"].as_str().unwrap().lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    let own: Vec<&&str> = names.iter().filter(|name| name.starts_with("SANDBOX_AGENT_")).collect();
    assert_eq!(own, [&"SANDBOX_AGENT_DAEMON", &"SANDBOX_AGENT_TREE"], "only the marks of its tree");
    assert!(names.contains(&"PATH"));
    Ok(())
}

#[tokio::test]
async fn processes_are_counted() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let ended = api.create(json!({"command": "true"})).await?;
    api.ended(&ended).await?;
    api.create(json!({"command": "sleep", "args": ["600"]})).await?;
    api.run(json!({"command": "true"})).await?;
    let metrics = daemon.http().get("/metrics").send().await?.expect_status(200)?.text();
    for line in ["process_starts_total 3", "processes_running 1", "processes_ended 1"] {
        assert!(metrics.contains(&format!("\nsandbox_agent_{line}\n")), "{line}: {metrics}");
    }
    Ok(())
}
