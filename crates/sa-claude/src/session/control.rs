//! Our own questions and orders to the CLI. Each has a deadline, because versions that do not know one may not answer it.

use super::Session;
use super::settings::Change;
use crate::core::Core;
use crate::limits::MAX_CONTROLS;
use crate::native::frame::Response;
use crate::native::line::{Line, Request};
use agent_client_protocol_schema::v1::{SetSessionConfigOptionResponse, SetSessionModeResponse};
use sa_acp::RequestKey;
use sa_acp::failure;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

/// What to do with the answer.
#[derive(Debug)]
pub(super) enum Then {
    Initialized,
    Version,
    Settings,
    McpServers,
    McpStatus,
    ContextUsage,
    /// A client waits for it.
    Changed {
        key: RequestKey,
        change: Change,
        reply: Reply,
    },
    /// Nobody waits; a refusal is logged under this name.
    Nothing(&'static str),
}

/// In which form a client asked for a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reply {
    Mode,
    Model,
    Option,
}

#[derive(Debug)]
struct Control {
    deadline: Duration,
    then: Then,
}

/// What was asked and is not answered.
#[derive(Debug, Default)]
pub(super) struct Controls {
    last: u64,
    open: BTreeMap<String, Control>,
}

impl Controls {
    fn open(&mut self, deadline: Duration, then: Then) -> String {
        self.last += 1;
        let id = format!("sa-{:06}", self.last);
        self.open.insert(id.clone(), Control { deadline, then });
        id
    }

    pub(super) fn is_full(&self) -> bool {
        self.open.len() >= MAX_CONTROLS
    }

    pub(super) fn deadline(&self) -> Option<Duration> {
        self.open.values().map(|control| control.deadline).min()
    }

    /// Takes what was not answered in time.
    pub(super) fn expired(&mut self, now: Duration) -> Vec<Then> {
        self.open
            .extract_if(.., |_, control| control.deadline <= now)
            .map(|(_, control)| control.then)
            .collect()
    }

    /// Takes all of it.
    pub(super) fn take_all(&mut self) -> Vec<Then> {
        std::mem::take(&mut self.open).into_values().map(|control| control.then).collect()
    }

    /// Waits no longer than this for what `of` picks.
    pub(super) fn hurry(&mut self, deadline: Duration, of: impl Fn(&Then) -> bool) {
        for control in self.open.values_mut().filter(|control| of(&control.then)) {
            control.deadline = control.deadline.min(deadline);
        }
    }
}

impl Session {
    /// Asks or orders the CLI something.
    pub(super) fn control(&mut self, core: &mut Core, request: &Request, within: Duration, then: Then) {
        let Some(child) = &self.child else { return };
        let request_id = self.controls.open(core.now.elapsed + within, then);
        core.write(child.id, &Line::ControlRequest { request_id: &request_id, request });
    }

    /// The same when nothing depends on the answer.
    pub(super) fn order(&mut self, core: &mut Core, request: &Request, name: &'static str) {
        self.control(core, request, core.host.limits.control, Then::Nothing(name));
    }

    /// Takes an answer of the CLI. What it echoes of our own answers has an id that was not given here.
    pub(super) fn control_answered(&mut self, core: &mut Core, response: Response) {
        let id = response.request_id.as_deref().unwrap_or_default();
        let Some(control) = self.controls.open.remove(id) else { return };
        let answer = if response.subtype.as_deref() == Some("error") {
            Err(response.error.unwrap_or_else(|| "refused".to_owned()))
        } else {
            Ok(response.response)
        };
        self.control_done(core, control.then, Some(answer));
    }

    pub(super) fn control_expired(&mut self, core: &mut Core, then: Then) {
        self.control_done(core, then, None);
    }

    /// `answer` is `None` if none came in time.
    fn control_done(&mut self, core: &mut Core, then: Then, answer: Option<Result<Value, String>>) {
        match then {
            Then::Initialized => self.initialized(core, answer),
            Then::Version => self.version_known(core, answer),
            Then::Settings => self.settings_known(core, answer),
            Then::McpServers => self.mcp_servers_set(core, answer),
            Then::McpStatus => self.mcp_status_known(core, answer),
            Then::ContextUsage => self.window_known(core, answer),
            Then::Changed { key, change, reply } => self.change_done(core, &key, change, reply, answer),
            Then::Nothing(name) => match answer {
                Some(Ok(_)) => {}
                Some(Err(error)) => tracing::debug!(name, error, "claude refused an order"),
                None => tracing::debug!(name, "claude did not answer an order"),
            },
        }
    }

    /// Changes a setting on a client's behalf. Without a process it is noted for the next one.
    pub(crate) fn change(&mut self, core: &mut Core, key: RequestKey, change: Change, reply: Reply) {
        if self.child.is_none() {
            return self.change_done(core, &key, change, reply, Some(Ok(Value::Null)));
        }
        if self.controls.is_full() {
            return core.fail(&key, &failure("too many changes are waiting for claude", "busy"));
        }
        let request = change.request();
        self.control(core, &request, core.host.limits.control, Then::Changed { key, change, reply });
    }

    fn change_done(
        &mut self,
        core: &mut Core,
        key: &RequestKey,
        change: Change,
        reply: Reply,
        answer: Option<Result<Value, String>>,
    ) {
        match answer {
            Some(Ok(_)) => {}
            Some(Err(error)) => return core.fail(key, &failure(error, "refused")),
            None => return core.fail(key, &failure("claude did not answer in time", "timeout")),
        }
        if matches!(change, Change::Model(_)) {
            self.meter.model_changed();
        }
        let mode_before = self.settings.mode().to_owned();
        self.settings.apply(change);
        if self.settings.mode() != mode_before {
            self.tell_mode(core);
        } else if reply != Reply::Option {
            self.tell_options(core);
        }
        match reply {
            Reply::Mode => core.reply(key, SetSessionModeResponse::new()),
            Reply::Model => core.reply(key, serde_json::json!({})),
            Reply::Option => {
                core.reply(key, SetSessionConfigOptionResponse::new(self.settings.options()));
            }
        }
    }
}
