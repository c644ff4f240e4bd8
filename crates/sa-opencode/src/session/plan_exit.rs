//! Leaving plan mode: the server asks whether its plan is good, as one question among others; the client is asked with the
//! plan before it, and chooses the next mode.

use super::Session;
use super::ask::Ask;
use crate::core::Core;
use crate::native::ask::Question;
use crate::replies::{Outcome, Then};
use agent_client_protocol_schema::v1::{ToolCallStatus, ToolCallUpdate, ToolKind};
use sa_acp::{
    AskReason, BasicMode as Mode, Described, PermissionRequest, Reply, Session as _, chosen, one_line,
    paragraph, plan_options,
};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The tool that asks.
const TOOL: &str = "plan_exit";

/// The answers that mean yes and no.
const YES: &str = "Yes";
const NO: &str = "No";

/// The modes that may follow plan mode, the most careful one first.
const APPROVALS: [(Mode, &str); 2] =
    [(Mode::Default, "Yes, and ask before edits"), (Mode::Bypass, "Yes, and never ask")];

/// A plan that the user looks at.
#[derive(Debug)]
pub struct Plan {
    call: String,
}

impl Session {
    /// Returns whether this is the question about a plan: the server may ask before it reports the call.
    pub(super) fn is_plan_exit(&self, call: &str, questions: &[Question]) -> bool {
        if let Some(tool) = self.tools.running.get(call) {
            return tool.described.name == TOOL;
        }
        let words = |question: &Question| {
            question.header == "Build Agent" && question.question.starts_with("Plan at ")
        };
        matches!(questions, [only] if words(only))
    }

    pub(super) fn ask_plan(&mut self, core: &mut Core, id: &str, call: String, questions: &[Question]) {
        let text = questions.first().map(|question| question.question.as_str()).unwrap_or_default();
        let plan = self.plan_text(core, text);
        let described = Described {
            content: vec![paragraph(plan.unwrap_or_else(|| one_line(text)))],
            ..Described::new(TOOL, ToolKind::SwitchMode, "Ready to implement?", Value::Null)
        };
        let fields = described.clone().into_fields().status(ToolCallStatus::Pending);
        self.tool_started(core, &call, described, None);
        let request = PermissionRequest {
            call: ToolCallUpdate::new(call.clone(), fields),
            options: plan_options(&self.settings.modes, &APPROVALS, Mode::Plan),
            reason: AskReason::Needed,
        };
        self.conversation.ask_permission(&mut core.io.client, id, Ask::Plan(Plan { call }), request);
    }

    /// Returns what is in the file of the plan, which the question names as it is seen from the project's root.
    fn plan_text(&self, core: &Core, question: &str) -> Option<String> {
        let path = question.strip_prefix("Plan at ")?.split(" is complete").next()?;
        let written = self.tools.written().filter(|known| known.ends_with(path)).map(Path::to_owned);
        let near = self.workspace.cwd.ancestors().map(|root| root.join(path));
        let mut places: Vec<PathBuf> = written.collect();
        places.extend(near);
        places.iter().find_map(|place| core.host.disk.read(place))
    }

    pub(super) fn on_plan_reply(&mut self, core: &mut Core, id: &str, plan: &Plan, reply: Reply) {
        let wanted = match chosen(reply) {
            Ok(Some(mode)) => self.settings.modes.find(&mode).ok().filter(|mode| *mode != Mode::Plan),
            Ok(None) => {
                self.reject_question(core, id);
                return self.interrupt(core);
            }
            Err(reason) => {
                tracing::warn!(session = %self.conversation.id, reason, "the plan was not approved");
                None
            }
        };
        let Some(mode) = wanted else {
            return self.answer_question(core, id, &[vec![NO.to_owned()]]);
        };
        self.switch_to(core, mode);
        self.tools.running.runs(&mut core.io.client, &self.conversation.id, &plan.call);
        // The server continues as soon as it has its answer, and has to have the rules of the new mode by then.
        self.ruled = self.settings.rules(&self.workspace.directories, &self.foreign(core));
        self.send_rules(core, Then::Approved(self.conversation.id.clone(), id.to_owned()));
    }

    /// Answers the server once it has the rules of the new mode. Without them the session stays in plan mode.
    pub(crate) fn on_approved(&mut self, core: &mut Core, id: &str, outcome: &Outcome<'_>) {
        let answer = match outcome.text() {
            Ok(_) => YES,
            Err(reason) => {
                tracing::warn!(session = %self.conversation.id, reason, "the plan was not approved");
                self.ruled.clear();
                self.switch_to(core, Mode::Plan);
                NO
            }
        };
        self.answer_question(core, id, &[vec![answer.to_owned()]]);
    }

    fn switch_to(&mut self, core: &mut Core, mode: Mode) {
        self.settings.modes.set(mode);
        if let Some(mode) = self.settings.modes.take_change() {
            core.io.client.mode_changed(&self.conversation.id, mode, self.settings.options());
        }
    }
}
