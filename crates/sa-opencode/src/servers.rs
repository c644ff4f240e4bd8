//! MCP servers, which the server knows by directory: all sessions of a directory see them, so that each gets a name
//! of its own and kept from sessions that did not bring it.

use agent_client_protocol_schema::v1::{Error, McpServer};
use sa_acp::{McpTarget, mcp_servers, tool_prefix};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::limits::MCP_TIMEOUT;

/// The servers of a client in the form of the server's own settings, by name.
pub(super) fn servers(wanted: Vec<McpServer>) -> Result<Map<String, Value>, Error> {
    let unreachable = "OpenCode reaches MCP servers over stdio, http and sse only";
    mcp_servers(wanted, unreachable, tool_prefix, |target| {
        let mut config = match target {
            McpTarget::Stdio { command, args, env } => {
                let command: Vec<_> = std::iter::once(command).chain(args).collect();
                json!({ "type": "local", "command": command, "environment": env })
            }
            // Logins are in the headers: nobody could open a browser here.
            McpTarget::Http { url, headers } | McpTarget::Sse { url, headers } => {
                json!({ "type": "remote", "url": url, "headers": headers, "oauth": false })
            }
        };
        config["enabled"] = json!(true);
        config["timeout"] = json!(MCP_TIMEOUT);
        Some(config)
    })
}

/// Returns whether a tool has the name of a server before its own.
fn is_tool_of(tool: &str, server: &str) -> bool {
    tool.strip_prefix(server).is_some_and(|rest| rest.starts_with('_'))
}

/// Returns whether tools of two servers could be taken for each other's.
fn clash(one: &str, other: &str) -> bool {
    one == other || is_tool_of(one, other) || is_tool_of(other, one)
}

/// An MCP server that the server knows.
#[derive(Debug)]
struct Known {
    config: Value,
    sessions: BTreeSet<Arc<str>>,
}

/// The servers that the process knows, by directory and name.
#[derive(Debug, Default)]
pub(super) struct Registry {
    known: BTreeMap<(PathBuf, String), Known>,
}

impl Registry {
    /// Notes that a session wants a server; gives the name that it goes by. The first choice may be somebody else's, or
    /// begin the names of somebody else's tools.
    pub(super) fn join(
        &mut self,
        directory: &Path,
        name: &str,
        config: &Value,
        session: &Arc<str>,
    ) -> String {
        // Servers that nobody wants any more are disconnected, and their names free.
        self.known.retain(|(place, own), known| {
            place != directory || !known.sessions.is_empty() || !clash(own, name)
        });
        let plain = name.replace('_', "-");
        let others = (2..).map(|number| format!("{plain}-{number}"));
        for own in [name.to_owned(), plain.clone()].into_iter().chain(others) {
            let mut here = self.known.iter_mut().filter(|((place, _), _)| place == directory);
            let taken = here.find(|((_, taken), _)| clash(taken, &own));
            match taken {
                Some(((_, taken), known)) if *taken == own && known.config == *config => {
                    known.sessions.insert(session.clone());
                }
                Some(_) => continue,
                None => {
                    let sessions = BTreeSet::from([session.clone()]);
                    let known = Known { config: config.clone(), sessions };
                    self.known.insert((directory.to_owned(), own.clone()), known);
                }
            }
            return own;
        }
        name.to_owned()
    }

    /// Notes that a session is gone; gives the servers that nobody wants any more, with their directories.
    pub(super) fn leave(&mut self, session: &Arc<str>) -> Vec<(PathBuf, String)> {
        let left = |known: &mut Known| known.sessions.remove(session) && known.sessions.is_empty();
        self.known.iter_mut().filter_map(|(key, known)| left(known).then(|| key.clone())).collect()
    }

    /// The servers of a directory that a session did not bring.
    pub(super) fn foreign(&self, directory: &Path, session: &Arc<str>) -> Vec<String> {
        let is_foreign = |known: &Known| !known.sessions.contains(session);
        let here = self.known.iter().filter(|((place, _), _)| place == directory);
        here.filter(|(_, known)| is_foreign(known)).map(|((_, name), _)| name.clone()).collect()
    }

    /// Returns whether a tool is of a server that a session did not bring. Names of servers do not begin those of other servers' tools.
    pub(super) fn is_foreign(&self, directory: &Path, session: &Arc<str>, tool: &str) -> bool {
        self.foreign(directory, session).iter().any(|server| is_tool_of(tool, server))
    }

    /// Forgets all servers: the process ended.
    pub(super) fn forget(&mut self) {
        self.known.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an empty registry, a directory, and two sessions.
    fn two_sessions() -> (Registry, &'static Path, [Arc<str>; 2]) {
        (Registry::default(), Path::new("/p"), ["one", "two"].map(Arc::from))
    }

    #[test]
    fn servers_of_one_name_and_different_kinds_do_not_mix() {
        let (mut registry, place, [one, two]) = two_sessions();
        assert_eq!(registry.join(place, "files", &json!(1), &one), "files");
        assert_eq!(registry.join(place, "files", &json!(1), &two), "files");
        assert_eq!(registry.join(place, "files", &json!(2), &two), "files-2");
        assert_eq!(registry.join(Path::new("/q"), "files", &json!(2), &one), "files");
        assert_eq!(registry.foreign(place, &one), ["files-2"]);
        assert!(registry.foreign(place, &two).is_empty());
        let gone: Vec<_> = registry.leave(&two).into_iter().map(|(_, name)| name).collect();
        assert_eq!(gone, ["files-2"]);
        assert_eq!(registry.join(place, "files-2", &json!(3), &one), "files-2");
    }

    #[test]
    fn no_server_has_a_name_that_begins_the_tools_of_another() {
        let (mut registry, place, [one, two]) = two_sessions();
        assert_eq!(registry.join(place, "fs", &json!(1), &one), "fs");
        let extra = registry.join(place, "fs_extra", &json!(2), &two);
        assert!(registry.is_foreign(place, &two, "fs_write"));
        assert!(!registry.is_foreign(place, &two, &format!("{extra}_write")), "{extra}");
        assert!(registry.is_foreign(place, &one, &format!("{extra}_write")), "{extra}");
        assert!(
            !registry.is_foreign(place, &one, "fs_write") && !registry.is_foreign(place, &two, "fsx_write")
        );
        assert_eq!(registry.join(place, "a_b", &json!(3), &one), "a_b");
        assert_eq!(registry.join(place, "a", &json!(4), &two), "a-2");
        registry.leave(&one);
        assert_eq!(registry.join(place, "fs_more", &json!(5), &two), "fs_more", "the name is free again");
    }
}
