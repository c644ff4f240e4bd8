//! Leaving plan mode: the user approves the plan and says in which mode to go on.

use super::Session;
use super::ask::{AfterDenial, Ask, deny};
use super::permission::Permission;
use super::settings::{ACCEPT_EDITS, BYPASS, DEFAULT, PLAN};
use crate::core::Core;
use crate::native::frame::CanUseTool;
use agent_client_protocol_schema::v1::{PermissionOption, PermissionOptionKind};
use sa_acp::{Reply, chosen};
use serde_json::json;

impl Session {
    pub(super) fn ask_plan(&mut self, core: &mut Core, id: String, asked: CanUseTool) {
        let (permission, call) = self.permission(core, &id, asked, Vec::new());
        let mut options = vec![
            PermissionOption::new(ACCEPT_EDITS, "Yes, and accept edits", PermissionOptionKind::AllowAlways),
            PermissionOption::new(DEFAULT, "Yes, and ask before edits", PermissionOptionKind::AllowOnce),
        ];
        if self.settings.may_bypass() {
            let never = "Yes, and never ask";
            options.push(PermissionOption::new(BYPASS, never, PermissionOptionKind::AllowAlways));
        }
        options.push(PermissionOption::new(PLAN, "No, keep planning", PermissionOptionKind::RejectOnce));
        self.conversation.ask_permission(
            &mut core.client,
            &id,
            Ask::Plan(Box::new(permission)),
            call,
            options,
        );
    }

    pub(super) fn plan_answered(&mut self, core: &mut Core, id: &str, permission: Permission, reply: Reply) {
        let may_bypass = self.settings.may_bypass();
        let answer = match chosen(reply) {
            Ok(Some(mode)) if mode == ACCEPT_EDITS || mode == DEFAULT || (mode == BYPASS && may_bypass) => {
                self.tools.runs(&mut core.client, &self.conversation.id, &permission.call);
                // The CLI may use a tool in its new mode before it reports that mode.
                if self.settings.saw_mode(&mode) {
                    self.tell_mode(core);
                }
                permission.allow(vec![json!({ "type": "setMode", "mode": mode, "destination": "session" })])
            }
            Ok(Some(_)) => deny("The user wants to keep planning.", AfterDenial::Continue),
            Ok(None) => deny("The user cancelled the turn.", AfterDenial::Stop),
            Err(reason) => deny(format!("The plan was not approved: {reason}."), AfterDenial::Continue),
        };
        self.respond(core, id, answer);
    }
}
