//! Where entries lie, who can read them, and that none is lost.

use crate::entries::{place, put};
use anyhow::Result;
use sa_testkit::Daemon;
use serde_json::json;
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

#[tokio::test]
async fn directories_outside_of_the_root_are_refused() -> Result<()> {
    let sandbox = Arc::new(sa_testkit::Sandbox::new()?);
    let root = sandbox.home().canonicalize()?.join("root");
    std::fs::create_dir(&root)?;
    let daemon =
        Daemon::builder().sandbox(sandbox).arg("--fs-root").arg(root.to_str().unwrap()).start().await?;
    let server = json!({"type": "local", "command": "x"});
    put(&daemon, &place("mcp", "/etc", "s"), &server).await?.expect_problem(403, "permission_denied")?;
    put(&daemon, &place("mcp", root.to_str().unwrap(), "s"), &server).await?.expect_status(204)?;
    Ok(())
}
