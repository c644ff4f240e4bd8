//! How sessions are opened. The server is asked about the directory first, then for the session, then for its history.

use super::core::Core;
use super::jobs::NO_CREDENTIALS;
use super::native::about::{Agent, Command, Config, Info, Provider, Providers};
use super::native::call::{Call, of_session};
use super::native::message::Whole;
use super::replies::{Outcome, Then};
use super::session::{Session, Settings};
use agent_client_protocol_schema::v1::Error;
use sa_acp::{CheckedRequest, How, RequestKey, Sessions, auth_required, failure, session_not_found};
use serde_json::json;

/// A client's request to open a session.
#[derive(Debug)]
pub struct Opening {
    pub(super) request: CheckedRequest,
    facts: DirectoryFacts,
    /// The number of facts that are missing.
    missing: usize,
    info: Option<Info>,
}

/// The providers, agents, commands and settings of a directory.
#[derive(Debug, Clone, Default)]
pub(crate) struct DirectoryFacts {
    pub(super) providers: Providers,
    pub(super) agents: Vec<Agent>,
    pub(super) commands: Vec<Command>,
    pub(super) config: Config,
}

/// Something that the server is asked about a directory.
#[derive(Debug, Clone, Copy)]
pub enum Fact {
    Providers,
    Agents,
    Commands,
    Config,
}

impl Fact {
    const ALL: [Self; 4] = [Self::Providers, Self::Agents, Self::Commands, Self::Config];

    fn path(self) -> &'static str {
        match self {
            Self::Providers => "/config/providers",
            Self::Agents => "/agent",
            Self::Commands => "/command",
            Self::Config => "/config",
        }
    }
}

impl DirectoryFacts {
    /// Notes the answer to a question. Without commands and settings a session can do its work.
    fn learn(&mut self, fact: Fact, outcome: &Outcome<'_>) -> Result<(), String> {
        match fact {
            Fact::Providers => self.providers = outcome.read()?,
            Fact::Agents => self.agents = outcome.read()?,
            Fact::Commands => self.commands = outcome.read().unwrap_or_default(),
            Fact::Config => self.config = outcome.read().unwrap_or_default(),
        }
        Ok(())
    }
}

impl AsRef<RequestKey> for Opening {
    fn as_ref(&self) -> &RequestKey {
        &self.request.key
    }
}

impl Opening {
    pub(super) fn new(request: CheckedRequest) -> Self {
        Self { request, facts: DirectoryFacts::default(), missing: Fact::ALL.len(), info: None }
    }
}

impl Core {
    /// The server is ready.
    pub(super) fn begin(&mut self, opening: Opening) {
        self.last_opening += 1;
        let number = self.last_opening;
        for fact in Fact::ALL {
            let call = Call::get(fact.path()).within(&opening.request.workspace.cwd);
            self.ask(&call, Some(self.host.limits.open), Then::Fact(number, fact));
        }
        self.openings.insert(number, opening);
    }

    /// Handles an answer about the directory. The session is asked for after the last one.
    pub(super) fn on_fact(&mut self, number: u64, fact: Fact, outcome: &Outcome<'_>) {
        let Some(opening) = self.openings.get_mut(&number) else { return };
        if let Err(reason) = opening.facts.learn(fact, outcome) {
            return self.fail_opening(number, &failure(reason, "open_failed"));
        }
        opening.missing -= 1;
        if opening.missing > 0 {
            return;
        }
        if opening.facts.providers.providers.iter().all(Provider::is_unasked) {
            return self.fail_opening(number, &auth_required(NO_CREDENTIALS));
        }
        self.ask_for_session(number);
    }

    fn ask_for_session(&mut self, number: u64) {
        let Some(Opening { request, facts, .. }) = self.openings.get(&number) else { return };
        let call = match &request.how {
            How::New => {
                let settings = Settings::new(&self.host, facts, None);
                let rules = settings.rules(&request.workspace.directories, &[]);
                Call::post("/session", json!({ "permission": rules }))
            }
            How::Loaded(id) | How::Resumed(id) => Call::get(of_session(&id.0, "")),
            How::Forked(from) => Call::post(of_session(&from.0, "fork"), json!({})),
        };
        let call = call.within(&request.workspace.cwd);
        self.ask(&call, Some(self.host.limits.open), Then::Opened(number));
    }

    pub(super) fn on_opened(&mut self, sessions: &mut Sessions<Session>, number: u64, outcome: &Outcome<'_>) {
        let info: Info = match outcome.read() {
            Ok(info) => info,
            Err(reason) => {
                let from = self.openings.get(&number).and_then(|opening| opening.request.how.origin());
                let error = match from {
                    // An id that cannot be one is none.
                    Some(id) if outcome.is_missing() || matches!(outcome, Outcome::Answer(400, _)) => {
                        session_not_found(id)
                    }
                    _ => failure(reason, "open_failed"),
                };
                return self.fail_opening(number, &error);
            }
        };
        let Some(opening) = self.openings.get_mut(&number) else { return };
        let call = Call::get(of_session(&info.id, "message")).within(&opening.request.workspace.cwd);
        let is_loaded = opening.request.how.is_loaded();
        opening.info = Some(info);
        if is_loaded {
            return self.ask(&call, Some(self.host.limits.open), Then::History(number));
        }
        self.finish(sessions, number, Vec::new());
    }

    /// Opens the session once its history is there.
    pub(super) fn on_history(
        &mut self,
        sessions: &mut Sessions<Session>,
        number: u64,
        outcome: &Outcome<'_>,
    ) {
        match outcome.read::<Vec<Whole>>() {
            Ok(history) => self.finish(sessions, number, history),
            Err(reason) => self.fail_opening(number, &failure(reason, "open_failed")),
        }
    }

    fn finish(&mut self, sessions: &mut Sessions<Session>, number: u64, history: Vec<Whole>) {
        let Some(opening) = self.openings.remove(&number) else { return };
        let Opening { request, facts, info, .. } = opening;
        let Some(info) = info else { return };
        if let Some(session) = request.how.continued().and_then(|id| sessions.get_mut(&id.0)) {
            // An open session stays as it is.
            return session.reopened(self, request, history);
        }
        let session = Session::open(self, request, &facts, &info, history);
        sessions.insert(session.conversation.id.0.clone(), session);
    }

    /// The session cannot be opened.
    pub(super) fn fail_opening(&mut self, number: u64, error: &Error) {
        if let Some(opening) = self.openings.remove(&number) {
            self.io.client.fail(&opening.request.key, error);
        }
    }
}
