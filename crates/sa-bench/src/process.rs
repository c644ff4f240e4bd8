//! The processes of a run: the daemon, the HTTP floor, and what `/proc` says of them. Each ends with its value.

use crate::wire;
use anyhow::{Context, Result, bail, ensure};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};
use sa_bench::Connection;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Bytes of one read; as much as a socket usually holds.
pub(crate) const SCRATCH_BYTES: usize = 256 * 1024;
const START_PATIENCE: Duration = Duration::from_secs(10);
/// Interpreted servers take seconds to import their libraries.
const FOREIGN_START_PATIENCE: Duration = Duration::from_secs(120);
const STOP_PATIENCE: Duration = Duration::from_secs(6);

/// The paths of the programs.
#[derive(Debug, Clone)]
pub(crate) struct Programs {
    pub(crate) bench: PathBuf,
    pub(crate) agent: PathBuf,
    pub(crate) daemon: PathBuf,
    /// The daemon of rivet-dev/sandbox-agent.
    pub(crate) peer: Option<PathBuf>,
    /// A Python that has OpenHands' agent-server.
    pub(crate) openhands: Option<PathBuf>,
}

impl Programs {
    /// Finds the programs next to this one, the daemon elsewhere if asked for.
    pub(crate) fn find(
        daemon: Option<PathBuf>,
        peer: Option<PathBuf>,
        openhands: Option<PathBuf>,
    ) -> Result<Self> {
        let bench = std::env::current_exe()?;
        let beside = |name: &str| bench.with_file_name(name);
        // Absolute, because the daemon is started in another directory.
        let daemon = std::path::absolute(daemon.unwrap_or_else(|| beside("sandbox-agent")))?;
        let peer = peer.map(std::path::absolute).transpose()?;
        let openhands = openhands.map(std::path::absolute).transpose()?;
        let programs = Self { agent: beside("sa-bench-agent"), daemon, bench, peer, openhands };
        ensure!(programs.agent.exists(), "{} is missing: build sa-bench first", programs.agent.display());
        Ok(programs)
    }
}

impl Programs {
    /// Returns the tests' cache of real agents.
    pub(crate) fn cache(&self) -> Option<PathBuf> {
        std::env::var_os("SANDBOX_AGENT_TEST_CACHE").map(PathBuf::from).or_else(|| {
            let user = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
            let user = user.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))?;
            Some(user.join("sandbox-agent-tests"))
        })
    }

    /// Claude Code's newest version where the tests have installed it.
    pub(crate) fn claude(&self) -> Option<PathBuf> {
        let program = self.cache()?.join("claude@newest/agents/claude/current/claude");
        program.exists().then_some(program)
    }
}

/// The scripted model, in a separate process.
pub(crate) struct Model {
    _server: Server,
    url: String,
}

