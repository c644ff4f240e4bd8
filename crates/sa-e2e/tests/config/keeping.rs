//! Where entries lie, who can read them, and that none is lost.

use crate::entries::{place, put};
use anyhow::Result;
use sa_testkit::{Daemon, Sandbox};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

#[tokio::test]
async fn sixty_writers_at_once_lose_nothing() -> Result<()> {
    let daemon = Arc::new(Daemon::builder().start().await?);
    let writers: Vec<_> = (0..60)
        .map(|number| {
            let daemon = Arc::clone(&daemon);
            tokio::spawn(async move {
                let server =
                    json!({"type": "local", "command": format!("c{number}"), "env": {"K": "v".repeat(1000)}});
                put(&daemon, &place("mcp", "/ws", &format!("s{number}")), &server).await.unwrap().status
            })
        })
        .collect();
    for writer in writers {
        assert_eq!(writer.await?, 204);
    }
    let list = daemon.http().get("/v1/config/mcp/list?directory=/ws").send().await?.json()?;
    assert_eq!(list["servers"].as_object().unwrap().len(), 60);
    assert_eq!(list["servers"]["s17"]["command"], "c17");
    Ok(())
}

#[tokio::test]
async fn secrets_are_private_outlive_the_daemon_and_stay_out_of_the_workspace() -> Result<()> {
    let mut daemon = Daemon::builder().start().await?;
    let sandbox = daemon.sandbox();
    let workspace = sandbox.home().join("ws");
    std::fs::create_dir(&workspace)?;
    let server =
        json!({"type": "remote", "url": "https://x.example", "headers": {"Authorization": "s3cret"}});
    let place = place("mcp", workspace.to_str().unwrap(), "s");
    put(&daemon, &place, &server).await?.expect_status(204)?;
    assert_eq!(files(&workspace), [""; 0].map(PathBuf::from));
    let kept = files(&sandbox.data_home());
    let with_secret: Vec<_> = kept
        .iter()
        .filter(|path| std::fs::read_to_string(path).is_ok_and(|text| text.contains("s3cret")))
        .collect();
    assert_eq!(with_secret.len(), 1, "{kept:?}");
    assert_eq!(std::fs::metadata(with_secret[0])?.permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::metadata(with_secret[0].parent().unwrap())?.permissions().mode() & 0o777, 0o700);
    daemon.stop().await?;
    let daemon = Daemon::builder().sandbox(sandbox).start().await?;
    assert_eq!(daemon.http().get(&place).send().await?.expect_status(200)?.json()?, server);
    Ok(())
}

/// Starts a daemon that is confined to the directory `root` of its home, which has `in` in it.
async fn confined() -> Result<(Daemon, String)> {
    let sandbox = Arc::new(Sandbox::new()?);
    let root = sandbox.home().canonicalize()?.join("root");
    std::fs::create_dir_all(root.join("in"))?;
    let root = root.to_str().unwrap().to_owned();
    let daemon = Daemon::builder().sandbox(sandbox).arg("--fs-root").arg(&root).arg("--workspace").arg(&root);
    Ok((daemon.start().await?, root))
}

/// Entries of both kinds.
fn entries() -> [(&'static str, Value); 2] {
    let skills = json!({"sources": [{"type": "local", "source": "/x"}]});
    [("mcp", json!({"type": "local", "command": "x"})), ("skills", skills)]
}

#[tokio::test]
async fn directories_outside_of_the_root_are_refused() -> Result<()> {
    let (daemon, root) = confined().await?;
    let absolute = format!("{root}/../x");
    for directory in ["/etc", "..", "../x", "in/../../x", "../root-2", &absolute] {
        for (kind, entry) in entries() {
            let place = place(kind, directory, "s");
            let list = format!("/v1/config/{kind}/list?directory={directory}");
            for reply in [
                put(&daemon, &place, &entry).await?,
                daemon.http().get(&place).send().await?,
                daemon.http().get(&list).send().await?,
                daemon.http().delete(&place).send().await?,
            ] {
                reply
                    .expect_problem(403, "permission_denied")
                    .map_err(|error| error.context(format!("{kind} {directory}")))?;
            }
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_directory_within_the_root_may_be_named_with_dots() -> Result<()> {
    let (daemon, root) = confined().await?;
    let absolute = format!("{root}/x/../in");
    for (kind, entry) in entries() {
        put(&daemon, &place(kind, "in", "s"), &entry).await?.expect_status(204)?;
        for directory in ["in/.", "x/../in", "../root/in", &absolute] {
            let kept = daemon.http().get(&place(kind, directory, "s")).send().await?;
            assert_eq!(kept.expect_status(200)?.json()?, entry, "{directory}");
        }
        put(&daemon, &place(kind, &root, "s"), &entry).await?.expect_status(204)?;
    }
    Ok(())
}
