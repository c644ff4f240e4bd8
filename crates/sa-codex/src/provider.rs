//! Providers of the user's own, when the client gave its sessions a key: that key has to be the one that is used.

use super::core::Core;
use super::replies::Outcome;
use super::session::Session;
use sa_acp::{Served as _, Sessions, auth_required};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The provider that takes the key of a login.
const USUAL: &str = "openai";

/// Ways of a provider to get a credential of its own that cannot be overridden.
const OWN_MEANS: [&str; 3] = ["auth", "aws", "gateway_oauth"];

/// The answer to `config/read`, as far as it counts.
#[derive(Debug, Default, Deserialize)]
struct ConfigRead {
    config: Config,
}

#[derive(Debug, Default, Deserialize)]
struct Config {
    model_provider: Option<String>,
    model_providers: Option<Map<String, Value>>,
}

/// The means by which the provider in force takes the client's key.
#[derive(Debug, PartialEq, Eq)]
enum Means {
    /// The provider already uses the client's key.
    Found,
    /// This provider has to look at another variable.
    Variable(String),
    /// The provider cannot use the client's key, for this reason.
    None(String),
}

impl Config {
    fn means(&self, variable: &str) -> Means {
        let name = self.model_provider.as_deref().unwrap_or(USUAL);
        let Some(provider) = self.model_providers.as_ref().and_then(|all| all.get(name)) else {
            return match name {
                USUAL => Means::Found,
                _ => Means::None(format!("the provider '{name}' of Codex takes no key")),
            };
        };
        let own = OWN_MEANS.iter().find(|means| !provider[**means].is_null());
        if let Some(means) = own {
            let reason =
                format!("the settings of Codex give the provider '{name}' a credential by `{means}`");
            return Means::None(reason);
        }
        match name {
            _ if provider["env_key"] == variable => Means::Found,
            // The command line cannot name it.
            _ if name.contains(['.', '=']) => Means::None(format!(
                "the name of the provider '{name}' of Codex has a point or an equals sign"
            )),
            _ => Means::Variable(name.to_owned()),
        }
    }
}

impl Core {
    pub(super) fn on_config(&mut self, sessions: &mut Sessions<Session>, outcome: &Outcome<'_>) {
        let Some(variable) = self.host.options.token_variable.clone() else { return };
        let means = match outcome.read::<ConfigRead>() {
            Ok(read) => read.config.means(&variable),
            Err(reason) => Means::None(reason),
        };
        match means {
            Means::Found => self.note_answer(),
            // The process decides on its provider when it starts.
            Means::Variable(provider) if self.provider.as_ref() != Some(&provider) => {
                self.provider = Some(provider);
                self.dismiss();
            }
            Means::Variable(provider) => {
                self.token_refused(
                    sessions,
                    &format!("the provider '{provider}' of Codex keeps to its own key"),
                );
            }
            Means::None(reason) => self.token_refused(sessions, &reason),
        }
    }

    fn token_refused(&mut self, sessions: &mut Sessions<Session>, reason: &str) {
        self.give_up(sessions, &auth_required(format!("the session's token would not be used: {reason}")));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    #[test]
    fn the_provider_in_force_decides() {
        let mine =
            |provider: Value| json!({ "model_provider": "mine", "model_providers": { "mine": provider } });
        let refused = |reason: &str| Means::None(reason.to_owned());
        let cases = [
            (json!({}), Means::Found),
            (json!({ "model_provider": null, "model_providers": null }), Means::Found),
            (json!({ "model_provider": "openai", "model_providers": {} }), Means::Found),
            (mine(json!({ "env_key": "CODEX_API_KEY" })), Means::Found),
            (mine(json!({ "env_key": "OPENAI_API_KEY", "auth": null })), Means::Variable("mine".to_owned())),
            (mine(json!({ "experimental_bearer_token": "x" })), Means::Variable("mine".to_owned())),
            (
                mine(json!({ "auth": { "command": "x" } })),
                refused("the settings of Codex give the provider 'mine' a credential by `auth`"),
            ),
            (
                json!({ "model_provider": "a.b", "model_providers": { "a.b": { "env_key": "X" } } }),
                refused("the name of the provider 'a.b' of Codex has a point or an equals sign"),
            ),
            (json!({ "model_provider": "ollama" }), refused("the provider 'ollama' of Codex takes no key")),
        ];
        for (config, means) in cases {
            let read: Config = serde_json::from_value(config.clone()).unwrap();
            assert_eq!(read.means("CODEX_API_KEY"), means, "{config}");
        }
    }
}
