//! How the agent's own session comes to be: new, forked, or the one from before.

use super::{Link, Owner};
use crate::agent::{AgentFailure, Connection, LINE, Slot};
use crate::history;
use sa_api::sessions::{Continuity, ContinuityKind, EventData, SessionState, Started};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::mpsc;

impl Owner {
    /// Makes sure that there is an agent with an open session, with all that was chosen for it.
    pub(super) async fn ensure_agent(&mut self) -> Result<(), AgentFailure> {
        if self.link.as_ref().is_some_and(|link| link.ready && !link.connection.is_ended()) {
            return Ok(());
        }
        self.leave_agent();
        self.given_up = false;
        if self.record.state != SessionState::Starting {
            self.record.state = SessionState::Starting;
            self.draft.touch();
            self.commit().await;
        }
        let opened = self.start_agent().await;
        self.given_up = false;
        if opened.is_err() {
            self.leave_agent();
        }
        self.settle();
        opened
    }

    async fn start_agent(&mut self) -> Result<(), AgentFailure> {
        let surroundings = self.prepare_surroundings().await?;
        let (slot, connection) = self.connect().await?;
        let (line, incoming) = mpsc::channel(LINE);
        let mcp = self.usable_servers(surroundings, &connection);
        self.link = Some(Link { _slot: slot, connection, line, incoming, ready: false, allow_all: false });
        let continuity = self.open_session(&mcp).await?;
        self.apply_settings().await?;
        let Some(link) = &mut self.link else { return Err(AgentFailure::Ended(Default::default())) };
        link.ready = true;
        self.draft.event(EventData::Started(Started {
            agent_version: link.connection.agent_version(),
            cwd: self.record.cwd.clone(),
            forked_from: self.record.forked_from.clone(),
        }));
        if let Some(continuity) = continuity {
            self.draft.event(EventData::Continuity(continuity));
        }
        Ok(())
    }

    /// A process of the agent's, installed first if need be. Cancelling the turn ends the waiting.
    async fn connect(&mut self) -> Result<(Arc<Slot>, Connection), AgentFailure> {
        let parts = Arc::clone(&self.parts);
        let request = self.record.request.clone();
        let spec = parts.agent(&request.agent)?;
        let env = self.env.clone();
        let connecting = parts.pool.connect(spec, request.agent_version.as_deref(), &env);
        tokio::pin!(connecting);
        loop {
            tokio::select! {
                connected = &mut connecting => return connected,
                Some(urgent) = self.urgent.recv() => self.urgent(urgent).await,
            }
            if self.given_up {
                return Err(AgentFailure::GivenUp);
            }
        }
    }

    async fn open_session(&mut self, mcp: &[Value]) -> Result<Option<Continuity>, AgentFailure> {
        let Some(native) = self.record.native_session_id.clone() else {
            match self.record.fork_of.clone() {
                Some(parent) => self.fork_session(&parent, mcp).await?,
                None => self.new_session(mcp).await?,
            }
            return Ok(None);
        };
        let refused = match self.reopen_session(&native, mcp).await {
            Ok(()) => return Ok(Some(Continuity { kind: ContinuityKind::Native, reason: None })),
            Err(failure @ (AgentFailure::Refused { .. } | AgentFailure::Unsupported(_))) => failure,
            Err(failure) => return Err(failure),
        };
        if refused.needs_credentials() {
            return Err(refused);
        }
        if let Some(link) = &self.link {
            link.connection.release(&native);
        }
        self.new_session(mcp).await?;
        let current = self.turn_id();
        self.history =
            history::of(&self.shared.log, current.as_deref(), self.parts.limits.replay_bytes).await;
        let kind = match &self.history {
            history::History::Nothing => return Ok(None),
            history::History::Text(_) => ContinuityKind::Replayed,
            history::History::Unreadable => ContinuityKind::Lost,
        };
        Ok(Some(Continuity { kind, reason: Some(refused.to_string()) }))
    }

    async fn new_session(&mut self, mcp: &[Value]) -> Result<(), AgentFailure> {
        let params = json!({ "cwd": self.record.cwd, "mcpServers": mcp });
        let result = self.call("session/new", &params, true, self.parts.limits.start()).await?;
        self.opened("session/new", &result)
    }

    async fn fork_session(&mut self, parent: &str, mcp: &[Value]) -> Result<(), AgentFailure> {
        let can = self.greeting().is_some_and(|can| can.session_capabilities.fork.is_some());
        if !can {
            let agent = &self.record.request.agent;
            return Err(AgentFailure::Unsupported(format!("agent '{agent}' cannot fork sessions")));
        }
        let params = json!({ "sessionId": parent, "cwd": self.record.cwd, "mcpServers": mcp });
        let result = self.call("session/fork", &params, true, self.parts.limits.start()).await?;
        self.opened("session/fork", &result)
    }

    /// Goes on with the session from before. Where the agent can only load it, it tells the whole history again,
    /// which is in the log already.
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
        if let Some(link) = &self.link {
            link.connection.adopt(native, link.line.clone());
        }
        let params = json!({ "sessionId": native, "cwd": self.record.cwd, "mcpServers": mcp });
        self.reducer.quiet(true);
        let outcome = self.call(method, &params, false, self.parts.limits.start()).await;
        self.reducer.quiet(false);
        let events = self.reducer.session_opened(&outcome?);
        self.note(events);
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
        self.record.native_session_id = Some(opened.session_id);
        let events = self.reducer.session_opened(result);
        self.note(events);
        Ok(())
    }

    fn greeting(&self) -> Option<crate::agent::AgentCapabilities> {
        self.link.as_ref().map(|link| link.connection.greeting().agent_capabilities.clone())
    }
}
