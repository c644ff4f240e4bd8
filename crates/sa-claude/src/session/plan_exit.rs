//! Leaving plan mode: the user approves the plan and chooses the next mode.

use super::Session;
use super::ask::Ask;
use super::permission::Permission;
use super::settings::{ACCEPT_EDITS, BYPASS, DEFAULT, PLAN};
use crate::core::Core;
use crate::native::frame::CanUseTool;
use crate::native::line::{AfterDenial, allow, deny};
use agent_client_protocol_schema::v1::{PermissionOption, PermissionOptionKind};
use sa_acp::{AskReason, PermissionRequest, Reply, chosen};
use serde_json::json;

impl Session {
    pub(super) fn ask_plan(&mut self, core: &mut Core, id: String, asked: CanUseTool) {
        let (permission, call) = self.permission(core, &id, asked, Vec::new());
        let mut options = vec![
            PermissionOption::new(ACCEPT_EDITS, "Yes, and accept edits", PermissionOptionKind::AllowAlways),
            PermissionOption::new(DEFAULT, "Yes, and ask before edits", PermissionOptionKind::AllowOnce),
        ];
        if self.settings.allow_bypass {
            let never = "Yes, and never ask";
            options.push(PermissionOption::new(BYPASS, never, PermissionOptionKind::AllowAlways));
        }
        options.push(PermissionOption::new(PLAN, "No, keep planning", PermissionOptionKind::RejectOnce));
        let request = PermissionRequest { call, options, reason: AskReason::Needed };
        self.conversation.ask_permission(&mut core.io.client, &id, Ask::Plan(Box::new(permission)), request);
    }

    pub(super) fn on_plan_reply(&mut self, core: &mut Core, id: &str, permission: Permission, reply: Reply) {
        let may_bypass = self.settings.allow_bypass;
        let answer = match chosen(reply) {
            Ok(Some(mode)) if mode == ACCEPT_EDITS || mode == DEFAULT || (mode == BYPASS && may_bypass) => {
                self.tools.runs(&mut core.io.client, &self.conversation.id, &permission.call);
                // The CLI may use a tool in its new mode before it reports that mode.
                if self.settings.saw_mode(&mode) {
                    self.report_mode(core);
                }
                let set_mode = json!({ "type": "setMode", "mode": mode, "destination": "session" });
                allow(permission.input, vec![set_mode])
            }
            Ok(Some(_)) => deny("The user wants to keep planning.", AfterDenial::Continue),
            Ok(None) => deny("The user cancelled the turn.", AfterDenial::Stop),
            Err(reason) => deny(format!("The plan was not approved: {reason}."), AfterDenial::Continue),
        };
        self.respond(core, id, &answer);
    }
}
