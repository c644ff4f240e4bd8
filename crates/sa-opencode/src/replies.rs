//! What becomes of the server's answers.

use super::core::Core;
use super::openings::AroundPart;
use super::session::Session;
use agent_client_protocol_schema::v1::{DeleteSessionResponse, Error, SessionId};
use sa_acp::{RequestKey, Sessions, failure};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::PathBuf;

/// The continuation of a request.
#[derive(Debug)]
pub enum Then {
    Health,
    /// What there is in the directory of a session that is being opened, by the number of the opening.
    Around(u64, AroundPart),
    /// A session was made, found or copied.
    Opened(u64),
    /// The history of a session.
    History(u64),
    /// What there is for somebody who says that there are credentials now.
    Authenticated(RequestKey),
    /// The rules of a session are what they should be.
    Ruled(SessionId),
    /// The same, and the plan of this question is approved.
    Approved(SessionId, String),
    /// An MCP server, by its name, was reached or not.
    Reached(SessionId, String),
    /// A prompt is over.
    Prompted(SessionId),
    /// The work of a session was to be stopped.
    Aborted(SessionId),
    /// What the server asks in a directory.
    Pending(Asked),
    Commands(SessionId),
    Listed {
        key: RequestKey,
        cwd: Option<PathBuf>,
    },
    /// A session that is to be deleted was looked for.
    Found(RequestKey, SessionId),
    Deleted(RequestKey),
    /// Nobody waits; a refusal is logged under this name.
    Nothing(&'static str),
}

/// Of which kind a list of questions is.
#[derive(Debug, Clone, Copy)]
pub enum Asked {
    Permissions,
    Questions,
}

/// An answer.
#[derive(Debug)]
pub(super) enum Outcome<'a> {
    Answer(u16, &'a str),
    /// None came, in time or at all.
    None(String),
}

#[derive(Deserialize)]
struct Refusal {
    #[serde(default)]
    data: Value,
    #[serde(default)]
    message: Option<String>,
}

impl Outcome<'_> {
    /// The body, or in words why there is none.
    pub(super) fn text(&self) -> Result<&str, String> {
        match self {
            Self::Answer(200..=299, body) => Ok(body),
            Self::Answer(status, body) => {
                let refusal = serde_json::from_str::<Refusal>(body).ok();
                let words = refusal.and_then(|refusal| match refusal.data["message"].as_str() {
                    Some(message) => Some(message.to_owned()),
                    None => refusal.message,
                });
                Err(words.unwrap_or_else(|| format!("OpenCode answered with the status {status}")))
            }
            Self::None(reason) => Err(reason.clone()),
        }
    }

    /// Returns what the body says, or in words why there is nothing.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, String> {
        serde_json::from_str(self.text()?)
            .map_err(|error| format!("OpenCode answered something else: {error}"))
    }

    /// Returns whether what was asked for does not exist.
    pub(super) fn is_missing(&self) -> bool {
        matches!(self, Self::Answer(404, _))
    }
}

impl Core {
    pub(super) fn on_answer(&mut self, sessions: &mut Sessions<Session>, then: Then, outcome: &Outcome<'_>) {
        match then {
            Then::Health => self.healthy(sessions, outcome),
            Then::Around(opening, part) => self.around(opening, part, outcome),
            Then::Opened(opening) => self.opened(sessions, opening, outcome),
            Then::History(opening) => self.on_history(sessions, opening, outcome),
            Then::Authenticated(key) => self.authenticated(&key, outcome),
            Then::Ruled(id) => on_session(self, sessions, &id, |session, core| session.ruled(core, outcome)),
            Then::Approved(id, question) => {
                on_session(self, sessions, &id, |session, core| session.plan_approved(core, &question));
            }
            Then::Reached(id, name) => {
                on_session(self, sessions, &id, |session, core| session.reached(core, &name, outcome))
            }
            Then::Prompted(id) => {
                on_session(self, sessions, &id, |session, core| session.prompted(core, outcome))
            }
            Then::Aborted(id) => on_session(self, sessions, &id, |session, core| session.aborted(core)),
            Then::Pending(asked) => self.pending(sessions, asked, outcome),
            Then::Commands(id) => {
                on_session(self, sessions, &id, |session, core| session.commands_known(core, outcome))
            }
            Then::Listed { key, cwd } => self.listed(sessions, &key, cwd.as_ref(), outcome),
            Then::Found(key, id) => self.found(key, &id, outcome),
            Then::Deleted(key) => match outcome.text() {
                Err(reason) if !outcome.is_missing() => {
                    self.client.fail(&key, &failure(reason, "delete_failed"));
                }
                // A session that does not exist is gone, as was wanted.
                _ => self.client.reply(&key, DeleteSessionResponse::new()),
            },
            Then::Nothing(name) => {
                if let Err(reason) = outcome.text() {
                    tracing::debug!(name, reason, "OpenCode refused an order");
                }
            }
        }
    }

    /// No answer will come: the process ended.
    pub(super) fn fail_request(&mut self, then: Then, error: &Error) {
        match then {
            Then::Around(opening, _) | Then::Opened(opening) | Then::History(opening) => {
                self.fail_opening(opening, error);
            }
            Then::Authenticated(key)
            | Then::Listed { key, .. }
            | Then::Found(key, _)
            | Then::Deleted(key) => self.client.fail(&key, error),
            // Sessions notice by themselves.
            _ => {}
        }
    }
}

/// Handles an answer that concerns a session, if that is still there.
fn on_session(
    core: &mut Core,
    sessions: &mut Sessions<Session>,
    id: &SessionId,
    handle: impl FnOnce(&mut Session, &mut Core),
) {
    if let Some(session) = sessions.get_mut(&id.0) {
        handle(session, core);
    }
}
