//! How an agent takes a credential that a client gives it.

use serde::Deserialize;
use std::collections::BTreeMap;

/// The placeholder of the credential in a document.
const TOKEN: &str = "{token}";
/// The placeholder of the provider in a document.
const PROVIDER: &str = "{provider}";

/// The variable that names the variables of a session's own credential to the adapter of an agent: the one that holds it,
/// then those that must not come before it. Adapters do not pass it on.
pub const TOKEN_VARIABLES: &str = "SANDBOX_AGENT_TOKEN_VARIABLES";

/// The variable for an agent's credential.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TokenVariable {
    /// The variable of its environment.
    pub variable: String,
    /// The provider of the credential, for the call that checks it.
    pub provider: Option<String>,
    /// Set if models are named `provider/model`, and the credential is that provider's.
    #[serde(default)]
    pub provider_of_model: bool,
    /// The JSON document that the variable holds, with `{token}` and `{provider}` inside of its strings; without one it is the
    /// credential itself.
    pub json: Option<String>,
    /// Variables that the agent would rather follow.
    #[serde(default)]
    pub over: Vec<String>,
    /// Set if the agent's own settings may take precedence over the environment. The adapter then gets [`TOKEN_VARIABLES`], and
    /// overrides such settings or refuses the session.
    #[serde(default)]
    pub under_settings: bool,
}

impl TokenVariable {
    /// Returns the same for a session with this model.
    pub fn for_model(mut self, model: Option<&str>) -> Self {
        let named = model.and_then(|model| model.split_once('/')).filter(|_| self.provider_of_model);
        if let Some((provider, _)) = named {
            self.provider = Some(provider.to_owned());
        }
        self
    }

    /// Makes the agent with this environment use the credential. Credentials in the daemon's environment that it
    /// would use instead are blanked, but not those in `env`: they were given along with this one.
    pub fn give(&self, token: &str, env: &mut BTreeMap<String, String>) {
        let value = match &self.json {
            Some(document) => {
                let provider = self.provider.as_deref().unwrap_or_default();
                document.replace(PROVIDER, &within_string(provider)).replace(TOKEN, &within_string(token))
            }
            None => token.to_owned(),
        };
        env.insert(self.variable.clone(), value);
        for name in &self.over {
            env.entry(name.clone()).or_default();
        }
        if self.under_settings {
            let names: Vec<&str> =
                std::iter::once(&self.variable).chain(&self.over).map(String::as_str).collect();
            env.insert(TOKEN_VARIABLES.to_owned(), names.join(" "));
        }
    }
}

/// Returns a text as it stands between the quotes of a JSON string.
fn within_string(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::Catalog;

    fn given(
        agent: &str,
        model: Option<&str>,
        token: &str,
        env: &[(&str, &str)],
    ) -> BTreeMap<String, String> {
        let catalog = Catalog::shipped().unwrap();
        let mut env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        catalog.get(agent).unwrap().token.clone().unwrap().for_model(model).give(token, &mut env);
        env
    }

    #[test]
    fn the_credential_comes_before_what_else_there_is() {
        let env = given("claude", Some("a/b"), "key", &[]);
        assert_eq!((env["ANTHROPIC_API_KEY"].as_str(), env["ANTHROPIC_AUTH_TOKEN"].as_str()), ("key", ""));
        let both = given("claude", None, "key", &[("ANTHROPIC_AUTH_TOKEN", "mine")]);
        assert_eq!(both["ANTHROPIC_AUTH_TOKEN"], "mine");
    }

    #[test]
    fn the_model_says_whose_credential_it_is() {
        let content = |model| given("opencode", model, "a \"key\" \\", &[])["OPENCODE_AUTH_CONTENT"].clone();
        let entry =
            |provider: &str| serde_json::json!({ provider: { "type": "api", "key": "a \"key\" \\" } });
        for (model, provider) in
            [(None, "anthropic"), (Some("openai/gpt/high"), "openai"), (Some("x"), "anthropic")]
        {
            let content: serde_json::Value = serde_json::from_str(&content(model)).unwrap();
            assert_eq!(content, entry(provider));
        }
    }
}
