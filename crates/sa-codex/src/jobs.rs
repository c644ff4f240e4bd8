//! Work that needs the app-server to be ready.
//!
//! Another process may still work on the thread of a session. The app-server of a session that was moved needs a moment to let
//! go of its thread, so opening one is tried again for a while.

use super::core::Core;
use super::limits::{HELD, PAGE, RETRY};
use super::replies::Then;
use super::session::Opening;
use agent_client_protocol_schema::v1::AuthenticateResponse;
use sa_acp::{ListRequest, RequestKey, auth_required, failure};
use serde_json::json;
use std::time::Duration;

/// The message to a client without credentials.
pub(super) const NO_CREDENTIALS: &str = "Codex is not logged in: set CODEX_API_KEY, or run `codex login`";

/// A session that could not be opened.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) opening: Opening,
    /// The time at which it is tried again.
    pub(super) at: Duration,
}

impl Core {
    pub(super) fn open_thread(&mut self, opening: Opening) {
        if self.facts.lacks_credentials {
            return self.io.client.fail(&opening.key, &auth_required(NO_CREDENTIALS));
        }
        let limit = self.host.options.limits.open;
        if opening.is_open {
            // Two readers of one thread get the same turns, so what is open stays as it is.
            let thread_id = opening.how.origin().map(|id| &*id.0).unwrap_or_default();
            let params = json!({ "threadId": thread_id, "includeTurns": true });
            return self.ask("thread/read", &params, limit, Then::Reread(Box::new(opening)));
        }
        let method = opening.method();
        let params = opening.params(self);
        self.ask(method, &params, limit, Then::Opened(Box::new(opening)));
    }

    /// Answers a client that says that there are credentials now. The key was sent when the app-server was started.
    pub(super) fn log_in(&mut self, key: &RequestKey) {
        if self.facts.lacks_credentials {
            return self.io.client.fail(key, &auth_required(NO_CREDENTIALS));
        }
        self.io.client.reply(key, AuthenticateResponse::new());
    }

    pub(super) fn list_threads(&mut self, request: ListRequest) {
        let mut params = json!({ "limit": PAGE });
        if let Some(cursor) = &request.page.cursor {
            params["cursor"] = json!(cursor);
        }
        if let Some(cwd) = &request.page.cwd {
            params["cwd"] = json!(cwd);
        }
        self.ask("thread/list", &params, self.host.options.limits.open, Then::Listed(request));
    }

    /// Opens a session later that cannot be opened now, or refuses the client after a while.
    pub(super) fn hold(&mut self, mut opening: Opening, reason: &str) {
        let now = self.io.now.elapsed;
        let until = *opening.give_up.get_or_insert(now + HELD);
        if until <= now {
            let reason = format!("{reason}: another process still uses this session, try again later");
            return self.io.client.fail(&opening.key, &failure(reason, "busy"));
        }
        self.held.push(Held { opening, at: now + RETRY });
    }
}
