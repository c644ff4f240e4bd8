//! The agent catalog: which agents there are, how each is started and how each is installed. Data only; nothing here
//! runs or fetches anything.

mod capability;
mod catalog;
mod definition;
mod names;
mod platform;
mod recipe;
mod spec;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod token;

pub use capability::Capability;
pub use catalog::{Catalog, CatalogError, UnknownAgent};
pub use definition::{AgentDefinition, DefinitionError};
pub use names::closest;
pub use platform::Platform;
pub use recipe::{Checksum, Github, Npm, NpmTree, Platforms, Recipe, Registry, Source, Unpack, Vendor};
pub use spec::{AgentSpec, Builtin, KnownMode, Launch, ModeNames, NotStartable, OwnAgents};
pub use token::{TOKEN_VARIABLES, TokenVariable};
