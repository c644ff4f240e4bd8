//! Entries of the ACP registry: a program for this platform if there is one, else a package of npm's.

#[cfg(any(test, feature = "testing"))]
pub(super) mod testing;

use super::checksum::{file_name, sha256};
use super::npm::Package;
use super::template::{Wanted, published_address, version_name};
use super::{Request, Resolver};
use crate::artifact::{Artifact, Contents, RegistryLaunch, RemoteFile};
use crate::error::{Result, SourceError};
use crate::fetch::shown;
use reqwest::header::HeaderMap;
use sa_agents::{Registry, Unpack};
use sa_api::InstallSource;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Archives that cannot be unpacked here; anything else without a known ending is the program itself.
const FOREIGN_ARCHIVES: [&str; 4] = [".tar.xz", ".tar.zst", ".7z", ".rar"];

#[derive(Deserialize)]
struct Index {
    /// Entries are read one by one: a form that is not known here must not hide the others.
    agents: Vec<Value>,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(flatten)]
    current: Edition,
    preview: Option<Edition>,
}

#[derive(Deserialize)]
struct Edition {
    version: String,
    distribution: Distribution,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Distribution {
    binary: BTreeMap<String, Binary>,
    npx: Option<Runner>,
    uvx: Option<Runner>,
}

/// A program for one platform.
#[derive(Deserialize)]
struct Binary {
    archive: String,
    cmd: String,
    sha256: Option<String>,
    #[serde(flatten)]
    launch: RegistryLaunch,
}

/// A package that `npx` or `uvx` would fetch and start.
#[derive(Deserialize)]
struct Runner {
    package: String,
    cmd: Option<String>,
    #[serde(flatten)]
    launch: RegistryLaunch,
}

pub(super) async fn resolve(request: &Request<'_>, registry: &Registry) -> Result<Artifact> {
    let entry = entry(request, &registry.id).await?;
    let platform = request.resolver.platform;
    let (version, distribution) = chosen(request, entry)?;
    if let Some(binary) = distribution.binary.get(platform.registry_key()) {
        return program(version, binary, request.resolver);
    }
    if let Some(npx) = distribution.npx {
        return package(request, version, npx).await;
    }
    match distribution.uvx {
        Some(uvx) => Err(SourceError::Missing(format!(
            "'{}' is a Python package: install uv and define the agent as `uvx {}`",
            uvx.package,
            command_line(&uvx)
        ))),
        None => Err(SourceError::NoBuild(platform)),
    }
}

async fn entry(request: &Request<'_>, id: &str) -> Result<Entry> {
    let url = &request.resolver.index;
    let index: Index = request.resolver.client.json(url, &HeaderMap::new()).await?;
    let found = index.agents.into_iter().find(|agent| agent.get("id").and_then(Value::as_str) == Some(id));
    let entry = found.ok_or_else(|| nonsense(request, format!("the registry has no agent '{id}'")))?;
    serde_json::from_value(entry).map_err(|error| nonsense(request, format!("agent '{id}': {error}")))
}

/// Returns the version and how it is distributed. A registry names one version and maybe a preview; packages have
/// all.
fn chosen(request: &Request<'_>, entry: Entry) -> Result<(String, Distribution)> {
    let Entry { current, preview } = entry;
    let checked = |Edition { version, distribution }| match version_name(&version) {
        Some(name) => Ok((name.to_owned(), distribution)),
        None => Err(nonsense(request, format!("'{version}' is not the name of a version"))),
    };
    let asked = match request.wanted {
        Wanted::Latest => return checked(current),
        Wanted::Version(asked) | Wanted::Word(asked) => asked,
    };
    if asked == current.version {
        return checked(current);
    }
    if let Some(preview) = preview.filter(|preview| asked == "preview" || asked == preview.version) {
        return checked(preview);
    }
    let distribution = current.distribution;
    match distribution.npx {
        Some(npx) if distribution.binary.is_empty() => {
            let package = match request.wanted {
                Wanted::Version(asked) => format!("{}@{asked}", split_package(&npx.package).0),
                _ => split_package(&npx.package).0.to_owned(),
            };
            let npx = Some(Runner { package, ..npx });
            Ok((asked.to_owned(), Distribution { npx, ..Distribution::default() }))
        }
        _ => Err(request.wanted.missing(&shown(&request.resolver.index))),
    }
}

fn program(version: String, binary: &Binary, resolver: &Resolver) -> Result<Artifact> {
    let (url, platform) = (published_address(&binary.archive, &resolver.index)?, resolver.platform);
    let name = file_name(&url);
    // The registry does not say for which C library a program is; some names do.
    if platform.name().contains("musl") && name.contains("gnu") {
        return Err(SourceError::NoBuild(platform));
    }
    if FOREIGN_ARCHIVES.iter().any(|ending| name.ends_with(ending)) {
        let reason = "is an archive of a kind that cannot be unpacked here".to_owned();
        return Err(SourceError::Archive { url: shown(&url), reason });
    }
    let nonsense = || SourceError::nonsense(&url, "the registry's checksum of it is not a SHA-256");
    let digest = binary.sha256.as_deref().map(|text| sha256(text).ok_or_else(nonsense)).transpose()?;
    Ok(Artifact {
        version,
        source: InstallSource::Registry,
        contents: Contents::File(RemoteFile::new(url, digest)),
        entry: vec![beneath(&binary.cmd)],
        launch: Some(binary.launch.clone()),
    })
}

/// Returns the package itself where that is the whole program, else with all it depends on.
async fn package(request: &Request<'_>, version: String, npx: Runner) -> Result<Artifact> {
    let (name, pin) = split_package(&npx.package);
    let package = Package::ask(request, name).await?;
    // The version of an entry may differ from that of the package it pins.
    let (version, pinned) = match pin {
        Some(pin) => (version, pin.to_owned()),
        None => {
            let version = package.version(request.wanted)?;
            (version.clone(), version)
        }
    };
    let release = package.release(&pinned, request.wanted)?;
    let program = release.bin.as_ref().and_then(|bin| bin.program(name, npx.cmd.as_deref()));
    let (program, place) = program
        .ok_or_else(|| nonsense(request, format!("package '{name}' does not say which program to start")))?;
    let (contents, entry) = if release.stands_alone() {
        let unpack = Unpack { beneath: "package".to_owned(), ..Unpack::default() };
        (Contents::File(package.tarball(&release, unpack)?), beneath(&place))
    } else {
        (Contents::NpmTree(vec![format!("{name}@{pinned}")]), format!("node_modules/.bin/{program}"))
    };
    let (source, launch) = (InstallSource::Registry, Some(npx.launch));
    Ok(Artifact { version, source, contents, entry: vec![entry], launch })
}

/// Returns a package's name and the version it is pinned to.
fn split_package(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once('@') {
        Some((name, version)) if !name.is_empty() => (name, version_name(version)),
        _ => (text, None),
    }
}

/// Returns a path beneath the version's directory, without the `./` that registries like.
fn beneath(path: &str) -> String {
    path.split(['/', '\\']).filter(|part| !matches!(*part, "" | ".")).collect::<Vec<_>>().join("/")
}

fn command_line(runner: &Runner) -> String {
    let command = match &runner.cmd {
        Some(command) => format!("--from {} {command}", runner.package),
        None => runner.package.clone(),
    };
    std::iter::once(command).chain(runner.launch.args.iter().cloned()).collect::<Vec<_>>().join(" ")
}

fn nonsense(request: &Request<'_>, reason: String) -> SourceError {
    SourceError::nonsense(&request.resolver.index, reason)
}
