//! Permissions: the extension holds each call until it is answered here.

use super::{Ask, Session};
use crate::core::Core;
use crate::native::{GatedCall, line};
use crate::tools;
use agent_client_protocol_schema::v1::{ToolCallStatus, ToolCallUpdate};
use sa_acp::{
    AskReason, Asking, BasicMode as Mode, Decision, Grant, PermissionRequest, Session as _,
    permission_options,
};
use serde_json::json;

/// The verdict that lets a call run.
const ALLOW: &str = "allow";

/// The refusal of a change in plan mode.
const READ_ONLY: &str =
    "Plan mode is read-only, and this may change something. Finish the plan; the user leaves plan mode.";

/// Returns the permission that covers a call.
fn grant(call: &GatedCall) -> Grant {
    match (call.tool.as_str(), call.input["command"].as_str()) {
        ("edit" | "write", _) => Grant::Edits,
        ("bash", Some(command)) => Grant::for_command(command),
        (tool, _) => Grant::Tool(tool.to_owned()),
    }
}

impl Session {
    /// Handles a call that the extension holds: answers it, or asks the client.
    pub(super) fn on_gate(&mut self, core: &mut Core, id: &str, call: GatedCall) {
        if self.turn.as_ref().is_none_or(|turn| turn.is_cancelled()) {
            return self.answer_gate(core, id, Some("The turn is over."));
        }
        let changes = tools::may_change(&call.tool, &call.input);
        let asks_all = self.workspace.asking == Asking::All;
        if changes && self.settings.mode() == Mode::Plan {
            return self.answer_gate(core, id, Some(READ_ONLY));
        }
        let grant = grant(&call);
        let is_allowed = !changes || self.allowed.contains(&grant);
        if self.settings.mode() == Mode::Bypass || (is_allowed && !asks_all) {
            return self.answer_gate(core, id, Some(ALLOW));
        }
        let described = match self.tools.get(&call.id) {
            Some(tool) => tool.described.clone(),
            None => tools::describe(&call.tool, &call.input, &self.workspace.cwd, core.host.disk.as_ref()),
        };
        let fields = described.into_fields().status(ToolCallStatus::Pending);
        let request = PermissionRequest {
            call: ToolCallUpdate::new(call.id.clone(), fields),
            options: permission_options(Some(grant.option()), None),
            reason: if is_allowed { AskReason::ClientRules } else { AskReason::Needed },
        };
        self.conversation.ask_permission(&mut core.io.client, id, call, request);
    }

    pub(super) fn on_decision(&mut self, core: &mut Core, id: &str, call: &Ask, decision: Decision) {
        if decision.is_allowed() {
            self.tools.runs(&mut core.io.client, &self.conversation.id, &call.id);
        }
        match decision {
            Decision::Once => self.answer_gate(core, id, Some(ALLOW)),
            Decision::Session | Decision::Forever => {
                self.allowed.push(grant(call));
                self.answer_gate(core, id, Some(ALLOW));
            }
            Decision::Rejected => {
                self.answer_gate(core, id, Some(&format!("The user rejected this use of {}.", call.tool)));
            }
            Decision::Failed(reason) => self.answer_gate(core, id, Some(&reason)),
            Decision::Cancelled => {
                self.answer_gate(core, id, None);
                self.interrupt(core);
            }
        }
    }

    /// Decides open questions by the new mode, or asks them again.
    pub(super) fn ask_again(&mut self, core: &mut Core) {
        for (id, call) in self.conversation.withdraw_all(&mut core.io.client) {
            self.on_gate(core, &id, call);
        }
    }

    /// Withdraws all questions. The calls do not run.
    pub(super) fn drop_asks(&mut self, core: &mut Core) {
        for (id, _) in self.conversation.withdraw_all(&mut core.io.client) {
            self.answer_gate(core, &id, None);
        }
    }

    /// Answers a dialog of the extension; without a value it is cancelled.
    pub(super) fn answer_gate(&self, core: &mut Core, id: &str, value: Option<&str>) {
        if let Some(child) = &self.child {
            let answer = match value {
                Some(value) => json!({ "type": "extension_ui_response", "value": value }),
                None => json!({ "type": "extension_ui_response", "cancelled": true }),
            };
            core.io.processes.write(child.id, line(answer, id));
        }
    }
}
