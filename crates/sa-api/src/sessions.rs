//! Universal sessions: the same for every agent, durable, without any knowledge of ACP.

mod agent_error;
mod create;
mod event;
mod event_document;
mod exchange;
mod message;
mod queue;
mod request;
mod session;
mod transcript;
mod webhook;
mod words;

pub use agent_error::*;
pub use create::*;
pub use event::*;
pub use exchange::*;
pub use message::*;
pub use queue::*;
pub use request::*;
pub use session::*;
pub use transcript::*;
pub use webhook::*;
pub use words::*;
