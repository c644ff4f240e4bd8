//! Streams to clients, whatever they carry: server-sent events as the body of a response, and WebSockets.
//!
//! A new event stream implements [`Frames`], writes its events with [`sse::event`] and answers with [`response`].

mod body;
mod last_event_id;
pub(crate) mod sse;
pub(crate) mod websocket;

pub(crate) use body::{Frames, response};
pub(crate) use last_event_id::{ResumeQuery, last_event_id};
