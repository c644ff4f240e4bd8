//! From a version's name to the file that it is: what each kind of source knows, and how it is asked.

mod checksum;
mod github;
mod local;
mod npm;
mod registry;
mod template;
#[cfg(any(test, feature = "testing"))]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod vendor;

pub(crate) use local::Local;

use crate::artifact::Artifact;
use crate::error::{Result, SourceError};
use crate::fetch::Client;
use crate::npm_tree::Npm;
use sa_agents::{Platform, Recipe, Source};
use std::pin::Pin;
use template::Wanted;
use url::Url;

/// The address of the ACP registry's index.
pub const ACP_REGISTRY: &str = "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json";

/// Asks sources, on behalf of one machine.
#[derive(Debug, Clone)]
pub(crate) struct Resolver {
    pub(crate) client: Client,
    pub(crate) npm: Npm,
    pub(crate) platform: Platform,
    /// The ACP registry's index; `file:` for one on this machine.
    pub(crate) index: Url,
}

/// A request to a source.
struct Request<'a> {
    resolver: &'a Resolver,
    recipe: &'a Recipe,
    wanted: Wanted<'a>,
}

impl Resolver {
    /// Returns the source's artifact for this machine. `version` is a version's name or a tag such as `stable`; the
    /// latest if absent.
    ///
    /// Boxed, as every caller would otherwise hold a copy of the code of all kinds of sources.
    pub(crate) fn resolve<'a>(
        &'a self,
        recipe: &'a Recipe,
        source: &'a Source,
        version: Option<&'a str>,
    ) -> Pin<Box<dyn Future<Output = Result<Artifact>> + Send + 'a>> {
        Box::pin(async move {
            let request = Request { resolver: self, recipe, wanted: Wanted::new(version) };
            let build = source.build_for(self.platform).ok_or(SourceError::NoBuild(self.platform))?;
            match source {
                Source::Vendor(store) => vendor::resolve(&request, store, build).await,
                Source::Github(repository) => github::resolve(&request, repository, build).await,
                Source::Npm(package) => npm::resolve(&request, package, build).await,
                Source::NpmTree(tree) => npm::resolve_tree(&request, tree).await,
                Source::Registry(entry) => registry::resolve(&request, entry).await,
            }
        })
    }

    /// Returns a resolver that sends everything to this mirror.
    pub(crate) fn through(&self, mirror: Url) -> Self {
        Self { client: self.client.with_mirror(mirror), ..self.clone() }
    }
}
