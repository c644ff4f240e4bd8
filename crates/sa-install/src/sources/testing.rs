//! A property of documents that servers publish, for tests and fuzzing: a version is a plain name, and no file is fetched
//! from this machine, or with credentials that belong to another server.
#![allow(clippy::expect_used, clippy::missing_panics_doc)]

use super::npm::testing::check_metadata;
use super::registry::testing::check_index;
use super::{ACP_REGISTRY, Resolver};
use crate::artifact::RemoteFile;
use crate::fetch::{Client, ClientOptions};
use crate::npm_tree::Npm;
use crate::npmrc::{NpmConfig, NpmSources};
use reqwest::header::AUTHORIZATION;
use sa_agents::{Catalog, Platform, Recipe};
use std::collections::BTreeMap;
use std::path::{Component, Path};
use std::sync::LazyLock;
use url::Url;

const REGISTRY: &str = "https://registry.test/npm/";

struct Machine {
    resolver: Resolver,
    registry: Url,
    recipe: Recipe,
}

/// A machine with a token for one registry.
static MACHINE: LazyLock<Machine> = LazyLock::new(|| {
    let env =
        BTreeMap::from([("npm_config_//registry.test/npm/:_authToken".to_owned(), "secret".to_owned())]);
    let npm = NpmSources { registry: Some(REGISTRY.to_owned()), env, ..NpmSources::default() };
    let recipe = Catalog::shipped().ok().and_then(|catalog| catalog.get("claude")?.install.clone());
    Machine {
        resolver: Resolver {
            client: Client::new(ClientOptions::default()),
            npm: Npm::new(NpmConfig::load(&npm), None),
            platform: Platform::ALL[0],
            index: Url::parse(ACP_REGISTRY).expect("an address"),
        },
        registry: Url::parse(REGISTRY).expect("an address"),
        recipe: recipe.expect("a recipe"),
    }
});

/// Panics if these bytes, as metadata of npm or as the index of the ACP registry, name a version that is no plain name, a
/// file of this machine, or a server that gets the token of another.
pub fn published_documents_stay_in_bounds(data: &[u8]) {
    let machine = &*MACHINE;
    check_metadata(&machine.resolver, &machine.registry, data);
    check_index(&machine.resolver, &machine.recipe, data);
}

/// Panics unless this can be the name of a directory.
pub(super) fn check_name(name: &str) {
    let mut parts = Path::new(name).components();
    assert!(matches!(parts.next(), Some(Component::Normal(part)) if part == name), "'{name}'");
    assert_eq!(parts.next(), None, "'{name}'");
}

/// Panics if a file of this publisher is fetched from this machine, or with the token of another server.
pub(super) fn check_file(file: &RemoteFile, publisher: &Url) {
    assert!(matches!(file.url.scheme(), "http" | "https"), "{publisher} names {}", file.url);
    let is_trusted = file.url.origin() == publisher.origin() && publisher.as_str() == REGISTRY;
    assert!(is_trusted || !file.headers.contains_key(AUTHORIZATION), "{} gets a token", file.url);
}

#[test]
fn seeds_stay_in_bounds() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/install_manifest");
    for file in std::fs::read_dir(folder).expect("a folder of seeds") {
        published_documents_stay_in_bounds(&std::fs::read(file.expect("a seed").path()).expect("its bytes"));
    }
}
