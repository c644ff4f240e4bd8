//! A terminal to sit at: the daemon's processes have pseudo-terminals.

use anyhow::{Context, Result};
use sa_testkit::{DEADLINE, Daemon, Ws, daemon_path, within};
use serde_json::{Value, json};

/// Somebody at a terminal: a process of the daemon's on which the command line runs.
pub(crate) struct Desk {
    socket: Ws,
    /// Everything that was printed.
    pub(crate) shown: String,
}

impl Desk {
    pub(crate) async fn sit_down(daemon: &Daemon, script: &str) -> Result<Self> {
        Self::with(daemon, script, json!({"cols": 90, "rows": 33}), json!({})).await
    }

    /// At a terminal of 80 columns, without colors.
    pub(crate) async fn plain(daemon: &Daemon, script: &str) -> Result<Self> {
        Self::with(daemon, script, json!({"cols": 80, "rows": 24}), json!({"NO_COLOR": "1"})).await
    }

    async fn with(daemon: &Daemon, script: &str, size: Value, more: Value) -> Result<Self> {
        let mut body = json!({
            "command": "/bin/sh", "args": ["-c", script], "tty": true, "cols": size["cols"], "rows": size["rows"],
            "env": {
                "SANDBOX_AGENT_ENDPOINT": daemon.base_url(), "SANDBOX_AGENT_TOKEN": daemon.token(),
                "SANDBOX_AGENT": daemon_path()?, "TERM": "xterm-256color",
            },
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            body["env"][name] = value.clone();
        }
        let made = daemon
            .http()
            .post("/v1/processes")
            .json(body.to_string())
            .send()
            .await?
            .expect_status(201)?
            .json()?;
        let id = made["id"].as_str().context("an id")?;
        let socket = daemon.http().ws(&format!("/v1/processes/{id}/terminal/ws")).connect().await?;
        Ok(Self { socket, shown: String::new() })
    }

    /// Looks at the screen until that is on it.
    pub(crate) async fn see(&mut self, what: &str) -> Result<()> {
        let seen = async {
            while !self.shown.contains(what) {
                let frame = self.socket.frame_within(DEADLINE).await?.context("the socket was closed")?;
                if frame.is_binary() {
                    self.shown.push_str(&String::from_utf8_lossy(&frame.into_data()));
                }
            }
            Ok(())
        };
        let outcome = within(what, DEADLINE, seen).await.flatten();
        outcome.with_context(|| format!("{what:?} was not seen: {:?}", self.shown))
    }

    /// Forgets what was printed, so that only what comes next is looked at.
    pub(crate) fn look_away(&mut self) {
        self.shown.clear();
    }

    pub(crate) async fn press(&mut self, keys: &str) -> Result<()> {
        self.socket.send_binary(keys.as_bytes()).await
    }

    pub(crate) async fn resize(&mut self, cols: u16, rows: u16) -> Result<()> {
        self.socket.send(&json!({"type": "resize", "cols": cols, "rows": rows}).to_string()).await
    }
}
