//! The record of a session next to its events: enough to describe it and to continue it after a restart.

use crate::log::Ends;
use crate::stored::RecordVersion;
use bytes::Bytes;
use sa_api::sessions::{
    AgentError, AllowRule, CreateSession, McpServers, OptionValue, PermissionMode, PermissionPolicy,
    PermissionRequest, QuestionRequest, QueuedMessage, Session, SessionChoices, SessionState, Turn, Usage,
    Webhook, WebhookStatus,
};
use sa_api::{SkillsConfig, Timestamp};
use sa_store::Listing;
use sa_universal::Form;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// The mode in which agents do the work.
pub(crate) const BUILD: &str = "build";

/// Replay of the conversation so far to an agent that does not know it. Stored as a boolean: true if it is due.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "bool", into = "bool")]
pub(crate) enum HistoryReplay {
    #[default]
    Done,
    /// The agent gets the conversation with the next message.
    Due,
}

/// The side that decides a value. Stored as a boolean: true if it is the client.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "bool", into = "bool")]
pub(crate) enum Decider {
    #[default]
    Agent,
    Client,
}

impl Decider {
    /// Returns the client for a value that it gave.
    pub(crate) fn of<T>(given: Option<&T>) -> Self {
        given.is_some().into()
    }
}

/// Stores an enum of two variants as a boolean.
macro_rules! stored_as_bool {
    ($name:ident, $no:ident, $yes:ident) => {
        impl From<bool> for $name {
            fn from(stored: bool) -> Self {
                if stored { Self::$yes } else { Self::$no }
            }
        }

        impl From<$name> for bool {
            fn from(value: $name) -> Self {
                value == $name::$yes
            }
        }
    };
}

stored_as_bool!(HistoryReplay, Done, Due);
stored_as_bool!(Decider, Agent, Client);

/// A session as it is stored. Types of the HTTP API have a form of their own here, see [`crate::stored`].
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Record {
    #[serde(default)]
    version: RecordVersion,
    pub(crate) request: Requested,
    /// The variables that only its agent gets, by name: their values are never written down.
    #[serde(default)]
    pub(crate) variables: BTreeSet<String>,
    /// The one of them that holds a credential of the session's own.
    pub(crate) token_variable: Option<String>,
    pub(crate) cwd: String,
    pub(crate) created_at_ms: u64,
    pub(crate) updated_at_ms: u64,
    #[serde(with = "crate::stored")]
    pub(crate) state: SessionState,
    /// The reason its agent could not be started the last time.
    #[serde(with = "crate::stored", default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<AgentError>,
    /// The request that created it, if its client named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) created_by: Option<CreationKey>,
    /// The agent was ready once, or a message was accepted: the session is not created again by the same request.
    // Records of earlier versions do not say.
    #[serde(default = "yes")]
    pub(crate) begun: bool,
    /// Messages from before a restart wait until a client resumes the session.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) queue_held: bool,
    /// The messages that waited when a client last changed their order, in that order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) queue_order: Vec<String>,
    /// Calls that clients have allowed for good.
    #[serde(with = "crate::stored", default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) allowances: Vec<AllowRule>,
    #[serde(with = "crate::stored", default)]
    pub(crate) turn: Option<Turn>,
    #[serde(default)]
    pub(crate) questions: Vec<OpenQuestion>,
    #[serde(default)]
    pub(crate) permissions: Vec<PermissionRequest>,
    pub(crate) usage: Option<Usage>,
    #[serde(with = "crate::stored", default)]
    pub(crate) choices: SessionChoices,
    pub(crate) native_session_id: Option<String>,
    /// Requests that were open when the daemon ended, in case the agent repeats them.
    #[serde(default)]
    pub(crate) unanswered: Vec<Unanswered>,
    /// Starts of its agent so far.
    #[serde(default)]
    pub(crate) runs: u32,
    #[serde(default, rename = "owesHistory")]
    pub(crate) history_replay: HistoryReplay,
    /// The last event before the turn that runs.
    #[serde(default)]
    pub(crate) turn_after: u64,
    /// The session that it was forked from, and that one's own id with the agent.
    pub(crate) forked_from: Option<String>,
    pub(crate) fork_of: Option<String>,
    pub(crate) title: Option<String>,
    /// The agent may change a title that the client did not give.
    #[serde(default, rename = "titled")]
    pub(crate) title_by: Decider,
    #[serde(default)]
    pub(crate) metadata: Map<String, Value>,
    pub(crate) agent_mode: String,
    /// A client that chose the mode also decides which of the agent's own agents works.
    #[serde(default, rename = "chosenMode")]
    pub(crate) mode_by: Decider,
    #[serde(with = "crate::stored")]
    pub(crate) permission_mode: PermissionMode,
    pub(crate) model: Option<String>,
    pub(crate) variant: Option<String>,
    /// Options of the agent that clients asked for.
    #[serde(default)]
    pub(crate) options: BTreeMap<String, OptionValue>,
}

