//! What the CLI answers to our questions.

use serde::Deserialize;
use serde_json::{Map, Value};

/// The answer to `initialize`.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Initialized {
    #[serde(default)]
    pub(crate) commands: Vec<Value>,
    #[serde(default)]
    pub(crate) models: Vec<Model>,
    #[serde(default)]
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
    /// Providers other than the vendor have credentials of their own, which are not told here.
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

/// The settings in force.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Effective {
    #[serde(default)]
    pub(crate) env: Map<String, Value>,
    #[serde(rename = "apiKeyHelper")]
    pub(crate) api_key_helper: Option<Value>,
}

/// The settings in force.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Applied {
    pub(crate) model: Option<String>,
    pub(crate) effort: Option<Value>,
}

/// The answer to `get_binary_version`.
#[derive(Debug, Deserialize)]
pub(crate) struct BinaryVersion {
    pub(crate) version: Option<String>,
}

/// The answer to `mcp_status`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct McpStatus {
    #[serde(default)]
    pub(crate) mcp_servers: Vec<McpServerStatus>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct McpServerStatus {
    pub(crate) name: Option<String>,
    pub(crate) status: Option<String>,
    pub(crate) error: Option<String>,
}

impl McpServerStatus {
    /// Returns whether the CLI is still connecting to the server.
    pub(crate) fn is_pending(&self) -> bool {
        self.status.as_deref() == Some("pending")
    }

    /// The reason why its tools are missing, if they are.
    pub(crate) fn failure(&self) -> Option<&str> {
        let status = self.status.as_deref().filter(|status| !matches!(*status, "connected" | "disabled"))?;
        Some(self.error.as_deref().unwrap_or(status))
    }
}

/// A version number, compared part by part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(u64, u64, u64);

/// The oldest version that is driven: the first one that says when a turn is really over.
pub(crate) const OLDEST: Version = Version(2, 1, 113);

impl Version {
    /// Reads `1.2.3`, with or without something after it.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let number = text.split([' ', '-', '+']).next()?;
        let mut parts = number.split('.').map(|part| part.parse().ok());
        Some(Self(parts.next()??, parts.next()??, parts.next()??))
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn versions_compare_by_number() {
        let version = |text| Version::parse(text).unwrap();
        assert!(version("2.1.20") < OLDEST && OLDEST <= version("2.1.113"));
        assert!(version("2.1.1000 (Claude Code)") > OLDEST);
        assert_eq!(Version::parse("dev"), None);
    }
}
