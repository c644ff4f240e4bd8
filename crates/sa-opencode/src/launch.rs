//! The command line and the environment that start the server.

use super::endpoint::Endpoint;
use super::native::call::escaped;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fs;
use std::path::Path;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    pub endpoint: Endpoint,
}

/// Settings that only variables can have: no calls to anybody who was not asked for, and what the server has only for its
/// own clients.
const VARIABLES: [(&str, &str); 7] = [
    ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
    ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
    ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
    ("OPENCODE_CLIENT", "cli"),
    ("OPENCODE_ENABLE_QUESTION_TOOL", "1"),
    ("OPENCODE_EXPERIMENTAL_PLAN_MODE", "1"),
    // A server without plugins would run commands unasked.
    ("OPENCODE_PURE", "0"),
];

/// The variable with settings that override those in files.
pub(crate) const CONTENT: &str = "OPENCODE_CONFIG_CONTENT";

/// The lock file of a directory in which nothing has to be installed.
const LOCK: &str =
    "{\"lockfileVersion\":3,\"packages\":{\"\":{\"dependencies\":{\"@opencode-ai/plugin\":\"*\"}}}}\n";

impl Launch {
    /// The arguments. The password is none of them: everybody can read those.
    pub fn arguments(&self) -> Vec<OsString> {
        let port = self.endpoint.port.to_string();
        ["serve", "--hostname", "127.0.0.1", "--port", &port].map(OsString::from).to_vec()
    }

    /// Variables on top of those that it inherits. `content` is what the user has in [`CONTENT`], `plugin` a file.
    pub fn variables(&self, content: Option<&str>, plugin: &Path) -> Vec<(OsString, OsString)> {
        let mut variables: Vec<(OsString, OsString)> =
            VARIABLES.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        variables.push((CONTENT.into(), settings(content, plugin).into()));
        variables.push(("OPENCODE_SERVER_PASSWORD".into(), self.endpoint.password.clone().into()));
        // The name is fixed, so that requests know it.
        variables.push(("OPENCODE_SERVER_USERNAME".into(), "opencode".into()));
        variables
    }
}

/// Returns the configuration of the server. Sub-agents do not have the rules of the session that they work for, so that what is
/// dangerous is asked about everywhere, and answered here by the session's mode.
fn settings(content: Option<&str>, plugin: &Path) -> String {
    let mut all = match content.map(serde_json::from_str::<Value>) {
        Some(Ok(Value::Object(own))) => Value::Object(own),
        Some(_) => {
            // Without ours nothing would be asked about.
            tracing::warn!("{CONTENT} is not a JSON object and is not used");
            json!({})
        }
        None => json!({}),
    };
    let ours = json!({
        "autoupdate": false,
        // A refusal is no reason to stop.
        "experimental": { "continue_loop_on_deny": true },
        "permission": { "edit": { "*": "ask" }, "bash": { "*": "ask" } },
        "agent": {
            // It only looks, as it would without the line above.
            "explore": { "permission": { "edit": "deny" } },
            // It has tools of servers, too.
            "general": { "permission": {
                "*": "ask", "grep": "allow", "glob": "allow", "list": "allow", "lsp": "allow", "skill": "allow",
                "read": { "*": "allow", "*.env": "ask", "*.env.*": "ask", "*.env.example": "allow" },
                "todowrite": "deny", "task": "deny",
            } },
        },
    });
    merge(&mut all, ours);
    // It is loaded next to the user's own.
    let mut plugins = all["plugin"].as_array().cloned().unwrap_or_default();
    plugins.push(json!(format!("file://{}", escaped(&plugin.to_string_lossy()))));
    all["plugin"] = json!(plugins);
    all.to_string()
}

/// Ours count more, as far as they go.
fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (name, value) in from {
                merge(into.entry(name).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from,
    }
}

/// Keeps the server from installing a package into its directory of settings on each start: that needs a network and
/// nobody has asked for it. A directory in which something is installed, or has to be, is left alone.
pub(crate) fn still(config: &Path) {
    let is_used = ["node_modules", "package.json", "package-lock.json", "bun.lock"]
        .iter()
        .any(|name| config.join(name).exists());
    if is_used {
        return;
    }
    let made = fs::create_dir_all(config.join("node_modules"))
        .and_then(|()| fs::write(config.join("package-lock.json"), LOCK));
    if let Err(error) = made {
        tracing::debug!(%error, "the directory of settings cannot be prepared");
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const PLUGIN: &str = "/tmp/gate.mjs";

    fn launch() -> Launch {
        Launch { endpoint: Endpoint { port: 4321, password: "secret".to_owned() } }
    }

    fn value(variables: &[(OsString, OsString)], name: &str) -> String {
        let (_, value) = variables.iter().find(|(known, _)| known == name).unwrap();
        value.to_str().unwrap().to_owned()
    }

    #[test]
    fn the_password_is_in_the_environment_only() {
        let words = launch().arguments();
        assert_eq!(words, ["serve", "--hostname", "127.0.0.1", "--port", "4321"]);
        assert_eq!(value(&launch().variables(None, PLUGIN.as_ref()), "OPENCODE_SERVER_PASSWORD"), "secret");
    }

    #[test]
    fn settings_of_the_user_stay() {
        let own =
            r#"{"model":"a/b","plugin":["mine"],"permission":{"bash":{"git *":"allow"},"edit":"allow"}}"#;
        let settings: Value =
            serde_json::from_str(&value(&launch().variables(Some(own), PLUGIN.as_ref()), CONTENT)).unwrap();
        assert_eq!(settings["model"], "a/b");
        assert_eq!(settings["plugin"], json!(["mine", format!("file://{PLUGIN}")]));
        assert_eq!(settings["permission"]["bash"], json!({ "git *": "allow", "*": "ask" }));
        assert_eq!(settings["permission"]["edit"], json!({ "*": "ask" }));
        assert_eq!(settings["autoupdate"], false);
        let elsewhere = value(&launch().variables(None, "/tmp/a #%?/gate.mjs".as_ref()), CONTENT);
        assert!(elsewhere.contains(r#""plugin":["file:///tmp/a%20%23%25%3F/gate.mjs"]"#), "{elsewhere}");
        let odd = value(&launch().variables(Some("{ // a comment\n}"), PLUGIN.as_ref()), CONTENT);
        assert!(odd.contains(r#""bash":{"*":"ask"}"#), "{odd}");
    }

    #[test]
    fn a_directory_in_use_is_left_alone() {
        let home = tempfile::tempdir().unwrap();
        let (fresh, used) = (home.path().join("fresh"), home.path().join("used"));
        fs::create_dir_all(&used).unwrap();
        fs::write(used.join("package.json"), "{}").unwrap();
        still(&fresh);
        still(&used);
        assert!(fresh.join("node_modules").is_dir() && fresh.join("package-lock.json").is_file());
        assert!(!used.join("node_modules").exists());
    }
}
