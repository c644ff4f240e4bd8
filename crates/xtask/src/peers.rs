//! `cargo xtask bench --peers`: installs other servers, so that the benchmarks can compare them with the daemon.
//!
//! They are no part of the tests, so nothing pins what they depend on. One that cannot be installed is left out, with the
//! reason.

use crate::shell::{Program, target};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

const SANDBOX_AGENT: &str = "@sandbox-agent/cli@0.4.2";
const OPENHANDS: &str = "openhands-agent-server==1.58.0";
/// The oldest Python that OpenHands runs on, and names it may have.
const OPENHANDS_PYTHON: &str = "import sys; sys.exit(sys.version_info < (3, 12))";
const PYTHONS: [&str; 4] = ["python3", "python3.14", "python3.13", "python3.12"];

/// Returns the arguments of `sa-bench` for the servers that are installed.
pub(crate) fn arguments() -> Result<Vec<String>> {
    let folder = target()?.join("peers");
    let mut arguments = Vec::new();
    for (flag, installed) in
        [("--peer", sandbox_agent(&folder)), ("--openhands", openhands(&folder.join("openhands")))]
    {
        match installed.and_then(|path| path.into_os_string().into_string().ok().context("no UTF-8 path")) {
            Ok(path) => arguments.extend([flag.to_owned(), path]),
            Err(error) => eprintln!("left out: {error:#}"),
        }
    }
    Ok(arguments)
}

fn sandbox_agent(folder: &Path) -> Result<PathBuf> {
    let platform = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "linux-x64",
        ("linux", "aarch64") => "linux-arm64",
        (system, processor) => bail!("{SANDBOX_AGENT}: no package for {system} on {processor} is known here"),
    };
    let program = folder.join(format!("node_modules/@sandbox-agent/cli-{platform}/bin/sandbox-agent"));
    if !program.exists() {
        let words = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix"];
        let install = Program::new("npm").args(&words).args(&[folder]).args(&[SANDBOX_AGENT]);
        install.run().context(SANDBOX_AGENT)?;
    }
    // The package leaves this to a script, and scripts are not run.
    Program::new("chmod").args(&["+x"]).args(&[&program]).run()?;
    Ok(program)
}

fn openhands(folder: &Path) -> Result<PathBuf> {
    let python = folder.join("bin/python");
    if Program::new(&python).args(&["-c", "import openhands.agent_server"]).works() {
        return Ok(python);
    }
    let newer = |name: &&&str| Program::new(name).args(&["-c", OPENHANDS_PYTHON]).works();
    let Some(base) = PYTHONS.iter().find(newer) else {
        bail!("{OPENHANDS}: it needs Python 3.12 or newer");
    };
    Program::new(base).args(&["-m", "venv", "--clear"]).args(&[folder]).run().context(OPENHANDS)?;
    let words = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", OPENHANDS];
    Program::new(&python).args(&words).run().context(OPENHANDS)?;
    Ok(python)
}
