//! Leaving plan mode: the server asks whether its plan is good, as one question among others; the client is asked with the
//! plan before it, and says in which mode to go on.

use super::Session;
use super::ask::Ask;
use super::settings::{Change, Mode};
use crate::core::Core;
use crate::native::ask::Question;
use crate::native::call::{Call, of_session};
use crate::replies::Then;
use agent_client_protocol_schema::v1::{ToolCallStatus, ToolCallUpdate, ToolKind};
use sa_acp::{Described, Mode as _, Reply, Session as _, chosen, one_line, paragraph, plan_options};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The tool that asks.
const TOOL: &str = "plan_exit";

/// What the server takes for yes and no.
const YES: &str = "Yes";
const NO: &str = "No";

/// A plan that the user looks at.
#[derive(Debug)]
pub struct Plan {
    call: String,
}

impl Session {
    /// Returns whether this is the question about a plan: the server may ask before it tells of the call.
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
        let mut modes = vec![(Mode::Default.id(), "Yes, and ask before edits")];
        if self.settings.may_bypass() {
            modes.push((Mode::Bypass.id(), "Yes, and never ask"));
        }
        let options = plan_options(&modes, Mode::Plan.id());
        let update = ToolCallUpdate::new(call.clone(), fields);
        self.conversation.ask_permission(&mut core.client, id, Ask::Plan(Plan { call }), update, options);
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

    pub(super) fn plan_answered(&mut self, core: &mut Core, id: &str, plan: &Plan, reply: Reply) {
        let wanted = match chosen(reply) {
            Ok(Some(mode)) => self.approved(&mode),
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
        self.settings.apply(Change::Mode(mode));
        self.tell_mode(core);
        self.tools.running.runs(&mut core.client, &self.conversation.id, &plan.call);
        // The server goes on as soon as it has its answer, and has to have the rules of the new mode by then.
        let foreign = core.registry.foreign(&self.workspace.cwd, &self.conversation.id.0);
        self.ruled = self.settings.rules(&self.workspace.directories, &foreign);
        let call = Call::patch(of_session(&self.conversation.id.0, ""), json!({ "permission": self.ruled }));
        core.ask_soon(
            &call.within(&self.workspace.cwd),
            Then::Approved(self.conversation.id.clone(), id.to_owned()),
        );
    }

    /// The rules are those of the new mode: the server may go on.
    pub(crate) fn plan_approved(&self, core: &mut Core, id: &str) {
        self.answer_question(core, id, &[vec![YES.to_owned()]]);
    }

    /// The mode to go on in, if it is one that was offered.
    fn approved(&self, id: &str) -> Option<Mode> {
        match self.settings.check_mode(id) {
            Ok(Change::Mode(mode)) if mode != Mode::Plan => Some(mode),
            _ => None,
        }
    }
}
