//! Programs of the system that tests need. They are installed where that is possible; no test is left out.

use crate::shell::Program;
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// A program that no lock file pins.
pub(crate) struct Requirement {
    name: &'static str,
    /// The variable that names another one, which the tests then use.
    pub(crate) variable: &'static str,
    package: &'static str,
    find: fn() -> Option<PathBuf>,
}

/// The browser's program.
pub(crate) const CHROMIUM: Requirement = Requirement {
    name: "Chromium",
    variable: "CHROMIUM",
    package: "chromium",
    find: || existing("/usr/bin/chromium"),
};

/// The folder of the server's programs.
pub(crate) const POSTGRES: Requirement =
    Requirement { name: "PostgreSQL", variable: "POSTGRES_BIN", package: "postgresql", find: postgres };

/// Counts instructions.
pub(crate) const VALGRIND: Requirement =
    Requirement { name: "Valgrind", variable: "VALGRIND", package: "valgrind", find: valgrind };

/// The program that makes a Debian in a folder.
pub(crate) const DEBOOTSTRAP: Requirement = Requirement {
    name: "debootstrap",
    variable: "DEBOOTSTRAP",
    package: "debootstrap",
    find: || existing("/usr/sbin/debootstrap"),
};

/// The program that checks units.
pub(crate) const SYSTEMD: Requirement = Requirement {
    name: "systemd-analyze",
    variable: "SYSTEMD_ANALYZE",
    package: "systemd",
    find: || existing("/usr/bin/systemd-analyze"),
};

impl Requirement {
    /// Gives the path of the program; installs it if it is missing.
    pub(crate) fn path(&self) -> Result<PathBuf> {
        self.resolve(std::env::var_os(self.variable), || install(self.package))
    }

    fn resolve(&self, named: Option<OsString>, install: impl FnOnce() -> Result<()>) -> Result<PathBuf> {
        if let Some(path) = named.map(PathBuf::from) {
            let Self { name, variable, .. } = self;
            return if path.exists() {
                Ok(path)
            } else {
                bail!("{variable}: no {name} at {}", path.display())
            };
        }
        if let Some(path) = (self.find)() {
            return Ok(path);
        }
        let Self { name, variable, package, .. } = self;
        let advice = format!("install {name} (Debian's package `{package}`), or set {variable} to its path");
        install().context(advice.clone())?;
        (self.find)().context(advice)
    }
}

fn existing(path: &str) -> Option<PathBuf> {
    let path = Path::new(path);
    path.exists().then(|| path.to_owned())
}

fn valgrind() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join("valgrind")).find(|path| path.exists())
}

/// Debian has one folder for each version.
fn postgres() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?.flatten();
    let number = |name: &OsString| name.to_str()?.parse::<u32>().ok();
    let newest = versions.map(|version| version.path().join("bin")).filter(|bin| bin.join("initdb").exists());
    newest.max_by_key(|bin| bin.parent().and_then(|version| number(&version.file_name()?.to_owned())))
}

fn install(package: &str) -> Result<()> {
    if Program::new("id").args(&["-u"]).output()?.trim() != "0" {
        bail!("cannot install {package}: only root can install packages");
    }
    let apt = |words: &[&str]| {
        // Debian's scripts start no services in run level 1.
        Program::new("apt-get").args(words).env("DEBIAN_FRONTEND", "noninteractive").env("RUNLEVEL", "1")
    };
    let words = ["install", "--yes", "--no-install-recommends", package];
    // The lists of a fresh image are empty or old.
    if apt(&words).run().is_err() {
        apt(&["update"]).run()?;
        apt(&words).run()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const HERE: Requirement =
        Requirement { name: "X", variable: "X_PATH", package: "x", find: || Some(PathBuf::from("/found")) };
    const MISSING: Requirement = Requirement { find: || None, ..HERE };

    #[test]
    fn a_named_program_is_taken_and_must_be_there() {
        let never = || -> Result<()> { panic!("nothing is installed") };
        assert_eq!(MISSING.resolve(Some("/".into()), never).unwrap(), Path::new("/"));
        let error = HERE.resolve(Some("/nowhere/x".into()), never).unwrap_err();
        assert_eq!(error.to_string(), "X_PATH: no X at /nowhere/x");
        assert_eq!(HERE.resolve(None, never).unwrap(), Path::new("/found"));
    }

    #[test]
    fn a_missing_program_is_installed_or_the_error_says_how() {
        let advice = "install X (Debian's package `x`), or set X_PATH to its path";
        let refused = MISSING.resolve(None, || bail!("only root can")).unwrap_err();
        assert_eq!(format!("{refused:#}"), format!("{advice}: only root can"));
        assert_eq!(MISSING.resolve(None, || Ok(())).unwrap_err().to_string(), advice);
    }
}
