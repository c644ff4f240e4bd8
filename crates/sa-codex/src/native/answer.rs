//! What the app-server answers.

use super::item::Item;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::fmt;
use std::path::PathBuf;

/// To `initialize`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Initialized {
    pub(crate) user_agent: String,
}

impl Initialized {
    /// The version in a user agent like `sandbox-agent/0.166.0 (Debian 12; x86_64)`.
    pub(crate) fn version(&self) -> Option<Version> {
        Version::parse(self.user_agent.split('/').nth(1)?.split([' ', '-']).next()?)
    }
}

/// A version of the CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(u32, u32, u32);

/// The oldest that can be driven: earlier ones lack what questions, settings and closing need.
pub(crate) const OLDEST: Version = Version(0, 144, 0);

/// The oldest that unloads threads when they are closed; earlier ones keep them for half an hour.
pub(crate) const UNLOADS: Version = Version(0, 154, 0);

impl Version {
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.').map(|part| part.parse().ok());
        Some(Self(parts.next()??, parts.next()??, parts.next()??))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// To `account/read`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct AccountRead {
    account: Option<Value>,
    requires_openai_auth: bool,
}

impl AccountRead {
    pub(crate) fn lacks_credentials(&self) -> bool {
        self.requires_openai_auth && self.account.is_none()
    }
}

/// To `model/list`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Models {
    #[serde(deserialize_with = "each")]
    pub(crate) data: Vec<Model>,
}

/// A model that can be chosen.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Model {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) display_name: Option<String>,
    #[serde(default)]
    pub(crate) description: Option<String>,
    #[serde(default)]
    pub(crate) hidden: bool,
    #[serde(default)]
    pub(crate) default_reasoning_effort: Option<String>,
    #[serde(default, deserialize_with = "each")]
    pub(crate) supported_reasoning_efforts: Vec<Effort>,
}

/// How hard a model can think.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Effort {
    pub(crate) reasoning_effort: String,
    #[serde(default)]
    pub(crate) description: Option<String>,
}

/// To `command/exec`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Executed {
    pub(crate) exit_code: i64,
    #[serde(default)]
    pub(crate) stderr: String,
}

/// To `thread/start`, `thread/resume` and `thread/fork`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpenedThread {
    pub(crate) thread: Thread,
    #[serde(default)]
    pub(crate) model: String,
    #[serde(default)]
    pub(crate) reasoning_effort: Option<String>,
}

/// To `thread/read`.
#[derive(Debug, Deserialize)]
pub(crate) struct ThreadRead {
    pub(crate) thread: Thread,
}

/// To `thread/list`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Threads {
    #[serde(deserialize_with = "each")]
    pub(crate) data: Vec<Thread>,
    pub(crate) next_cursor: Option<String>,
}

/// A conversation.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Thread {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) parent_thread_id: Option<String>,
    #[serde(default)]
    pub(crate) preview: String,
    #[serde(default)]
    pub(crate) name: Option<String>,
    #[serde(default)]
    pub(crate) cwd: PathBuf,
    /// In seconds since 1970.
    #[serde(default)]
    pub(crate) updated_at: Option<u64>,
    #[serde(default, deserialize_with = "each")]
    pub(crate) turns: Vec<Turn>,
}

/// To `turn/start` and `review/start`.
#[derive(Debug, Deserialize)]
pub(crate) struct TurnAccepted {
    pub(crate) turn: Turn,
}

/// To `thread/unsubscribe`.
#[derive(Debug, Deserialize)]
pub(crate) struct Unsubscribed {
    #[serde(default)]
    pub(crate) status: String,
}

/// A turn.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Turn {
    pub(crate) id: String,
    #[serde(deserialize_with = "each")]
    pub(crate) items: Vec<Item>,
    pub(crate) status: Option<String>,
    pub(crate) error: Option<TurnError>,
}

/// Why a turn failed, or what it is tried again after.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct TurnError {
    pub(crate) message: String,
    pub(crate) codex_error_info: Option<Value>,
    pub(crate) additional_details: Option<String>,
}

/// To `skills/list`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Skills {
    #[serde(deserialize_with = "each")]
    pub(crate) data: Vec<SkillsOf>,
}

/// The skills of a directory.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct SkillsOf {
    #[serde(deserialize_with = "each")]
    pub(crate) skills: Vec<Skill>,
}

/// A skill.
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

/// A list of which the entries of another shape are left out, so that one of them does not cost all.
fn each<'de, D: Deserializer<'de>, T: serde::de::DeserializeOwned>(list: D) -> Result<Vec<T>, D::Error> {
    let values = Option::<Vec<Value>>::deserialize(list)?.unwrap_or_default();
    Ok(values.into_iter().filter_map(|value| T::deserialize(value).ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_in_the_user_agent() {
        let version = |user_agent: &str| {
            let version = Initialized { user_agent: user_agent.to_owned() }.version();
            version.map(|version| version.to_string())
        };
        assert_eq!(version("sandbox-agent/0.166.0 (Debian 12.0.0; x86_64) x").as_deref(), Some("0.166.0"));
        assert_eq!(version("h-codex/0.144.3-alpha.1 (x)").as_deref(), Some("0.144.3"));
        assert_eq!(version("something else"), None);
        assert!(Version(0, 99, 9) < OLDEST && OLDEST < Version(0, 166, 0));
    }
}
