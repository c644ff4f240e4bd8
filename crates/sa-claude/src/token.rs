//! A credential that the client gave for its session. Settings of Claude Code come before its environment, so they are
//! overridden: blanked on the command line, then set over the control channel, where nobody else on the machine sees them.

use super::native::answer::Effective;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;

const HEADERS: &str = "ANTHROPIC_CUSTOM_HEADERS";

/// Headers in which the model's API takes a credential.
const CREDENTIALS: [&str; 3] = ["authorization", "proxy-authorization", "x-api-key"];

/// The variables of the credential: those that hold it, and blank ones that must not come before it.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    variables: BTreeMap<String, String>,
    /// The headers that the CLI inherits.
    headers: String,
}

/// Values are secrets.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}

impl Token {
    /// Reads the values of these variables, by name, from the environment that the CLI will have.
    pub fn new<'a>(
        names: impl IntoIterator<Item = &'a str>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let value = |name: &str| variable(name).unwrap_or_default();
        let variables = names.into_iter().map(|name| (name.to_owned(), value(name))).collect();
        Self { variables, headers: value(HEADERS) }
    }

    /// Returns the settings for the command line, which hold no secret.
    pub(super) fn blank(&self) -> Value {
        let blank: BTreeMap<_, _> = self.variables.keys().map(|name| (name, "")).collect();
        json!({ "apiKeyHelper": "", "env": blank })
    }

    /// Returns the settings for the control channel.
    pub(super) fn settings(&self) -> Value {
        json!({ "apiKeyHelper": "", "env": self.variables })
    }

    /// Returns the name of a setting that comes before the credential all the same. The settings that an administrator
    /// manages cannot be overridden.
    pub(super) fn rival(&self, effective: &Effective) -> Option<&str> {
        let set = |name: &str| effective.env.get(name).and_then(Value::as_str).unwrap_or_default();
        let other = self.variables.iter().find(|(name, value)| set(name) != value.as_str());
        if let Some((name, _)) = other {
            return Some(name);
        }
        if effective.api_key_helper.as_ref().and_then(Value::as_str).is_some_and(|helper| !helper.is_empty())
        {
            return Some("apiKeyHelper");
        }
        let headers = effective.env.get(HEADERS).and_then(Value::as_str).unwrap_or(&self.headers);
        headers.lines().any(is_credential).then_some(HEADERS)
    }
}

fn is_credential(line: &str) -> bool {
    let name = line.split_once(':').map(|(name, _)| name.trim().to_ascii_lowercase());
    name.is_some_and(|name| CREDENTIALS.contains(&name.as_str()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn token(headers: &'static str) -> Token {
        let variable = move |name: &str| match name {
            "ANTHROPIC_API_KEY" => Some("mine".to_owned()),
            HEADERS => Some(headers.to_owned()),
            _ => None,
        };
        Token::new(["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"], variable)
    }

    #[test]
    fn only_settings_without_a_credential_of_their_own_pass() {
        let ours = json!({ "ANTHROPIC_API_KEY": "mine", "ANTHROPIC_AUTH_TOKEN": "" });
        let with = |name: &str, value: &str| {
            let mut env = ours.clone();
            env[name] = json!(value);
            json!({ "env": env, "apiKeyHelper": "" })
        };
        let cases = [
            (json!({ "env": ours, "apiKeyHelper": "" }), None),
            (json!({ "env": ours, "apiKeyHelper": "echo key" }), Some("apiKeyHelper")),
            (json!({}), Some("ANTHROPIC_API_KEY")),
            (with("ANTHROPIC_API_KEY", "theirs"), Some("ANTHROPIC_API_KEY")),
            (with("ANTHROPIC_AUTH_TOKEN", "theirs"), Some("ANTHROPIC_AUTH_TOKEN")),
            (with(HEADERS, "x-route: a\nX-Api-Key : b"), Some(HEADERS)),
            (with(HEADERS, "Authorization: Bearer x"), Some(HEADERS)),
            (with(HEADERS, "x-route: authorization"), None),
        ];
        for (effective, rival) in cases {
            let read: Effective = serde_json::from_value(effective.clone()).unwrap();
            assert_eq!(token("").rival(&read), rival, "{effective}");
        }
        let plain: Effective = serde_json::from_value(json!({ "env": ours })).unwrap();
        assert_eq!(token("authorization: x").rival(&plain), Some(HEADERS));
    }

    #[test]
    fn the_command_line_holds_no_secret() {
        let shown = format!("{} {:?}", token("x: y").blank(), token("x: y"));
        assert!(!shown.contains("mine") && shown.contains("ANTHROPIC_AUTH_TOKEN"), "{shown}");
    }
}
