//! Answers of the app-server.

use super::core::Core;
use super::native::answer::{OpenedThread, Thread, entries};
use super::native::line::Refusal;
use super::session::{Opening, Session};
use agent_client_protocol_schema::v1::{
    DeleteSessionResponse, Error, ListSessionsResponse, SessionId, SessionInfo,
};
use sa_acp::{
    ListRequest, RequestKey, Served as _, Sessions, add_unlisted, failure, one_line, session_not_found,
    timestamp,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Duration;

/// The continuation of a request.
#[derive(Debug)]
pub enum Then {
    Initialized,
    LoggedIn,
    /// Settings were read to see which credential they would have used.
    Config,
    Account,
    Models,
    /// The sandbox was tried.
    Sandbox,
    /// A thread was started, resumed or forked for a client.
    Opened(Box<Opening>),
    /// The history of a session that is open was read for a client.
    Reread(Box<Opening>),
    /// A thread was resumed in a new process.
    Revived(SessionId),
    Started(SessionId),
    Interrupted(SessionId),
    Skills(SessionId),
    /// A thread was let go of.
    Left(SessionId),
    Listed(ListRequest),
    Deleted(RequestKey, SessionId),
    /// A session that could not be deleted was put away.
    Archived(RequestKey),
    /// Nobody waits; a refusal is logged under this name.
    Nothing(&'static str),
}

#[derive(Debug)]
pub(super) enum Outcome<'a> {
    Result(&'a str),
    Refused(Refusal),
    /// None came in time.
    Late,
}

impl Outcome<'_> {
    /// The result as it came, or in words why there is none.
    pub(super) fn text(&self) -> Result<&str, String> {
        match self {
            Self::Result(text) => Ok(text),
            Self::Refused(refusal) => Err(refusal.message.clone()),
            Self::Late => Err("codex did not answer in time".to_owned()),
        }
    }

    /// The result, or in words why there is none.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, String> {
        serde_json::from_str(self.text()?).map_err(|error| format!("codex answered something else: {error}"))
    }
}

/// Returns whether a refusal means that the thread does not exist. Other things are `not found` as well, such as the provider
/// that a thread was started with.
fn is_unknown(reason: &str) -> bool {
    let words =
        ["no rollout found for ", "thread not found: ", "invalid thread id: ", "invalid session id: "];
    words.iter().any(|words| reason.starts_with(words))
}

/// Returns whether a refusal means that another process works on the thread, or that it is being unloaded.
fn is_held(reason: &str) -> bool {
    ["already has an active writer", "is closing"].iter().any(|words| reason.contains(words))
}

/// The error for a thread that could not be opened.
fn not_opened(opening: &Opening, reason: String) -> Error {
    match opening.how.origin() {
        Some(id) if is_unknown(&reason) => session_not_found(id),
        _ => failure(reason, "open_failed"),
    }
}

impl Core {
    pub(super) fn on_answer(&mut self, sessions: &mut Sessions<Session>, then: Then, outcome: &Outcome<'_>) {
        match then {
            Then::Initialized => self.on_initialized(sessions, outcome),
            Then::LoggedIn => self.on_logged_in(sessions, outcome),
            Then::Config => self.on_config(sessions, outcome),
            Then::Account => self.on_account(outcome),
            Then::Models => self.on_models(outcome),
            Then::Sandbox => self.on_sandbox_tried(outcome),
            Then::Opened(opening) => self.on_opened(sessions, *opening, outcome),
            Then::Reread(opening) => self.on_reread(sessions, &opening, outcome),
            Then::Revived(id) => self.in_session(sessions, &id, |it, core| it.on_revived(core, outcome)),
            Then::Started(id) => self.in_session(sessions, &id, |it, core| it.on_accepted(core, outcome)),
            Then::Skills(id) => self.in_session(sessions, &id, |it, core| it.on_skills(core, outcome)),
            Then::Interrupted(id) => {
                self.in_session(sessions, &id, |it, core| it.on_interrupted(core, outcome))
            }
            Then::Left(id) => self.in_session(sessions, &id, |it, core| it.on_left(core, outcome)),
            Then::Listed(request) => self.on_listed(sessions, &request, outcome),
            Then::Deleted(key, id) => self.on_deleted(key, &id, outcome),
            Then::Archived(key) => match outcome.text() {
                Ok(_) => self.io.client.reply(&key, DeleteSessionResponse::new()),
                Err(reason) => self.io.client.fail(&key, &failure(reason, "delete_failed")),
            },
            Then::Nothing(name) => {
                if let Err(reason) = outcome.text() {
                    tracing::debug!(name, reason, "codex refused an order");
                }
            }
        }
    }

