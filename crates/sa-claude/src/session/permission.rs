//! Whether a tool may run.

use super::Session;
use super::ask::{AfterDenial, Ask, deny};
use super::read_only::{REFUSAL, changes_something};
use super::settings::PLAN;
use crate::core::{Core, PROFILE};
use crate::native::frame::CanUseTool;
use crate::native::line::{Answer, ToolAnswer};
use crate::tools;
use agent_client_protocol_schema::v1::ToolCallUpdate;
use sa_acp::{Decision, Reply, permission_options};
use serde_json::Value;

/// A tool that waits for permission.
#[derive(Debug)]
pub struct Permission {
    pub(super) tool: String,
    pub(super) call: String,
    pub(super) input: Value,
    /// What is permitted from now on if "always" is chosen.
    always: Vec<Value>,
}

impl Permission {
    pub(super) fn allow(self, updated_permissions: Vec<Value>) -> Answer {
        Answer::Tool(ToolAnswer::Allow { updated_input: self.input, updated_permissions })
    }
}

impl Session {
    pub(super) fn ask_permission(&mut self, core: &mut Core, id: String, asked: CanUseTool) {
        if self.settings.mode() == PLAN && changes_something(&asked.tool_name, &asked.input) {
            return self.respond(core, &id, deny(REFUSAL, AfterDenial::Continue));
        }
        let suppressed = asked.suppress_always_allow_rule == Some(true);
        let suggestions = asked.permission_suggestions.clone().map(Value::Array).unwrap_or_default();
        let always =
            if suppressed { Vec::new() } else { tools::rules_for_always(&suggestions, &asked.tool_name) };
        let (permission, call) = self.permission(core, &id, asked, always);
        let always = Some(&permission.always).filter(|rules| !rules.is_empty());
        let always = always.map(|grants| format!("Always allow {} in this session", rules(grants)));
        let options = permission_options(always, None);
        self.conversation.ask_permission(
            &mut core.client,
            &id,
            Ask::Tool(Box::new(permission)),
            call,
            options,
        );
    }

    /// Notes what is asked about. The client is told of the call if it was not before: those of sub-agents may come late.
    pub(super) fn permission(
        &mut self,
        core: &mut Core,
        id: &str,
        asked: CanUseTool,
        always: Vec<Value>,
    ) -> (Permission, ToolCallUpdate) {
        let CanUseTool { tool_name: tool, input, tool_use_id, decision_reason, .. } = asked;
        let call = tool_use_id.unwrap_or_else(|| id.to_owned());
        self.tool_called(core, &call, &tool, input.clone(), None);
        let fields = tools::call(&tool, &input, &self.workspace.cwd).into_fields();
        let mut update = ToolCallUpdate::new(call.clone(), fields);
        if let Some(reason) = decision_reason {
            update = update.meta(PROFILE.meta(serde_json::json!({ "decisionReason": reason })));
        }
        (Permission { tool, call, input, always }, update)
    }

    pub(super) fn permission_answered(
        &mut self,
        core: &mut Core,
        id: &str,
        permission: Permission,
        reply: Reply,
    ) {
        let decision = Decision::read(reply);
        if decision.is_allowed() {
            self.tools.runs(&mut core.client, &self.conversation.id, &permission.call);
        }
        let answer = match decision {
            Decision::Once => permission.allow(Vec::new()),
            Decision::Session | Decision::Forever => {
                let always = permission.always.clone();
                permission.allow(always)
            }
            Decision::Rejected => {
                deny(format!("The user rejected this use of {}.", permission.tool), AfterDenial::Continue)
            }
            Decision::Cancelled => deny("The user cancelled the turn.", AfterDenial::Stop),
            Decision::Failed(reason) => deny(reason, AfterDenial::Continue),
        };
        self.respond(core, id, answer);
    }
}

/// The rules in words.
fn rules(always: &[Value]) -> String {
    let rules = always.iter().filter_map(|grant| grant["rules"].as_array()).flatten();
    let word = |rule: &Value| {
        let tool = rule["toolName"].as_str().unwrap_or_default();
        match rule["ruleContent"].as_str() {
            Some(content) => format!("{tool}({content})"),
            None => tool.to_owned(),
        }
    };
    rules.map(word).collect::<Vec<_>>().join(", ")
}
