//! The agent's own session: new, forked, or the one from before.

use super::machine::Machine;
use super::phase::{AgentInUse, Connected, StartRequest, Step, Way};
use super::turn::Turn;
use super::{Effect, Job};
use crate::agent::{AgentFailure, Opens, opened_session};
use crate::history::History;
use crate::record::HistoryReplay;
use sa_api::sessions::{Continuity, ContinuityKind, EventData, Started};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::time::Duration;

/// Pauses in milliseconds before a session that another process still holds is opened again.
const BUSY_MS: [u64; 5] = [100, 300, 600, 1000, 2000];

type Outcome = Result<Box<RawValue>, AgentFailure>;

impl Machine {
    pub(super) fn open_session(&mut self, start: StartRequest, agent: Connected) {
        match (self.record.native_session_id.clone(), self.record.fork_of.clone()) {
            (Some(native), _) => self.reopen_session(start, agent, native, 0),
            (None, Some(parent)) if self.record.history_replay == HistoryReplay::Done => {
                self.fork_session(start, agent, &parent)
            }
            (None, _) => self.new_session(start, agent, None),
        }
    }

    fn new_session(&mut self, start: StartRequest, agent: Connected, lost: Option<String>) {
        let params = json!({ "cwd": self.record.cwd, "mcpServers": agent.mcp });
        self.reducer.begin_session();
        self.call_opening(start, agent, "session/new", params, Opens::New, Way::New { lost });
    }

    fn fork_session(&mut self, start: StartRequest, agent: Connected, parent: &str) {
        if agent.link.agent.capabilities.session_capabilities.fork.is_none() {
            let name = &self.record.request.agent;
            let failure = AgentFailure::Unsupported(format!("agent '{name}' cannot fork sessions"));
            return self.fail_connected(start, None, failure);
        }
        let params = json!({ "sessionId": parent, "cwd": self.record.cwd, "mcpServers": agent.mcp });
        self.call_opening(start, agent, "session/fork", params, Opens::New, Way::Fork);
    }

    /// Continues the session from before. An agent that can only load it repeats the whole history, which the log already has.
    fn reopen_session(&mut self, start: StartRequest, agent: Connected, native: String, retries: usize) {
        let can = &agent.link.agent.capabilities;
        let method = match (can.session_capabilities.resume.is_some(), can.load_session) {
            (true, _) => "session/resume",
            (false, true) => "session/load",
            (false, false) => {
                let reason = "the agent can neither resume nor load sessions".to_owned();
                return self.new_session(start, agent, Some(reason));
            }
        };
        self.effect(Effect::Adopt(native.clone()));
        let params = json!({ "sessionId": native, "cwd": self.record.cwd, "mcpServers": agent.mcp });
        self.reducer.quiet(true);
        self.call_opening(start, agent, method, params, Opens::Known(native), Way::Reopen { retries });
    }

    /// Sends the request that opens a session. If the session has rules, a built-in agent asks about everything that it would
    /// allow by itself.
    fn call_opening(
        &mut self,
        start: StartRequest,
        agent: Connected,
        method: &'static str,
        mut params: Value,
        opens: Opens,
        way: Way,
    ) {
        if self.policy.has_rules() {
            params["_meta"] = json!({ "sandboxAgent": { "askAll": true } });
        }
        let call = self.call(method, params, opens, self.limits.start());
        self.continue_start(start, Step::Opening { agent, way, call });
    }

    pub(super) fn on_start_answer(&mut self, start: StartRequest, step: Step, outcome: Outcome) {
        match step {
            Step::Opening { agent, way: Way::Reopen { retries }, .. } => {
                self.reducer.quiet(false);
                self.on_reopened(start, agent, retries, outcome);
            }
            Step::Opening { agent, way, call } => self.on_opened(start, agent, way, call.method, outcome),
            Step::Configuring { mut link, mut applying } => {
                let progress = self.next_setting(&mut applying, &mut link, outcome);
                self.on_configured(start, link, applying, progress);
            }
            step => self.continue_start(start, step),
        }
    }

