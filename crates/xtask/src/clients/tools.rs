//! Installs the tools of `clients/`: npm packages next to their lock file, Python packages in a virtual environment.

use crate::shell::{Program, root, target};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// The oldest Python that the pinned tools run on.
const PYTHON: &str = "3.11";

/// A folder of programs that were installed for a lock file.
pub(super) struct Tools {
    programs: PathBuf,
}

impl Tools {
    /// Installs what `clients/package-lock.json` pins.
    pub(super) fn npm() -> Result<Self> {
        if !Program::new("npm").args(&["--version"]).works() {
            bail!(
                "npm is not installed; the generated TypeScript clients need Node.js 20.19 or newer with npm"
            );
        }
        let folder = root().join("clients");
        let installed = folder.join("node_modules");
        once(&installed, &folder.join("package-lock.json"), || {
            let install = Program::new("npm").args(&["ci", "--no-audit", "--no-fund"]).folder(&folder);
            install
                .run()
                .context("cannot install the npm packages of clients/; the first run needs the registry")
        })?;
        Ok(Self { programs: installed.join(".bin") })
    }

    /// Installs what `clients/requirements.txt` pins.
    pub(super) fn python() -> Result<Self> {
        let supported = format!("import sys; sys.exit(sys.version_info < ({}))", PYTHON.replace('.', ", "));
        if !Program::new("python3").args(&["-c", &supported]).works() {
            bail!("python3 is not installed, or older than {PYTHON}; the generated Python client needs it");
        }
        let installed = target()?.join("clients/python");
        let requirements = root().join("clients/requirements.txt");
        once(&installed, &requirements, || {
            let environment = Program::new("python3").args(&["-m", "venv", "--clear"]).args(&[&installed]);
            environment.run().context("cannot create a virtual environment; is python3-venv installed?")?;
            let install = Program::new(installed.join("bin/python"))
                .args(&["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
                .args(&["--only-binary", ":all:", "--require-hashes", "-r"])
                .args(&[&requirements]);
            install
                .run()
                .context("cannot install the Python packages of clients/; the first run needs the index")
        })?;
        Ok(Self { programs: installed.join("bin") })
    }

    /// One of the tools, which finds the others, too.
    pub(super) fn program(&self, name: &str) -> Program {
        let inherited = std::env::var_os("PATH").unwrap_or_default();
        let mut path = self.programs.clone().into_os_string();
        path.push(":");
        path.push(inherited);
        Program::new(self.programs.join(name)).env("PATH", path)
    }
}

/// Installs unless it was done for the same lock file, of which a copy stays with what was installed.
fn once(installed: &Path, lock: &Path, install: impl FnOnce() -> Result<()>) -> Result<()> {
    let wanted = fs::read(lock).with_context(|| lock.display().to_string())?;
    let mark = installed.join(".installed");
    if fs::read(&mark).is_ok_and(|present| present == wanted) {
        return Ok(());
    }
    install()?;
    fs::write(&mark, wanted).with_context(|| mark.display().to_string())
}