impl Model {
    pub(crate) fn start(programs: &Programs) -> Result<Self> {
        let mut command = Command::new(&programs.daemon);
        command.args(["model", "--port", "0"]);
        let server = Server::start(command).context("starting the scripted model")?;
        let url = format!("http://{}", server.address);
        Ok(Self { _server: server, url })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

/// A server that listens, in a separate process with a separate home.
pub(crate) struct Server {
    child: Child,
    /// Kept open: a server that prints again must not get a broken pipe.
    _stdout: ChildStdout,
    home: TempDir,
    pub(crate) address: SocketAddr,
}

impl Server {
    /// Returns the daemon with these further flags, with the stand-in agent as `bench`, and as `idle` with small
    /// buffers.
    pub(crate) fn daemon(programs: &Programs, flags: &[&str]) -> Result<Self> {
        let agent = programs.agent.to_str().context("the agent's path is not UTF-8")?;
        let agent = shlex::try_quote(agent)?;
        let mut command = Command::new(&programs.daemon);
        command.args(["server", "--host", "127.0.0.1", "--port", "0", "--token", wire::TOKEN]);
        command.arg("--agent").arg(format!("bench={agent}"));
        command.arg("--agent").arg(format!("idle={agent} idle"));
        command.args(flags);
        Self::start(command).with_context(|| format!("starting {}", programs.daemon.display()))
    }

    pub(crate) fn floor(programs: &Programs) -> Result<Self> {
        let mut command = Command::new(&programs.bench);
        command.arg("floor");
        Self::start(command).context("starting the HTTP floor")
    }

    /// Starts another project's server on a free port, in a home that `prepare` has filled. Its output is unknown, so it is
    /// ready once it accepts connections.
    pub(crate) fn foreign(
        command: impl FnOnce(&str) -> Command,
        prepare: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<Self> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let command = command(&port.to_string());
        let program = PathBuf::from(command.get_program());
        let home = TempDir::new()?;
        prepare(home.path())?;
        let (mut child, stdout) =
            spawn(command, &home).with_context(|| format!("starting {}", program.display()))?;
        let deadline = Instant::now() + FOREIGN_START_PATIENCE;
        while TcpStream::connect(address).is_err() {
            if Instant::now() > deadline || !matches!(child.try_wait(), Ok(None)) {
                let _gone_already = child.kill();
                child.wait()?;
                let log = fs::read_to_string(home.path().join("stderr")).unwrap_or_default();
                bail!("{} does not listen; its stderr: {}", program.display(), log.trim());
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        Ok(Self { child, _stdout: stdout, home, address })
    }

    fn start(command: Command) -> Result<Self> {
        let home = TempDir::new()?;
        let (mut child, mut stdout) = spawn(command, &home)?;
        match read_address(&mut stdout) {
            Ok(address) => Ok(Self { child, _stdout: stdout, home, address }),
            Err(error) => {
                child.kill()?;
                child.wait()?;
                let log = fs::read_to_string(home.path().join("stderr")).unwrap_or_default();
                Err(error.context(format!("its stderr: {}", log.trim())))
            }
        }
    }

    pub(crate) fn connect(&self) -> Result<Connection> {
        Connection::open(self.address).context("connecting")
    }

    /// Returns the directory that it was started in, which ends with it.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// User and system time so far.
    pub(crate) fn cpu(&self) -> Result<Duration> {
        let stat = fs::read_to_string(self.proc("stat"))?;
        let (_, fields) = stat.rsplit_once(')').context("unexpected /proc/pid/stat")?;
        let mut fields = fields.split_whitespace().skip(11);
        let mut ticks =
            || fields.next().and_then(|field| field.parse::<u64>().ok()).context("unexpected /proc/pid/stat");
        let total = ticks()? + ticks()?;
        Ok(Duration::from_nanos(total * 1_000_000_000 / rustix::param::clock_ticks_per_second()))
    }

    /// Resident memory in KiB.
    pub(crate) fn resident(&self) -> Result<f64> {
        self.status("VmRSS:")
    }

    /// Resident memory in KiB that no file backs: the heap and the stacks of threads.
    pub(crate) fn heap(&self) -> Result<f64> {
        let maps = fs::read_to_string(self.proc("smaps"))?;
        let (mut heap, mut counts) = (0.0, false);
        for line in maps.lines() {
            let fields: Vec<&str> = line.split_ascii_whitespace().collect();
            match fields[..] {
                // Addresses, rights, offset, device, inode and perhaps a name; the lines that follow describe the mapping.
                [addresses, _, _, _, "0", ..] if addresses.contains('-') => {
                    counts = fields.get(5) != Some(&"[stack]")
                }
                [addresses, ..] if addresses.contains('-') => counts = false,
                ["Rss:", kib, "kB"] if counts => heap += kib.parse::<f64>()?,
                _ => {}
            }
        }
        Ok(heap)
    }

    /// Returns the highest resident memory in KiB since the start or since [`Server::reset_peak`].
    pub(crate) fn peak(&self) -> Result<f64> {
        self.status("VmHWM:")
    }

    /// Lets the peak count from now on, where the kernel allows it.
    pub(crate) fn reset_peak(&self) {
        let _refused_without_privilege = fs::write(self.proc("clear_refs"), "5");
    }

    fn status(&self, key: &str) -> Result<f64> {
        let status = fs::read_to_string(self.proc("status"))?;
        let line =
            status.lines().find_map(|line| line.strip_prefix(key)).context("unexpected /proc/pid/status")?;
        Ok(line.trim().trim_end_matches(" kB").parse()?)
    }

    fn proc(&self, name: &str) -> PathBuf {
        Path::new("/proc").join(self.child.id().to_string()).join(name)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let deadline = Instant::now() + STOP_PATIENCE;
        if !matches!(self.child.try_wait(), Ok(None)) {
            let log = fs::read_to_string(self.home.path().join("stderr")).unwrap_or_default();
            eprintln!("the server had ended by itself; its stderr: {}", log.trim());
            return;
        }
        let _gone_already = kill_process(Pid::from_child(&self.child), Signal::TERM);
        while Instant::now() < deadline {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let _gone_already = self.child.kill();
        let _reaped_already = self.child.wait();
    }
}

/// Starts a program with this home, a clean environment but for its own variables, and its log in a file.
fn spawn(mut command: Command, home: &TempDir) -> Result<(Child, ChildStdout)> {
    let own: Vec<(OsString, OsString)> =
        command.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))).collect();
    command.env_clear().envs(own).env("HOME", home.path());
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    let log = File::create(home.path().join("stderr"))?;
    command.current_dir(home.path()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
    let mut child = command.spawn()?;
    let Some(stdout) = child.stdout.take() else { bail!("no stdout") };
    Ok((child, stdout))
}

/// Reads what the server prints until it says where it listens.
fn read_address(stdout: &mut ChildStdout) -> Result<SocketAddr> {
    let deadline = Instant::now() + START_PATIENCE;
    let mut text = Vec::new();
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout =
            Timespec { tv_sec: i64::try_from(left.as_secs())?, tv_nsec: left.subsec_nanos().into() };
        let ready = poll(&mut [PollFd::new(&*stdout, PollFlags::IN)], Some(&timeout))?;
        ensure!(ready > 0, "it did not say where it listens within {START_PATIENCE:?}");
        let mut part = [0; 4096];
        let count = stdout.read(&mut part)?;
        ensure!(count > 0, "it ended before it listened");
        text.extend_from_slice(&part[..count]);
        if let Some(address) = find_address(&String::from_utf8_lossy(&text)) {
            return address.parse().with_context(|| format!("it listens on '{address}'"));
        }
    }
}

/// Returns the `host:port` of a complete line that names the URL.
fn find_address(text: &str) -> Option<&str> {
    let (complete, _) = text.rsplit_once('\n')?;
    let (_, url) = complete.split_once(wire::LISTENING)?;
    url.split_whitespace().next()?.strip_prefix("http://").map(|address| address.trim_end_matches('/'))
}
