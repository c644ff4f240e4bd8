//! The stored form of a session's record.
//!
//! The store outlives releases, so its form is defined here and not by the types of the HTTP API: a member that the API renames keeps
//! its stored name. Each form below is checked against its type by the compiler. Two kinds of values are stored as they are: content
//! of events (requests, usage, choices, parts of messages), which the log holds in the same form, and documents of clients (MCP
//! servers, skills, metadata), whose unknown members are kept.

use bytes::Bytes;
use sa_api::sessions::{
    AgentError, AllowRule, Decision, PermissionMode, PermissionPolicy, PermissionRule, SessionChoice,
    SessionChoices, SessionOption, SessionState, TimeoutDecision, Turn, Webhook, WebhookState, WebhookStatus,
};
use sa_api::{AgentExit, Timestamp};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// The version of the form that this program writes, and the newest that it reads.
const VERSION: u32 = 1;

/// The version of a stored record. Records of the first releases have none.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RecordVersion;

impl Serialize for RecordVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        VERSION.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RecordVersion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let version = u32::deserialize(deserializer)?;
        if version > VERSION {
            return Err(D::Error::custom(format!(
                "version {version} is newer than {VERSION}; use the release that wrote it"
            )));
        }
        Ok(Self)
    }
}

/// A type of the API that has a stored form.
pub(crate) trait StoredForm: Sized {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

/// Writes a member in its stored form, for `#[serde(with)]`.
pub(crate) fn serialize<T: StoredForm, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    value.write(serializer)
}

/// Reads a member in its stored form, for `#[serde(with)]`.
pub(crate) fn deserialize<'de, T: StoredForm, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::read(deserializer)
}

/// A value to write in its stored form.
struct Written<'a, T>(&'a T);

impl<T: StoredForm> Serialize for Written<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(serializer)
    }
}

/// A value that was read in its stored form.
struct Read<T>(T);

impl<'de, T: StoredForm> Deserialize<'de> for Read<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::read(deserializer).map(Self)
    }
}

/// Returns a value as it is stored.
pub(crate) fn to_bytes<T: StoredForm>(value: &T) -> Bytes {
    Bytes::from(serde_json::to_vec(&Written(value)).unwrap_or_default())
}

/// Reads a value that [`to_bytes`] wrote.
pub(crate) fn from_bytes<T: StoredForm>(bytes: &[u8]) -> Result<T, serde_json::Error> {
    serde_json::from_slice::<Read<T>>(bytes).map(|read| read.0)
}

impl<T: StoredForm> StoredForm for Option<T> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_ref().map(Written).serialize(serializer)
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::<Read<T>>::deserialize(deserializer)?.map(|read| read.0))
    }
}

impl<T: StoredForm> StoredForm for Vec<T> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(Written))
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<Read<T>>::deserialize(deserializer)?.into_iter().map(|read| read.0).collect())
    }
}

/// Defines the stored forms of types of the API.
macro_rules! stored_forms {
    ($($api:ty => $form:ident),* $(,)?) => {$(
        impl StoredForm for $api {
            fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $form::serialize(self, serializer)
            }

            fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $form::deserialize(deserializer)
            }
        }
    )*};
}

stored_forms! {
    AllowRule => AllowRuleForm,
    Decision => DecisionForm,
    PermissionMode => PermissionModeForm,
    PermissionPolicy => PolicyForm,
    PermissionRule => RuleForm,
    SessionChoices => ChoicesForm,
    SessionState => StateForm,
    TimeoutDecision => TimeoutDecisionForm,
    Turn => TurnForm,
    Webhook => WebhookForm,
    WebhookState => WebhookStateForm,
    WebhookStatus => WebhookStatusForm,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "PermissionMode", rename_all = "camelCase")]
enum PermissionModeForm {
    Default,
    Plan,
    Bypass,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "SessionState", rename_all = "camelCase")]
enum StateForm {
    Starting,
    Idle,
    Running,
    RequiresAction,
    Interrupted,
    Ended,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Turn", rename_all = "camelCase")]
struct TurnForm {
    turn_id: String,
    // Records of the first releases have milliseconds under another name.
    #[serde(default)]
    started_at: Timestamp,
    cancelling: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message_id: Option<String>,
    #[serde(default)]
    events_after: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "SessionChoices", rename_all = "camelCase")]
struct ChoicesForm {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mode: Option<String>,
    modes: Vec<SessionChoice>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    models: Vec<SessionChoice>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    variant: Option<String>,
    variants: Vec<SessionChoice>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    options: Vec<SessionOption>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "AllowRule", rename_all = "camelCase")]
struct AllowRuleForm {
    tool: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    input: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "PermissionPolicy", rename_all = "camelCase")]
struct PolicyForm {
    #[serde(with = "self", default, skip_serializing_if = "Vec::is_empty")]
    rules: Vec<PermissionRule>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    timeout_ms: Option<u64>,
    #[serde(with = "self", default)]
    on_timeout: TimeoutDecision,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "TimeoutDecision", rename_all = "camelCase")]
enum TimeoutDecisionForm {
    Reject,
    Allow,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "PermissionRule", rename_all = "camelCase")]
struct RuleForm {
    tool: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    input: Option<String>,
    #[serde(with = "self")]
    decision: Decision,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Decision", rename_all = "camelCase")]
enum DecisionForm {
    Allow,
    Ask,
    Deny,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Webhook", rename_all = "camelCase")]
struct WebhookForm {
    url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    events: Option<Vec<String>>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "WebhookStatus", rename_all = "camelCase")]
struct WebhookStatusForm {
    url: String,
    #[serde(with = "self")]
    state: WebhookState,
    delivered_event_id: u64,
    failures: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next_attempt_at: Option<Timestamp>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "WebhookState", rename_all = "camelCase")]
enum WebhookStateForm {
    Active,
    Failing,
    Disabled,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "AgentError", rename_all = "camelCase", rename_all_fields = "camelCase")]
enum AgentErrorForm {
    TokenError {
        message: String,
    },
    ProcessExited {
        message: String,
        exit: AgentExit,
    },
    InstallFailed {
        message: String,
    },
    SpawnFailed {
        message: String,
    },
    Unsupported {
        message: String,
    },
    Timeout {
        message: String,
    },
    Protocol {
        message: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
    },
}

/// An error among other members: records of the first releases also name its `type`.
#[derive(Serialize, Deserialize)]
struct ErrorMembers {
    #[serde(flatten, with = "AgentErrorForm")]
    error: AgentError,
}

impl StoredForm for AgentError {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        AgentErrorForm::serialize(self, serializer)
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(ErrorMembers::deserialize(deserializer)?.error)
    }
}

#[cfg(test)]
mod tests;
