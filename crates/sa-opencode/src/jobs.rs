//! Work that needs the server: it is started if it is not there, and the work waits until it is ready.

use super::limits::PAGE;
use super::machine::Machine;
use super::native::about::{Info, Providers};
use super::native::call::{Call, of_session};
use super::replies::{Outcome, Then};
use super::session::Session;
use agent_client_protocol_schema::v1::{
    AuthenticateResponse, DeleteSessionResponse, Error, ListSessionsRequest, ListSessionsResponse, SessionId,
    SessionInfo,
};
use sa_acp::{Job, RequestKey, auth_required, failure, one_line, timestamp};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a client is told that has no credentials.
pub(super) const NO_CREDENTIALS: &str = "OpenCode has no credentials for a model: set the key of a provider, such as ANTHROPIC_API_KEY or \
     OPENAI_API_KEY, or run `opencode auth login`";

impl Machine {
    /// Does all work that can be done.
    pub(super) fn work(&mut self) {
        if self.core.server.jobs.is_empty() || !self.ensure_server() {
            return;
        }
        while let Some(job) = self.core.server.jobs.pop_front() {
            match job {
                Job::Open(opening) => self.begin(*opening),
                Job::Revive(id) => {
                    if let Some(session) = self.sessions.get_mut(&id.0) {
                        session.revive(&mut self.core);
                    }
                }
                Job::Authenticate(key) => {
                    let call = Call::get("/config/providers").within(&self.core.host.home.clone());
                    self.core.ask(&call, Some(self.core.host.limits.open), Then::Authenticated(key));
                }
                Job::List(key, request) => self.list_sessions(key, &request),
                // Whatever is known of it has to be asked with its directory.
                Job::Delete(key, id) => {
                    let call = Call::get(of_session(&id.0, "")).within(&self.core.host.home.clone());
                    self.core.ask_soon(&call, Then::Found(key, id));
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

    pub(super) fn authenticated(&mut self, key: &RequestKey, outcome: &Outcome<'_>) {
        let providers = outcome.read::<Providers>().unwrap_or_default().providers;
        if providers.iter().all(super::native::about::Provider::is_unasked) {
            return self.core.client.fail(key, &auth_required(NO_CREDENTIALS));
        }
        self.core.client.reply(key, AuthenticateResponse::new());
    }

    fn list_sessions(&mut self, key: RequestKey, request: &ListSessionsRequest) {
        let mut path = format!("/experimental/session?roots=true&limit={}", PAGE + 1);
        if let Some(cursor) = request.cursor.as_deref().filter(|cursor| cursor.parse::<u64>().is_ok()) {
            path.push_str("&cursor=");
            path.push_str(cursor);
        }
        let mut call = Call::get(path);
        if let Some(cwd) = &request.cwd {
            call = call.within(cwd);
        }
        self.core.ask(
            &call,
            Some(self.core.host.limits.open),
            Then::Listed { key, cwd: request.cwd.clone() },
        );
    }

    pub(super) fn listed(&mut self, key: &RequestKey, cwd: Option<&PathBuf>, outcome: &Outcome<'_>) {
        let infos: Vec<Info> = match outcome.read() {
            Ok(infos) => infos,
            Err(reason) => return self.core.client.fail(key, &failure(reason, "list_failed")),
        };
        // Pages go by time, from the newest on.
        let next = infos.get(PAGE).and_then(|_| infos.get(PAGE - 1)).map(|last| last.time.updated);
        let is_wanted = |info: &&Info| cwd.is_none_or(|cwd| cwd == Path::new(&info.directory));
        let sessions = infos.iter().take(PAGE).filter(is_wanted).map(|info| {
            let title = info.title().map(one_line).or_else(|| self.title_of(&info.id));
            SessionInfo::new(info.id.clone(), info.directory.clone())
                .title(title)
                .updated_at(timestamp(Duration::from_millis(info.time.updated as u64)))
        });
        let sessions = sessions.collect();
        let next = next.map(|updated| format!("{}", updated as u64));
        self.core.client.reply(key, ListSessionsResponse::new(sessions).next_cursor(next));
    }

    fn title_of(&self, id: &str) -> Option<String> {
        self.sessions.get(id).and_then(Session::title)
    }

    /// A session that is to be deleted is there, or not.
    pub(super) fn found(&mut self, key: RequestKey, id: &SessionId, outcome: &Outcome<'_>) {
        match outcome.read::<Info>() {
            Ok(info) => {
                let call = Call::delete(of_session(&id.0, "")).within(Path::new(&info.directory));
                self.core.ask_soon(&call, Then::Deleted(key));
            }
            Err(_) if outcome.is_missing() => self.core.client.reply(&key, DeleteSessionResponse::new()),
            Err(reason) => self.core.client.fail(&key, &failure(reason, "delete_failed")),
        }
    }
}
