//! Agents on disk: from a source's address to a verified, started version.
//!
//! ```text
//!  catalog ──► sources (which file is it?) ──► Artifact ──► fetch (resume, verify) ──► unpack ──► store
//!                vendor, GitHub, npm, ACP                     a partial file per         safely     staging directory,
//!                registry, mirror, directory                  digest, continued          beneath    rename, `current`
//! ```
//!
//! One version of an agent is one directory, `<data>/agents/<agent>/<version>`, put in place by a rename: what is there is
//! whole. An installation holds the agent's file lock, so also two processes never disturb each other.

mod artifact;
mod error;
mod fetch;
mod installer;
mod launcher;
mod limits;
mod node;
mod npm_tree;
mod npmrc;
mod platform;
mod sources;
mod store;
mod unpack;

#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use error::{Attempt, InstallError};
pub use fetch::ClientOptions;
pub use installer::{
    Found, InstallEnd, InstallObserver, InstallRequest, Installed, Installer, InstallerOptions, Job, Origin,
    Preinstall,
};
pub use launcher::{LaunchError, Launchable, Launcher};
pub use node::NodeError;
pub use npmrc::{COMMON_PREFIXES, NpmConfig, NpmSources};
pub use platform::{detect, detect_in};
pub use sources::ACP_REGISTRY;
pub use store::Receipt;
