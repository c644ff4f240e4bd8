//! A scripted model server: the model APIs that agents call, on loopback, played by the prompt.
//!
//! The prompt holds the script, and the request holds the whole conversation; so the server keeps no state but a
//! journal of requests and the counters of `fail: … xN`. From request to answer:
//!
//! ```text
//! api ─► read ─► Conversation ─► prompt ─► script ─► direct ─► Direction ─► player + Dialect ─► answer
//! ```
//!
//! The language is described in `docs/model-server.md`.

mod amp;
mod answer;
mod anthropic;
mod api;
mod chat;
mod conversation;
mod dialect;
mod direct;
mod gemini;
mod hints;
mod journal;
mod openai;
mod player;
mod prompt;
mod responses;
mod responses_request;
mod script;
mod serve;
mod server;
mod shapes;
mod tools;
mod variables;

pub use hints::hints;
pub use journal::{Auth, Request};
pub use server::ModelServer;
