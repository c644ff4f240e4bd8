//! Requests of the agent that wait for a decision, and the decisions of late.

use crate::agent::withdrawn_request;
use crate::{SessionError, Verdict};
use sa_jsonrpc::Id;
use serde_json::value::RawValue;
use std::collections::VecDeque;
use std::time::Instant;

/// Decisions that are remembered for clients that come too late.
const DECIDED: usize = 1024;

/// Maximum number of requests of one agent that wait for a decision. All of them are stored with each change of the session.
pub(super) const MAX_OPEN: usize = 256;

#[derive(Default)]
pub(super) struct Asks {
    open: Vec<OpenAsk>,
    /// The session's log says that requests of this agent are refused.
    is_overflow_reported: bool,
    /// The newest last.
    decided: VecDeque<Verdict>,
}

/// A question or permission for which the agent waits.
pub(super) struct OpenAsk {
    pub(super) id: String,
    /// The JSON of the id under which the agent waits.
    pub(super) request: String,
    pub(super) deadline: Option<Instant>,
    /// The agent's name for the visit to an address that it waits for.
    pub(super) visit: Option<String>,
}

impl Asks {
    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Returns whether there is no room for another request.
    pub(super) fn is_full(&self) -> bool {
        self.open.len() >= MAX_OPEN
    }

    /// Returns whether requests are refused for lack of room for the first time.
    pub(super) fn is_new_overflow(&mut self) -> bool {
        !std::mem::replace(&mut self.is_overflow_reported, true)
    }

    pub(super) fn add(&mut self, ask: OpenAsk) {
        self.open.push(ask);
    }

    /// Takes out the ask of that id; none if its agent has gone.
    pub(super) fn take(&mut self, id: &str) -> Option<OpenAsk> {
        let position = self.open.iter().position(|ask| ask.id == id)?;
        Some(self.open.swap_remove(position))
    }

    /// Drops all of them: the agent has gone.
    pub(super) fn clear(&mut self) {
        self.open.clear();
        self.is_overflow_reported = false;
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.open.iter().filter_map(|ask| ask.deadline).min()
    }

    /// Returns what nobody has decided in time.
    pub(super) fn due(&self, now: Instant) -> Vec<String> {
        let due = self.open.iter().filter(|ask| ask.deadline.is_some_and(|deadline| deadline <= now));
        due.map(|ask| ask.id.clone()).collect()
    }

    /// Returns the ask that a `$/cancel_request` names.
    pub(super) fn withdrawn(&self, params: &RawValue) -> Option<String> {
        let request = withdrawn_request(params)?;
        let ask = self.open.iter().find(|ask| Id::from_json(&ask.request).as_ref() == Some(&request))?;
        Some(ask.id.clone())
    }

    /// Returns the ask that waits for that visit.
    pub(super) fn visiting(&self, visit: &str) -> Option<String> {
        let ask = self.open.iter().find(|ask| ask.visit.as_deref() == Some(visit))?;
        Some(ask.id.clone())
    }

    pub(super) fn remember(&mut self, verdict: Verdict) {
        if self.decided.len() == DECIDED {
            self.decided.pop_front();
        }
        self.decided.push_back(verdict);
    }

    /// Forgets the decision on something that is asked again.
    pub(super) fn reopen(&mut self, id: &str) {
        self.decided.retain(|verdict| verdict.id() != id);
    }

    /// Returns why nothing of this id can be decided: it was lately, or it is not known here.
    pub(super) fn not_open(&self, id: &str) -> SessionError {
        match self.decided.iter().rev().find(|verdict| verdict.id() == id) {
            Some(verdict) => SessionError::Resolved(Box::new(verdict.clone())),
            None => SessionError::NotAsked(id.to_owned()),
        }
    }
}