    fn on_opened(&mut self, sessions: &mut Sessions<Session>, opening: Opening, outcome: &Outcome<'_>) {
        let opened: OpenedThread = match outcome.read() {
            Ok(opened) => opened,
            Err(reason) if is_held(&reason) => return self.hold(opening, &reason),
            Err(reason) => return self.io.client.fail(&opening.key, &not_opened(&opening, reason)),
        };
        if let Some(session) = opening.how.continued().and_then(|id| sessions.get_mut(&id.0)) {
            // An open session stays as it is: it has prompts and a client that waits.
            return session.reopened(self, &opening, opened.thread.turns);
        }
        let session = Session::open(self, opening, opened);
        sessions.insert(session.conversation.id.0.clone(), session);
    }

    fn on_reread(&mut self, sessions: &mut Sessions<Session>, opening: &Opening, outcome: &Outcome<'_>) {
        let session = opening.how.origin().and_then(|id| sessions.get_mut(&id.0));
        let Some(session) = session else {
            let error = failure("the session was closed meanwhile", "closed");
            return self.io.client.fail(&opening.key, &error);
        };
        // Nothing is stored of a thread before its first turn.
        let turns = outcome.read::<OpenedThread>().map(|read| read.thread.turns).unwrap_or_default();
        session.reopened(self, opening, turns);
    }

    /// Archives a thread that cannot be deleted: the CLI keeps the originals of copies.
    fn on_deleted(&mut self, key: RequestKey, id: &SessionId, outcome: &Outcome<'_>) {
        match outcome {
            Outcome::Refused(refusal) if !is_unknown(&refusal.message) => {
                self.ask_soon("thread/archive", &json!({ "threadId": id }), Then::Archived(key));
            }
            Outcome::Late => self.io.client.fail(&key, &failure("codex did not answer in time", "timeout")),
            // A session that does not exist is gone, as was wanted.
            _ => self.io.client.reply(&key, DeleteSessionResponse::new()),
        }
    }

    fn on_listed(&mut self, sessions: &Sessions<Session>, request: &ListRequest, outcome: &Outcome<'_>) {
        let page: Value = match outcome.read() {
            Ok(page) => page,
            Err(reason) => return self.io.client.fail(&request.key, &failure(reason, "list_failed")),
        };
        let mut infos = Vec::new();
        for thread in entries::<Thread>(&page["data"]) {
            let title = thread.name.filter(|name| !name.is_empty()).unwrap_or(thread.preview);
            let title = Some(one_line(&title)).filter(|title| !title.is_empty());
            // A session that had to begin a second thread keeps its own id.
            let open = sessions.values().find(|session| session.thread() == thread.id);
            let id = open
                .map_or_else(|| SessionId::new(thread.id.clone()), |session| session.conversation.id.clone());
            let updated = thread.updated_at.map(|seconds| timestamp(Duration::from_secs(seconds)));
            infos.push(SessionInfo::new(id, thread.cwd).title(title).updated_at(updated));
        }
        if request.page.cursor.is_none() {
            // Nothing is stored of a session before its first prompt.
            let unstored = sessions.values().filter_map(Session::unstored_info);
            add_unlisted(&mut infos, unstored, request.page.cwd.as_deref());
        }
        let next = page["nextCursor"].as_str().map(str::to_owned);
        self.io.client.reply(&request.key, ListSessionsResponse::new(infos).next_cursor(next));
    }
}
