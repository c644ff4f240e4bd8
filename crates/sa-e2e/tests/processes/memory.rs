//! Processes that the kernel kills because memory ran out.

use crate::api::{Api, script};
use anyhow::{Context, Result};
use sa_testkit::{Daemon, Sandbox, daemon_path};
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;

/// The memory of the group: enough for the daemon and a shell, too little for the command.
const LIMIT: u64 = 128 << 20;

/// A control group with a limit on memory, of which a daemon can be a member. Where tests may not make one (it
/// takes privileges, and control groups that are delegated) there is none.
struct Group(PathBuf);

impl Group {
    fn make() -> Option<Self> {
        let name = format!("sa-e2e-{}", std::process::id());
        let version_1 = PathBuf::from("/sys/fs/cgroup/memory");
        let version_2 = PathBuf::from("/sys/fs/cgroup");
        for (root, key) in [(version_1, "memory.limit_in_bytes"), (version_2, "memory.max")] {
            let group = Self(root.join(&name));
            if fs::create_dir(&group.0).is_ok() && fs::write(group.0.join(key), LIMIT.to_string()).is_ok() {
                return Some(group);
            }
        }
        eprintln!("skipped: this test may not make a control group with a limit on memory");
        None
    }

    /// Returns a program that joins the group and then is the daemon.
    fn daemon(&self, sandbox: &Sandbox) -> Result<PathBuf> {
        let (procs, daemon) = (self.0.join("cgroup.procs"), daemon_path()?);
        let script =
            format!("#!/bin/sh\necho $$ > {} && exec {} \"$@\"\n", procs.display(), daemon.display());
        let path = sandbox.path("daemon-in-group");
        fs::write(&path, script)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        Ok(path)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Possible once nobody is in it; the daemon is gone by then.
        let _left = fs::remove_dir(&self.0);
    }
}

#[tokio::test]
async fn a_kill_for_want_of_memory_is_named_and_others_are_not() -> Result<()> {
    let Some(group) = Group::make() else { return Ok(()) };
    let sandbox = Arc::new(Sandbox::new()?);
    let binary = group.daemon(&sandbox)?;
    let mut daemon = Daemon::builder().binary(binary).sandbox(sandbox).start().await?;
    let api = Api::of(&daemon);
    // Its output is larger than the group's limit, and `sort` keeps all of it.
    let hog = "head -c 400000000 /dev/zero | tr '\\0' x | sort -S 100%";
    let answer = api.run(script(&format!("exec sh -c \"{hog}\""))).await?;
    if answer["oomKilled"] != json!(true) {
        // Swap, or a kernel that reclaims otherwise: nothing was killed, so there is nothing to name.
        assert_ne!(answer["exitCode"], json!(137), "killed and not named: {answer}");
        eprintln!("skipped: the kernel killed nobody: {answer}");
        return Ok(());
    }
    let id = api.create(json!({"command": "sleep", "args": ["600"]})).await?;
    let pid = api.info(&id).await?["pid"].as_u64().context("a pid")?;
    let killed = api.run(script(&format!("kill -KILL {pid}"))).await?;
    assert_eq!(killed["exitCode"], 0);
    let ended = api.ended(&id).await?;
    assert_eq!((&ended["signal"], ended.get("oomKilled")), (&json!(9), None), "killed by somebody else");
    daemon.stop().await?;
    Ok(())
}