/// The settings that a session was created with and that no request changes later.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Requested {
    pub(crate) agent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) agent_version: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) mcp: McpServers,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) skills: BTreeMap<String, SkillsConfig>,
    #[serde(with = "crate::stored", default)]
    pub(crate) policy: PermissionPolicy,
    #[serde(with = "crate::stored", default, skip_serializing_if = "Option::is_none")]
    pub(crate) webhook: Option<Webhook>,
}

/// Says if the next daemon has to take a session up when it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Activity {
    /// A turn runs, a message or a question waits, or a webhook has not got everything.
    UnderWay,
    /// Nothing changes until a client asks for something.
    AtRest,
}

/// A request for a new session under an `Idempotency-Key`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreationKey {
    pub(crate) key: String,
    /// Distinguishes the request from others under the same key.
    pub(crate) digest: String,
}

impl CreationKey {
    /// Names a request. Secrets are left out: a digest of what is easily guessed gives it away.
    pub(crate) fn new(key: String, request: &CreateSession) -> Self {
        let mut request = request.clone();
        request.token = request.token.map(|_| String::new());
        request.env.values_mut().for_each(String::clear);
        let body = serde_json::to_vec(&request).unwrap_or_default();
        let digest = Sha256::digest(&body).iter().map(|byte| format!("{byte:02x}")).collect();
        Self { key, digest }
    }
}

/// A question or permission that nobody had answered when the daemon ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Unanswered {
    pub(crate) id: String,
    /// The same for requests that ask the same.
    pub(crate) fingerprint: String,
}

/// A question that waits for its answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpenQuestion {
    pub(crate) request: QuestionRequest,
    pub(crate) form: Form,
}

impl Record {
    pub(crate) fn new(request: CreateSession, cwd: String, now_ms: u64) -> Self {
        Self {
            cwd,
            created_at_ms: now_ms,
            updated_at_ms: now_ms,
            state: SessionState::Starting,
            title_by: Decider::of(request.title.as_ref()),
            title: request.title,
            metadata: request.metadata,
            mode_by: Decider::of(request.agent_mode.as_ref()),
            agent_mode: request.agent_mode.unwrap_or_else(|| BUILD.to_owned()),
            permission_mode: request.permission_mode,
            model: request.model,
            variant: request.variant,
            options: request.options,
            // Not the token and the variables: they are for the agent's process alone and never written.
            request: Requested {
                agent: request.agent,
                agent_version: request.agent_version,
                mcp: request.mcp,
                skills: request.skills,
                policy: request.policy,
                webhook: request.webhook,
            },
            ..Self::default()
        }
    }

    /// Returns a copy of it that begins where this one is now. If its agent does not know yet what was said, the copy's does not
    /// either, and has to get it as text.
    pub(crate) fn forked(&self, id: &str, title: Option<String>, now_ms: u64) -> Self {
        Self {
            created_at_ms: now_ms,
            updated_at_ms: now_ms,
            state: SessionState::Starting,
            error: None,
            created_by: None,
            queue_held: false,
            queue_order: Vec::new(),
            turn: None,
            questions: Vec::new(),
            permissions: Vec::new(),
            native_session_id: None,
            unanswered: Vec::new(),
            turn_after: 0,
            forked_from: Some(id.to_owned()),
            fork_of: self.native_session_id.clone(),
            title_by: Decider::of(title.as_ref()),
            title: title.or_else(|| self.title.clone()),
            ..self.clone()
        }
    }

    /// Drops what belongs to events after the place of a fork. The agent's own session contains them, so the agent gets a new one
    /// and the conversation as text.
    pub(crate) fn forget_later(&mut self) {
        self.fork_of = None;
        self.history_replay = HistoryReplay::Due;
        self.usage = None;
    }

    /// As it is stored.
    pub(crate) fn to_bytes(&self) -> Bytes {
        Bytes::from(serde_json::to_vec(self).unwrap_or_default())
    }

