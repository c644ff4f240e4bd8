//! New sessions: what a request asks for is checked, stored, and started.
//!
//! ```text
//!   request ──► checked ──► stored ──► agent started ──► healthy
//!      │ bad value              │ the agent does not have it      │ any other failure
//!      ▼                        ▼                                 ▼
//!   refused             deleted, refused              kept; the same request tries again
//! ```

use crate::agent::AgentFailure;
use crate::error::Result;
use crate::handle::{SessionHandle, check_key};
use crate::log::Ends;
use crate::policy::Policy;
use crate::record::{Activity, CreationKey, Record};
use crate::registry::Purpose;
use crate::shared::Shared;
use crate::taking_up::Arrival;
use crate::{SessionError, Sessions, webhooks};
use sa_agents::TokenVariable;
use sa_api::Timestamp;
use sa_api::sessions::{CreateSession, Session};
use sa_hub::ServerId;
use sa_store::Change;
use std::collections::BTreeMap;
use std::sync::Arc;
use uuid::Uuid;

/// Longest name of an MCP server or a set of skills.
const NAME_CHARS: usize = 128;

/// A session that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Creation {
    /// The session is new.
    New(Session),
    /// The session was there.
    Known(Session),
}

/// A request that was checked.
struct Checked {
    record: Record,
    /// Variables for the agent's process alone.
    env: BTreeMap<String, String>,
}

impl Sessions {
    /// Creates a session and starts its agent. The session stays if the agent does not start, unless that is because the agent
    /// does not have what the request asks for. A session whose agent has never started is given the settings of this request.
    pub async fn create(&self, id: &str, request: CreateSession) -> Result<Creation> {
        self.create_by(id, request, None).await
    }

    /// Creates a session under a new id. The same request under the same key creates one session.
    pub async fn create_minted(&self, request: CreateSession, key: Option<String>) -> Result<Creation> {
        check_key(key.as_deref())?;
        let new_id = || Uuid::now_v7().to_string();
        let Some(key) = key else { return self.create_by(&new_id(), request, None).await };
        let creation = CreationKey::new(key, &request);
        let is_same = |digest: &String| match *digest == creation.digest {
            true => Ok(()),
            false => Err(SessionError::KeyReused),
        };
        // Once an equal request that is under way has ended, the store knows what became of it.
        let creations = &self.inner().creations;
        let _reserved = creations.reserve(&creation.key, creation.digest.clone(), is_same).await?;
        let known = self.created_with(&creation).await?;
        let id = known.map_or_else(new_id, |known| known.id().to_owned());
        match self.create_by(&id, request, Some(creation.clone())).await {
            Err(SessionError::Exists(_)) => Ok(Creation::Known(self.get(&id).await?.describe())),
            created => created,
        }
    }

