//! Questions of the server, passed on to the client, and the answers on their way back.

use super::Session;
use super::permission::Waiting;
use super::plan_exit::Plan;
use super::question::Questions;
use crate::core::Core;
use crate::native::call::{Call, escaped, permission_reply};
use agent_client_protocol_schema::v1::{PermissionOption, RequestPermissionRequest, ToolCallUpdate};
use sa_acp::{Caller, Told};
use serde::Serialize;
use serde_json::json;

/// What a client was asked.
#[derive(Debug)]
pub(super) enum Ask {
    /// Whether something may be done.
    Permission(Box<Waiting>),
    /// Questions to the user, as one form.
    Form(Questions),
    /// Questions to the user, one after the other, each as a choice.
    Choice(Questions),
    /// Whether a plan is good.
    Plan(Plan),
}

impl Session {
    /// Passes a question on.
    pub(super) fn pass_on(
        &mut self,
        core: &mut Core,
        id: &str,
        ask: Ask,
        method: &str,
        params: impl Serialize,
    ) {
        let caller = Caller { session: self.id.clone(), ask: id.to_owned() };
        core.call(caller, method, params);
        self.asks.insert(id.to_owned(), ask);
    }

    /// Passes a question on as a request for permission.
    pub(super) fn pass_on_choice(
        &mut self,
        core: &mut Core,
        id: &str,
        ask: Ask,
        call: ToolCallUpdate,
        options: Vec<PermissionOption>,
    ) {
        let request = RequestPermissionRequest::new(self.id.clone(), call, options);
        self.pass_on(core, id, ask, "session/request_permission", request);
    }

    /// Takes the client's answer.
    pub(crate) fn answered(&mut self, core: &mut Core, id: &str, told: Told) {
        let Some(ask) = self.asks.remove(id) else { return };
        match ask {
            Ask::Permission(waiting) => self.permission_answered(core, id, *waiting, told),
            Ask::Form(questions) => self.form_answered(core, id, questions, told),
            Ask::Choice(questions) => self.choice_answered(core, id, questions, told),
            Ask::Plan(plan) => self.plan_answered(core, id, &plan, told),
        }
    }

    /// The question is answered already, by whomever.
    pub(super) fn ask_withdrawn(&mut self, core: &mut Core, id: &str) {
        if self.asks.remove(id).is_some() {
            core.withdraw(&self.id, Some(id));
        }
    }

    /// Takes all questions back from the client: they are void.
    pub(super) fn withdraw_asks(&mut self, core: &mut Core) {
        self.asks.clear();
        core.withdraw(&self.id, None);
    }

    /// The same, and the server is told in case it still waits.
    pub(super) fn drop_asks(&mut self, core: &mut Core) {
        for (id, ask) in std::mem::take(&mut self.asks) {
            core.withdraw(&self.id, Some(&id));
            match ask {
                Ask::Permission(_) => self.answer_permission(core, &id, "reject", None),
                Ask::Form(_) | Ask::Choice(_) | Ask::Plan(_) => self.reject_question(core, &id),
            }
        }
    }

    pub(super) fn answer_permission(&self, core: &mut Core, id: &str, reply: &str, message: Option<&str>) {
        core.order("permission", &permission_reply(id, reply, message).within(&self.place.cwd));
    }

    pub(super) fn answer_question(&self, core: &mut Core, id: &str, answers: &[Vec<String>]) {
        let path = format!("/question/{}/reply", escaped(id));
        core.order("question", &Call::post(path, json!({ "answers": answers })).within(&self.place.cwd));
    }

    pub(super) fn reject_question(&self, core: &mut Core, id: &str) {
        let path = format!("/question/{}/reject", escaped(id));
        core.order("question", &Call::post(path, json!({})).within(&self.place.cwd));
    }
}
