//! The feature suite: one list of what coding agents can do, and for each entry a test body that runs against any agent
//! through the daemon, with the agent's real CLI and a scripted model behind it.
//!
//! ```text
//! feature ─► expected (works, or lacks and why) ─► trial ─► Stage: daemon + model server + client ─► body
//!                       └─► matrix: docs/compatibility.md
//! ```
//!
//! A body concerns the agent's behavior alone: it asks for steps in the words of [`script`], which every [`Subject`]
//! renders differently, and checks the client's messages, the disk, and the model's requests.

mod api;
mod backing;
mod bodies;
mod client;
mod conformance;
mod context;
mod expected;
mod feature;
mod fifo;
mod host;
mod log;
mod matrix;
pub mod mcp;
mod policy;
mod render;
mod restart;
mod schema;
mod script;
mod session;
mod sessions_api;
mod shared;
mod stage;
mod subject;
mod tools;
mod trial;
mod way;

pub use conformance::{conformance, is_held};
pub use context::Given;
pub use feature::{FEATURES, Feature};
pub use matrix::matrix;
pub use restart::restart;
pub use shared::{Share, is_shared};
pub use subject::{SUBJECTS, Subject};
pub use trial::run;
pub use way::Way;
