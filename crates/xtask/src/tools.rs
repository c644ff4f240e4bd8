//! Installs what lock files pin: npm packages next to their lock file, Python packages in a virtual environment.

use crate::shell::{Program, root, target};
use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The folder of the lock file that pins everything for `packages/`, `apps/` and `examples/`.
pub(crate) const WORKSPACE: &str = "";

/// The oldest Python that the pinned tools run on.
const PYTHON: &str = "3.11";

/// A folder of programs that were installed for a lock file.
pub(crate) struct Tools {
    programs: PathBuf,
}

impl Tools {
    /// Installs what `package-lock.json` in this folder of the checkout pins.
    pub(crate) fn npm(folder: &str) -> Result<Self> {
        if !Program::new("npm").args(&["--version"]).works() {
            bail!(
                "npm is not installed; the TypeScript packages and clients need Node.js 20.19 or newer with npm"
            );
        }
        let folder = root().join(folder);
        let installed = folder.join("node_modules");
        once(&installed, &folder.join("package-lock.json"), || {
            // Not `npm ci`: it fails on registries that lack a package of another platform, even an optional one.
            let words = ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"];
            Program::new("npm").args(&words).folder(&folder).run().with_context(|| {
                format!(
                    "cannot install the npm packages of {}; the first run needs the registry",
                    folder.display()
                )
            })
        })?;
        Ok(Self { programs: installed.join(".bin") })
    }

    /// Installs what `requirements.txt` in this folder of the checkout pins.
    pub(crate) fn python(folder: &str) -> Result<Self> {
        let supported = format!("import sys; sys.exit(sys.version_info < ({}))", PYTHON.replace('.', ", "));
        if !Program::new("python3").args(&["-c", &supported]).works() {
            bail!("python3 is not installed, or older than {PYTHON}; the tools of {folder}/ need it");
        }
        let installed = target()?.join(folder).join("python");
        let requirements = root().join(folder).join("requirements.txt");
        once(&installed, &requirements, || {
            let environment = Program::new("python3").args(&["-m", "venv", "--clear"]).args(&[&installed]);
            environment.run().context("cannot create a virtual environment; is python3-venv installed?")?;
            let install = Program::new(installed.join("bin/python"))
                .args(&["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
                .args(&["--only-binary", ":all:", "--require-hashes", "-r"])
                .args(&[&requirements]);
            install.run().with_context(|| {
                format!("cannot install the Python packages of {folder}/; the first run needs the index")
            })
        })?;
        Ok(Self { programs: installed.join("bin") })
    }

    /// One of the tools, which finds the others, too.
    pub(crate) fn program(&self, name: &str) -> Program {
        let inherited = std::env::var_os("PATH").unwrap_or_default();
        let mut path = self.programs.clone().into_os_string();
        path.push(":");
        path.push(inherited);
        Program::new(self.programs.join(name)).env("PATH", path)
    }
}

/// Installs unless it was done for the same lock file, of which a copy stays with what was installed. Steps that run at
/// the same time wait for each other.
fn once(installed: &Path, lock: &Path, install: impl FnOnce() -> Result<()>) -> Result<()> {
    let mut file = File::open(lock).with_context(|| lock.display().to_string())?;
    file.lock()?;
    let mut wanted = Vec::new();
    file.read_to_end(&mut wanted)?;
    let mark = installed.join(".installed");
    if fs::read(&mark).is_ok_and(|present| present == wanted) {
        return Ok(());
    }
    install()?;
    fs::write(&mark, wanted).with_context(|| mark.display().to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_lock_file_is_installed_once_until_it_changes() {
        let folder = tempfile::tempdir().unwrap();
        let (installed, lock) = (folder.path().join("packages"), folder.path().join("lock"));
        fs::create_dir(&installed).unwrap();
        let count = Cell::new(0);
        let install = || {
            once(&installed, &lock, || {
                count.set(count.get() + 1);
                Ok(())
            })
        };
        assert!(install().is_err(), "there is no lock file");
        fs::write(&lock, "a").unwrap();
        install().unwrap();
        install().unwrap();
        assert_eq!(count.get(), 1);
        fs::write(&lock, "b").unwrap();
        assert!(once(&installed, &lock, || bail!("no network")).is_err());
        install().unwrap();
        assert_eq!(count.get(), 2, "a failure leaves no mark");
    }
}
