//! Work that needs the app-server: it is started if it is not there, and the work waits until it is ready.

use super::machine::Machine;
use super::native::call::{ListThreads, OfThread, ReadThread};
use super::replies::Then;
use super::session::Opening;
use agent_client_protocol_schema::v1::{AuthenticateResponse, Error, ListSessionsRequest, SessionId};
use sa_acp::{Job, RequestKey, auth_required};

/// What a client is told that has no credentials.
const NO_CREDENTIALS: &str = "Codex is not logged in: set CODEX_API_KEY, or run `codex login`";

impl Machine {
    /// Does all work that can be done.
    pub(super) fn work(&mut self) {
        if self.core.server.jobs.is_empty() || !self.ensure_server() {
            return;
        }
        while let Some(job) = self.core.server.jobs.pop_front() {
            match job {
                Job::Open(opening) => self.open_thread(*opening),
                Job::Revive(id) => self.revive(&id),
                Job::Authenticate(key) => self.log_in(key),
                Job::List(key, request) => self.list_threads(key, &request),
                Job::Delete(key, id) => {
                    let limit = self.core.host.limits.control;
                    let params = OfThread { thread_id: &id.0 };
                    self.core.ask("thread/delete", params, limit, Then::Deleted(key, id.clone()));
                }
            }
        }
    }

    /// Refuses all work that waits.
    pub(super) fn fail_jobs(&mut self, error: &Error) {
        for id in self.core.server.fail_jobs(&mut self.core.client, error) {
            self.of(&id, |session, core| session.not_revived(core, error));
        }
    }

    fn open_thread(&mut self, opening: Opening) {
        if self.greeting.lacks_credentials {
            return self.core.client.fail(&opening.key, &auth_required(NO_CREDENTIALS));
        }
        let limit = self.core.host.limits.open;
        if opening.is_open {
            // Two readers of one thread get the same turns, so what is open stays as it is.
            let thread_id = opening.how.origin().map(|id| id.0.clone()).unwrap_or_default();
            let params = ReadThread { thread_id: &thread_id, include_turns: true };
            return self.core.ask("thread/read", params, limit, Then::Reread(Box::new(opening)));
        }
        let method = opening.method();
        let params = serde_json::to_value(opening.params(&self.core)).unwrap_or_default();
        self.core.ask(method, params, limit, Then::Opened(Box::new(opening)));
    }

    fn revive(&mut self, id: &SessionId) {
        let Some(session) = self.sessions.get_mut(&id.0) else { return };
        if self.greeting.lacks_credentials {
            return session.not_revived(&mut self.core, &auth_required(NO_CREDENTIALS));
        }
        session.revive(&mut self.core);
    }

    /// The key was sent when the app-server was started, and was taken or not.
    fn log_in(&mut self, key: RequestKey) {
        if self.greeting.lacks_credentials {
            return self.core.client.fail(&key, &auth_required(NO_CREDENTIALS));
        }
        self.core.client.reply(&key, AuthenticateResponse::new());
    }

    fn list_threads(&mut self, key: RequestKey, request: &ListSessionsRequest) {
        let params = ListThreads {
            limit: super::limits::PAGE,
            cursor: request.cursor.as_deref(),
            cwd: request.cwd.as_deref(),
        };
        let then = Then::Listed { key, is_first: request.cursor.is_none(), cwd: request.cwd.clone() };
        let limit = self.core.host.limits.open;
        self.core.ask("thread/list", params, limit, then);
    }
}
