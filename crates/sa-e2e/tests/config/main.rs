//! `/v1/config`: MCP servers and skills, kept for a directory.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod cli;
mod entries;
mod keeping;
