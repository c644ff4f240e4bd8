//! The flags of `sandbox-agent api config`.

use super::Output;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Kinds of configuration.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Configure MCP servers
    #[command(subcommand)]
    Mcp(McpCommand),
    /// Configure skills
    #[command(subcommand)]
    Skills(SkillsCommand),
}

/// The operations on MCP servers.
#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// List the MCP servers of a directory (GET /v1/config/mcp/list)
    List(DirectoryArgs),
    /// Show an MCP server (GET /v1/config/mcp)
    Get(EntryArgs),
    /// Add or replace an MCP server (PUT /v1/config/mcp)
    Set(SetArgs),
    /// Delete an MCP server, if it exists (DELETE /v1/config/mcp)
    Delete(EntryArgs),
}

/// The operations on skills.
#[derive(Debug, Subcommand)]
pub(crate) enum SkillsCommand {
    /// List the sets of skills of a directory (GET /v1/config/skills/list)
    List(DirectoryArgs),
    /// Show a set of skills (GET /v1/config/skills)
    Get(EntryArgs),
    /// Add or replace a set of skills (PUT /v1/config/skills)
    Set(SetArgs),
    /// Delete a set of skills, if it exists (DELETE /v1/config/skills)
    Delete(EntryArgs),
}

/// The directory that something is kept for.
#[derive(Debug, Args)]
pub(crate) struct DirectoryArgs {
    /// Directory in the sandbox
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    pub(crate) directory: String,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// One entry.
#[derive(Debug, Args)]
pub(crate) struct EntryArgs {
    /// Name of the entry
    pub(crate) name: String,
    /// Directory in the sandbox
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    pub(crate) directory: String,
}

/// One entry and its contents.
#[derive(Debug, Args)]
pub(crate) struct SetArgs {
    #[command(flatten)]
    pub(crate) entry: EntryArgs,
    /// Entry as JSON [default: read from standard input]
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    pub(crate) json: Option<String>,
    /// File with the entry as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}
