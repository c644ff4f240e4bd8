//! Questions of the app-server, passed on to the client, and the answers on their way back.

use super::Session;
use super::permission::Permission;
use super::plan_exit::Plan;
use super::question::Questions;
use crate::core::Core;
use crate::native::ask::{Elicitation, ServerRequest, decision, form, no_answers, permissions};
use crate::native::line;
use agent_client_protocol_schema::v1::{ElicitationSessionScope, ToolCallId};
use sa_acp::{FormReply, ServerForm};
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Debug)]
pub enum Ask {
    Permission(Box<Permission>),
    Questions(Questions),
    /// An MCP server's own form.
    Server,
    /// A plan that waits for approval. The app-server does not ask this.
    Plan(Plan),
}

impl Session {
    /// Takes a question of the app-server; `id` is its own text.
    pub(crate) fn on_request(&mut self, core: &mut Core, id: &str, asked: ServerRequest) {
        if self.is_stopping() {
            // The question was on its way when the turn was cancelled.
            return self.respond(core, id, &refused(&asked));
        }
        match asked {
            ServerRequest::Command(approval) => self.ask_command(core, id, *approval),
            ServerRequest::Patch(approval) => self.ask_patch(core, id, approval),
            ServerRequest::Questions(asked) => self.ask_user(core, id, &asked),
            ServerRequest::Server(form) if form.is_approval() => self.ask_server_tool(core, id, &form),
            ServerRequest::Server(form) => self.server_asks(core, id, &form),
            ServerRequest::Permissions(approval) => self.ask_permissions(core, id, approval),
            ServerRequest::Other => {}
        }
    }

    /// Passes a form or an address of an MCP server on as it is, unless the client shows no such thing or the form is of a kind that ACP does not know.
    pub(super) fn server_asks(&mut self, core: &mut Core, id: &str, asked: &Elicitation) {
        let is_url = asked.mode.as_deref() == Some("url");
        let url = asked.elicitation_id.as_deref().zip(asked.url.as_deref());
        let shown = ServerForm {
            server: Some(asked.server_name.as_str()).filter(|server| !server.is_empty()),
            message: &asked.message,
            url: url.filter(|_| is_url),
            schema: asked.requested_schema.as_ref().filter(|_| !is_url),
        };
        let call = self.tools.latest_of(&asked.server_name).map(|call| ToolCallId::new(call.to_owned()));
        let scope = ElicitationSessionScope::new(self.conversation.id.clone()).tool_call_id(call);
        match shown.request(&core.io.client.handshake, scope) {
            Some(request) => {
                self.conversation.pass_on(&mut core.io.client, id, Ask::Server, "elicitation/create", request)
            }
            None => self.respond(core, id, &form(FormReply::without_content("decline"))),
        }
    }

    /// Withdraws all questions, and cancels them in case the app-server still waits.
    pub(super) fn drop_asks(&mut self, core: &mut Core) {
        let (own, asks): (BTreeMap<_, _>, BTreeMap<_, _>) = std::mem::take(&mut self.conversation.asks)
            .into_iter()
            .partition(|(_, ask)| matches!(ask, Ask::Plan(_)));
        self.conversation.asks = own;
        for (id, ask) in asks {
            core.io.client.withdraw(&self.conversation.id, Some(&id));
            let answer = match ask {
                Ask::Permission(permission) => permission.cancelled(),
                Ask::Questions(_) => no_answers(),
                Ask::Server | Ask::Plan(_) => form(FormReply::without_content("cancel")),
            };
            self.respond(core, &id, &answer);
        }
    }

    pub(super) fn respond(&self, core: &mut Core, id: &str, answer: &Value) {
        core.write(line::reply(id, answer));
    }
}

/// The answer to a question of a turn that is being stopped.
fn refused(asked: &ServerRequest) -> Value {
    match asked {
        ServerRequest::Command(_) | ServerRequest::Patch(_) => decision("cancel"),
        ServerRequest::Permissions(_) => permissions(&json!({}), "turn"),
        ServerRequest::Server(_) => form(FormReply::without_content("cancel")),
        ServerRequest::Questions(_) | ServerRequest::Other => no_answers(),
    }
}
