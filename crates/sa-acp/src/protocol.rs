//! The client side of an ACP v1 connection: lines, JSON-RPC messages, the handshake, requests read into one form.

pub(crate) mod calls;
pub(crate) mod client;
pub(crate) mod clock;
pub(crate) mod errors;
pub(crate) mod handshake;
pub(crate) mod incoming;
pub(crate) mod lines;
pub(crate) mod marks;
pub(crate) mod notice;
pub(crate) mod outgoing;
pub(crate) mod output_buffer;
pub(crate) mod profile;
pub(crate) mod prompt_end;
pub(crate) mod request;
pub(crate) mod stdio;
