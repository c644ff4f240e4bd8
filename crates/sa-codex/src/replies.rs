//! What becomes of the app-server's answers.

use super::core::Core;
use super::native::answer::{OpenedThread, ThreadRead, Threads};
use super::native::call::OfThread;
use super::native::line::Refusal;
use super::session::{Opening, Session};
use agent_client_protocol_schema::v1::{
    DeleteSessionResponse, Error, ListSessionsResponse, SessionId, SessionInfo,
};
use sa_acp::{RequestKey, Sessions, failure, one_line, session_not_found, timestamp};
use serde::de::DeserializeOwned;
use std::path::PathBuf;
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
    /// A turn was started.
    Started(SessionId),
    /// A turn was to be interrupted.
    Interrupted(SessionId),
    Skills(SessionId),
    /// A thread was let go of.
    Left(SessionId),
    Listed {
        key: RequestKey,
        page: Page,
        cwd: Option<PathBuf>,
    },
    Deleted(RequestKey, SessionId),
    /// A session that could not be deleted was put away.
    Archived(RequestKey),
    /// Nobody waits; a refusal is logged under this name.
    Nothing(&'static str),
}

/// The position of a page in the list of sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    First,
    Later,
}

/// An answer.
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

/// Returns whether these are the words for a thread that does not exist.
fn is_unknown(reason: &str) -> bool {
    let words = ["no rollout found", "not found", "invalid thread id", "invalid session id"];
    words.iter().any(|words| reason.contains(words))
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
            Then::Initialized => self.initialized(sessions, outcome),
            Then::LoggedIn => self.logged_in(sessions, outcome),
            Then::Config => self.config_known(sessions, outcome),
            Then::Account => self.account_known(outcome),
            Then::Models => self.models_known(outcome),
            Then::Sandbox => self.sandbox_tried(outcome),
            Then::Opened(opening) => self.opened(sessions, *opening, outcome),
            Then::Reread(opening) => self.reread(sessions, &opening, outcome),
            Then::Revived(id) => {
                on_session(self, sessions, &id, |session, core| session.revived(core, outcome))
            }
            Then::Started(id) => {
                on_session(self, sessions, &id, |session, core| session.turn_accepted(core, outcome))
            }
            Then::Skills(id) => {
                on_session(self, sessions, &id, |session, core| session.skills_known(core, outcome))
            }
            Then::Interrupted(id) => {
                on_session(self, sessions, &id, |session, core| session.interrupted(core, outcome))
            }
            Then::Left(id) => on_session(self, sessions, &id, |session, core| session.left(core, outcome)),
            Then::Listed { key, page, cwd } => self.listed(sessions, &key, page, cwd, outcome),
            Then::Deleted(key, id) => self.deleted(key, &id, outcome),
            Then::Archived(key) => match outcome.text() {
                Ok(_) => self.client.reply(&key, DeleteSessionResponse::new()),
                Err(reason) => self.client.fail(&key, &failure(reason, "delete_failed")),
            },
            Then::Nothing(name) => {
                if let Err(reason) = outcome.text() {
                    tracing::debug!(name, reason, "codex refused an order");
                }
            }
        }
    }

    /// No answer will come: the process ended.
    pub(super) fn fail_request(&mut self, then: Then, error: &Error) {
        match then {
            Then::Opened(opening) | Then::Reread(opening) => self.client.fail(&opening.key, error),
            Then::Listed { key, .. } | Then::Deleted(key, _) | Then::Archived(key) => {
                self.client.fail(&key, error)
            }
            // Sessions notice by themselves.
            _ => {}
        }
    }

    fn opened(&mut self, sessions: &mut Sessions<Session>, opening: Opening, outcome: &Outcome<'_>) {
        let opened: OpenedThread = match outcome.read() {
            Ok(opened) => opened,
            Err(reason) if is_held(&reason) => return self.hold(opening, &reason),
            Err(reason) => return self.client.fail(&opening.key, &not_opened(&opening, reason)),
        };
        let session = Session::open(self, opening, opened);
        sessions.insert(session.conversation.id.0.clone(), session);
    }

    fn reread(&mut self, sessions: &mut Sessions<Session>, opening: &Opening, outcome: &Outcome<'_>) {
        let session = opening.how.origin().and_then(|id| sessions.get_mut(&id.0));
        let Some(session) = session else {
            let error = failure("the session was closed meanwhile", "closed");
            return self.client.fail(&opening.key, &error);
        };
        // Nothing is stored of a thread before its first turn.
        let turns = outcome.read::<ThreadRead>().map(|read| read.thread.turns).unwrap_or_default();
        session.reopened(self, opening, turns);
    }

    /// Returns what copies were made of is kept by the CLI as long as they are; it is not listed any more.
    fn deleted(&mut self, key: RequestKey, id: &SessionId, outcome: &Outcome<'_>) {
        match outcome {
            Outcome::Refused(refusal) if !is_unknown(&refusal.message) => {
                let limit = self.host.limits.control;
                self.ask("thread/archive", OfThread { thread_id: &id.0 }, limit, Then::Archived(key));
            }
            Outcome::Late => self.client.fail(&key, &failure("codex did not answer in time", "timeout")),
            // A session that does not exist is gone, as was wanted.
            _ => self.client.reply(&key, DeleteSessionResponse::new()),
        }
    }

    fn listed(
        &mut self,
        sessions: &Sessions<Session>,
        key: &RequestKey,
        page: Page,
        cwd: Option<PathBuf>,
        outcome: &Outcome<'_>,
    ) {
        let threads: Threads = match outcome.read() {
            Ok(threads) => threads,
            Err(reason) => return self.client.fail(key, &failure(reason, "list_failed")),
        };
        let mut infos = Vec::new();
        if page == Page::First {
            // Nothing is stored of a session before its first prompt.
            let unstored = sessions.values().filter_map(Session::unstored_info);
            infos.extend(unstored.filter(|info| cwd.as_ref().is_none_or(|cwd| *cwd == info.cwd)));
        }
        for thread in threads.data {
            let title = thread.name.filter(|name| !name.is_empty()).unwrap_or(thread.preview);
            let title = Some(one_line(&title)).filter(|title| !title.is_empty());
            // A session that had to begin a second thread keeps its own id.
            let open = sessions.values().find(|session| session.thread() == thread.id);
            let id = open
                .map_or_else(|| SessionId::new(thread.id.clone()), |session| session.conversation.id.clone());
            let updated = thread.updated_at.map(|seconds| timestamp(Duration::from_secs(seconds)));
            infos.push(SessionInfo::new(id, thread.cwd).title(title).updated_at(updated));
        }
        self.client.reply(key, ListSessionsResponse::new(infos).next_cursor(threads.next_cursor));
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
