//! Agents: the list, installing, versions, what they offer, the doctor. A loopback mirror stands for everybody who publishes.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod api_cli;
mod credentials;
mod demo_facts;
mod doctor;
mod failing;
mod first_use;
mod install_cli;
mod installing;
mod listing;
mod offers;
mod scene;
mod together;
mod versions;
