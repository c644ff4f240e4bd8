//! A full disk is reported, survived, and forgotten when there is room again.

use anyhow::{Result, ensure};
use sa_testkit::{Daemon, Http, Sandbox, Sse, daemon_path};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::sync::Arc;

/// Starts a daemon whose store is on a file system of four megabytes, in a new namespace so that no privilege is
/// needed. Nothing where the system does not even allow that.
async fn with_small_disk() -> Result<Option<Daemon>> {
    let works = Command::new("unshare").args(["-Urm", "true"]).status();
    if !works.is_ok_and(|status| status.success()) {
        return Ok(None);
    }
    let sandbox = Arc::new(Sandbox::new()?);
    let small = sandbox.home().join("small");
    std::fs::create_dir(&small)?;
    let wrapper = sandbox.path("daemon.sh");
    let (small, daemon) = (small.display().to_string(), daemon_path()?.display().to_string());
    let script = format!(
        "#!/bin/sh\nexec unshare -Urm sh -c 'mount -t tmpfs -o size=4m none \"$0\" && exec \"$@\"' '{small}' '{daemon}' \"$@\"\n"
    );
    std::fs::write(&wrapper, script)?;
    std::fs::set_permissions(&wrapper, std::fs::Permissions::from_mode(0o755))?;
    let data = format!("{small}/data");
    Ok(Some(Daemon::builder().sandbox(sandbox).binary(wrapper).arg("--data-dir").arg(&data).start().await?))
}

/// Takes all the room that there is.
async fn fill(http: &Http) -> Result<()> {
    for (n, size) in [1 << 20, 1 << 16, 1 << 12].into_iter().enumerate() {
        for m in 0.. {
            let path = format!("/v1/fs/file?path=small/filler-{n}-{m}");
            if http.put(&path).body(vec![1; size]).send().await?.status == 507 {
                break;
            }
        }
    }
    Ok(())
}

async fn say(http: &Http, id: &str, text: &str) -> Result<sa_testkit::Reply> {
    let body = json!({ "message": format!("say {text}") }).to_string();
    http.post(&format!("/v1/sessions/{id}/messages")).json(body).send().await
}

/// Whatever is asked of a session while nothing can be stored, it is answered: with why not, if it needs room.
async fn nobody_waits_for_room(http: &Http) -> Result<()> {
    let patient = std::time::Duration::from_secs(20);
    for path in ["/v1/sessions/old/cancel", "/v1/sessions/third/terminate"] {
        let reply = tokio::time::timeout(patient, http.post(path).send()).await??;
        ensure!([200, 507].contains(&reply.status), "{path}: {}", reply.status);
    }
    let reply = tokio::time::timeout(patient, http.delete("/v1/sessions/other").send()).await??;
    ensure!([204, 507].contains(&reply.status), "DELETE: {}", reply.status);
    if reply.status == 507 {
        http.get("/v1/sessions/other").send().await?.expect_status(200)?;
    }
    Ok(())
}

/// Sends messages until one is refused because the disk is full. Messages that fit into the free part of the store's
/// files may still be accepted.
async fn say_until_refused(http: &Http) -> Result<()> {
    for _ in 0..200 {
        let reply = say(http, "old", &"x".repeat(60_000)).await?;
        if reply.status != 202 {
            reply.expect_problem(507, "insufficient_storage")?;
            return Ok(());
        }
    }
    anyhow::bail!("the disk is full, and nothing was refused")
}

/// Gives back all the room that was taken.
async fn make_room(http: &Http) -> Result<()> {
    let entries = http.get("/v1/fs/entries?path=small").send().await?.expect_status(200)?.json()?;
    for entry in entries.as_array().unwrap() {
        let name = entry["name"].as_str().unwrap();
        if name.starts_with("filler") {
            http.delete(&format!("/v1/fs/entry?path=small/{name}")).send().await?.expect_status(200)?;
        }
    }
    Ok(())
}

mod heavy {
    use super::*;

    #[tokio::test]
    async fn a_full_disk_is_reported_and_survived() -> Result<()> {
        let Some(daemon) = with_small_disk().await? else { return Ok(()) };
        let http = daemon.http();
        let demo = json!({ "agent": "demo" }).to_string();
        for id in ["old", "other", "third"] {
            let path = format!("/v1/sessions/{id}");
            http.post(&path).json(demo.clone()).send().await?.expect_status(201)?;
        }
        let accepted = say(http, "old", "before").await?.expect_status(202)?.json()?;
        let mut stream = Sse::open(http.get("/v1/sessions/old/events/sse")).await?;
        stream
            .find("the turn's end", |event| {
                event.json().is_ok_and(|event| event["data"]["turnEnded"]["turnId"] == accepted["turnId"])
            })
            .await?;
        fill(http).await?;
        say_until_refused(http).await?;
        let new = http.post("/v1/sessions/new").json(demo.clone()).send().await?;
        new.expect_problem(507, "insufficient_storage")?;
        let events = http.get("/v1/sessions/old/events").send().await?.expect_status(200)?;
        ensure!(events.text().contains("before"), "what was stored can be read");
        http.get("/v1/sessions/old").send().await?.expect_status(200)?;
        nobody_waits_for_room(http).await?;
        make_room(http).await?;
        let accepted = sa_e2e::poll("room", async || {
            let reply = say(http, "old", "after").await?;
            Ok((reply.status == 202).then_some(reply))
        })
        .await?
        .json()?;
        stream
            .find("the new turn's end", |event| {
                event.json().is_ok_and(|event| event["data"]["turnEnded"]["turnId"] == accepted["turnId"])
            })
            .await?;
        http.post("/v1/sessions/new").json(demo).send().await?.expect_status(201)?;
        sa_e2e::poll("the end that there was no room for", async || {
            let third = http.get("/v1/sessions/third").send().await?.expect_status(200)?.json()?;
            Ok((third["state"] == "ended").then_some(()))
        })
        .await?;
        let gone = http.delete("/v1/sessions/other").send().await?;
        ensure!([204, 404].contains(&gone.status), "{}", gone.status);
        http.get("/v1/sessions/other").send().await?.expect_problem(404, "not_found")?;
        Ok(())
    }
}
