//! The artifact of each source, asked of a mirror that publishes as vendors do.
#![allow(clippy::unwrap_used)]

mod directories;
mod fallbacks;
mod packages;
mod platforms;
mod registry_entries;

use super::*;
use crate::artifact::{Contents, Digest, RemoteFile};
use crate::error::Result;
use crate::fetch::ClientOptions;
use crate::npmrc::{NpmConfig, NpmSources};
use sa_agents::{AgentSpec, Catalog};
use sa_api::InstallSource;
use sa_testkit::mirror::Mirror;
use std::time::Duration;

/// Returns the resolver of a machine that reaches nothing but the mirror.
fn resolver(mirror: &Mirror, platform: Platform) -> Resolver {
    let options = ClientOptions {
        mirror: Some(Url::parse(&mirror.url()).unwrap()),
        first_pause: Duration::from_millis(1),
        ..ClientOptions::default()
    };
    let npm = NpmSources { registry: Some(mirror.npm_registry()), ..NpmSources::default() };
    Resolver {
        client: Client::new(options),
        npm: Npm::new(NpmConfig::load(&npm), None),
        platform,
        index: Url::parse(ACP_REGISTRY).unwrap(),
    }
}

fn agent(id: &str) -> AgentSpec {
    Catalog::shipped().unwrap().get(id).unwrap().clone()
}

/// Returns an agent that is nothing but a recipe.
fn agent_with(recipe: &str) -> AgentSpec {
    let recipe: Recipe = toml::from_str(recipe).unwrap();
    AgentSpec { install: Some(recipe), ..agent("claude") }
}

/// Asks the agent's source of one kind.
async fn ask(
    resolver: &Resolver,
    agent: &AgentSpec,
    kind: InstallSource,
    version: Option<&str>,
) -> Result<Artifact> {
    let recipe = agent.install.as_ref().unwrap();
    let source = recipe.sources.iter().find(|source| source.kind() == kind).unwrap();
    resolver.resolve(recipe, source, version).await
}

fn file(artifact: &Artifact) -> &RemoteFile {
    match &artifact.contents {
        Contents::File(file) => file,
        other => panic!("{other:?}"),
    }
}

/// Returns the digest of what the mirror publishes at this address's place.
fn digest_of(mirror: &Mirror, url: &Url) -> Digest {
    use sha2::Digest as _;
    let place = format!("/{}{}", url.host_str().unwrap(), url.path());
    let bytes = mirror.bytes(&place).unwrap_or_else(|| panic!("nothing at {place}"));
    Digest::Sha256(sha2::Sha256::digest(&bytes).into())
}

/// Returns the digest of a tarball of npm's registry.
fn package_digest(mirror: &Mirror, url: &Url) -> Digest {
    use sha2::Digest as _;
    assert!(url.as_str().starts_with(&mirror.npm_registry()), "{url}");
    let bytes = mirror.bytes(url.path()).unwrap_or_else(|| panic!("nothing at {url}"));
    Digest::Sha512(sha2::Sha512::digest(&bytes).into())
}
