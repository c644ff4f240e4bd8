//! How types that hold secrets show themselves to developers: without the secrets. Each takes its type apart member by
//! member, so that a new one is not shown before somebody has thought of it.

use crate::sessions::{CreateSession, SessionPatch, Webhook};
use crate::{McpLocalServer, McpRemoteServer};
use std::collections::BTreeMap;
use std::fmt;

/// Stands for a value that is not shown.
struct Hidden;

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// Whether there is one, and no more.
fn hide<T>(secret: &Option<T>) -> Option<Hidden> {
    secret.as_ref().map(|_| Hidden)
}

/// The names alone.
fn names<T>(map: &BTreeMap<String, T>) -> Vec<&str> {
    map.keys().map(String::as_str).collect()
}

impl fmt::Debug for CreateSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            agent,
            agent_mode,
            permission_mode,
            model,
            variant,
            options,
            token,
            validate_token,
            agent_version,
            cwd,
            env,
            mcp,
            skills,
            metadata,
            title,
            policy,
            webhook,
        } = self;
        f.debug_struct("CreateSession")
            .field("agent", agent)
            .field("agent_mode", agent_mode)
            .field("permission_mode", permission_mode)
            .field("model", model)
            .field("variant", variant)
            .field("options", options)
            .field("token", &hide(token))
            .field("validate_token", validate_token)
            .field("agent_version", agent_version)
            .field("cwd", cwd)
            .field("env", &names(env))
            .field("mcp", &names(mcp))
            .field("skills", &names(skills))
            .field("metadata", metadata)
            .field("title", title)
            .field("policy", policy)
            .field("webhook", webhook)
            .finish()
    }
}

impl fmt::Debug for SessionPatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { title, model, variant, options, agent_mode, permission_mode, metadata, token, env } = self;
        f.debug_struct("SessionPatch")
            .field("title", title)
            .field("model", model)
            .field("variant", variant)
            .field("options", options)
            .field("agent_mode", agent_mode)
            .field("permission_mode", permission_mode)
            .field("metadata", metadata)
            .field("token", &hide(token))
            .field("env", &env.as_ref().map(names))
            .finish()
    }
}

/// The address may hold a password, or a key in its query.
impl fmt::Debug for Webhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { url: _, secret, events } = self;
        f.debug_struct("Webhook")
            .field("url", &Hidden)
            .field("secret", &hide(secret))
            .field("events", events)
            .finish()
    }
}

/// Arguments may hold a key, too.
impl fmt::Debug for McpLocalServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { command, args: _, env, cwd, enabled, timeout_ms, other } = self;
        f.debug_struct("McpLocalServer")
            .field("command", command)
            .field("args", &Hidden)
            .field("env", &env.as_ref().map(names))
            .field("cwd", cwd)
            .field("enabled", enabled)
            .field("timeout_ms", timeout_ms)
            .field("other", &names(other))
            .finish()
    }
}

/// Of variables there are only the names in it.
impl fmt::Debug for McpRemoteServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            url: _,
            headers,
            env_headers,
            bearer_token_env_var,
            oauth,
            transport,
            enabled,
            timeout_ms,
            other,
        } = self;
        f.debug_struct("McpRemoteServer")
            .field("url", &Hidden)
            .field("headers", &headers.as_ref().map(names))
            .field("env_headers", env_headers)
            .field("bearer_token_env_var", bearer_token_env_var)
            .field("oauth", &hide(oauth))
            .field("transport", transport)
            .field("enabled", enabled)
            .field("timeout_ms", timeout_ms)
            .field("other", &names(other))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    #[test]
    fn secrets_do_not_show() {
        let create: CreateSession = serde_json::from_value(json!({
            "agent": "demo",
            "token": "s3cret-token",
            "env": {"KEY": "s3cret-env"},
            "mcp": {
                "near": {"type": "local", "command": "x", "args": ["s3cret-arg"], "env": {"K": "s3cret-mcp"}, "extra": "s3cret-extra"},
                "far": {"type": "remote", "url": "https://x/?k=s3cret-url", "headers": {"A": "s3cret-header"}},
            },
            "skills": {"own": {"sources": [{"type": "git", "source": "https://u:s3cret-git@x/y"}]}},
            "webhook": {"url": "https://me:s3cret-pw@x/?k=s3cret-query", "secret": "s3cret-hook"},
        }))
        .unwrap();
        let patch: SessionPatch =
            serde_json::from_value(json!({"token": "s3cret-token", "env": {"KEY": "s3cret-env"}})).unwrap();
        for shown in [format!("{create:?}"), format!("{create:#?}"), format!("{patch:?}")] {
            assert!(!shown.contains("s3cret") && shown.contains("KEY"), "{shown}");
        }
        assert!(format!("{create:?}").contains("near"), "{create:?}");
        let servers = format!("{:?}", create.mcp);
        assert!(
            !servers.contains("s3cret") && servers.contains("\"K\"") && servers.contains("\"A\""),
            "{servers}"
        );
        assert!(format!("{:?}", SessionPatch::default()).contains("token: None"));
    }
}
