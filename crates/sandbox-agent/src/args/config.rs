//! The flags of `sandbox-agent api config`.

use super::Output;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// What is configured.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// MCP servers
    #[command(subcommand)]
    Mcp(McpCommand),
    /// Skills
    #[command(subcommand)]
    Skills(SkillsCommand),
}

/// The operations on MCP servers.
#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// List those of a directory (GET /v1/config/mcp/list)
    List(DirectoryArgs),
    /// Show one (GET /v1/config/mcp)
    Get(EntryArgs),
    /// Keep one (PUT /v1/config/mcp)
    Set(SetArgs),
    /// Delete one, if it exists (DELETE /v1/config/mcp)
    Delete(EntryArgs),
}

/// The operations on skills.
#[derive(Debug, Subcommand)]
pub(crate) enum SkillsCommand {
    /// List those of a directory (GET /v1/config/skills/list)
    List(DirectoryArgs),
    /// Show one set (GET /v1/config/skills)
    Get(EntryArgs),
    /// Keep a set (PUT /v1/config/skills)
    Set(SetArgs),
    /// Delete a set, if it exists (DELETE /v1/config/skills)
    Delete(EntryArgs),
}

/// The directory that something is kept for.
#[derive(Debug, Args)]
pub(crate) struct DirectoryArgs {
    /// The directory on the daemon's side
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    pub(crate) directory: String,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// One entry.
#[derive(Debug, Args)]
pub(crate) struct EntryArgs {
    /// Its name
    pub(crate) name: String,
    /// The directory on the daemon's side
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    pub(crate) directory: String,
}

/// One entry and its contents.
#[derive(Debug, Args)]
pub(crate) struct SetArgs {
    #[command(flatten)]
    pub(crate) entry: EntryArgs,
    /// The entry as JSON [default: read from standard input]
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    pub(crate) json: Option<String>,
    /// File that holds the entry as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}