    fn on_reopened(&mut self, start: StartRequest, agent: Connected, retries: usize, outcome: Outcome) {
        match outcome {
            Ok(result) => {
                self.report_started(&agent.link, &result);
                if self.record.history_replay == HistoryReplay::Due {
                    return self.remember(start, agent.link, None);
                }
                let continuity = Continuity { kind: ContinuityKind::Native, reason: None };
                self.draft.event(EventData::Continuity(continuity));
                self.configure(start, agent.link);
            }
            Err(busy) if busy.is_session_busy() && retries < BUSY_MS.len() => {
                tracing::debug!(session = %self.id, %busy, "trying again");
                let until = self.now.instant + Duration::from_millis(BUSY_MS[retries]);
                self.continue_start(start, Step::Pausing { agent, retries: retries + 1, until });
            }
            Err(lost) if lost.is_session_lost() => self.new_session(start, agent, Some(lost.to_string())),
            // The session may be there the next time.
            Err(failure) => self.fail_connected(start, None, failure),
        }
    }

    pub(super) fn on_pause_over(&mut self) {
        let Some((start, step)) = self.take_start() else { return };
        let Step::Pausing { agent, retries, .. } = step else { return self.continue_start(start, step) };
        let native = self.record.native_session_id.clone().unwrap_or_default();
        self.reopen_session(start, agent, native, retries);
    }

    fn on_opened(&mut self, start: StartRequest, agent: Connected, way: Way, method: &str, outcome: Outcome) {
        let opened = outcome.and_then(|result| {
            let native = opened_session(&result).map_err(|error| AgentFailure::nonsense(method, &error))?;
            Ok((native, result))
        });
        let (native, result) = match opened {
            Ok(opened) => opened,
            Err(failure) => return self.fail_connected(start, None, failure),
        };
        self.effect(Effect::Adopt(native.clone()));
        self.record.native_session_id = Some(native);
        self.report_started(&agent.link, &result);
        let lost = match way {
            Way::New { lost } => {
                self.record.unanswered.clear();
                lost
            }
            Way::Fork | Way::Reopen { .. } => None,
        };
        if lost.is_some() {
            self.record.history_replay = HistoryReplay::Due;
        }
        self.remember(start, agent.link, lost);
    }

    fn report_started(&mut self, link: &AgentInUse, result: &RawValue) {
        self.draft.event(EventData::Started(Started {
            agent_version: link.agent.version.clone(),
            cwd: self.record.cwd.clone(),
            forked_from: self.record.forked_from.clone(),
        }));
        let events = self.reducer.session_opened(result);
        self.note(events);
    }

    /// Has the conversation read that the agent does not know.
    fn remember(&mut self, start: StartRequest, link: AgentInUse, reason: Option<String>) {
        if self.record.history_replay == HistoryReplay::Done {
            return self.configure(start, link);
        }
        self.effect(Effect::Start(Job::ReadHistory { current_turn: self.turn.id() }));
        self.continue_start(start, Step::Remembering { link, reason });
    }

    pub(super) fn on_history_read(&mut self, history: History) {
        match self.take_start() {
            Some((start, Step::Remembering { link, reason })) => {
                let kind = match &history {
                    History::Nothing => None,
                    History::Text(_) => Some(ContinuityKind::Replayed),
                    History::Unreadable => Some(ContinuityKind::Lost),
                };
                self.record.history_replay = HistoryReplay::from(kind.is_some());
                self.history = history;
                if let Some(kind) = kind {
                    self.draft.event(EventData::Continuity(Continuity { kind, reason }));
                }
                self.configure(start, link);
            }
            Some((start, step)) => self.continue_start(start, step),
            None => match std::mem::replace(&mut self.turn, Turn::None) {
                Turn::Recalling(message) => {
                    self.history = history;
                    self.prompt(message);
                }
                other => self.turn = other,
            },
        }
    }
}
