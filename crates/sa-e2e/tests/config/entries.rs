//! Entries are kept as they were sent, after a check.

use anyhow::Result;
use sa_testkit::{Daemon, Reply};
use serde_json::{Value, json};

/// Returns the path of one entry.
pub(crate) fn place(kind: &str, directory: &str, name: &str) -> String {
    let parameter = if kind == "mcp" { "mcpName" } else { "skillName" };
    format!("/v1/config/{kind}?directory={directory}&{parameter}={name}")
}

pub(crate) async fn put(daemon: &Daemon, place: &str, value: &Value) -> Result<Reply> {
    daemon.http().put(place).json(value.to_string()).send().await
}

#[tokio::test]
async fn mcp_servers_are_kept_read_listed_and_forgotten() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let local =
        json!({"type": "local", "command": "npx", "args": ["-y", "s"], "env": {"K": "v"}, "x-own": {"a": 1}});
    let remote =
        json!({"type": "remote", "url": "https://example.org/mcp", "headers": {"A": "b"}, "timeoutMs": 5});
    for (name, server) in [("one", &local), ("two", &remote)] {
        let reply = put(&daemon, &place("mcp", "/ws", name), server).await?.expect_status(204)?;
        assert!(reply.body.is_empty());
        let kept = daemon.http().get(&place("mcp", "/ws", name)).send().await?.expect_status(200)?.json()?;
        assert_eq!(&kept, server);
    }
    let list =
        daemon.http().get("/v1/config/mcp/list?directory=/ws/").send().await?.expect_status(200)?.json()?;
    assert_eq!(list, json!({"servers": {"one": local, "two": remote}}));
    let other = daemon.http().get("/v1/config/mcp/list?directory=/other").send().await?.json()?;
    assert_eq!(other, json!({"servers": {}}));
    // Also when it is gone, and in a directory that has none.
    for directory in ["/ws", "/ws", "/other"] {
        daemon.http().delete(&place("mcp", directory, "one")).send().await?.expect_status(204)?;
    }
    daemon.http().get(&place("mcp", "/ws", "one")).send().await?.expect_problem(404, "not_found")?;
    daemon.http().get(&place("mcp", "/ws", "two")).send().await?.expect_status(200)?;
    Ok(())
}

#[tokio::test]
async fn skills_are_kept_read_listed_and_forgotten() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let skills = json!({"sources": [{"type": "github", "source": "a/b", "skills": ["x"], "ref": "main"}]});
    put(&daemon, &place("skills", "ws", "s"), &skills).await?.expect_status(204)?;
    let kept = daemon.http().get(&place("skills", "./ws/", "s")).send().await?.expect_status(200)?.json()?;
    assert_eq!(kept, skills);
    let list =
        daemon.http().get("/v1/config/skills/list?directory=ws").send().await?.expect_status(200)?.json()?;
    assert_eq!(list, json!({"skills": {"s": skills}}));
    for name in ["s", "s", "none"] {
        daemon.http().delete(&place("skills", "ws", name)).send().await?.expect_status(204)?;
    }
    daemon.http().get(&place("skills", "ws", "s")).send().await?.expect_problem(404, "not_found")?;
    Ok(())
}

#[tokio::test]
async fn other_names_become_the_usual_ones() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let given = json!({"type": "sse", "url": "http://127.0.0.1:1/sse", "timeout": 9, "enabled": null});
    put(&daemon, &place("mcp", "/ws", "s"), &given).await?.expect_status(204)?;
    let kept = daemon.http().get(&place("mcp", "/ws", "s")).send().await?.json()?;
    let usual =
        json!({"type": "remote", "url": "http://127.0.0.1:1/sse", "timeoutMs": 9, "transport": "sse"});
    assert_eq!(kept, usual);
    Ok(())
}

#[tokio::test]
async fn mistakes_are_refused_by_name() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    for (server, why) in [
        (json!({"type": "local", "command": "x", "args": [1]}), "`args[0]`"),
        (json!({"type": "remote"}), "`url` is missing"),
        (json!({"type": "carrier-pigeon"}), "carrier-pigeon"),
        (json!([]), "the body"),
    ] {
        let problem =
            put(&daemon, &place("mcp", "/ws", "s"), &server).await?.expect_problem(400, "invalid_request")?;
        assert!(problem.detail.contains(why), "{}", problem.detail);
    }
    for place in [
        "/v1/config/mcp?directory=/ws",
        "/v1/config/mcp?mcpName=x",
        "/v1/config/mcp/list",
        "/v1/config/skills",
    ] {
        daemon.http().get(place).send().await?.expect_problem(400, "invalid_request")?;
    }
    let control = place("mcp", "/ws", "a%0Ab");
    let good = json!({"type": "local", "command": "x"});
    put(&daemon, &control, &good).await?.expect_problem(400, "invalid_request")?;
    daemon
        .http()
        .put(&place("mcp", "/ws", "s"))
        .body("x")
        .send()
        .await?
        .expect_problem(415, "unsupported_media_type")?;
    Ok(())
}

/// An accepted entry can be read, listed and deleted.
#[tokio::test]
async fn nothing_is_kept_that_could_not_be_read_again() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    // Each of these is fine, and both together are too large.
    let large = |text: &str| json!({"type": "local", "command": "x", "env": {"A": text.repeat(5 << 19)}});
    put(&daemon, &place("mcp", "/ws", "one"), &large("a")).await?.expect_status(204)?;
    put(&daemon, &place("mcp", "/ws", "two"), &large("b")).await?.expect_problem(413, "payload_too_large")?;
    let nested = |depth: usize| {
        let value = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        format!(r#"{{"type": "local", "command": "x", "x-own": {value}}}"#)
    };
    for depth in [100, 124, 125, 126, 127] {
        let place = place("mcp", "/deep", &depth.to_string());
        let reply = daemon.http().put(&place).json(nested(depth)).send().await?;
        assert!(matches!(reply.status, 204 | 400), "{depth}: {}", reply.status);
    }
    for (directory, name) in [("/ws", "one"), ("/deep", "100")] {
        let list = daemon.http().get(&format!("/v1/config/mcp/list?directory={directory}")).send().await?;
        list.expect_status(200)?;
        daemon.http().get(&place("mcp", directory, name)).send().await?.expect_status(200)?;
        daemon.http().delete(&place("mcp", directory, name)).send().await?.expect_status(204)?;
    }
    Ok(())
}
