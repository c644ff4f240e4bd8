//! Decides whether a tool may run: the CLI's helper asks, and waits at the permission socket for the answer.

use super::Session;
use crate::core::Core;
use crate::delegate::{PermissionQuery, Verdict};
use crate::tools;
use agent_client_protocol_schema::v1::ToolCallUpdate;
use sa_acp::{AskReason, Asking, Decision, Grant, HelperId, PermissionRequest, absolute, permission_options};
use serde_json::Value;

/// The message to the model in plan mode.
const READ_ONLY: &str = "rejected: plan mode is read-only, and this may change something. Finish the plan; the user leaves plan mode.";

#[derive(Debug)]
pub struct Ask {
    helper: HelperId,
    call: String,
    tool: String,
    input: Value,
}

/// Returns the permission that covers a call.
fn grant(tool: &str, input: &Value) -> Grant {
    if tools::is_edit(tool) {
        return Grant::Edits;
    }
    match tools::command_line(tool, input) {
        Some(command) => Grant::for_command(command),
        None => Grant::Tool(tool.to_owned()),
    }
}

impl Session {
    /// Handles a question of a helper: answers it, or passes it on.
    pub(crate) fn on_query(&mut self, core: &mut Core, helper: HelperId, query: PermissionQuery) {
        let PermissionQuery { tool, call, input, .. } = query;
        let changes = tools::changes_something(&tool, &input);
        let works = self.turn.as_ref().is_some_and(|turn| !turn.is_cancelled());
        if !works {
            return answer(core, helper, Err("The turn is over.".to_owned()));
        }
        let asks_all = self.workspace.asking == Asking::All;
        if self.settings.is_bypass() || (!changes && !asks_all) {
            return answer(core, helper, Ok(()));
        }
        let call = call.unwrap_or_else(|| format!("helper-{}", helper.0));
        self.tool_asked(core, &call, &tool, &input);
        if changes && self.settings.is_plan() {
            self.tool_refused(core, &call, READ_ONLY);
            return answer(core, helper, Err(READ_ONLY.to_owned()));
        }
        let grant = grant(&tool, &input);
        let is_allowed = !changes || self.allowed.contains(&grant);
        if is_allowed && !asks_all {
            self.tools.runs(&mut core.io.client, &self.conversation.id, &call);
            return answer(core, helper, Ok(()));
        }
        let path = tools::changed_file(&tool, &input);
        let before = path.and_then(|path| core.host.disk.read(&absolute(path, &self.workspace.cwd)));
        let described = tools::call(&tool, &input, &self.workspace.cwd, before.as_deref());
        let update = ToolCallUpdate::new(call.clone(), described.into_fields());
        let request = PermissionRequest {
            call: update,
            options: permission_options(Some(grant.option()), None),
            reason: if is_allowed { AskReason::ClientRules } else { AskReason::Needed },
        };
        let ask = Ask { helper, call, tool, input };
        self.conversation.ask_permission(&mut core.io.client, &helper.0.to_string(), ask, request);
    }

    pub(super) fn on_decision(&mut self, core: &mut Core, ask: &Ask, decision: Decision) {
        let outcome = match decision {
            Decision::Once => Ok(()),
            Decision::Session | Decision::Forever => {
                self.allowed.push(grant(&ask.tool, &ask.input));
                Ok(())
            }
            Decision::Rejected => Err(format!("The user rejected this use of {}.", ask.tool)),
            Decision::Cancelled => Err("The user cancelled this.".to_owned()),
            Decision::Failed(reason) => Err(reason),
        };
        match &outcome {
            Ok(()) => self.tools.runs(&mut core.io.client, &self.conversation.id, &ask.call),
            Err(reason) => self.tool_refused(core, &ask.call, reason),
        }
        answer(core, ask.helper, outcome);
    }

    /// Decides open questions by the new mode, or asks them again.
    pub(super) fn ask_again(&mut self, core: &mut Core) {
        for (_, ask) in self.conversation.withdraw_all(&mut core.io.client) {
            let Ask { helper, call, tool, input } = ask;
            let thread = self.conversation.id.to_string();
            self.on_query(core, helper, PermissionQuery { tool, call: Some(call), thread, input });
        }
    }

    /// The CLI does not want to know any more.
    pub(crate) fn on_helper_gone(&mut self, core: &mut Core, helper: HelperId) {
        self.conversation.withdraw(&mut core.io.client, &helper.0.to_string());
    }

    /// Takes all questions back from the client; what they are about does not run.
    pub(super) fn drop_asks(&mut self, core: &mut Core) {
        for (_, ask) in self.conversation.withdraw_all(&mut core.io.client) {
            answer(core, ask.helper, Err("The user cancelled the turn.".to_owned()));
        }
    }
}

fn answer(core: &mut Core, helper: HelperId, outcome: Result<(), String>) {
    let verdict = Verdict { allow: outcome.is_ok(), reason: outcome.err() };
    core.replies.push_back((helper, verdict.line()));
}
