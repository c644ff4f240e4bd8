//! `Debug` of types that hold secrets, without the secrets. Each names every member of its type, so that a new member is not shown
//! before somebody has decided how.

use crate::sessions::{CreateSession, SessionPatch, Webhook};
use crate::{McpLocalServer, McpRemoteServer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// Stands for a value that is not shown.
struct Hidden;

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// A member as developers see it.
trait Shown {
    /// Hides the value, but not its absence.
    fn hidden(&self) -> impl fmt::Debug;
    /// Shows the names in a map alone.
    fn names(&self) -> impl fmt::Debug {
        self.hidden()
    }
}

macro_rules! hides {
    ($($type:ty),*) => {$(
        impl Shown for $type {
            fn hidden(&self) -> impl fmt::Debug {
                Hidden
            }
        }
    )*};
}

hides!(String, Value, Vec<String>);

impl<T> Shown for BTreeMap<String, T> {
    fn hidden(&self) -> impl fmt::Debug {
        Hidden
    }

    fn names(&self) -> impl fmt::Debug {
        self.keys().collect::<Vec<_>>()
    }
}

impl<T: Shown> Shown for Option<T> {
    fn hidden(&self) -> impl fmt::Debug {
        self.as_ref().map(T::hidden)
    }

    fn names(&self) -> impl fmt::Debug {
        self.as_ref().map(T::names)
    }
}

/// Defines what a type shows: members as they are, the names in them, or only that they are there.
macro_rules! shows {
    ($type:ident: [$($plain:ident),*], names of [$($named:ident),*], hidden [$($hidden:ident),*]) => {
        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let Self { $($plain,)* $($named,)* $($hidden,)* } = self;
                f.debug_struct(stringify!($type))
                    $(.field(stringify!($plain), $plain))*
                    $(.field(stringify!($named), &$named.names()))*
                    $(.field(stringify!($hidden), &$hidden.hidden()))*
                    .finish()
            }
        }
    };
}

shows!(CreateSession:
    [agent, agent_mode, permission_mode, model, variant, options, validate_token, agent_version, cwd, metadata, title, policy, webhook],
    names of [env, mcp, skills], hidden [token]);
shows!(SessionPatch: [title, model, variant, options, agent_mode, permission_mode, metadata], names of [env], hidden [token]);
// An address may hold a password, or a key in its query, and arguments may hold a key.
shows!(Webhook: [events], names of [], hidden [url, secret]);
shows!(McpLocalServer: [command, cwd, enabled, timeout_ms], names of [env, other], hidden [args]);
shows!(McpRemoteServer:
    [env_headers, bearer_token_env_var, transport, enabled, timeout_ms], names of [headers, other], hidden [url, oauth]);

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
