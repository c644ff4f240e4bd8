//! All sessions of the process, and whose turn it is.

use super::core::Core;
use super::session::Session;
use super::turn::{Progress, step};
use crate::acp::session_not_found;
use agent_client_protocol_schema::v1::{Error, ListSessionsRequest, ListSessionsResponse, SessionId};
use serde_json::json;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// Sessions on one page of `session/list`.
const PAGE: usize = 20;

/// See the module's comment.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    all: BTreeMap<SessionIdKey, Session>,
    /// Those that work on a prompt, the one to do its next action first.
    running: VecDeque<SessionId>,
}

type SessionIdKey = std::sync::Arc<str>;

impl Sessions {
    pub(super) fn insert(&mut self, session: Session) {
        self.all.insert(session.id.0.clone(), session);
    }

    pub(super) fn remove(&mut self, id: &SessionId) -> Option<Session> {
        self.all.remove(&id.0)
    }

    /// A session, open or not.
    pub(super) fn known(&mut self, id: &SessionId) -> Result<&mut Session, Error> {
        self.all.get_mut(&id.0).ok_or_else(|| session_not_found(id))
    }

    /// A session that takes prompts.
    pub(super) fn open(&mut self, id: &SessionId) -> Result<&mut Session, Error> {
        self.known(id).and_then(|session| if session.open { Ok(session) } else { Err(session_not_found(id)) })
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

    /// A page of the list, newest first.
    pub(super) fn list(&self, request: &ListSessionsRequest) -> Result<ListSessionsResponse, Error> {
        let before = request.cursor.as_deref().map(parse_cursor).transpose()?;
        let mut found: Vec<_> = self
            .all
            .values()
            .filter(|session| request.cwd.as_ref().is_none_or(|cwd| *cwd == session.cwd))
            .map(|session| ((session.created.as_millis(), &session.id.0), session))
            .filter(|((created, id), _)| before.is_none_or(|before| (*created, id.as_ref()) < before))
            .collect();
        found.sort_by_key(|(order, _)| std::cmp::Reverse(*order));
        let more = found.len() > PAGE;
        found.truncate(PAGE);
        let next = found.last().filter(|_| more).map(|((created, id), _)| format!("{created}-{id}"));
        let page = found.into_iter().map(|(_, session)| session.info()).collect();
        Ok(ListSessionsResponse::new(page).next_cursor(next))
    }
}

/// A cursor is the place of the last session shown, so it stays good when sessions come and go.
fn parse_cursor(cursor: &str) -> Result<(u128, &str), Error> {
    let place = cursor.split_once('-').and_then(|(created, id)| Some((created.parse().ok()?, id)));
    place.ok_or_else(|| Error::invalid_params().data(json!({ "reason": "no such cursor" })))
}
