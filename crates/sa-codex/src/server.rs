//! The app-server: started when it is needed first, greeted, and started again after it ended.

use super::launch::Launch;
use super::limits::COLLISIONS;
use super::machine::Machine;
use super::native::answer::{AccountRead, Executed, Initialized, Models, OLDEST, UNLOADS};
use super::native::call::{Exec, Initialize, ListModels, Login};
use super::native::line;
use super::replies::{Outcome, Then};
use agent_client_protocol_schema::v1::Error;
use sa_acp::{Ended, ServerEnd, auth_required, failure, process_ended};
use serde_json::json;

/// The facts about a process since it was started.
#[derive(Debug, Default)]
pub(super) struct Greeting {
    /// Answers that are missing before it takes requests.
    unanswered: usize,
    /// Whether the model's API needs credentials and there are none.
    pub(super) lacks_credentials: bool,
}

/// Returns whether a process ended because another one was setting up the same home at that time.
fn is_collision(stderr: &str) -> bool {
    stderr.contains("failed to initialize") && stderr.contains("state runtime")
}

impl Machine {
    /// Starts the app-server if there is none; `true` if it is ready.
    pub(super) fn ensure_server(&mut self) -> bool {
        if self.core.server.child().is_some() {
            return self.core.server.is_ready();
        }
        let host = &self.core.host;
        let launch = Launch {
            base_url: host.base_url.clone(),
            provider_key: self.core.provider.clone().zip(host.token_variable.clone()),
            ephemeral: host.api_key.is_some(),
        };
        let unanswered = if host.token_variable.is_some() { 5 } else { 4 };
        let child = self.core.processes.start(launch);
        self.core.server.started(child);
        self.greeting = Greeting { unanswered, lacks_credentials: false };
        self.greet();
        false
    }

    /// All that has to be known, asked at once but for the login: nothing else is answered while that goes on.
    fn greet(&mut self) {
        let limit = self.core.host.limits.handshake;
        self.core.ask("initialize", Initialize::new(), limit, Then::Initialized);
        self.core.tell(line::notification("initialized"));
        if self.core.host.api_key.is_none() {
            self.core.ask("account/read", json!({}), limit, Then::Account);
        }
        self.core.ask("model/list", ListModels { limit: 100, include_hidden: false }, limit, Then::Models);
        self.core.ask("command/exec", Exec::in_sandbox(), self.core.host.limits.control, Then::Sandbox);
    }

    /// The CLI does not look for keys in the environment here.
    fn log_in_with_key(&mut self) {
        let Some(api_key) = self.core.host.api_key.clone() else { return };
        let params = Login { r#type: "apiKey", api_key: &api_key.0 };
        self.core.ask("account/login/start", params, self.core.host.limits.handshake, Then::LoggedIn);
    }

    pub(super) fn initialized(&mut self, outcome: Outcome<'_>) {
        let initialized: Initialized = match outcome.read() {
            Ok(initialized) => initialized,
            Err(reason) => return self.give_up(&failure(reason, "handshake_failed")),
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
            return self.give_up(&error);
        }
        self.core.unloads = initialized.version().is_none_or(|version| version >= UNLOADS);
        self.one_answered();
    }

    pub(super) fn logged_in(&mut self, outcome: &Outcome<'_>) {
        if let Err(reason) = outcome.text() {
            return self.give_up(&auth_required(format!("Codex does not take the key: {reason}")));
        }
        // Not before the login is over, which settings are read for, too.
        if self.core.host.token_variable.is_some() {
            self.core.ask("config/read", json!({}), self.core.host.limits.handshake, Then::Config);
        }
        self.one_answered();
    }

    pub(super) fn account_known(&mut self, outcome: Outcome<'_>) {
        self.greeting.lacks_credentials =
            outcome.read::<AccountRead>().is_ok_and(|account| account.lacks_credentials());
        self.one_answered();
    }

    /// Without a list the model that a thread begins with is the only one.
    pub(super) fn models_known(&mut self, outcome: Outcome<'_>) {
        let models = outcome.read::<Models>().unwrap_or_default().data;
        self.core.models = models.into_iter().filter(|model| !model.hidden).collect();
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
        self.core.sandbox = reason.is_none();
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
            self.core.server.set_ready();
        }
    }

    /// The process is of no use: whoever waits for it is told why.
    pub(super) fn give_up(&mut self, error: &Error) {
        self.dismiss();
        self.fail_jobs(error);
    }

    /// Ends the process. What needs it waits for the next one.
    pub(super) fn dismiss(&mut self) {
        self.core.server.dismiss(&mut self.core.processes, self.core.host.limits.farewell);
    }

    /// Everything that was under way in the process fails with it. The next prompt of a session starts another one.
    pub(super) fn server_ended(&mut self, ended: &Ended) {
        let error = process_ended("Codex", ended, None);
        let (end, unanswered) = self.core.server.on_ended();
        if end != ServerEnd::Expected {
            tracing::warn!(code = ended.code, signal = ended.signal, "the app-server ended by itself");
        }
        self.greeting = Greeting::default();
        for then in unanswered {
            self.unanswerable(then, &error);
        }
        for session in self.sessions.values_mut() {
            session.server_lost(&mut self.core, &error);
        }
        if end != ServerEnd::Failed {
            return;
        }
        // The other process is done soon, so that the next start finds a home that is set up.
        if is_collision(&ended.stderr) && self.core.server.may_start_again(COLLISIONS) {
            return;
        }
        // A new process would end in the same way.
        self.fail_jobs(&error);
    }
}
