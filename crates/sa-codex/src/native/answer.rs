//! Answers of the app-server.

use super::item::Item;
use sa_acp::Version;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::path::PathBuf;

/// Returns the version in a user agent like `sandbox-agent/0.166.0 (Debian 12; x86_64)`.
pub(crate) fn version(user_agent: &str) -> Option<Version> {
    Version::parse(user_agent.split('/').nth(1)?)
}

/// The oldest that can be driven: earlier ones lack what questions, settings and closing need.
pub(crate) const OLDEST: Version = Version(0, 144, 0);

/// The oldest that unloads threads when they are closed; earlier ones keep them for half an hour.
pub(crate) const UNLOADS: Version = Version(0, 154, 0);

/// A model that can be chosen.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Model {
    pub(crate) id: String,
    pub(crate) display_name: Option<String>,
    pub(crate) description: Option<String>,
    #[serde(default)]
    pub(crate) hidden: bool,
    pub(crate) default_reasoning_effort: Option<String>,
    #[serde(default, deserialize_with = "each")]
    pub(crate) supported_reasoning_efforts: Vec<Effort>,
}

/// A reasoning effort of a model.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Effort {
    pub(crate) reasoning_effort: String,
    pub(crate) description: Option<String>,
}

/// The answer to `thread/start`, `thread/resume`, `thread/fork` and `thread/read`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpenedThread {
    pub(crate) thread: Thread,
    #[serde(default)]
    pub(crate) model: String,
    pub(crate) reasoning_effort: Option<String>,
}

/// A conversation.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Thread {
    pub(crate) id: String,
    pub(crate) parent_thread_id: Option<String>,
    #[serde(default)]
    pub(crate) preview: String,
    pub(crate) name: Option<String>,
    #[serde(default)]
    pub(crate) cwd: PathBuf,
    /// In seconds since 1970.
    pub(crate) updated_at: Option<u64>,
    #[serde(default, deserialize_with = "each")]
    pub(crate) turns: Vec<Turn>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Turn {
    pub(crate) id: String,
    #[serde(deserialize_with = "each")]
    pub(crate) items: Vec<Item>,
    pub(crate) status: Option<String>,
    pub(crate) error: Option<TurnError>,
}

/// The failure of a turn, or of an attempt.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct TurnError {
    pub(crate) message: String,
    pub(crate) codex_error_info: Option<Value>,
    pub(crate) additional_details: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Skill {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) description: String,
    pub(crate) path: String,
    #[serde(default = "yes")]
    pub(crate) enabled: bool,
}

fn yes() -> bool {
    true
}

/// Reads the entries of a list. Those of another shape are left out, so that one of them does not cost all.
pub(crate) fn entries<T: DeserializeOwned>(list: &Value) -> Vec<T> {
    list.as_array().into_iter().flatten().filter_map(|entry| T::deserialize(entry).ok()).collect()
}

fn each<'de, D: Deserializer<'de>, T: DeserializeOwned>(list: D) -> Result<Vec<T>, D::Error> {
    Ok(entries(&Value::deserialize(list)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_in_the_user_agent() {
        let version = |user_agent: &str| version(user_agent).map(|version| version.to_string());
        assert_eq!(version("sandbox-agent/0.166.0 (Debian 12.0.0; x86_64) x").as_deref(), Some("0.166.0"));
        assert_eq!(version("h-codex/0.144.3-alpha.1 (x)").as_deref(), Some("0.144.3"));
        assert_eq!(version("something else"), None);
        assert!(Version(0, 99, 9) < OLDEST && OLDEST < Version(0, 166, 0));
    }
}
