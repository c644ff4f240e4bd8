//! Getting bytes: documents of bounded size, and large files that continue where they broke off.
//!
//! A mirror is a plain tree of directories named after hosts, as `wget -x` makes it and as a reverse proxy can serve it:
//! `https://host/path` is asked as `<mirror>/host/path`. With a mirror nothing but the mirror is contacted.

mod address;
mod answer;
mod client;
mod download;
mod hash;
mod partial;
mod retry;
pub(crate) mod room;
mod target;
mod writer;

pub(crate) use address::{authority, shown};
pub(crate) use client::Client;
pub use client::ClientOptions;
pub(crate) use partial::file_name;
