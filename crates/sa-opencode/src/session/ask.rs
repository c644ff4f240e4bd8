//! Questions of the server, passed on to the client, and the answers on their way back.

use super::Session;
use super::permission::Waiting;
use super::plan_exit::Plan;
use super::question::Questions;
use crate::core::Core;
use crate::native::call::{Call, escaped, permission_reply};
use serde_json::json;

#[derive(Debug)]
pub enum Ask {
    Permission(Box<Waiting>),
    Questions(Questions),
    /// A plan that waits for approval.
    Plan(Plan),
}

impl Session {
    /// Withdraws all questions, and rejects them in case the server still waits.
    pub(super) fn drop_asks(&mut self, core: &mut Core) {
        for (id, ask) in self.conversation.withdraw_all(&mut core.io.client) {
            match ask {
                Ask::Permission(_) => self.answer_permission(core, &id, "reject", None),
                Ask::Questions(_) | Ask::Plan(_) => self.reject_question(core, &id),
            }
        }
    }

    pub(super) fn answer_permission(&self, core: &mut Core, id: &str, reply: &str, message: Option<&str>) {
        core.order("permission", &permission_reply(id, reply, message).within(&self.workspace.cwd));
    }

    pub(super) fn answer_question(&self, core: &mut Core, id: &str, answers: &[Vec<String>]) {
        let path = format!("/question/{}/reply", escaped(id));
        core.order("question", &Call::post(path, json!({ "answers": answers })).within(&self.workspace.cwd));
    }

    pub(super) fn reject_question(&self, core: &mut Core, id: &str) {
        let path = format!("/question/{}/reject", escaped(id));
        core.order("question", &Call::post(path, json!({})).within(&self.workspace.cwd));
    }
}
