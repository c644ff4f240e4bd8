//! An MCP server with one tool, for the agents' side of the protocol: on standard streams, over HTTP, over SSE.

mod protocol;
mod stdio;
mod web;

pub use protocol::TOOL;
pub use stdio::serve_stdio;
pub(crate) use web::WebServer;
