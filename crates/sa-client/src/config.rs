//! The operations on configuration that is kept for directories.

use crate::operations::operations;
use sa_api::{McpConfigList, McpServerConfig, SkillsConfig, SkillsConfigList};
use serde_json::Value;

/// The query that names one entry.
fn entry<'a>(directory: &'a str, kind: &'a str, name: &'a str) -> [(&'a str, &'a str); 2] {
    [("directory", directory), (kind, name)]
}

operations! {
    get_mcp_config(directory: &str, name: &str) -> McpServerConfig =
        GET ["v1", "config", "mcp"], query entry(directory, "mcpName", name);
    /// Keeps an MCP server.
    set_mcp_config(directory: &str, name: &str, server: &Value) =
        PUT ["v1", "config", "mcp"], query entry(directory, "mcpName", name), json server;
    /// Deletes an MCP server, if there is one of that name.
    delete_mcp_config(directory: &str, name: &str) =
        DELETE ["v1", "config", "mcp"], query entry(directory, "mcpName", name);
    /// Returns all MCP servers of a directory.
    list_mcp_configs(directory: &str) -> McpConfigList =
        GET ["v1", "config", "mcp", "list"], query [("directory", directory)];
    /// Returns one set of skills.
    get_skills_config(directory: &str, name: &str) -> SkillsConfig =
        GET ["v1", "config", "skills"], query entry(directory, "skillName", name);
    /// Keeps a set of skills.
    set_skills_config(directory: &str, name: &str, skills: &Value) =
        PUT ["v1", "config", "skills"], query entry(directory, "skillName", name), json skills;
    /// Deletes a set of skills, if there is one of that name.
    delete_skills_config(directory: &str, name: &str) =
        DELETE ["v1", "config", "skills"], query entry(directory, "skillName", name);
    /// Returns all sets of skills of a directory.
    list_skills_configs(directory: &str) -> SkillsConfigList =
        GET ["v1", "config", "skills", "list"], query [("directory", directory)];
}
