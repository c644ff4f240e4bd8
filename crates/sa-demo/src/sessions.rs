//! All sessions of the process, and whose turn it is.

use super::core::Core;
use super::session::Session;
use super::turn::{Progress, step};
use agent_client_protocol_schema::v1::{Error, ListSessionsRequest, ListSessionsResponse, SessionId};
use sa_acp::session_not_found;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// Sessions on one page of `session/list`.
const PAGE: usize = 20;

#[derive(Debug, Default)]
pub(super) struct Sessions {
    /// Those in memory, by id.
    all: BTreeMap<Arc<str>, Session>,
    /// Those that work on a prompt, the one to do its next action first.
    running: VecDeque<SessionId>,
}

impl Sessions {
    pub(super) fn insert(&mut self, session: Session) {
        self.all.insert(session.about.id.0.clone(), session);
    }

    pub(super) fn remove(&mut self, id: &SessionId) -> Option<Session> {
        self.all.remove(&id.0)
    }

    /// A session in memory, open or not.
    pub(super) fn get(&mut self, id: &SessionId) -> Option<&mut Session> {
        self.all.get_mut(&id.0)
    }

    /// A session that takes prompts.
    pub(super) fn open(&mut self, id: &SessionId) -> Result<&mut Session, Error> {
        self.get(id).filter(|session| session.open).ok_or_else(|| session_not_found(id))
    }

    /// A session, wherever it is. One that is not open is taken from the archive, as another process may have gone on with it.
    pub(super) fn known(&mut self, id: &SessionId, core: &Core) -> Result<&mut Session, Error> {
        if self.open(id).is_err()
            && let Some(saved) = core.stored(id, |archive, id| archive.session(id))
        {
            self.insert(Session::from_saved(saved));
        }
        self.get(id).ok_or_else(|| session_not_found(id))
    }

    /// Drops a session from memory if it is not open and was stored.
    pub(super) fn put_away(&mut self, id: &SessionId, core: &Core) {
        if core.stores() && self.open(id).is_err() {
            self.remove(id);
        }
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Session> {
        self.all.values_mut()
    }

    /// Notes that a session works on a prompt.
    pub(super) fn runs(&mut self, id: &SessionId) {
        if !self.running.contains(id) {
            self.running.push_back(id.clone());
        }
    }

    /// Lets the sessions at work do one action, each in its turn, until something is to be written or all of them wait; then
    /// says until when.
    pub(super) fn advance(&mut self, core: &mut Core) -> Option<Duration> {
        let mut wake: Option<Duration> = None;
        let mut waiting = 0;
        while waiting < self.running.len() && core.is_quiet() {
            let Some(id) = self.running.pop_front() else { break };
            let progress = self.all.get_mut(&id.0).map_or(Progress::Idle, |session| step(session, core));
            match progress {
                Progress::Idle => continue,
                Progress::Moved => waiting = 0,
                Progress::Waits(until) => {
                    waiting += 1;
                    wake = [wake, until].into_iter().flatten().min();
                }
            }
            self.running.push_back(id);
        }
        wake
    }

    /// A page of the list, newest first. No more is read from the archive than the page needs.
    pub(super) fn list(
        &self,
        request: &ListSessionsRequest,
        core: &Core,
    ) -> Result<ListSessionsResponse, Error> {
        let before = request.cursor.as_deref().map(parse_cursor).transpose()?;
        let mut ids: BTreeSet<_> = core.stored_ids().into_iter().map(Arc::from).collect();
        ids.extend(self.all.keys().cloned());
        let info = |id: Arc<str>| match self.all.get(&id) {
            Some(session) => Some(session.info()),
            None => {
                let saved = core.stored(&SessionId::new(id), |archive, id| archive.summary(id))?;
                Some(Session::from_saved(saved).info())
            }
        };
        let mut found = ids
            .into_iter()
            .rev()
            .filter(|id| before.is_none_or(|before| id.as_ref() < before))
            .filter_map(info)
            .filter(|info| request.cwd.as_ref().is_none_or(|cwd| *cwd == info.cwd));
        let page: Vec<_> = found.by_ref().take(PAGE).collect();
        let last = page.last().map(|last| format!("{CURSOR}{}", last.session_id));
        let next = last.filter(|_| found.next().is_some());
        Ok(ListSessionsResponse::new(page).next_cursor(next))
    }
}

/// A cursor names the last session shown, so it stays good when sessions come and go.
const CURSOR: &str = "before:";

fn parse_cursor(cursor: &str) -> Result<&str, Error> {
    let reason = || Error::invalid_params().data(json!({ "reason": "no such cursor" }));
    cursor.strip_prefix(CURSOR).ok_or_else(reason)
}
