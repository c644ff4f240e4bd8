//! Leaving plan mode: the user approves the plan and chooses the next mode. The CLI has no question for that, so it is
//! asked here when a turn ends with a plan, and the prompt ends with what becomes of it.

use super::Session;
use super::ask::Ask;
use super::prompt::Work;
use super::settings::Mode;
use super::turn::Turn;
use crate::core::Core;
use agent_client_protocol_schema::v1::{StopReason, ToolCallStatus, ToolKind};
use sa_acp::{
    AskReason, Described, Outcome, PermissionRequest, Reply, Session as _, chosen, paragraph, plan_options,
};
use serde_json::{Value, json};

/// A plan that the model proposes.
#[derive(Debug)]
pub(super) struct Proposal {
    pub(super) id: String,
    pub(super) text: String,
}

/// A plan that the user looks at, and the call that it is shown as.
#[derive(Debug)]
pub struct Plan {
    call: String,
    text: String,
}

/// The message to the model when its plan is good. The plan follows: the conversation may be summed up before it is done.
const GO: &str = "The user approved this plan. Implement it.";

/// The modes that may follow plan mode, the most careful one first.
const APPROVALS: [(Mode, &str); 3] = [
    (Mode::Default, "Yes, and ask before edits"),
    (Mode::Auto, "Yes, and accept edits"),
    (Mode::Bypass, "Yes, and never ask"),
];

fn is_approval(mode: Mode) -> bool {
    APPROVALS.iter().any(|(approval, _)| *approval == mode)
}

impl Session {
    pub(super) fn ask_plan(&mut self, core: &mut Core, turn: Turn, proposal: Proposal) {
        if self.settings.mode() != Mode::Plan || !self.conversation.is_awaited() {
            self.finish_prompt(core, Ok(StopReason::EndTurn));
            return self.send_next(core);
        }
        // The plan itself was a message under its id.
        let call = format!("{}-approval", proposal.id);
        let described = Described {
            content: vec![paragraph(proposal.text.clone())],
            ..Described::new("plan", ToolKind::SwitchMode, "Ready to implement?", Value::Null)
        };
        let request = PermissionRequest {
            call: self.about(core, &call, Some(described), None),
            options: plan_options(&self.settings.modes, &APPROVALS, Mode::Plan),
            reason: AskReason::Needed,
        };
        // No question of the app-server has such an id.
        let id = format!("plan-{call}");
        // It stays the running turn: prompts wait behind it, and it can be cancelled.
        self.turn = Some(turn);
        let plan = Plan { call, text: proposal.text };
        self.conversation.ask_permission(&mut core.io.client, &id, Ask::Plan(plan), request);
    }

    pub(super) fn on_plan_reply(&mut self, core: &mut Core, plan: &Plan, reply: Reply) {
        let call = plan.call.as_str();
        let wanted = match chosen(reply) {
            Ok(Some(mode)) => self.settings.modes.find(&mode).ok().filter(|mode| is_approval(*mode)),
            Ok(None) => return self.end_plan(core, call, StopReason::Cancelled),
            Err(reason) => {
                tracing::warn!(session = %self.conversation.id, reason, "the plan was not approved");
                None
            }
        };
        let Some(mode) = wanted else { return self.end_plan(core, call, StopReason::EndTurn) };
        self.report_plan(core, call, ToolCallStatus::Completed);
        self.settings.modes.set(mode);
        if let Some(mode) = self.settings.modes.take_change() {
            core.io.client.mode_changed(&self.conversation.id, mode, self.settings.options());
        }
        self.begin(
            core,
            Turn::new(String::new()),
            &Work::Turn(vec![json!({ "type": "text", "text": format!("{GO}\n\n{}", plan.text) })]),
        );
    }

    fn end_plan(&mut self, core: &mut Core, call: &str, reason: StopReason) {
        self.report_plan(core, call, ToolCallStatus::Failed);
        self.turn = None;
        self.finish_prompt(core, Ok(reason));
        self.let_go(core);
        self.send_next(core);
    }

    fn report_plan(&mut self, core: &mut Core, call: &str, status: ToolCallStatus) {
        let outcome = Outcome::new(status, Vec::new(), Value::Null);
        self.tools.running.done(&mut core.io.client, &self.conversation.id, call, outcome);
    }

    /// The prompt is cancelled while its plan is looked at; `false` if there is none.
    pub(super) fn leave_plan(&mut self, core: &mut Core) -> bool {
        let plan = self.conversation.asks.iter().find_map(|(id, ask)| match ask {
            Ask::Plan(plan) => Some((id.clone(), plan.call.clone())),
            _ => None,
        });
        let Some((id, call)) = plan else { return false };
        self.conversation.withdraw(&mut core.io.client, &id);
        self.end_plan(core, &call, StopReason::Cancelled);
        true
    }
}