    /// As it was stored.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(bytes)
    }

    /// Returns the activity of a session that has no owner.
    pub(crate) fn activity(&self) -> Activity {
        let at_rest = self.state == SessionState::Ended && self.request.webhook.is_none();
        if at_rest { Activity::AtRest } else { Activity::UnderWay }
    }

    /// Returns the listing of the session, by which the store finds it.
    pub(crate) fn listing(&self, activity: Activity) -> Listing {
        let labels = if self.metadata.is_empty() {
            Vec::new()
        } else {
            serde_json::to_vec(&self.metadata).unwrap_or_default()
        };
        Listing {
            created_at_ms: self.created_at_ms,
            agent: self.request.agent.clone(),
            native: self.native_session_id.clone(),
            key: self.created_by.as_ref().map(|creation| creation.key.clone()),
            labels: labels.into(),
            active: activity == Activity::UnderWay,
        }
    }

    /// Returns the state that clients see while so many messages wait.
    pub(crate) fn shown_state(&self, queued: usize) -> SessionState {
        match self.state {
            // A message that was accepted is as good as begun: a client that sees `idle` may take the turn for done.
            SessionState::Idle if queued > 0 => SessionState::Running,
            state => state,
        }
    }

    /// Returns the session as clients see it.
    pub(crate) fn describe(&self, id: &str, view: View) -> Session {
        Session {
            session_id: id.to_owned(),
            healthy: self.error.is_none(),
            error: self.error.clone(),
            agent: self.request.agent.clone(),
            agent_version: self.request.agent_version.clone(),
            agent_mode: self.agent_mode.clone(),
            permission_mode: self.permission_mode,
            model: self.model.clone(),
            variant: self.variant.clone(),
            options: self.options.clone(),
            cwd: self.cwd.clone(),
            title: self.title.clone(),
            metadata: self.metadata.clone(),
            created_at: Timestamp::from_millis(self.created_at_ms),
            updated_at: Timestamp::from_millis(self.updated_at_ms),
            state: self.shown_state(view.queue.len()),
            turn: self.turn.clone(),
            queued: view.queue.len(),
            queue: view.queue,
            queue_held: self.queue_held,
            questions: self.questions.iter().map(|question| question.request.clone()).collect(),
            permissions: self.permissions.clone(),
            usage: self.usage.clone(),
            choices: (view.detail == Detail::Full).then(|| sa_universal::shown_choices(&self.choices)),
            native_session_id: self.native_session_id.clone(),
            forked_from: self.forked_from.clone(),
            last_event_id: view.ends.last,
            oldest_event_id: view.ends.oldest,
            webhook: view.webhook,
        }
    }
}

/// The part of a description that is not in the record.
#[derive(Debug, Clone, Default)]
pub(crate) struct View {
    pub(crate) queue: Vec<QueuedMessage>,
    pub(crate) ends: Ends,
    pub(crate) webhook: Option<WebhookStatus>,
    pub(crate) detail: Detail,
}

/// The parts of a session that a description has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Detail {
    /// All of it.
    #[default]
    Full,
    /// All but `choices`, which is most of it.
    Brief,
}

/// Returns the listing of a session by its record, for stores from before there were listings. The first start with one looks at all
/// sessions that have not ended.
pub fn stored_listing(record: &[u8]) -> Option<Listing> {
    let record = Record::from_bytes(record).ok()?;
    Some(record.listing(record.activity()))
}

fn yes() -> bool {
    true
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    #[test]
    fn records_of_earlier_versions_are_read() {
        let request: CreateSession = serde_json::from_value(json!({"agent": "demo"})).unwrap();
        let mut old: Value =
            serde_json::from_slice(&Record::new(request, "/".to_owned(), 7).to_bytes()).unwrap();
        old.as_object_mut().unwrap().remove("begun");
        old["turn"] = json!({"turnId": "t", "startedAtMs": 8, "cancelling": false});
        old["permissions"] = json!([{
            "id": "p", "toolCallId": "c", "title": "x", "kind": "edit", "options": [], "expiresAtMs": 9,
        }]);
        let record = Record::from_bytes(old.to_string().as_bytes()).unwrap();
        assert!(record.begun && record.error.is_none() && !record.queue_held);
        assert_eq!(record.turn.map(|turn| turn.turn_id).as_deref(), Some("t"));
        assert_eq!(record.permissions.len(), 1);
    }
}
