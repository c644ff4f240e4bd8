//! Permissions for tools.

use super::Session;
use super::ask::Ask;
use super::read_only::{REFUSAL, changes_something};
use super::settings::PLAN;
use crate::core::{Core, PROFILE};
use crate::native::frame::CanUseTool;
use crate::native::line::{AfterDenial, allow, deny};
use crate::tools;
use agent_client_protocol_schema::v1::ToolCallUpdate;
use sa_acp::{AskReason, Decision, PermissionRequest, permission_options};
use serde_json::Value;

#[derive(Debug)]
pub struct Permission {
    pub(super) tool: String,
    pub(super) call: String,
    pub(super) input: Value,
    /// The rules that "always" adds.
    always: Vec<Value>,
}

impl Session {
    pub(super) fn ask_permission(&mut self, core: &mut Core, id: String, asked: CanUseTool) {
        if self.settings.mode() == PLAN && changes_something(&asked.tool_name, &asked.input) {
            return self.respond(core, &id, &deny(REFUSAL, AfterDenial::Continue));
        }
        let suppressed = asked.suppress_always_allow_rule == Some(true);
        let suggestions = asked.permission_suggestions.clone().map(Value::Array).unwrap_or_default();
        let always =
            if suppressed { Vec::new() } else { tools::rules_for_always(&suggestions, &asked.tool_name) };
        let (permission, call) = self.permission(core, &id, asked, always);
        let always = Some(&permission.always).filter(|rules| !rules.is_empty());
        let always = always.map(|grants| format!("Always allow {} in this session", rules(grants)));
        let options = permission_options(always, None);
        let request = PermissionRequest { call, options, reason: AskReason::Needed };
        self.conversation.ask_permission(&mut core.io.client, &id, Ask::Tool(Box::new(permission)), request);
    }

    /// Notes the tool that is asked about. Reports its call if that was not reported: those of sub-agents may come late.
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

    /// Refuses calls that the client was asked about before plan mode, and that change something. Questions stay open in
    /// all other modes: the CLI asks for its own reasons, such as a rule, which no mode may overrule.
    pub(super) fn refuse_changes_in_plan(&mut self, core: &mut Core) {
        if self.settings.mode() != PLAN {
            return;
        }
        let changes =
            |ask: &Ask| matches!(ask, Ask::Tool(asked) if changes_something(&asked.tool, &asked.input));
        for (id, _) in self.conversation.withdraw_where(&mut core.io.client, changes) {
            self.respond(core, &id, &deny(REFUSAL, AfterDenial::Continue));
        }
    }

    pub(super) fn on_decision(
        &mut self,
        core: &mut Core,
        id: &str,
        permission: Permission,
        decision: Decision,
    ) {
        if decision.is_allowed() {
            self.tools.runs(&mut core.io.client, &self.conversation.id, &permission.call);
        }
        let answer = match decision {
            Decision::Once => allow(permission.input, Vec::new()),
            Decision::Session | Decision::Forever => allow(permission.input, permission.always),
            Decision::Rejected => {
                deny(format!("The user rejected this use of {}.", permission.tool), AfterDenial::Continue)
            }
            Decision::Cancelled => deny("The user cancelled the turn.", AfterDenial::Stop),
            Decision::Failed(reason) => deny(reason, AfterDenial::Continue),
        };
        self.respond(core, id, &answer);
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
