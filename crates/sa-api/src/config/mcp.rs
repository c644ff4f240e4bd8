//! MCP servers: a command that is started, or an address that is called.

use super::McpServerConfig;
use super::entry::{ConfigEntry, InvalidEntry, Object};
use super::field::{Field, Shape, check, excerpt, optional, required, wrong};
use serde_json::Value;

const ENABLED: Field = optional("enabled", Shape::Flag, &[]);
const TIMEOUT: Field = optional("timeoutMs", Shape::Number, &["timeout", "timeout_ms"]);

const LOCAL: [Field; 6] = [
    required("command", Shape::Text),
    optional("args", Shape::Texts, &[]),
    optional("env", Shape::TextByName, &["environment"]),
    optional("cwd", Shape::Text, &[]),
    ENABLED,
    TIMEOUT,
];

const REMOTE: [Field; 8] = [
    required("url", Shape::Text),
    optional("headers", Shape::TextByName, &["http_headers", "httpHeaders"]),
    optional("envHeaders", Shape::TextByName, &["env_headers", "env_http_headers", "envHttpHeaders"]),
    optional("bearerTokenEnvVar", Shape::Text, &["bearer_token_env_var"]),
    optional("oauth", Shape::ObjectOrOff, &[]),
    optional("transport", Shape::Text, &[]),
    ENABLED,
    TIMEOUT,
];

impl ConfigEntry for McpServerConfig {
    fn normalize(mut server: Object) -> Result<Object, InvalidEntry> {
        let given = match server.remove("type") {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text),
            Some(_) => return Err(wrong("", "type", "must be a text")),
        };
        let kind = match given.as_deref() {
            Some("local" | "stdio") => "local",
            Some("remote" | "http" | "sse" | "streamable-http" | "streamableHttp") => "remote",
            Some(other) => {
                let known = "must be `local` (also `stdio`) or `remote` (also `http`, `sse`)";
                return Err(wrong("", "type", &format!("{known}, not `{}`", excerpt(other))));
            }
            // As other programs write it.
            None if server.contains_key("command") && !server.contains_key("url") => "local",
            None if server.contains_key("url") && !server.contains_key("command") => "remote",
            None => return Err(wrong("", "type", "is missing; `local` has a `command`, `remote` a `url`")),
        };
        if kind == "local" {
            split_command(&mut server)?;
            check(&mut server, "", &LOCAL)?;
        } else {
            // The short names of the kind name the transport as well.
            let transport = match given.as_deref() {
                Some("sse") => Some("sse"),
                Some("http" | "streamable-http" | "streamableHttp") => Some("http"),
                _ => None,
            };
            if let Some(transport) = transport
                && server.get("transport").is_none_or(Value::is_null)
            {
                server.insert("transport".to_owned(), transport.into());
            }
            check(&mut server, "", &REMOTE)?;
            check_remote(&server)?;
        }
        server.insert("type".to_owned(), kind.into());
        Ok(server)
    }
}

/// Splits a command that is written as one list with its arguments.
fn split_command(server: &mut Object) -> Result<(), InvalidEntry> {
    let Some(Value::Array(words)) = server.get("command") else { return Ok(()) };
    if let Some(index) = words.iter().position(|word| !word.is_string()) {
        return Err(wrong("", &format!("command[{index}]"), "must be a text"));
    }
    let mut words = words.clone().into_iter();
    let Some(command) = words.next() else { return Err(wrong("", "command", "is an empty list")) };
    let mut args: Vec<Value> = words.collect();
    match server.remove("args") {
        None | Some(Value::Null) => {}
        Some(Value::Array(more)) => args.extend(more),
        Some(_) => return Err(wrong("", "args", "must be a list of texts")),
    }
    server.insert("command".to_owned(), command);
    server.insert("args".to_owned(), Value::Array(args));
    Ok(())
}

fn check_remote(server: &Object) -> Result<(), InvalidEntry> {
    let text = |name: &str| server.get(name).and_then(Value::as_str).unwrap_or_default();
    let after = ["http://", "https://"].iter().find_map(|scheme| text("url").strip_prefix(scheme));
    if after.is_none_or(|rest| rest.is_empty() || rest.starts_with('/') || rest.contains(char::is_whitespace))
    {
        return Err(wrong("", "url", "must be an address that begins with http:// or https://"));
    }
    if !matches!(text("transport"), "" | "http" | "sse") {
        return Err(wrong("", "transport", "must be `http` or `sse`"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn object(value: Value) -> Object {
        value.as_object().unwrap().clone()
    }

    #[track_caller]
    fn becomes(given: Value, expected: Value) {
        assert_eq!(Value::Object(McpServerConfig::normalize(object(given)).unwrap()), expected);
    }

    #[track_caller]
    fn refused(given: Value, why: &str) {
        let error = McpServerConfig::normalize(object(given)).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }

    #[test]
    fn aliases_get_one_name_and_what_is_unknown_stays() {
        becomes(
            json!({"type": "stdio", "command": "npx", "environment": {"A": "b"}, "timeout": 5, "cwd": null, "x-mine": [1]}),
            json!({"type": "local", "command": "npx", "env": {"A": "b"}, "timeoutMs": 5, "x-mine": [1]}),
        );
        becomes(
            json!({"command": ["npx", "-y"], "args": ["server"]}),
            json!({"type": "local", "command": "npx", "args": ["-y", "server"]}),
        );
        becomes(
            json!({"type": "sse", "url": "https://x/y", "bearer_token_env_var": "T", "env_http_headers": {"H": "V"}}),
            json!({"type": "remote", "url": "https://x/y", "bearerTokenEnvVar": "T", "envHeaders": {"H": "V"}, "transport": "sse"}),
        );
        becomes(
            json!({"type": "remote", "url": "http://x", "oauth": false, "enabled": false}),
            json!({"type": "remote", "url": "http://x", "oauth": false, "enabled": false}),
        );
    }

    #[test]
    fn mistakes_are_named_with_their_field() {
        refused(json!({"type": "local"}), "`command` is missing");
        refused(json!({"type": "local", "command": ""}), "`command` must be a text");
        refused(json!({"type": "local", "command": []}), "`command` is an empty list");
        refused(json!({"type": "local", "command": ["x", 2]}), "`command[1]` must be a text");
        refused(json!({"type": "local", "command": "x", "args": ["a", 2]}), "`args[1]` must be a text");
        refused(json!({"type": "local", "command": "x", "env": {"A": 1}}), "`env.A` must be a text");
        refused(
            json!({"type": "local", "command": "x", "timeoutMs": -1}),
            "`timeoutMs` must be a whole number",
        );
        refused(
            json!({"type": "local", "command": "x", "env": {}, "environment": {}}),
            "another name of `env`",
        );
        refused(json!({"type": "remote", "url": "ftp://x"}), "`url` must be an address");
        refused(json!({"type": "remote", "url": "https://x", "transport": "ws"}), "`transport` must be");
        refused(json!({"type": "magic"}), "not `magic`");
        refused(json!({"type": "a ".repeat(1000)}), "a a …`");
        refused(json!({}), "`type` is missing");
        refused(json!({"type": 3}), "`type` must be a text");
    }
}
