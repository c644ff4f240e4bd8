//! Which session gets what an agent says.

use super::connection::Line;
use super::wire::{FromAgent, Incoming, Scope};
use sa_api::AgentExit;
use serde::Deserialize;
use std::collections::{HashMap, VecDeque};

/// Messages that come before the session they are for is known: an agent may tell of a new session before it answers
/// the request that makes it.
const EARLY: usize = 256;

/// Who gets what, by the requests and the sessions that are known.
#[derive(Default)]
pub(super) struct Routes {
    calls: HashMap<u64, Waiting>,
    sessions: HashMap<String, Line>,
    early: VecDeque<(String, FromAgent)>,
    ended: Option<AgentExit>,
}

struct Waiting {
    line: Line,
    /// The answer names the session that belongs to this line from then on.
    opens: bool,
}

/// What is to be done with a message.
pub(super) enum Route {
    /// These go to that line, in this order.
    To(Line, Vec<FromAgent>),
    /// Nobody is there for this request.
    Refuse { id: String, method: String },
    /// Nothing.
    Drop,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Opened {
    session_id: String,
}

impl Routes {
    /// An answer to this call goes to that line. Nothing does any more once the agent has ended.
    pub(super) fn expect(&mut self, call: u64, line: Line, opens: bool) -> Result<(), AgentExit> {
        match &self.ended {
            Some(exit) => Err(exit.clone()),
            None => {
                self.calls.insert(call, Waiting { line, opens });
                Ok(())
            }
        }
    }

    /// Nobody waits for this answer any more.
    pub(super) fn forget_call(&mut self, call: u64) {
        self.calls.remove(&call);
    }

    /// What concerns this session goes to that line.
    pub(super) fn adopt(&mut self, session: &str, line: Line) {
        self.sessions.insert(session.to_owned(), line);
    }

    /// Nothing of this session is of interest any more.
    pub(super) fn release(&mut self, session: &str) {
        self.sessions.remove(session);
    }

    /// The agent has ended: everybody who is to know.
    pub(super) fn end(&mut self, exit: AgentExit) -> Vec<Line> {
        self.ended = Some(exit);
        let calls = std::mem::take(&mut self.calls).into_values().map(|waiting| waiting.line);
        let mut lines: Vec<Line> = Vec::new();
        for line in std::mem::take(&mut self.sessions).into_values().chain(calls) {
            if !lines.iter().any(|known| known.same_channel(&line)) {
                lines.push(line);
            }
        }
        lines
    }

    pub(super) fn ended(&self) -> Option<&AgentExit> {
        self.ended.as_ref()
    }

    /// All sessions.
    pub(super) fn lines(&self) -> Vec<Line> {
        self.sessions.values().cloned().collect()
    }

    /// Where a message goes.
    pub(super) fn route(&mut self, incoming: Incoming) -> Route {
        match incoming {
            Incoming::Response { call, outcome } => {
                let Some(waiting) = self.calls.remove(&call) else { return Route::Drop };
                let opened = match &outcome {
                    Ok(result) if waiting.opens => serde_json::from_str::<Opened>(result.get()).ok(),
                    _ => None,
                };
                let mut messages = vec![FromAgent::Response { call, outcome }];
                if let Some(opened) = opened {
                    messages.extend(self.take_early(&opened.session_id));
                    self.sessions.insert(opened.session_id, waiting.line.clone());
                }
                Route::To(waiting.line, messages)
            }
            Incoming::Notification { scope, method, params } => {
                let message = FromAgent::Notification { method, params };
                match self.line(&scope) {
                    Some(line) => Route::To(line, vec![message]),
                    None => self.keep(scope, message),
                }
            }
            Incoming::Request { scope, id, method, params } => match self.line(&scope) {
                Some(line) => Route::To(line, vec![FromAgent::Request { id, method, params }]),
                None if scope.session_id.is_some() && self.opening() => {
                    self.keep(scope, FromAgent::Request { id, method, params })
                }
                None => Route::Refuse { id, method },
            },
        }
    }

    fn line(&self, scope: &Scope) -> Option<Line> {
        let of_session = scope.session_id.as_ref().and_then(|session| self.sessions.get(session));
        let of_call = || scope.request_id.and_then(|call| self.calls.get(&call)).map(|waiting| &waiting.line);
        of_session.or_else(of_call).cloned()
    }

    /// Whether a session is being made whose id is not known yet.
    fn opening(&self) -> bool {
        self.calls.values().any(|waiting| waiting.opens)
    }

    fn keep(&mut self, scope: Scope, message: FromAgent) -> Route {
        if let Some(session) = scope.session_id.filter(|_| self.opening()) {
            if self.early.len() == EARLY {
                self.early.pop_front();
            }
            self.early.push_back((session, message));
        }
        Route::Drop
    }

    fn take_early(&mut self, session: &str) -> Vec<FromAgent> {
        let early = std::mem::take(&mut self.early).into_iter();
        let (mine, others): (VecDeque<_>, VecDeque<_>) = early.partition(|(of, _)| of == session);
        self.early = others;
        mine.into_iter().map(|(_, message)| message).collect()
    }
}
