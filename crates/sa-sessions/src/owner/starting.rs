//! How the agent's own session comes to be: new, forked, or the one from before.

use super::{Link, Owner, ShownServer};
use crate::agent::{AgentFailure, LINE, Opens, Process};
use crate::history::{self, History};
use sa_api::sessions::{Continuity, ContinuityKind, EventData, SessionState, Started};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// Pauses in milliseconds before a session that another process still holds is opened again.
const BUSY_MS: [u64; 5] = [100, 300, 600, 1000, 2000];

impl Owner {
    /// Makes sure that there is an agent with an open session, with all that was chosen for it.
    pub(super) async fn ensure_agent(&mut self) -> Result<(), AgentFailure> {
        self.notice_end();
        if self.link.as_ref().is_some_and(|link| link.ready) {
            return Ok(());
        }
        self.leave_agent();
        self.given_up = false;
        if self.gives_up() {
            return Err(AgentFailure::GivenUp);
        }
        self.exit_told = false;
        if self.record.state != SessionState::Starting {
            self.record.state = SessionState::Starting;
            self.draft.touch();
            self.commit().await;
        }
        let mut opened = self.start_agent().await;
        // The program may be gone with which a process was started that other sessions use.
        if let Err(failure) = &opened
            && failure.is_spawn_failure()
            && self.link.as_ref().is_some_and(|link| link.joined)
        {
            self.retire_process();
            self.abandon_start().await;
            opened = self.start_agent().await;
        }
        let opened = opened.map_err(|failure| self.advise(failure));
        if opened.is_err() {
            self.abandon_start().await;
        }
        self.note_health(&opened);
        self.given_up = false;
        self.resting = false;
        self.settle();
        opened
    }

    async fn start_agent(&mut self) -> Result<(), AgentFailure> {
        self.check_environment()?;
        let servers = self.prepare_surroundings().await?;
        let Process { slot, connection, joined } = self.connect().await?;
        let (line, incoming) = mpsc::channel(LINE);
        let mcp = self.usable_servers(servers, &connection);
        self.link = Some(Link {
            _shown: ShownServer::new(&self.shared, connection.server_id()),
            slot,
            connection,
            line,
            incoming,
            joined,
            native: None,
            open: false,
            ready: false,
            allow_all: false,
        });
        self.record.runs += 1;
        let events = self.reducer.begin_run(self.record.runs);
        self.note(events);
        if let Some(continuity) = self.open_session(&mcp).await? {
            self.draft.event(EventData::Continuity(continuity));
        }
        self.apply_settings().await?;
        self.tell_choices();
        let Some(link) = &mut self.link else { return Err(AgentFailure::Ended(Default::default())) };
        link.ready = true;
        self.record.begun = true;
        Ok(())
    }

    /// Notes whether the agent could be started, for everyone who looks at the session.
    fn note_health(&mut self, opened: &Result<(), AgentFailure>) {
        let error = match opened {
            Ok(()) => None,
            // Nobody knows whether it would have started.
            Err(AgentFailure::GivenUp) => return,
            Err(failure) => Some(failure.to_api()),
        };
        if self.record.error != error {
            self.record.error = error;
            self.draft.touch();
        }
    }

    /// Adds to a failure for lack of credentials how a client of the API can give them.
    pub(super) fn advise(&self, failure: AgentFailure) -> AgentFailure {
        let needs_credentials = failure.needs_credentials();
        match failure {
            AgentFailure::Refused { method, message, code, data } if needs_credentials => {
                let takes_token = self.parts.token_variable(&self.record.request.agent).is_ok();
                let member = if takes_token { "token" } else { "env" };
                let id = &self.shared.id;
                let message = format!(
                    "{message}; over HTTP: give `{member}` when creating the session, or PATCH /v1/sessions/{id} with `{member}`"
                );
                AgentFailure::Refused { method, message, code, data }
            }
            other => other,
        }
    }

    /// A process of the agent's, installed first if need be.
    async fn connect(&mut self) -> Result<Process, AgentFailure> {
        let parts = Arc::clone(&self.parts);
        let request = self.record.request.clone();
        let mut spec = parts.agent(&request.agent)?;
        // Not in `env`, by which sessions find a process to share.
        spec.env.extend(self.trace.as_ref().map(super::spans::variables_of).unwrap_or_default());
        let env = self.env.clone();
        let connecting = parts.pool.connect(spec, request.agent_version.as_deref(), &env);
        self.unless_given_up(connecting).await
    }

    /// Has the agent's process take no new sessions.
    pub(super) fn retire_process(&self) {
        if let Some(link) = &self.link {
            link.slot.retire();
        }
    }

    async fn open_session(&mut self, mcp: &[Value]) -> Result<Option<Continuity>, AgentFailure> {
        let mut reason = None;
        match (self.record.native_session_id.clone(), self.record.fork_of.clone()) {
            (Some(native), _) => match self.reopen_when_free(&native, mcp).await {
                Ok(()) if !self.record.owes_history => {
                    return Ok(Some(Continuity { kind: ContinuityKind::Native, reason: None }));
                }
                Ok(()) => {}
                Err(lost) if lost.is_session_lost() => {
                    self.new_session(mcp).await?;
                    self.record.owes_history = true;
                    reason = Some(lost.to_string());
                }
                // The session may be there the next time.
                Err(failure) => return Err(failure),
            },
            (None, Some(parent)) if !self.record.owes_history => self.fork_session(&parent, mcp).await?,
            (None, _) => self.new_session(mcp).await?,
        }
        Ok(self.remember_history().await.map(|kind| Continuity { kind, reason }))
    }

