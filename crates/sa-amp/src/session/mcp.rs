//! MCP servers of the client, in the form in which the CLI's settings have them.

use agent_client_protocol_schema::v1::{Error, McpServer};
use sa_acp::{McpTarget, mcp_servers};
use serde_json::{Map, Value, json};

pub(crate) fn servers(wanted: Vec<McpServer>) -> Result<Map<String, Value>, Error> {
    mcp_servers(wanted, "an MCP server of an unknown kind", str::to_owned, |target| {
        Some(match target {
            McpTarget::Stdio { command, args, env } => {
                json!({ "command": command, "args": args, "env": env })
            }
            McpTarget::Http { url, headers } => json!({ "url": url, "headers": headers }),
            McpTarget::Sse { url, headers } => json!({ "url": url, "transport": "sse", "headers": headers }),
        })
    })
}
