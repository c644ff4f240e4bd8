//! The MCP servers of a client, to be written down in the form of a CLI.

use crate::protocol::errors::invalid;
use agent_client_protocol_schema::v1::{Error, HttpHeader, McpServer};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A way to reach an MCP server, with its variables or headers by name.
#[derive(Debug)]
pub enum McpTarget {
    Stdio { command: String, args: Vec<String>, env: Map<String, Value> },
    Http { url: String, headers: Map<String, Value> },
    Sse { url: String, headers: Map<String, Value> },
}

/// Returns the settings of MCP servers, by the name that `key` makes of their own. `settings` returns those of one server, or
/// `None` if the CLI cannot reach it, which is refused with the words `unreachable`. Two servers of one key are refused: the CLI
/// would only have the second.
pub fn mcp_servers(
    wanted: Vec<McpServer>,
    unreachable: &str,
    key: impl Fn(&str) -> String,
    settings: impl Fn(McpTarget) -> Option<Value>,
) -> Result<Map<String, Value>, Error> {
    let by_name = |headers: Vec<HttpHeader>| -> Map<String, Value> {
        headers.into_iter().map(|header| (header.name, header.value.into())).collect()
    };
    let (mut servers, mut names) = (Map::new(), BTreeMap::new());
    for server in wanted {
        let (name, target) = match server {
            McpServer::Stdio(stdio) => {
                let env =
                    stdio.env.into_iter().map(|variable| (variable.name, variable.value.into())).collect();
                let command = stdio.command.to_string_lossy().into_owned();
                (stdio.name, McpTarget::Stdio { command, args: stdio.args, env })
            }
            McpServer::Http(http) => {
                (http.name, McpTarget::Http { url: http.url, headers: by_name(http.headers) })
            }
            McpServer::Sse(sse) => (sse.name, McpTarget::Sse { url: sse.url, headers: by_name(sse.headers) }),
            _ => return Err(invalid(unreachable)),
        };
        let key = key(&name);
        servers.insert(key.clone(), settings(target).ok_or_else(|| invalid(unreachable))?);
        if let Some(other) = names.insert(key.clone(), name.clone()) {
            let reason =
                format!("MCP servers `{other}` and `{name}` are both `{key}` for this agent: rename one");
            return Err(invalid(reason));
        }
    }
    Ok(servers)
}
