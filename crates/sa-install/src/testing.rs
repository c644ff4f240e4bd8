//! A property of documents about agents that servers publish, for tests and fuzzing, and a launcher for tests of hubs.

pub use crate::sources::testing::published_documents_stay_in_bounds;

use crate::{
    ACP_REGISTRY, ClientOptions, Installer, InstallerOptions, Launcher, NpmConfig, NpmSources, Preinstall,
};
use sa_agents::Platform;
use std::path::PathBuf;

/// Returns a launcher that keeps agents in that directory and knows nothing else of the machine.
#[expect(clippy::expect_used, reason = "a test fails by it")]
pub fn launcher(data_dir: PathBuf, client: ClientOptions) -> Launcher {
    let installer = Installer::new(InstallerOptions {
        data_dir,
        platform: Platform::LinuxX64,
        client,
        npm: NpmConfig::load(&NpmSources::default()),
        supervisor: None,
        registry: ACP_REGISTRY.parse().expect("the registry has an address"),
        search_path: None,
        allow_unverified: false,
        observer: None,
    });
    Launcher::new(installer, PathBuf::from("/nonexistent"), Preinstall::default())
}
