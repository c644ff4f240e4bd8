//! The step `packaging`: lints of everything that only runs elsewhere, and every package where its users have it.

use crate::dist::{self, Options};
use crate::requirements::{DEBOOTSTRAP, SYSTEMD};
use crate::shell::{Program, root, target};
use crate::tools::Tools;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// An address that does not exist: tests give their own.
const BASE_URL: &str = "https://releases.invalid/sandbox-agent";

/// The Debian that the package is installed in.
const DEBIAN: &str = "bookworm";

/// Shell scripts outside of workflows.
const SCRIPTS: [&str; 7] = [
    ".ci/demo",
    ".ci/run",
    "install.sh",
    "packaging/deb/postinst",
    "packaging/deb/postrm",
    "packaging/deb/prerm",
    "packaging/devcontainer/install.sh",
];

/// Lints, packages the binary that the step `build` made, and tests the packages.
pub(crate) fn check() -> Result<()> {
    let tools = Tools::python("packaging")?;
    let lints = [
        tools.program("shellcheck").args(&SCRIPTS),
        tools.program("hadolint").args(&["deploy/docker/Dockerfile"]),
        // Finds what is insecure; `--offline` keeps it off the network.
        tools.program("zizmor").args(&["--offline", "--quiet", ".github/workflows"]),
        schema(&tools, "vendor.github-workflows").args(&workflows()?),
        schema(&tools, "vendor.compose-spec").args(&["deploy/compose/compose.yaml"]),
    ];
    // All run, however many fail.
    let mut failures: Vec<String> = lints
        .into_iter()
        .filter_map(|lint| lint.everything().err())
        .map(|error| format!("{error:#}"))
        .collect();
    failures.extend(test(&tools).err().map(|error| format!("{error:#}")));
    if failures.is_empty() { Ok(()) } else { bail!("{}", failures.join("\n")) }
}

fn schema(tools: &Tools, name: &str) -> Program {
    tools.program("check-jsonschema").args(&["--builtin-schema", name])
}

fn workflows() -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(root().join(".github/workflows"))?;
    Ok(entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?)
}

fn test(tools: &Tools) -> Result<()> {
    let folder = target()?.join("packaging");
    let packages = folder.join("packages");
    package(&folder, &packages)?;
    let _installed = SYSTEMD.path()?;
    tools
        .program("python")
        .args(&["-m", "unittest", "discover", "--start-directory", "packaging/tests"])
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("SANDBOX_AGENT_PACKAGES", &packages)
        .env("SANDBOX_AGENT_DEBIAN", debian(&folder)?)
        .run()
}

/// Makes packages of the debug binary, signed with a key of their own.
fn package(folder: &Path, packages: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let (binary, key) = (folder.join("sandbox-agent"), folder.join("key.pem"));
    // A binary with debug information is too large to compress several times.
    let built = target()?.join("debug/sandbox-agent");
    Program::new("strip").args(&["-o"]).args(&[&binary, &built]).run()?;
    let generate = ["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out"];
    Program::new("openssl").args(&generate).args(&[&key]).run()?;
    dist::run(Options::for_test(&binary, BASE_URL, &key, packages)?).map(|_code| ())
}

/// Returns a folder with a minimal Debian, made once.
fn debian(folder: &Path) -> Result<PathBuf> {
    let system = folder.join(DEBIAN);
    if system.is_dir() {
        return Ok(system);
    }
    let debootstrap = DEBOOTSTRAP.path()?;
    let unfinished = folder.join(format!("{DEBIAN}.new"));
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished)?;
    }
    let make = Program::new(debootstrap).args(&["--variant=minbase", DEBIAN]).args(&[&unfinished]);
    make.output().context("cannot make a Debian to test in; this needs root, and the network once")?;
    fs::rename(&unfinished, &system)?;
    Ok(system)
}
