//! `cargo xtask dist`: builds the binary that ships and every package made from it.

mod archive;
mod binary;
mod checksums;
mod deb;
mod extras;
mod feature;
mod formula;
mod installer;
mod linking;
mod npm;
mod platform;
mod wheel;

use crate::shell::{root, target};
use anyhow::{Context, Result, bail};
use binary::Linkage;
pub(crate) use binary::{Symbols, build};
use clap::Args;
use extras::Extras;
pub(crate) use platform::Platform;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `cargo xtask dist`.
#[derive(Args)]
pub(crate) struct Options {
    /// Package this binary instead of building one; may be given once for each platform.
    #[arg(long, value_name = "PLATFORM=PATH")]
    binary: Vec<String>,
    /// Build the binary for this platform and stop; the last line of output is its path.
    #[arg(long, value_name = "PLATFORM", conflicts_with = "binary")]
    build_only: Option<Platform>,
    /// Address that holds one folder `v<VERSION>` for each release; written into install.sh and the formula.
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Sign the checksums with this private key (PEM, P-256).
    #[arg(long, value_name = "FILE")]
    sign_key: Option<PathBuf>,
    /// Folder for the packages; what it holds is removed [default: target/dist/packages].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Accept binaries that need the C library of the system. For tests: such packages must not be published.
    #[arg(long)]
    allow_dynamic: bool,
    /// Leave out the npm packages that programs import.
    #[arg(long)]
    without_libraries: bool,
}

impl Options {
    /// Returns the options for packages of a debug binary of this machine.
    pub(crate) fn for_test(binary: &Path, base_url: &str, key: &Path, out: &Path) -> Result<Self> {
        Ok(Self {
            binary: vec![format!("{}={}", Platform::host()?.name(), binary.display())],
            build_only: None,
            base_url: Some(base_url.to_owned()),
            sign_key: Some(key.to_owned()),
            out: Some(out.to_owned()),
            allow_dynamic: true,
            // They have tests of their own, which pack them, and a step that builds them runs at the same time.
            without_libraries: true,
        })
    }
}

/// Everything that the makers of packages need to know.
struct Release {
    version: String,
    base_url: Option<String>,
    out: PathBuf,
    artifacts: Vec<Artifact>,
    extras: Extras,
}

/// The binary of one platform.
struct Artifact {
    platform: Platform,
    linkage: Linkage,
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Artifact {
    fn open(platform: Platform, path: &Path, allow_dynamic: bool) -> Result<Self> {
        let bytes = fs::read(path).with_context(|| path.display().to_string())?;
        let linkage = binary::inspect(&bytes, platform).with_context(|| path.display().to_string())?;
        if matches!(linkage, Linkage::Dynamic) && !allow_dynamic {
            bail!("{}: not a static binary; pass --allow-dynamic to package it anyway", path.display());
        }
        Ok(Self { platform, linkage, path: path.to_owned(), bytes })
    }
}

/// Builds and packages as the options say.
pub(crate) fn run(options: Options) -> Result<ExitCode> {
    if let Some(platform) = options.build_only {
        println!("{}", binary::build(platform, Symbols::Stripped)?.display());
        return Ok(ExitCode::SUCCESS);
    }
    let mut artifacts = Vec::new();
    for entry in &options.binary {
        let (platform, path) =
            entry.split_once('=').with_context(|| format!("--binary {entry}: expected PLATFORM=PATH"))?;
        let platform = platform.parse().map_err(anyhow::Error::msg)?;
        artifacts.push(Artifact::open(platform, Path::new(path), options.allow_dynamic)?);
    }
    if artifacts.is_empty() {
        let platform = Platform::host()?;
        artifacts.push(Artifact::open(
            platform,
            &binary::build(platform, Symbols::Stripped)?,
            options.allow_dynamic,
        )?);
    }
    artifacts.sort_by_key(|artifact| artifact.platform);
    if let Some(twice) = artifacts.windows(2).find(|pair| matches!(pair, [a, b] if a.platform == b.platform))
    {
        bail!("--binary: {} is given twice", twice.first().map_or("", |artifact| artifact.platform.name()));
    }
    let out = options.out.map_or_else(|| Ok(target()?.join("dist/packages")), Ok::<_, anyhow::Error>)?;
    if out.exists() {
        fs::remove_dir_all(&out).with_context(|| out.display().to_string())?;
    }
    fs::create_dir_all(&out).with_context(|| out.display().to_string())?;
    let release = Release {
        version: version()?,
        base_url: options.base_url.map(|url| url.trim_end_matches('/').to_owned()),
        out: out.canonicalize()?,
        extras: Extras::read(&artifacts)?,
        artifacts,
    };
    npm::write(&release).context("npm packages")?;
    if !options.without_libraries {
        npm::write_libraries(&release).context("npm packages of the libraries")?;
    }
    package(&release, options.sign_key.as_deref())?;
    Ok(ExitCode::SUCCESS)
}

fn package(release: &Release, key: Option<&Path>) -> Result<()> {
    for artifact in &release.artifacts {
        archive::write(release, artifact).context("archive")?;
        wheel::write(release, artifact).context("wheel")?;
        deb::write(release, artifact).context("Debian package")?;
    }
    match &release.base_url {
        Some(url) => formula::write(release, url).context("Homebrew formula")?,
        None => println!("note: no Homebrew formula, because it needs --base-url"),
    }
    installer::write(release, key).context("install.sh")?;
    feature::write(release).context("dev container feature")?;
    checksums::write(&release.out, key).context("checksums")?;
    println!("{}", release.out.display());
    for (name, size) in checksums::files(&release.out)? {
        println!("{:>9}  {name}", format!("{:.1} MB", size as f64 / 1e6));
    }
    Ok(())
}

/// Returns the version of the workspace, which is the version of everything that is published.
fn version() -> Result<String> {
    let manifest: toml::Table = fs::read_to_string(root().join("Cargo.toml"))?.parse()?;
    let version = manifest.get("workspace").and_then(|it| it.get("package")?.get("version")?.as_str());
    version.map(str::to_owned).context("Cargo.toml has no version in [workspace.package]")
}
