//! Work that needs the server to be ready.

use super::core::Core;
use super::limits::PAGE;
use super::native::about::{Info, Providers};
use super::native::call::{Call, of_session};
use super::replies::{Outcome, Then};
use super::session::Session;
use agent_client_protocol_schema::v1::{
    AuthenticateResponse, DeleteSessionResponse, ListSessionsResponse, SessionId, SessionInfo,
};
use sa_acp::{ListRequest, RequestKey, Sessions, auth_required, failure, one_line, timestamp};
use std::path::Path;
use std::time::Duration;

/// The message to a client without credentials.
pub(super) const NO_CREDENTIALS: &str = "OpenCode has no credentials for a model: set the key of a provider, such as ANTHROPIC_API_KEY or \
     OPENAI_API_KEY, or run `opencode auth login`";

impl Core {
    pub(super) fn on_authenticated(&mut self, key: &RequestKey, outcome: &Outcome<'_>) {
        let providers = outcome.read::<Providers>().unwrap_or_default().providers;
        if providers.iter().all(super::native::about::Provider::is_unasked) {
            return self.io.client.fail(key, &auth_required(NO_CREDENTIALS));
        }
        self.io.client.reply(key, AuthenticateResponse::new());
    }

    pub(super) fn list_sessions(&mut self, request: ListRequest) {
        let mut path = format!("/experimental/session?roots=true&limit={}", PAGE + 1);
        if let Some(cursor) = request.page.cursor.as_deref().filter(|cursor| cursor.parse::<u64>().is_ok()) {
            path.push_str("&cursor=");
            path.push_str(cursor);
        }
        let mut call = Call::get(path);
        if let Some(cwd) = &request.page.cwd {
            call = call.within(cwd);
        }
        self.ask(&call, Some(self.host.limits.open), Then::Listed(request));
    }

    pub(super) fn on_listed(
        &mut self,
        sessions: &Sessions<Session>,
        request: &ListRequest,
        outcome: &Outcome<'_>,
    ) {
        let infos: Vec<Info> = match outcome.read() {
            Ok(infos) => infos,
            Err(reason) => return self.io.client.fail(&request.key, &failure(reason, "list_failed")),
        };
        // Pages go by time, from the newest on.
        let next = infos.get(PAGE).and_then(|_| infos.get(PAGE - 1)).map(|last| last.time.updated);
        let is_wanted =
            |info: &&Info| request.page.cwd.as_ref().is_none_or(|cwd| cwd == Path::new(&info.directory));
        let listed = infos.iter().take(PAGE).filter(is_wanted).map(|info| {
            let known = || sessions.get(info.id.as_str())?.conversation.title.clone();
            let title = info.title().map(one_line).or_else(known);
            SessionInfo::new(info.id.clone(), info.directory.clone())
                .title(title)
                .updated_at(timestamp(Duration::from_millis(info.time.updated as u64)))
        });
        let listed = listed.collect();
        let next = next.map(|updated| format!("{}", updated as u64));
        self.io.client.reply(&request.key, ListSessionsResponse::new(listed).next_cursor(next));
    }

    /// A session that is to be deleted is there, or not.
    pub(super) fn on_found(&mut self, key: RequestKey, id: &SessionId, outcome: &Outcome<'_>) {
        match outcome.read::<Info>() {
            Ok(info) => {
                let call = Call::delete(of_session(&id.0, "")).within(Path::new(&info.directory));
                self.ask_soon(&call, Then::Deleted(key));
            }
            Err(_) if outcome.is_missing() => self.io.client.reply(&key, DeleteSessionResponse::new()),
            Err(reason) => self.io.client.fail(&key, &failure(reason, "delete_failed")),
        }
    }
}
