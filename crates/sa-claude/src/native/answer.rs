//! Answers of the CLI.

use sa_acp::Version;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The answer to `initialize`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Initialized {
    pub(crate) commands: Vec<Value>,
    pub(crate) models: Vec<Model>,
    pub(crate) account: Account,
    /// Newer versions only.
    pub(crate) claude_code_version: Option<String>,
    /// Newer versions only.
    pub(crate) current_permission_mode: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Model {
    pub(crate) value: String,
    pub(crate) resolved_model: Option<String>,
    pub(crate) display_name: Option<String>,
    pub(crate) description: Option<String>,
    #[serde(default)]
    pub(crate) supported_effort_levels: Vec<String>,
    #[serde(default)]
    pub(crate) supports_auto_mode: bool,
}

impl Model {
    /// Returns whether this is the model's name, in the list or in full.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.value == name || self.resolved_model.as_deref() == Some(name)
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Account {
    token_source: Option<String>,
    api_key_source: Option<String>,
    subscription_type: Option<String>,
    api_provider: Option<String>,
}

impl Account {
    /// Returns whether there is something to log in with. Nothing is known of a key's worth before the first request.
    /// Providers other than the vendor have credentials of their own, which are not reported here.
    pub(crate) fn has_credentials(&self) -> bool {
        let some = |source: &Option<String>| source.as_deref().is_some_and(|source| source != "none");
        some(&self.token_source)
            || some(&self.api_key_source)
            || self.subscription_type.is_some()
            || self.api_provider.as_deref().is_some_and(|provider| provider != "firstParty")
            || self.is_untold()
    }

    /// Versions that say nothing of the account cannot be judged by it.
    fn is_untold(&self) -> bool {
        self.token_source.is_none() && self.api_key_source.is_none() && self.api_provider.is_none()
    }
}

/// The answer to `get_settings`, as far as it counts.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Settings {
    #[serde(default)]
    pub(crate) applied: Applied,
    pub(crate) effective: Option<Effective>,
}

#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Effective {
    #[serde(default)]
    pub(crate) env: Map<String, Value>,
    #[serde(rename = "apiKeyHelper")]
    pub(crate) api_key_helper: Option<Value>,
}

#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Applied {
    pub(crate) model: Option<String>,
    pub(crate) effort: Option<Value>,
}

/// The oldest version that is driven: the first one that says when a turn is really over.
pub(crate) const OLDEST: Version = Version(2, 1, 113);
