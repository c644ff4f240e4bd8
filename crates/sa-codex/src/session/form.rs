//! Forms and addresses that an MCP server wants the user to see.

use super::Session;
use super::ask::Ask;
use crate::core::Core;
use crate::native::ask::{Answer, Elicitation, FormAnswer};
use agent_client_protocol_schema::v1::{ElicitationAction, ElicitationSessionScope, ToolCallId};
use sa_acp::{Reply, ServerForm, action};

impl Session {
    /// Passes it on as it is, unless the client shows no such thing or the form is of a kind that ACP does not know.
    pub(super) fn server_asks(&mut self, core: &mut Core, id: &str, form: &Elicitation) {
        let is_url = form.mode.as_deref() == Some("url");
        let url = form.elicitation_id.as_deref().zip(form.url.as_deref());
        let shown = ServerForm {
            server: Some(form.server_name.as_str()).filter(|server| !server.is_empty()),
            message: &form.message,
            url: url.filter(|_| is_url),
            schema: form.requested_schema.as_ref().filter(|_| !is_url),
        };
        let call = self.tools.latest_of(&form.server_name).map(|call| ToolCallId::new(call.to_owned()));
        let scope = ElicitationSessionScope::new(self.conversation.id.clone()).tool_call_id(call);
        match shown.request(&core.client.handshake, scope) {
            Some(request) => {
                self.conversation.pass_on(&mut core.client, id, Ask::Server, "elicitation/create", request)
            }
            None => self.respond(core, id, Answer::form("decline")),
        }
    }

    pub(super) fn server_answered(&self, core: &mut Core, id: &str, reply: Reply) {
        let answer = match action(reply) {
            Ok(ElicitationAction::Accept(accepted)) => {
                let content = accepted.content.and_then(|content| serde_json::to_value(content).ok());
                Answer::Form(FormAnswer { action: "accept", content, meta: None })
            }
            Ok(ElicitationAction::Cancel) => Answer::form("cancel"),
            _ => Answer::form("decline"),
        };
        self.respond(core, id, answer);
    }
}
