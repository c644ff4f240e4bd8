//! The operations on configuration that is kept for directories.

use crate::operations::operations;
use sa_api::{McpConfigList, McpServerConfig, SkillsConfig, SkillsConfigList};
use serde_json::Value;

/// A kind of configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigKind {
    /// MCP servers.
    Mcp,
    /// Sets of skills.
    Skills,
}

impl ConfigKind {
    fn path(self) -> &'static str {
        match self {
            Self::Mcp => "mcp",
            Self::Skills => "skills",
        }
    }

    /// The query that names one entry.
    fn entry<'a>(self, directory: &'a str, name: &'a str) -> [(&'a str, &'a str); 2] {
        let parameter = match self {
            Self::Mcp => "mcpName",
            Self::Skills => "skillName",
        };
        [("directory", directory), (parameter, name)]
    }
}

operations! {
    get_mcp_config(directory: &str, name: &str) -> McpServerConfig =
        GET ["v1", "config", "mcp"], query ConfigKind::Mcp.entry(directory, name);
    get_skills_config(directory: &str, name: &str) -> SkillsConfig =
        GET ["v1", "config", "skills"], query ConfigKind::Skills.entry(directory, name);
    /// Keeps an entry.
    set_config(kind: ConfigKind, directory: &str, name: &str, entry: &Value) =
        PUT ["v1", "config", kind.path()], query kind.entry(directory, name), json entry;
    /// Deletes an entry, if there is one of that name.
    delete_config(kind: ConfigKind, directory: &str, name: &str) =
        DELETE ["v1", "config", kind.path()], query kind.entry(directory, name);
    /// Returns all MCP servers of a directory.
    list_mcp_configs(directory: &str) -> McpConfigList =
        GET ["v1", "config", "mcp", "list"], query [("directory", directory)];
    /// Returns all sets of skills of a directory.
    list_skills_configs(directory: &str) -> SkillsConfigList =
        GET ["v1", "config", "skills", "list"], query [("directory", directory)];
}
