//! MCP servers of the client, in the form in which the CLI's settings have them.

use agent_client_protocol_schema::v1::{Error, HttpHeader, McpServer};
use serde_json::{Map, Value, json};

pub(crate) fn servers(wanted: Vec<McpServer>) -> Result<Map<String, Value>, Error> {
    let headers = |headers: Vec<HttpHeader>| {
        headers.into_iter().map(|header| (header.name, json!(header.value))).collect::<Map<_, _>>()
    };
    let mut servers = Map::new();
    for server in wanted {
        let (name, server) = match server {
            McpServer::Stdio(stdio) => {
                let env: Map<_, _> =
                    stdio.env.into_iter().map(|variable| (variable.name, json!(variable.value))).collect();
                let command = stdio.command.to_string_lossy().into_owned();
                (stdio.name, json!({ "command": command, "args": stdio.args, "env": env }))
            }
            McpServer::Http(http) => {
                (http.name, json!({ "url": http.url, "headers": headers(http.headers) }))
            }
            McpServer::Sse(sse) => {
                (sse.name, json!({ "url": sse.url, "transport": "sse", "headers": headers(sse.headers) }))
            }
            _ => return Err(sa_acp::invalid("an MCP server of an unknown kind")),
        };
        servers.insert(name, server);
    }
    Ok(servers)
}
