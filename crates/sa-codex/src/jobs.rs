//! Work that needs the app-server to be ready.

use super::core::Core;
use super::native::call::{ListThreads, OfThread, ReadThread};
use super::replies::{Page, Then};
use super::session::{Opening, Session};
use agent_client_protocol_schema::v1::{AuthenticateResponse, ListSessionsRequest};
use sa_acp::{Job, RequestKey, ServedSession as _, Sessions, auth_required};

/// The message to a client without credentials.
const NO_CREDENTIALS: &str = "Codex is not logged in: set CODEX_API_KEY, or run `codex login`";

impl Core {
    /// Does work that needs the app-server.
    pub(super) fn run_job(&mut self, sessions: &mut Sessions<Session>, job: Job<Opening>) {
        match job {
            Job::Open(opening) => self.open_thread(*opening),
            Job::Revive(id) => {
                let Some(session) = sessions.get_mut(&id.0) else { return };
                if self.greeting.lacks_credentials {
                    return session.not_revived(self, &auth_required(NO_CREDENTIALS));
                }
                session.revive(self);
            }
            Job::Authenticate(key) => self.log_in(key),
            Job::List(key, request) => self.list_threads(key, &request),
            Job::Delete(key, id) => {
                let limit = self.host.limits.control;
                let params = OfThread { thread_id: &id.0 };
                self.ask("thread/delete", params, limit, Then::Deleted(key, id.clone()));
            }
        }
    }

    fn open_thread(&mut self, opening: Opening) {
        if self.greeting.lacks_credentials {
            return self.client.fail(&opening.key, &auth_required(NO_CREDENTIALS));
        }
        let limit = self.host.limits.open;
        if opening.is_open {
            // Two readers of one thread get the same turns, so what is open stays as it is.
            let thread_id = opening.how.origin().map(|id| id.0.clone()).unwrap_or_default();
            let params = ReadThread { thread_id: &thread_id, include_turns: true };
            return self.ask("thread/read", params, limit, Then::Reread(Box::new(opening)));
        }
        let method = opening.method();
        let params = serde_json::to_value(opening.params(self)).unwrap_or_default();
        self.ask(method, params, limit, Then::Opened(Box::new(opening)));
    }

    /// The key was sent when the app-server was started, and was taken or not.
    fn log_in(&mut self, key: RequestKey) {
        if self.greeting.lacks_credentials {
            return self.client.fail(&key, &auth_required(NO_CREDENTIALS));
        }
        self.client.reply(&key, AuthenticateResponse::new());
    }

    fn list_threads(&mut self, key: RequestKey, request: &ListSessionsRequest) {
        let params = ListThreads {
            limit: super::limits::PAGE,
            cursor: request.cursor.as_deref(),
            cwd: request.cwd.as_deref(),
        };
        let page = if request.cursor.is_none() { Page::First } else { Page::Later };
        let then = Then::Listed { key, page, cwd: request.cwd.clone() };
        let limit = self.host.limits.open;
        self.ask("thread/list", params, limit, then);
    }
}
