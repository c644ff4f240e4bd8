//! The command line that starts the app-server.

use std::ffi::OsString;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The address of the model's API, if not the CLI's own.
    pub base_url: Option<String>,
    /// A provider of the user's own, and the variable in which it finds its key.
    pub provider_key: Option<(String, String)>,
    /// Set if credentials are only kept in memory; otherwise the CLI looks for those that were stored by a login.
    pub ephemeral: bool,
}

/// Settings that the CLI would have otherwise. Versions that do not know one ignore it.
const SETTINGS: [&str; 6] = [
    // A turn without a way to the model would never end.
    "features.unbounded_connection_retries=false",
    // Questions to the user, and the list of things to do, are off by default.
    "features.default_mode_request_user_input=true",
    "tools.update_plan.enabled=true",
    "suppress_unstable_features_warning=true",
    // A thread that was closed is unloaded at once. While it is loaded, no other process can take it up.
    "thread_unload_delay_secs=0",
    // Updates are the installer's business.
    "check_for_update_on_startup=false",
];

impl Launch {
    pub fn arguments(&self) -> Vec<OsString> {
        let mut settings: Vec<String> = SETTINGS.iter().map(|&setting| setting.to_owned()).collect();
        if self.ephemeral {
            settings.push(r#"cli_auth_credentials_store="ephemeral""#.to_owned());
        }
        if let Some(url) = &self.base_url {
            // A JSON text is a TOML text.
            settings.push(format!("openai_base_url={}", serde_json::Value::from(url.as_str())));
        }
        if let Some((provider, variable)) = &self.provider_key {
            // The CLI splits keys at points and knows no quotes in them.
            let variable = serde_json::Value::from(variable.as_str());
            settings.push(format!("model_providers.{provider}.env_key={variable}"));
        }
        let mut arguments = vec![OsString::from("app-server")];
        for setting in settings {
            arguments.extend([OsString::from("-c"), setting.into()]);
        }
        arguments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_kept_in_memory_only_if_they_are_given() {
        let words = |launch: Launch| {
            let words: Vec<_> =
                launch.arguments().iter().map(|word| word.to_string_lossy().into_owned()).collect();
            words.join(" ")
        };
        let plain = words(Launch { base_url: None, provider_key: None, ephemeral: false });
        assert!(
            plain.starts_with("app-server -c features.unbounded_connection_retries=false -c "),
            "{plain}"
        );
        assert!(!plain.contains("ephemeral") && !plain.contains("openai_base_url"), "{plain}");
        let all = words(Launch {
            base_url: Some("http://127.0.0.1:1/v1".to_owned()),
            provider_key: Some(("mine".to_owned(), "CODEX_API_KEY".to_owned())),
            ephemeral: true,
        });
        assert!(
            all.ends_with(
                r#"store="ephemeral" -c openai_base_url="http://127.0.0.1:1/v1" -c model_providers.mine.env_key="CODEX_API_KEY""#
            ),
            "{all}"
        );
    }
}
