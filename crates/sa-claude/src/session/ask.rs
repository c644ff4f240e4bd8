//! Questions of the CLI, passed on to the client, and the answers on their way back.

use super::Session;
use super::permission::Permission;
use super::question::Questions;
use crate::core::Core;
use crate::native::frame::CanUseTool;
use crate::native::line::{AfterDenial, deny, refusal, reply};
use agent_client_protocol_schema::v1::ElicitationSessionScope;
use sa_acp::{FormReply, ServerForm};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug)]
pub enum Ask {
    Tool(Box<Permission>),
    /// A plan that waits for approval.
    Plan(Box<Permission>),
    Questions(Box<Questions>),
    /// An MCP server's own form.
    Server,
}

impl Session {
    /// Takes a question of the CLI.
    pub(super) fn on_request(&mut self, core: &mut Core, asked: &Value) {
        let (id, request) = (asked["request_id"].as_str().unwrap_or_default(), &asked["request"]);
        match (request["subtype"].as_str(), CanUseTool::deserialize(request)) {
            (Some("can_use_tool"), Ok(tool)) => self.may_use(core, id.to_owned(), tool),
            (Some("elicitation"), _) => self.server_asks(core, id, request),
            (Some("hook_callback"), _) => {
                let answer = self.before_tool(core, &request["input"]);
                self.respond(core, id, &answer);
            }
            (Some("request_user_dialog"), _) => self.respond(core, id, &json!({ "behavior": "cancelled" })),
            _ => self.write(core, refusal(id, "the client of this session does not know this request")),
        }
    }

    fn may_use(&mut self, core: &mut Core, id: String, tool: CanUseTool) {
        match tool.tool_name.as_str() {
            "AskUserQuestion" => self.ask_user(core, id, tool),
            "ExitPlanMode" => self.ask_plan(core, id, tool),
            _ => self.ask_permission(core, id, tool),
        }
    }

    /// Passes a form or an address of an MCP server on as it is, unless the client shows no such thing or the form is of a kind that ACP does not know.
    fn server_asks(&mut self, core: &mut Core, id: &str, form: &Value) {
        let is_url = form["mode"] == "url";
        let url = form["elicitation_id"].as_str().zip(form["url"].as_str());
        let shown = ServerForm {
            server: form["mcp_server_name"].as_str(),
            message: form["message"].as_str().unwrap_or_default(),
            url: url.filter(|_| is_url),
            schema: form.get("requested_schema").filter(|_| !is_url),
        };
        let scope = ElicitationSessionScope::new(self.conversation.id.clone());
        let client = &mut core.io.client;
        match shown.request(&client.handshake, scope) {
            Some(request) => {
                self.conversation.pass_on(client, id, Ask::Server, "elicitation/create", request)
            }
            None => self.respond(core, id, &json!(FormReply::without_content("decline"))),
        }
    }

    /// Withdraws all questions, and denies them in case the CLI still waits.
    pub(super) fn drop_asks(&mut self, core: &mut Core) {
        for (id, ask) in self.conversation.withdraw_all(&mut core.io.client) {
            let answer = match ask {
                Ask::Server => json!(FormReply::without_content("cancel")),
                _ => deny("The user cancelled the turn.", AfterDenial::Continue),
            };
            self.respond(core, &id, &answer);
        }
    }

    pub(super) fn respond(&self, core: &mut Core, id: &str, response: &Value) {
        self.write(core, reply(id, response));
    }

    fn write(&self, core: &mut Core, line: Vec<u8>) {
        if let Some(child) = &self.child {
            core.io.processes.write(child.id, line);
        }
    }
}
