//! `/v1/sessions`: universal sessions over real HTTP, on the built-in demo agent.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod api;
mod asking;
mod environment;
mod events;
mod filters;
mod lifecycle;
mod modes;
mod options;
mod policies;
mod receiver;
mod refusals;
mod restart;
mod resuming;
mod script;
mod settings;
mod starting;
mod surroundings;
mod taking_back;
mod talking;
mod tools;
mod transcript;
mod transfer;
mod turns;
mod webhooks;
