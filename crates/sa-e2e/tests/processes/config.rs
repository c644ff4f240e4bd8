//! Limits that can be changed while the daemon runs.

use crate::api::{Api, script};
use anyhow::Result;
use sa_testkit::Daemon;
use serde_json::json;

#[tokio::test]
async fn limits_are_shown_and_changed() -> Result<()> {
    let daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let usual = json!({
        "maxConcurrentProcesses": 64, "defaultRunTimeoutMs": 30000, "maxRunTimeoutMs": 300000, "maxOutputBytes": 1048576,
        "maxLogBytesPerProcess": 10485760, "maxInputBytesPerRequest": 65536, "maxEndedProcesses": 256, "stopGraceMs": 5000,
    });
    assert_eq!(api.get("/config").await?.expect_status(200)?.json()?, usual);
    let changed =
        api.post("/config", &json!({"maxConcurrentProcesses": 1})).await?.expect_status(200)?.json()?;
    let mut expected = usual.clone();
    expected["maxConcurrentProcesses"] = json!(1);
    assert_eq!(changed, expected);
    assert_eq!(api.get("/config").await?.json()?, expected);

    let first = api.create(json!({"command": "sleep", "args": ["600"]})).await?;
    let problem = api.post("", &json!({"command": "true"})).await?.expect_problem(409, "conflict")?;
    assert!(problem.detail.contains("maxConcurrentProcesses"), "{}", problem.detail);
    api.post("/run", &json!({"command": "true"})).await?.expect_problem(409, "conflict")?;
    api.kill(&first).await?;
    api.run(json!({"command": "true"})).await?;

    for bad in
        [json!({"maxConcurrentProcesses": 0}), json!({"maxRunTimeoutMs": 10}), json!({"maxOutputBites": 1})]
    {
        api.post("/config", &bad).await?.expect_problem(400, "invalid_request")?;
    }
    assert_eq!(api.get("/config").await?.json()?, expected);
    api.post("/config", &usual).await?.expect_status(200)?;
    assert_eq!(api.get("/config").await?.json()?, usual);
    Ok(())
}

#[tokio::test]
async fn limits_come_from_the_configuration_file() -> Result<()> {
    let config = "[processes]\ndefault-run-timeout-ms = 200\nmax-output-bytes = 3\nmax-ended-processes = 2\n";
    let daemon = Daemon::builder().config(config).start().await?;
    let api = Api::of(&daemon);
    let answer = api.run(script("echo 12345; sleep 600")).await?;
    assert_eq!((&answer["timedOut"], &answer["stdout"]), (&json!(true), &json!("123")));
    let mut ids = Vec::new();
    for _ in 0..4 {
        let id = api.create(json!({"command": "true"})).await?;
        sa_e2e::poll("its end", async || {
            let gone = api.get(&format!("/{id}")).await?;
            Ok((gone.status == 404 || gone.json()?["status"] == json!("exited")).then_some(()))
        })
        .await?;
        ids.push(id);
    }
    sa_e2e::poll("the oldest to be forgotten", async || {
        let list = api.get("").await?.json()?;
        let left: Vec<String> = list["processes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|process| process["id"].as_str().unwrap().to_owned())
            .collect();
        Ok((left == ids[2..]).then_some(()))
    })
    .await?;
    let refused = Daemon::builder().config("[processes]\nmax-output-bytes = 0\n").run_to_end().await?;
    assert_eq!(refused.status.code(), Some(64), "{refused}");
    assert!(refused.stderr.contains("[processes] max-output-bytes = 0: expected 1 to "), "{refused}");
    Ok(())
}
