//! Answers of the server.

use super::core::Core;
use super::openings::Fact;
use super::session::Session;
use agent_client_protocol_schema::v1::{DeleteSessionResponse, SessionId};
use sa_acp::{ListRequest, RequestKey, Served as _, Sessions, failure};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The continuation of a request.
#[derive(Debug)]
pub enum Then {
    Health,
    /// A fact about the directory of a session that is being opened, by the number of the opening.
    Fact(u64, Fact),
    /// A session was made, found or copied.
    Opened(u64),
    History(u64),
    /// The providers, for a client that says that there are credentials now.
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
    /// Open questions of the server in a directory.
    Pending(PendingKind),
    Commands(SessionId),
    Listed(ListRequest),
    /// A session that is to be deleted was looked for.
    Found(RequestKey, SessionId),
    Deleted(RequestKey),
    /// Nobody waits; a refusal is logged under this name.
    Nothing(&'static str),
}

/// The kind of a list of questions.
#[derive(Debug, Clone, Copy)]
pub enum PendingKind {
    Permissions,
    Questions,
}

#[derive(Debug)]
pub(crate) enum Outcome<'a> {
    Answer(u16, &'a str),
    /// None came, in time or at all.
    None(String),
}

impl Outcome<'_> {
    /// The body, or in words why there is none.
    pub(super) fn text(&self) -> Result<&str, String> {
        match self {
            Self::Answer(200..=299, body) => Ok(body),
            Self::Answer(status, body) => {
                let refusal: Value = serde_json::from_str(body).unwrap_or_default();
                let words = refusal["data"]["message"].as_str().or(refusal["message"].as_str());
                Err(words
                    .map_or_else(|| format!("OpenCode answered with the status {status}"), str::to_owned))
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
            Then::Health => self.on_health(sessions, outcome),
            Then::Fact(opening, fact) => self.on_fact(opening, fact, outcome),
            Then::Opened(opening) => self.on_opened(sessions, opening, outcome),
            Then::History(opening) => self.on_history(sessions, opening, outcome),
            Then::Authenticated(key) => self.on_authenticated(&key, outcome),
            Then::Ruled(id) => self.in_session(sessions, &id, |it, core| it.on_ruled(core, outcome)),
            Then::Approved(id, plan) => {
                self.in_session(sessions, &id, |it, core| it.on_approved(core, &plan, outcome))
            }
            Then::Reached(id, server) => {
                self.in_session(sessions, &id, |it, core| it.on_reached(core, &server, outcome));
            }
            Then::Prompted(id) => self.in_session(sessions, &id, |it, core| it.on_prompted(core, outcome)),
            Then::Aborted(id) => self.in_session(sessions, &id, Session::on_aborted),
            Then::Pending(kind) => self.on_pending(sessions, kind, outcome),
            Then::Commands(id) => self.in_session(sessions, &id, |it, core| it.on_commands(core, outcome)),
            Then::Listed(request) => self.on_listed(sessions, &request, outcome),
            Then::Found(key, id) => self.on_found(key, &id, outcome),
            Then::Deleted(key) => match outcome.text() {
                Err(reason) if !outcome.is_missing() => {
                    self.io.client.fail(&key, &failure(reason, "delete_failed"));
                }
                // A session that does not exist is gone, as was wanted.
                _ => self.io.client.reply(&key, DeleteSessionResponse::new()),
            },
            Then::Nothing(name) => {
                if let Err(reason) = outcome.text() {
                    tracing::debug!(name, reason, "OpenCode refused an order");
                }
            }
        }
    }
}