    /// Returns the session that the same request has created under the same key.
    async fn created_with(&self, creation: &CreationKey) -> Result<Option<SessionHandle>> {
        let Some(id) = self.store().session_with_key(&creation.key).await? else {
            return Ok(None);
        };
        let session = match self.get(&id).await {
            Ok(session) => session,
            // Deleted meanwhile.
            Err(SessionError::Unknown(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        if session.0.peek(|record| record.created_by.as_ref() != Some(creation)) {
            return Err(SessionError::KeyReused);
        }
        Ok(Some(session))
    }

    async fn create_by(
        &self,
        id: &str,
        request: CreateSession,
        key: Option<CreationKey>,
    ) -> Result<Creation> {
        check_id(id)?;
        let mut checked = self.check(request).await?;
        checked.record.created_by = key;
        match self.make(id, &checked).await {
            Ok(session) => self.start_new(&session).await,
            Err(SessionError::Exists(id)) => self.create_again(&id, checked).await,
            Err(error) => Err(error),
        }
    }

    /// Starts the agent of a session that was not there before.
    async fn start_new(&self, session: &SessionHandle) -> Result<Creation> {
        match session.start().await {
            Err(failure) if failure.is_bad_choice() => {
                self.delete(session.id()).await?;
                Err(rejected(failure))
            }
            started => Ok(Creation::New(describe(session, started))),
        }
    }

    /// Starts the agent of a session again that has never started, with other settings. Settings that are refused leave it as it
    /// was.
    async fn create_again(&self, id: &str, mut checked: Checked) -> Result<Creation> {
        let old = self.get(id).await.map_err(|_| SessionError::Exists(id.to_owned()))?;
        let before = Checked { record: old.0.record(), env: old.0.state().env.clone() };
        checked.record.created_at_ms = before.record.created_at_ms;
        checked.record.created_by = checked.record.created_by.or_else(|| before.record.created_by.clone());
        checked.record.runs = before.record.runs;
        let session = self.replace(&old, checked).await?;
        match session.start().await {
            Err(failure) if failure.is_bad_choice() => {
                // The session stays as it is if another client has sent it a message meanwhile.
                let _ = self.replace(&session, before).await;
                Err(rejected(failure))
            }
            started => Ok(Creation::Known(describe(&session, started))),
        }
    }

    /// Gives a session that has never started another record and another owner. Its log stays; readers connect again.
    async fn replace(&self, old: &SessionHandle, new: Checked) -> Result<SessionHandle> {
        let id = old.id();
        let exists = || SessionError::Exists(id.to_owned());
        match old.relinquish().await {
            Ok(()) => {}
            // Another request was faster.
            Err(SessionError::ShuttingDown | SessionError::Ended) if !self.inner().stop.is_cancelled() => {
                return Err(exists());
            }
            Err(error) => return Err(error),
        }
        let shared: &Arc<Shared> = &old.0;
        shared.stopped.cancelled().await;
        // A session that is being deleted is not made again, and one that is made again is not deleted meanwhile.
        if !shared.deletion.begin() {
            return Err(exists());
        }
        let listing = new.record.listing(Activity::UnderWay);
        let change = Change {
            record: Some(new.record.to_bytes()),
            listing: Some(listing.clone()),
            ended: Some(false),
            ..Change::default()
        };
        if let Err(error) = self.store().commit(id, change).await {
            self.take_back(id, shared, &error).await;
            return Err(error.into());
        }
        let ends = Ends { closed: false, ..shared.log.ends() };
        let webhook = new.record.request.webhook.as_ref();
        let same = shared.peek(|record| record.request.webhook.as_ref() == webhook);
        let known = shared.state().webhook.clone().filter(|_| same);
        let webhook = webhook.map(|webhook| known.unwrap_or_else(|| webhooks::fresh(webhook)));
        shared.deletion.end(Ok(()));
        shared.deleted.cancel();
        shared.log.close();
        let Checked { record, env } = new;
        Ok(SessionHandle(self.adopt(id, Arrival { record, ends, env, webhook, listing })))
    }

    /// A session with that record, which must be new.
    async fn make(&self, id: &str, checked: &Checked) -> Result<SessionHandle> {
        self.check_new(id).await?;
        let _reserved = self.registry().reserve(id, Purpose::Making).await;
        let (record, env) = (checked.record.clone(), checked.env.clone());
        let listing = record.listing(Activity::UnderWay);
        if !self.store().create(id, record.to_bytes(), listing.clone()).await? {
            return Err(SessionError::Exists(id.to_owned()));
        }
        let webhook = record.request.webhook.as_ref().map(webhooks::fresh);
        let ends = Ends { oldest: 1, last: 0, closed: false };
        Ok(SessionHandle(self.adopt(id, Arrival { record, ends, env, webhook, listing })))
    }

    /// Checks whether there may be a session of that id next to those that exist.
    pub(crate) async fn check_new(&self, id: &str) -> Result<()> {
        check_id(id)?;
        if self.inner().stop.is_cancelled() {
            return Err(SessionError::ShuttingDown);
        }
        let store = self.store();
        if self.registry().find(id).is_some() || store.has_session(id).await? {
            return Err(SessionError::Exists(id.to_owned()));
        }
        let count = usize::try_from(store.stats().sessions).unwrap_or(usize::MAX);
        if count >= self.inner().parts.options.limits.max {
            return Err(SessionError::TooMany(count));
        }
        Ok(())
    }

    /// Checks everything that can be checked without the agent.
    async fn check(&self, request: CreateSession) -> Result<Checked> {
        let bad = SessionError::BadValue;
        self.inner().parts.agent(&request.agent).map_err(|unknown| bad(format!("agent: {unknown}")))?;
        let cwd = self.directory(request.cwd.as_deref())?;
        check_variables(&request.env).map_err(bad)?;
        check_names("mcp", request.mcp.keys())?;
        check_names("skills", request.skills.keys())?;
        Policy::new(&request.policy).map_err(bad)?;
        if let Some(webhook) = &request.webhook {
            webhooks::check(webhook)?;
        }
        let mut env = request.env.clone();
        let mut record = Record::new(request.clone(), cwd, Timestamp::now().as_millis());
        let table = self.inner().parts.mode_table(&request.agent);
        sa_universal::check_agent_mode(&table, &record.agent_mode, record.permission_mode)
            .map_err(|looser| AgentFailure::Unsupported(looser.to_string()))?;
        let token_variable = self.credential_of(&request).await?;
        if let Some((variable, token)) = &token_variable {
            variable.give(token, &mut env);
        }
        record.variables = env.keys().cloned().collect();
        record.token_variable = token_variable.map(|(variable, _)| variable.variable);
        Ok(Checked { record, env })
    }

    /// The credential of the session's own, if it has one, with the variable in which its agent takes it.
    async fn credential_of(&self, request: &CreateSession) -> Result<Option<(TokenVariable, String)>> {
        let Some(token) = &request.token else {
            if request.validate_token {
                return Err(SessionError::BadValue("validateToken needs a token".to_owned()));
            }
            return Ok(None);
        };
        let parts = &self.inner().parts;
        let variable = parts.token_variable(&request.agent)?.for_model(request.model.as_deref());
        if request.validate_token {
            parts.validate(&variable, token, &request.env).await?;
        }
        Ok(Some((variable, token.clone())))
    }

    /// The directory that a session works in: absolute, and there.
    fn directory(&self, asked: Option<&str>) -> Result<String> {
        let workspace = &self.inner().parts.options.workspace;
        let path = asked.map_or_else(|| workspace.clone(), |asked| workspace.join(asked));
        if !path.is_dir() {
            return Err(SessionError::BadValue(format!(
                "cwd: directory '{}' does not exist",
                path.display()
            )));
        }
        let text = path.to_str().map(str::to_owned);
        text.ok_or_else(|| {
            SessionError::BadValue("cwd: agents take only directories whose names are UTF-8".to_owned())
        })
    }
}

/// Returns the session as it is after an attempt to start its agent. An attempt that was cut short says nothing of the agent, so
/// only this answer has it.
fn describe(session: &SessionHandle, started: Result<(), AgentFailure>) -> Session {
    let mut described = session.describe();
    if let Err(failure) = started {
        described.healthy = false;
        described.error.get_or_insert_with(|| failure.to_api());
    }
    described
}

/// The same as a refusal of what the request asked for.
fn rejected(failure: AgentFailure) -> SessionError {
    match failure {
        AgentFailure::Call(error) if error.is_bad_version() => {
            SessionError::BadValue(format!("agentVersion: {error}"))
        }
        other => other.into(),
    }
}

/// Refuses names that no environment can hold.
pub(crate) fn check_variables(env: &BTreeMap<String, String>) -> Result<(), String> {
    for (name, value) in env {
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(format!("env: invalid variable name '{}'", name.escape_debug()));
        }
        if value.contains('\0') {
            return Err(format!("env: the value of '{name}' has a NUL character"));
        }
    }
    Ok(())
}

/// Refuses names that the configuration of a directory cannot have either.
fn check_names<'a>(member: &str, names: impl Iterator<Item = &'a String>) -> Result<()> {
    for name in names {
        if name.is_empty() || name.chars().count() > NAME_CHARS || name.chars().any(char::is_control) {
            let name = name.escape_debug();
            return Err(SessionError::BadValue(format!(
                "{member}: invalid name '{name}': expected 1 to {NAME_CHARS} characters without control characters"
            )));
        }
    }
    Ok(())
}

/// Session ids are server ids that need no care in a path: no `.` or `..`, nothing that an option of a command could be.
fn check_id(id: &str) -> Result<()> {
    let fits = ServerId::parse(id).is_ok()
        && id.starts_with(|first: char| first.is_ascii_alphanumeric())
        // The address belongs to the operation.
        && id != "import";
    if fits { Ok(()) } else { Err(SessionError::BadId(id.to_owned())) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn session_ids_are_server_ids_that_begin_with_a_letter_or_digit() {
        for good in ["a", "7", "A-b_c.d~e:f@g", "import2", "x..y", &"a".repeat(128)] {
            assert!(check_id(good).is_ok(), "{good}");
        }
        for bad in ["", ".", "..", "-a", "@a", "import", "a/b", "a b", "ä", "a%2e", "a\n", &"a".repeat(129)]
        {
            assert!(check_id(bad).is_err(), "{bad}");
        }
    }
}
