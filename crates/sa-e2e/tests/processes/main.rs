//! `/v1/processes`: commands, processes, their output, their input and their terminals, over real HTTP.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod api;
mod config;
mod input;
mod lifecycle;
mod logs;
mod many;
mod memory;
mod run;
mod screen;
mod shutdown;
mod terminal;
