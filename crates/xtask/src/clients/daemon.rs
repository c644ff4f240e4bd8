//! A daemon for clients under test: the real binary on a free port of loopback, in new folders.

use crate::shell::{Program, target};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The token that the daemon asks for.
pub(super) const TOKEN: &str = "clients-token";

/// Time for the daemon to listen, and to end, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// An agent that the folder `mirror` publishes, so that installing needs no network. Streams of servers that do not
/// exist fail at once.
const CONFIGURATION: &str = r#"
[limits]
stream-wait-ms = 1
[agents.published]
name = "Published"
command = "published"
[agents.published.install]
entry = ["published"]
[[agents.published.install.sources]]
kind = "vendor"
base = ["https://agents.example/published"]
latest = "{base}/latest"
file = "{base}/{version}/published"
checksum = { sums = "{base}/{version}/published.sha256" }

[agents.published.install.sources.platforms]
linux-x64 = "any"
linux-x64-baseline = "any"
linux-x64-musl = "any"
linux-x64-baseline-musl = "any"
linux-arm64 = "any"
linux-arm64-musl = "any"
darwin-arm64 = "any"
darwin-x64 = "any"
"#;

/// The files of the mirror.
const PUBLISHED: [(&str, &str); 3] = [
    ("latest", "1.0.0\n"),
    ("1.0.0/published", "#!/bin/sh\nexit 0\n"),
    (
        "1.0.0/published.sha256",
        "306c6ca7407560340797866e077e053627ad409277d1b9da58106fce4cf717cb  published\n",
    ),
];

/// Programs that the daemon may find.
#[derive(Clone, Copy)]
pub(super) enum Programs {
    /// Those of this machine.
    All,
    /// No process, so that a command made up by a tool cannot run.
    None,
}

/// A running daemon; dropping it kills it.
pub(super) struct Daemon {
    child: Child,
    folder: TempDir,
    pub(super) url: String,
}

impl Daemon {
    /// Starts a daemon and waits until it listens. It sees nothing of this process's environment and home.
    pub(super) fn start(programs: Programs) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("sa-clients-").tempdir()?;
        let at = |name: &str| folder.path().join(name);
        // `shop` is the directory that the contract's examples name.
        for name in ["home", "workspace/shop", "programs", "tmp"] {
            fs::create_dir_all(at(name))?;
        }
        for (path, text) in PUBLISHED {
            let path = at("mirror/agents.example/published").join(path);
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(path, text)?;
        }
        fs::write(at("config.toml"), CONFIGURATION)?;
        let log = fs::File::create(at("log"))?;
        let path = match programs {
            Programs::All => std::env::var_os("PATH").unwrap_or_default(),
            Programs::None => at("programs").into_os_string(),
        };
        let child = Command::new(binary()?)
            .args(["server", "--host", "127.0.0.1", "--port", "0", "--token", TOKEN])
            .arg("--config")
            .arg(at("config.toml"))
            .arg("--data-dir")
            .arg(at("data"))
            .arg("--workspace")
            .arg(at("workspace"))
            .arg("--fs-root")
            .arg(at("workspace"))
            .arg("--mirror")
            .arg(format!("file://{}", at("mirror").display()))
            .env_clear()
            .env("HOME", at("home"))
            .env("TMPDIR", at("tmp"))
            .env("PATH", path)
            .env("LANG", "C.UTF-8")
            // Nothing listens there, so the daemon reaches loopback only.
            .env("ALL_PROXY", "http://127.0.0.1:9")
            .current_dir(at("workspace"))
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .context("cannot start the daemon")?;
        let mut daemon = Self { child, folder, url: String::new() };
        daemon.url = daemon.wait_for_address()?;
        Ok(daemon)
    }

    /// Everything that it wrote to its output.
    pub(super) fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// Ends it by SIGTERM, which must make it exit successfully.
    pub(super) fn stop(mut self) -> Result<()> {
        Program::new("kill").args(&["-TERM", &self.child.id().to_string()]).run()?;
        let asked = Instant::now();
        while asked.elapsed() < PATIENCE {
            match self.child.try_wait()? {
                Some(status) if status.success() => return Ok(()),
                Some(status) => bail!("the daemon ended with {status}\n{}", self.log()),
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        }
        bail!("the daemon did not end within {} s\n{}", PATIENCE.as_secs(), self.log());
    }

    fn wait_for_address(&mut self) -> Result<String> {
        let started = Instant::now();
        while started.elapsed() < PATIENCE {
            let log = self.log();
            let line = log.lines().find_map(|line| line.strip_prefix("listening on "));
            if let Some(url) = line.filter(|_| log.ends_with('\n')) {
                return Ok(url.trim().to_owned());
            }
            if let Some(status) = self.child.try_wait()? {
                bail!("the daemon ended with {status} before it listened\n{log}");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        bail!("the daemon did not listen within {} s\n{}", PATIENCE.as_secs(), self.log());
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _status = self.child.wait();
    }
}

/// Returns the binary that the step `build` made, or the one that `SANDBOX_AGENT_TEST_BIN` names.
fn binary() -> Result<PathBuf> {
    let named = std::env::var_os("SANDBOX_AGENT_TEST_BIN").map(PathBuf::from);
    let binary = named.map_or_else(|| Ok(target()?.join("debug/sandbox-agent")), Ok::<_, anyhow::Error>)?;
    if Path::new(&binary).is_file() { Ok(binary) } else { bail!("{} is missing", binary.display()) }
}
