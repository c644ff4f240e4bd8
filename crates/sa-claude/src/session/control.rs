//! Our own questions and orders to the CLI. Each has a deadline, because versions that do not know one may not answer it.

use super::Session;
use super::opening::ControlOutcome;
use super::settings::Change;
use crate::core::Core;
use crate::limits::MAX_CONTROLS;
use crate::native::line;
use agent_client_protocol_schema::v1::{Error, Notice, NoticeSeverity};
use sa_acp::{Pending, SetRequest, failure};
use serde_json::{Value, json};
use std::time::Duration;

/// The continuation of a request.
#[derive(Debug)]
pub(super) enum Then {
    Initialized,
    Version,
    Settings,
    /// The credential that the client gave was set.
    TokenSet,
    McpServers,
    McpStatus,
    /// A client waits for it.
    Changed(Box<SetRequest>, Change),
    /// The client has its answer already.
    Applied(Change),
    /// The user changed the model by a command of the CLI, which is asked what it uses now.
    ModelFollowed(String),
    /// Nobody waits; a refusal is logged under this name.
    Nothing(&'static str),
}

/// Requests that are not answered.
#[derive(Debug, Default)]
pub(super) struct Controls {
    last: u64,
    pub(super) open: Pending<String, Then>,
}

impl Controls {
    fn open(&mut self, deadline: Duration, then: Then) -> String {
        self.last += 1;
        let id = format!("sa-{:06}", self.last);
        self.open.insert(id.clone(), Some(deadline), then);
        id
    }

    fn is_full(&self) -> bool {
        self.open.count() >= MAX_CONTROLS
    }
}

impl Session {
    /// Asks or orders the CLI something.
    pub(super) fn control(&mut self, core: &mut Core, request: &Value, within: Duration, then: Then) {
        let Some(child) = &self.child else { return };
        let request_id = self.controls.open(core.io.now.elapsed + within, then);
        core.io.processes.write(child.id, line::request(&request_id, request));
    }

    /// The same when nothing depends on the answer.
    pub(super) fn order(&mut self, core: &mut Core, request: &Value, name: &'static str) {
        self.control(core, request, core.host.limits.control, Then::Nothing(name));
    }

    /// Drops all questions and orders to a process, and refuses the changes that a client waits for.
    pub(super) fn fail_controls(&mut self, core: &mut Core, error: &Error) {
        for then in self.controls.open.take_all() {
            if let Then::Changed(request, _) = then {
                core.io.client.fail(&request.key, error);
            }
        }
    }

    /// Handles an answer of the CLI. Echoes of our own answers have other ids.
    pub(super) fn on_control_response(&mut self, core: &mut Core, mut response: Value) {
        let id = response["request_id"].as_str().unwrap_or_default();
        let Some(then) = self.controls.open.answered(id) else { return };
        let answer = if response["subtype"] == "error" {
            Err(response["error"].as_str().unwrap_or("refused").to_owned())
        } else {
            Ok(response["response"].take())
        };
        self.control_done(core, then, Some(answer));
    }

    /// `answer` is `None` if none came in time.
    pub(super) fn control_done(&mut self, core: &mut Core, then: Then, answer: ControlOutcome) {
        match then {
            Then::Initialized => self.on_initialized(core, answer),
            Then::Version => self.on_version(core, answer),
            Then::Settings => self.on_settings(core, answer),
            Then::McpServers => self.on_mcp_servers_set(core, answer),
            Then::McpStatus => self.on_mcp_status(core, answer),
            Then::TokenSet => self.on_token_set(core, answer),
            Then::ModelFollowed(name) => self.on_model_followed(core, &name, answer),
            Then::Applied(change) => self.on_change_applied(core, change, answer),
            Then::Changed(request, change) => self.on_change_done(core, &request, change, answer),
            Then::Nothing(name) => match answer {
                Some(Ok(_)) => {}
                Some(Err(error)) => tracing::debug!(name, error, "claude refused an order"),
                None => tracing::debug!(name, "claude did not answer an order"),
            },
        }
    }

    /// Changes a setting on a client's behalf. Without a process it is noted for the next one.
    pub(super) fn change(&mut self, core: &mut Core, set: SetRequest, change: Change) -> Result<(), Error> {
        let (request, limit) = (change.request(), core.host.limits.control);
        if self.child.is_none() {
            self.on_change_done(core, &set, change, Some(Ok(Value::Null)));
        } else if self.controls.is_full() {
            return Err(failure("too many changes are waiting for claude", "busy"));
        } else if self.mcp.holds_answers() {
            // No prompt goes out before the answer, so the change is in force for the next one.
            self.control(core, &request, core.host.limits.mcp + limit, Then::Applied(change.clone()));
            self.on_change_done(core, &set, change, Some(Ok(Value::Null)));
        } else {
            self.control(core, &request, limit, Then::Changed(Box::new(set), change));
        }
        Ok(())
    }

    /// The CLI answers to a change that the client takes for made.
    fn on_change_applied(&mut self, core: &mut Core, change: Change, answer: ControlOutcome) {
        let reason = match answer {
            Some(Ok(_)) => return,
            Some(Err(error)) => error,
            None => "Claude Code did not answer in time".to_owned(),
        };
        let (option, value) = change.words();
        let title = format!("Claude Code did not take the {option} '{value}'");
        let notice = Notice::new(NoticeSeverity::Error, title).description(reason.clone());
        core.io.client.notice(
            &self.conversation.id,
            notice,
            "refused",
            json!({ "option": option, "value": value, "error": reason }),
        );
    }

    fn on_change_done(&mut self, core: &mut Core, set: &SetRequest, change: Change, answer: ControlOutcome) {
        match answer {
            Some(Ok(_)) => {}
            Some(Err(error)) => return core.io.client.fail(&set.key, &failure(error, "refused")),
            None => {
                return core.io.client.fail(&set.key, &failure("claude did not answer in time", "timeout"));
            }
        }
        if matches!(change, Change::Model(_)) {
            self.meter.model_changed();
        }
        let mode_before = self.settings.mode().to_owned();
        self.settings.apply(change);
        let mode = Some(self.settings.mode()).filter(|mode| *mode != mode_before);
        core.io.client.setting_changed(&self.conversation.id, set, mode, self.settings.options());
        self.refuse_changes_in_plan(core);
    }
}
