//! The handshake with the app-server.

use super::core::Core;
use super::launch::Launch;
use super::native::answer::{AccountRead, Executed, Initialized, Models, OLDEST, UNLOADS};
use super::native::call::{Exec, Initialize, ListModels, Login};
use super::native::line;
use super::replies::{Outcome, Then};
use super::session::Session;
use sa_acp::{Served as _, Sessions, auth_required, failure};
use serde_json::json;

/// The facts about a process since it was started.
#[derive(Debug, Default)]
pub(super) struct Greeting {
    /// Answers that are missing before it takes requests.
    unanswered: usize,
    /// Set if the model's API needs credentials and there are none.
    pub(super) lacks_credentials: bool,
}

/// Returns whether a process exited because another one set up the same home at that time.
pub(super) fn is_collision(stderr: &str) -> bool {
    stderr.contains("failed to initialize") && stderr.contains("state runtime")
}

impl Core {
    pub(super) fn next_launch(&mut self) -> Launch {
        let host = &self.host;
        let unanswered = if host.token_variable.is_some() { 5 } else { 4 };
        self.greeting = Greeting { unanswered, lacks_credentials: false };
        Launch {
            base_url: host.base_url.clone(),
            provider_key: self.provider.clone().zip(host.token_variable.clone()),
            ephemeral: host.api_key.is_some(),
        }
    }

    /// All that has to be known, asked at once but for the login: nothing else is answered while that goes on.
    pub(super) fn send_greeting(&mut self) {
        let limit = self.host.limits.handshake;
        self.ask("initialize", Initialize::new(), limit, Then::Initialized);
        self.write(line::notification("initialized"));
        if self.host.api_key.is_none() {
            self.ask("account/read", json!({}), limit, Then::Account);
        }
        self.ask("model/list", ListModels { limit: 100, include_hidden: false }, limit, Then::Models);
        self.ask("command/exec", Exec::in_sandbox(), self.host.limits.control, Then::Sandbox);
    }

    /// The CLI does not look for keys in the environment here.
    fn log_in_with_key(&mut self) {
        let Some(api_key) = self.host.api_key.clone() else { return };
        let params = Login { r#type: "apiKey", api_key: &api_key.0 };
        self.ask("account/login/start", params, self.host.limits.handshake, Then::LoggedIn);
    }

    pub(super) fn initialized(&mut self, sessions: &mut Sessions<Session>, outcome: &Outcome<'_>) {
        let initialized: Initialized = match outcome.read() {
            Ok(initialized) => initialized,
            Err(reason) => return self.give_up(sessions, &failure(reason, "handshake_failed")),
        };
        // A number of another form is not ours to judge.
        if let Some(version) = initialized.version().filter(|version| *version < OLDEST) {
            let mut error =
                failure(format!("Codex {OLDEST} or newer is needed; this is {version}"), "version_too_old");
            error.data = Some(json!({
                "errorKind": "version_too_old",
                "version": version.to_string(),
                "oldest": OLDEST.to_string(),
            }));
            return self.give_up(sessions, &error);
        }
        self.unloads = initialized.version().is_none_or(|version| version >= UNLOADS);
        self.one_answered();
    }

    pub(super) fn logged_in(&mut self, sessions: &mut Sessions<Session>, outcome: &Outcome<'_>) {
        if let Err(reason) = outcome.text() {
            return self.give_up(sessions, &auth_required(format!("Codex does not take the key: {reason}")));
        }
        // Not before the login is over, which settings are read for, too.
        if self.host.token_variable.is_some() {
            self.ask("config/read", json!({}), self.host.limits.handshake, Then::Config);
        }
        self.one_answered();
    }

    pub(super) fn account_known(&mut self, outcome: &Outcome<'_>) {
        self.greeting.lacks_credentials =
            outcome.read::<AccountRead>().is_ok_and(|account| account.lacks_credentials());
        self.one_answered();
    }

    /// Without a list the model that a thread begins with is the only one.
    pub(super) fn models_known(&mut self, outcome: &Outcome<'_>) {
        let models = outcome.read::<Models>().unwrap_or_default().data;
        self.models = models.into_iter().filter(|model| !model.hidden).collect();
        self.log_in_with_key();
        self.one_answered();
    }

    /// Only trying tells whether it works: its helper may be missing, and containers may forbid what that needs.
    pub(super) fn sandbox_tried(&mut self, outcome: &Outcome<'_>) {
        let reason = match outcome.read::<Executed>() {
            Ok(executed) if executed.exit_code == 0 => None,
            Ok(executed) => Some(executed.stderr),
            Err(reason) => Some(reason),
        };
        self.sandbox = reason.is_none();
        if let Some(reason) = reason {
            let reason = reason.trim();
            tracing::warn!(
                reason,
                "the sandbox of codex does not work here; modes that need it are not offered"
            );
        }
        self.one_answered();
    }

    pub(super) fn one_answered(&mut self) {
        self.greeting.unanswered = self.greeting.unanswered.saturating_sub(1);
        if self.greeting.unanswered == 0 {
            self.server.set_ready();
        }
    }
}