    /// Makes ready what the agent has to be told of the conversation, if it does not know it by itself.
    async fn remember_history(&mut self) -> Option<ContinuityKind> {
        if !self.record.owes_history {
            return None;
        }
        let current = self.turn_id();
        self.history =
            history::of(&self.shared.log, current.as_deref(), self.parts.limits.replay_bytes).await;
        match &self.history {
            History::Nothing => {
                self.record.owes_history = false;
                None
            }
            History::Text(_) => Some(ContinuityKind::Replayed),
            History::Unreadable => Some(ContinuityKind::Lost),
        }
    }

    /// Has a built-in agent ask about everything that it would allow by itself, if the session has rules.
    fn opening(&self, mut params: Value) -> Value {
        if self.policy.has_rules() {
            params["_meta"] = json!({ "sandboxAgent": { "askAll": true } });
        }
        params
    }

    async fn new_session(&mut self, mcp: &[Value]) -> Result<(), AgentFailure> {
        let params = self.opening(json!({ "cwd": self.record.cwd, "mcpServers": mcp }));
        self.reducer.begin_session();
        let result = self.call("session/new", &params, Opens::New, self.parts.limits.start()).await?;
        self.record.unanswered.clear();
        self.opened("session/new", &result)
    }

    async fn fork_session(&mut self, parent: &str, mcp: &[Value]) -> Result<(), AgentFailure> {
        let can = self.greeting().is_some_and(|can| can.session_capabilities.fork.is_some());
        if !can {
            let agent = &self.record.request.agent;
            return Err(AgentFailure::Unsupported(format!("agent '{agent}' cannot fork sessions")));
        }
        let params = self.opening(json!({ "sessionId": parent, "cwd": self.record.cwd, "mcpServers": mcp }));
        let result = self.call("session/fork", &params, Opens::New, self.parts.limits.start()).await?;
        self.opened("session/fork", &result)
    }

    /// Continues with the session from before, once no other process holds it.
    async fn reopen_when_free(&mut self, native: &str, mcp: &[Value]) -> Result<(), AgentFailure> {
        for pause in BUSY_MS.map(Duration::from_millis) {
            match self.reopen_session(native, mcp).await {
                Err(busy) if busy.is_session_busy() => {
                    tracing::debug!(session = %self.shared.id, %busy, "trying again");
                }
                outcome => return outcome,
            }
            self.unless_given_up(async move {
                tokio::time::sleep(pause).await;
                Ok(())
            })
            .await?;
        }
        self.reopen_session(native, mcp).await
    }

    /// Continues with the session from before. An agent that can only load it repeats the whole history, which the log has already.
    async fn reopen_session(&mut self, native: &str, mcp: &[Value]) -> Result<(), AgentFailure> {
        let Some(can) = self.greeting() else { return Err(AgentFailure::Ended(Default::default())) };
        let method = match (can.session_capabilities.resume.is_some(), can.load_session) {
            (true, _) => "session/resume",
            (false, true) => "session/load",
            (false, false) => {
                let reason = "the agent can neither resume nor load sessions".to_owned();
                return Err(AgentFailure::Unsupported(reason));
            }
        };
        if let Some(link) = &mut self.link {
            link.connection.adopt(native, link.line.clone());
            link.native = Some(native.to_owned());
        }
        let params = self.opening(json!({ "sessionId": native, "cwd": self.record.cwd, "mcpServers": mcp }));
        self.reducer.quiet(true);
        let opens = Opens::Known(native.to_owned());
        let outcome = self.call(method, &params, opens, self.parts.limits.start()).await;
        self.reducer.quiet(false);
        self.started(native, &outcome?);
        Ok(())
    }

    fn opened(&mut self, method: &str, result: &RawValue) -> Result<(), AgentFailure> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Opened {
            session_id: String,
        }
        let opened: Opened = serde_json::from_str(result.get()).map_err(|error| AgentFailure::Nonsense {
            method: method.to_owned(),
            reason: error.to_string(),
        })?;
        self.record.native_session_id = Some(opened.session_id.clone());
        self.started(&opened.session_id, result);
        Ok(())
    }

    /// Notes that the agent has a session, and then what it says of it.
    fn started(&mut self, native: &str, result: &RawValue) {
        if let Some(link) = &mut self.link {
            link.native = Some(native.to_owned());
            link.open = true;
        }
        self.draft.event(EventData::Started(Started {
            agent_version: self.link.as_ref().and_then(|link| link.connection.agent_version()),
            cwd: self.record.cwd.clone(),
            forked_from: self.record.forked_from.clone(),
        }));
        let events = self.reducer.session_opened(result);
        self.note(events);
    }

    fn greeting(&self) -> Option<crate::agent::AgentCapabilities> {
        self.link.as_ref().map(|link| link.connection.greeting().agent_capabilities.clone())
    }
}
