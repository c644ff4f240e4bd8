//! Work that needs the server to be ready.

use super::core::Core;
use super::limits::PAGE;
use super::native::about::{Info, Providers};
use super::native::call::{Call, of_session};
use super::openings::Opening;
use super::replies::{Outcome, Then};
use super::session::Session;
use agent_client_protocol_schema::v1::{
    AuthenticateResponse, DeleteSessionResponse, ListSessionsRequest, ListSessionsResponse, SessionId,
    SessionInfo,
};
use sa_acp::{Job, RequestKey, Sessions, auth_required, failure, one_line, timestamp};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The message to a client without credentials.
pub(super) const NO_CREDENTIALS: &str = "OpenCode has no credentials for a model: set the key of a provider, such as ANTHROPIC_API_KEY or \
     OPENAI_API_KEY, or run `opencode auth login`";

impl Core {
    /// Does work that needs the server.
    pub(super) fn run_job(&mut self, sessions: &mut Sessions<Session>, job: Job<Opening>) {
        match job {
            Job::Open(opening) => self.begin(*opening),
            Job::Revive(id) => {
                if let Some(session) = sessions.get_mut(&id.0) {
                    session.revive(self);
                }
            }
            Job::Authenticate(key) => {
                let call = Call::get("/config/providers").within(&self.host.home);
                self.ask(&call, Some(self.host.limits.open), Then::Authenticated(key));
            }
            Job::List(key, request) => self.list_sessions(key, &request),
            // Every other request about the session has to name its directory.
            Job::Delete(key, id) => {
                let call = Call::get(of_session(&id.0, "")).within(&self.host.home);
                self.ask_soon(&call, Then::Found(key, id));
            }
        }
    }

    pub(super) fn authenticated(&mut self, key: &RequestKey, outcome: &Outcome<'_>) {
        let providers = outcome.read::<Providers>().unwrap_or_default().providers;
        if providers.iter().all(super::native::about::Provider::is_unasked) {
            return self.client.fail(key, &auth_required(NO_CREDENTIALS));
        }
        self.client.reply(key, AuthenticateResponse::new());
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
        self.ask(&call, Some(self.host.limits.open), Then::Listed { key, cwd: request.cwd.clone() });
    }

    pub(super) fn listed(
        &mut self,
        sessions: &Sessions<Session>,
        key: &RequestKey,
        cwd: Option<&PathBuf>,
        outcome: &Outcome<'_>,
    ) {
        let infos: Vec<Info> = match outcome.read() {
            Ok(infos) => infos,
            Err(reason) => return self.client.fail(key, &failure(reason, "list_failed")),
        };
        // Pages go by time, from the newest on.
        let next = infos.get(PAGE).and_then(|_| infos.get(PAGE - 1)).map(|last| last.time.updated);
        let is_wanted = |info: &&Info| cwd.is_none_or(|cwd| cwd == Path::new(&info.directory));
        let listed = infos.iter().take(PAGE).filter(is_wanted).map(|info| {
            let known = || sessions.get(info.id.as_str()).and_then(Session::title);
            let title = info.title().map(one_line).or_else(known);
            SessionInfo::new(info.id.clone(), info.directory.clone())
                .title(title)
                .updated_at(timestamp(Duration::from_millis(info.time.updated as u64)))
        });
        let listed = listed.collect();
        let next = next.map(|updated| format!("{}", updated as u64));
        self.client.reply(key, ListSessionsResponse::new(listed).next_cursor(next));
    }

    /// A session that is to be deleted is there, or not.
    pub(super) fn found(&mut self, key: RequestKey, id: &SessionId, outcome: &Outcome<'_>) {
        match outcome.read::<Info>() {
            Ok(info) => {
                let call = Call::delete(of_session(&id.0, "")).within(Path::new(&info.directory));
                self.ask_soon(&call, Then::Deleted(key));
            }
            Err(_) if outcome.is_missing() => self.client.reply(&key, DeleteSessionResponse::new()),
            Err(reason) => self.client.fail(&key, &failure(reason, "delete_failed")),
        }
    }
}
