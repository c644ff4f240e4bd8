//! The handshake with the app-server.

use super::core::Core;
use super::launch::Launch;
use super::native::answer::{Model, OLDEST, UNLOADS, entries, version};
use super::native::line;
use super::replies::{Outcome, Then};
use super::session::Session;
use sa_acp::{Served as _, Sessions, auth_required, failure};
use serde_json::{Value, json};

/// The facts about a process since it was started.
#[derive(Debug, Default)]
pub(super) struct ProcessFacts {
    /// Answers that are missing before it takes requests.
    unanswered: usize,
    /// Set if the model's API needs credentials and there are none.
    pub(super) lacks_credentials: bool,
    pub(super) models: Vec<Model>,
    /// Set if its own sandbox works here. Modes that need it are not offered otherwise, and plan mode is kept by
    /// refusing what may change something.
    pub(super) sandbox: bool,
    /// Set if it unloads threads when they are closed.
    pub(super) unloads: bool,
}

/// Notifications that no session needs.
const UNWANTED: [&str; 3] =
    ["account/rateLimits/updated", "thread/readState/changed", "remoteControl/status/changed"];

/// The parameters of `initialize`.
fn initialize() -> Value {
    json!({
        "clientInfo": { "name": "sandbox-agent", "title": null, "version": env!("CARGO_PKG_VERSION") },
        "capabilities": { "experimentalApi": true, "optOutNotificationMethods": UNWANTED },
    })
}

/// The parameters of `command/exec` for a command that does nothing, in the sandbox.
fn idle_command() -> Value {
    let sandbox = json!({ "type": "readOnly" });
    json!({ "command": ["/bin/sh", "-c", ":"], "cwd": "/", "sandboxPolicy": sandbox, "timeoutMs": 5_000 })
}

/// Returns whether a process exited because another one set up the same home at that time.
pub(super) fn is_collision(stderr: &str) -> bool {
    stderr.contains("failed to initialize") && stderr.contains("state runtime")
}

impl Core {
    pub(super) fn next_launch(&mut self) -> Launch {
        let host = &self.host;
        let unanswered = if host.options.token_variable.is_some() { 5 } else { 4 };
        self.facts = ProcessFacts { unanswered, ..ProcessFacts::default() };
        Launch {
            base_url: host.options.base_url.clone(),
            provider_key: self.provider.clone().zip(host.options.token_variable.clone()),
            ephemeral: host.options.api_key.is_some(),
        }
    }

    /// Requests all that has to be known. The login follows, because nothing else is answered during it.
    pub(super) fn send_greeting(&mut self) {
        let limit = self.host.options.limits.handshake;
        self.ask("initialize", &initialize(), limit, Then::Initialized);
        self.write(line::notification("initialized"));
        if self.host.options.api_key.is_none() {
            self.ask("account/read", &json!({}), limit, Then::Account);
        }
        self.ask("model/list", &json!({ "limit": 100, "includeHidden": false }), limit, Then::Models);
        self.ask("command/exec", &idle_command(), self.host.options.limits.control, Then::Sandbox);
    }

    /// The CLI does not look for keys in the environment here.
    fn log_in_with_key(&mut self) {
        let Some(api_key) = self.host.options.api_key.clone() else { return };
        let params = json!({ "type": "apiKey", "apiKey": api_key.0 });
        self.ask("account/login/start", &params, self.host.options.limits.handshake, Then::LoggedIn);
    }

    pub(super) fn on_initialized(&mut self, sessions: &mut Sessions<Session>, outcome: &Outcome<'_>) {
        let version = match outcome.read::<Value>() {
            Ok(initialized) => version(initialized["userAgent"].as_str().unwrap_or_default()),
            Err(reason) => return self.give_up(sessions, &failure(reason, "handshake_failed")),
        };
        // A number of another form is not ours to judge.
        if let Some(version) = version.filter(|version| *version < OLDEST) {
            let error = OLDEST.required("Codex", Some(&version.to_string()));
            return self.give_up(sessions, &error);
        }
        self.facts.unloads = version.is_none_or(|version| version >= UNLOADS);
        self.note_answer();
    }

    pub(super) fn on_logged_in(&mut self, sessions: &mut Sessions<Session>, outcome: &Outcome<'_>) {
        if let Err(reason) = outcome.text() {
            return self.give_up(sessions, &auth_required(format!("Codex does not take the key: {reason}")));
        }
        // Not before the login is over, which settings are read for, too.
        if self.host.options.token_variable.is_some() {
            self.ask("config/read", &json!({}), self.host.options.limits.handshake, Then::Config);
        }
        self.note_answer();
    }

    pub(super) fn on_account(&mut self, outcome: &Outcome<'_>) {
        let read: Value = outcome.read().unwrap_or_default();
        self.facts.lacks_credentials = read["requiresOpenaiAuth"] == true && read["account"].is_null();
        self.note_answer();
    }

    /// Without a list the model that a thread begins with is the only one.
    pub(super) fn on_models(&mut self, outcome: &Outcome<'_>) {
        let models: Vec<Model> = entries(&outcome.read::<Value>().unwrap_or_default()["data"]);
        self.facts.models = models.into_iter().filter(|model| !model.hidden).collect();
        self.log_in_with_key();
        self.note_answer();
    }

    /// Notes whether the sandbox works: its helper may be missing, and containers may forbid what that needs.
    pub(super) fn on_sandbox_tried(&mut self, outcome: &Outcome<'_>) {
        let reason = match outcome.read::<Value>() {
            Ok(executed) if executed["exitCode"] == 0 => None,
            Ok(executed) => Some(executed["stderr"].as_str().unwrap_or_default().to_owned()),
            Err(reason) => Some(reason),
        };
        self.facts.sandbox = reason.is_none();
        if let Some(reason) = reason {
            let reason = reason.trim();
            tracing::warn!(
                reason,
                "the sandbox of codex does not work here; modes that need it are not offered"
            );
        }
        self.note_answer();
    }

    pub(super) fn note_answer(&mut self) {
        self.facts.unanswered = self.facts.unanswered.saturating_sub(1);
        if self.facts.unanswered == 0 {
            self.server.set_ready();
        }
    }
}
