//! Leaving plan mode: the user approves the plan and says in which mode to go on. The CLI has no question for that, so it is
//! asked here when a turn ends with a plan, and the prompt ends with what becomes of it.

use super::Session;
use super::ask::Ask;
use super::prompt::Work;
use super::settings::Mode;
use super::turn::Turn;
use crate::core::Core;
use crate::native::call::Input;
use agent_client_protocol_schema::v1::{
    SessionUpdate, StopReason, ToolCall, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use sa_acp::{Mode as _, Reply, Session as _, chosen, paragraph, plan_options};

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

impl Session {
    pub(super) fn ask_plan(&mut self, core: &mut Core, turn: Turn, proposal: Proposal) {
        if self.settings.mode() != Mode::Plan || !self.conversation.is_awaited() {
            self.finish_prompt(core, Ok(StopReason::EndTurn));
            return self.send_next(core);
        }
        // The plan itself was told as a message under its id.
        let call = format!("{}-approval", proposal.id);
        let content = vec![paragraph(proposal.text.clone())];
        let told = ToolCall::new(call.clone(), "Ready to implement?")
            .kind(ToolKind::SwitchMode)
            .status(ToolCallStatus::Pending)
            .content(content.clone());
        self.conversation.update(&mut core.client, &SessionUpdate::ToolCall(told));
        let fields = ToolCallUpdateFields::new()
            .title("Ready to implement?".to_owned())
            .kind(ToolKind::SwitchMode)
            .content(content);
        let mut modes = vec![(Mode::Default.id(), "Yes, and ask before edits")];
        if self.settings.check_mode(Mode::Auto.id()).is_ok() {
            modes.push((Mode::Auto.id(), "Yes, and accept edits"));
        }
        if self.settings.may_bypass() {
            modes.push((Mode::Bypass.id(), "Yes, and never ask"));
        }
        let options = plan_options(&modes, Mode::Plan.id());
        let update = ToolCallUpdate::new(call.clone(), fields);
        // No question of the app-server has such an id.
        let id = format!("plan-{call}");
        // It stays the running turn: prompts wait behind it, and it can be cancelled.
        self.turn = Some(turn);
        let plan = Plan { call, text: proposal.text };
        self.conversation.ask_permission(&mut core.client, &id, Ask::Plan(plan), update, options);
    }

    pub(super) fn plan_answered(&mut self, core: &mut Core, plan: &Plan, reply: Reply) {
        let call = plan.call.as_str();
        let wanted = match chosen(reply) {
            Ok(Some(mode)) => self.approved(&mode),
            Ok(None) => return self.end_plan(core, call, StopReason::Cancelled),
            Err(reason) => {
                tracing::warn!(session = %self.conversation.id, reason, "the plan was not approved");
                None
            }
        };
        let Some(mode) = wanted else { return self.end_plan(core, call, StopReason::EndTurn) };
        self.tell_plan(core, call, ToolCallStatus::Completed);
        self.settings.set_mode(mode);
        self.tell_mode(core);
        self.begin(
            core,
            Turn::new(String::new()),
            &Work::Turn(vec![Input::Text { text: format!("{GO}\n\n{}", plan.text) }]),
        );
    }

    /// The mode to go on in, if it is one that was offered.
    fn approved(&self, id: &str) -> Option<Mode> {
        let modes = [Mode::Default, Mode::Auto, Mode::Bypass];
        let mode = modes.into_iter().find(|mode| mode.id() == id)?;
        self.settings.check_mode(id).ok().map(|_| mode)
    }

    fn end_plan(&mut self, core: &mut Core, call: &str, reason: StopReason) {
        self.tell_plan(core, call, ToolCallStatus::Failed);
        self.turn = None;
        self.finish_prompt(core, Ok(reason));
        self.let_go(core);
        self.send_next(core);
    }

    fn tell_plan(&self, core: &mut Core, call: &str, status: ToolCallStatus) {
        let update = ToolCallUpdate::new(call.to_owned(), ToolCallUpdateFields::new().status(status));
        self.conversation.update(&mut core.client, &SessionUpdate::ToolCallUpdate(update));
    }

    /// The prompt is cancelled while its plan is looked at; `false` if there is none.
    pub(super) fn leave_plan(&mut self, core: &mut Core) -> bool {
        let plan = self.conversation.asks.iter().find_map(|(id, ask)| match ask {
            Ask::Plan(plan) => Some((id.clone(), plan.call.clone())),
            _ => None,
        });
        let Some((id, call)) = plan else { return false };
        self.conversation.withdraw(&mut core.client, &id);
        self.end_plan(core, &call, StopReason::Cancelled);
        true
    }
}
